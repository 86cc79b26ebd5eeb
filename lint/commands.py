"""Does a fix name only what the facts know: tools, their options, packages, images, indexes, variables?

A command that nobody can run is worse than no command. This reads the steps of an entry's fixes as a shell
would and looks every name up in ``kb/facts``. Part of the gate, see ``lint/gate.py``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import urlsplit

from ..kb import facts
from ..kb.facts.model import Tool
from ..kb.model import Entry, Fix
from .project import requirements, shell
from .project.shell import Command

# Words that stand for something the reader fills in: IMAGE, PEER_HOST, ``<gfx>``, ``{gfx}``, ``...``.
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*\Z|<[^>]*>|\.\.\.\Z")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$\{?([A-Z][A-Z0-9_]{2,})\b")
# NAME=value in a sentence; an underscore tells variables from formulas.
_IN_PROSE = re.compile(r"(?<![\w.%/{-])([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])=(?=[^=\s])")
# In sample code a program's own variables are free to be invented; these families belong to others.
_IN_CODE = re.compile(
    r"(?:environ(?:\.\w+\()?\[?|getenv\()\s*[\"']"
    r"((?:HSA|HIP|ROC[A-Z]*|NCCL|RCCL|MIOPEN|PYTORCH|TORCH|TRITON|VLLM|AMD|MAX|GPU_MAX|CUDA)_[A-Z0-9_]+)[\"']"
)
_OVERRIDE = re.compile(r"HSA_OVERRIDE_GFX_VERSION=[\"']?([^\s\"';,)]+)")
_URL = re.compile(r"https?://[^\s\"'`<>),;]+")
_REPOSITORY = re.compile(r"https?://(?:www\.)?github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?(?=[@/#?]|$)")
_MODULE_OPTION = re.compile(r"(?<![\w.])((?:amdgpu|radeon|ttm|amdttm|amdkfd)\.\w+|iommu|amd_iommu|pci)=")
_MODPROBE = re.compile(r"^\s*options\s+(\w+)\s+(\w+)=", re.MULTILINE)
_FROM = re.compile(r"^\s*FROM\s+(\S+)", re.MULTILINE)
_KEYWORDS = frozenset({
    "for", "select", "in", "do", "done", "then", "else", "fi", "esac", "case", "{", "}", "[", "[[", "]",
    "]]", "!", ":", ".", "source", "export", "unset", "set", "cd", "echo", "printf", "exec", "eval", "read",
    "test", "true", "false", "exit", "return", "trap", "ulimit", "umask", "wait", "shift", "alias",
    "command", "type", "local",
})  # fmt: skip
_WRAPPERS = frozenset({"sudo", "env", "time", "nohup", "xargs"})
_SHELLS = frozenset({"sh", "bash", "zsh"})
_INDEX_OPTIONS = frozenset(
    {"--index-url", "-i", "--extra-index-url", "-f", "--find-links", "--torch-backend"}
)
_WINDOWS_PATH = re.compile(r"[A-Za-z]:\\|%\w+%|^\.?[\w.-]+\\")


def unknown_names(entry: Entry) -> Iterator[tuple[str, str]]:
    """(field path, problem) for every name in the entry's fixes that the facts do not know."""
    cited = frozenset(_repositories(s.url for s in entry.sources))
    for i, fix in enumerate(entry.fixes):
        for field, problems in _in_fix(fix, cited):
            for problem in dict.fromkeys(problems):
                yield f"fixes[{i}].{field}", problem
        for field, problem in _renamed_packages(entry, fix):
            yield f"fixes[{i}].{field}", problem


def _in_fix(fix: Fix, cited: frozenset[str]) -> Iterator[tuple[str, Iterator[str]]]:
    own = frozenset(_assigned(fix))
    for j, step in enumerate(fix.steps):
        field = f"steps[{j}]"
        if step.run is not None:
            yield f"{field}.run", _in_shell(step.run, cited, own)
        elif step.env is not None:
            yield f"{field}.env", _in_shell(_as_exports(step.env), cited, own)
        elif step.config is not None:
            yield f"{field}.config", _in_config(step.config)
        elif step.code is not None:
            yield f"{field}.code", _unknown_variables(_IN_CODE.findall(step.code))
        elif step.do is not None:
            yield f"{field}.do", _in_prose(step.do)
    if fix.verify is not None:
        yield "verify", _in_shell(fix.verify, cited, own)
    if fix.caveat is not None:
        yield "caveat", _in_prose(fix.caveat)


def _as_exports(env: str) -> str:
    """Lines of NAME=value as a shell would read them; a value may hold blanks and semicolons."""
    lines = []
    for line in env.splitlines():
        name, sign, value = line.partition("=")
        plain = sign and "$(" not in value and value[:1] not in "\"'"
        lines.append(f"export {name}='{value}'" if plain else f"export {line}" if sign else line)
    return "\n".join(lines)


def _assigned(fix: Fix) -> Iterator[str]:
    """Variables that the fix sets itself; they are checked where they are set."""
    for step in fix.steps:
        yield from re.findall(r"(?:^|[\s;&(])([A-Z][A-Z0-9_]+)=", step.run or step.env or "")


# --- shell ---------------------------------------------------------------------------------------


def _in_shell(text: str, cited: frozenset[str], own: frozenset[str]) -> Iterator[str]:
    yield from _urls(text)
    yield from _overrides(text)
    yield from _unknown_variables(v for v in _VARIABLE.findall(_without_single_quotes(text)) if v not in own)
    for command in shell.parse(text):
        yield from _command(command, cited)
    yield from _repositories_unknown(text, cited)


def _without_single_quotes(text: str) -> str:
    return re.sub(r"'[^']*'", "''", text)


def _command(command: Command, cited: frozenset[str]) -> Iterator[str]:
    yield from _unknown_variables(w.raw.partition("=")[0].rstrip("+") for w in command.assignments)
    if not command.words:
        return
    first = command.words[0].raw.strip("\"'")
    if _WINDOWS_PATH.match(first):
        base = first.rpartition("\\")[2]
        if base and not first.startswith("."):
            yield from _tool(base, ())
        return
    words = [w.value for w in command.words]
    while words and words[0] in _WRAPPERS:
        wrapper, words = words[0], words[1:]
        yield from _tool(wrapper, ())
        while words and (words[0].startswith("-") or (wrapper == "env" and _ASSIGNMENT.match(words[0]))):
            word, words = words[0], words[1:]
            if wrapper == "env" and word in ("-u", "--unset") and words:
                word, words = words[0], words[1:]
            if not word.startswith("-"):
                yield from _unknown_variables([word.partition("=")[0]])
    if not words or _PLACEHOLDER.match(words[0]):
        return
    name, values = words[0], words[1:]
    base = name.rsplit("/", 1)[-1]
    if name in ("export", "unset", "set"):
        yield from _unknown_variables(_exported(values))
        return
    if name.startswith(("./", "../", "~", "$", "{")) or _PLACEHOLDER.match(name) or name in _KEYWORDS:
        return
    yield from _tool(base, values)
    if base in _SHELLS and "-c" in values[:2]:
        yield from _in_shell(" ".join(values[values.index("-c") + 1 :][:1]), cited, frozenset())
    yield from _packages(command, base, values)
    if base in ("docker", "podman", "nerdctl"):
        yield from _container(values)


def _exported(values: list[str]) -> Iterator[str]:
    for value in values:
        name = value.partition("=")[0]
        if re.fullmatch(r"[A-Za-z_]\w*", name):
            yield name


def _tool(name: str, values: Iterable[str]) -> Iterator[str]:
    if _PLACEHOLDER.match(name):
        return
    tool = facts.tool(name)
    if tool is None:
        if name.removesuffix(".exe") not in facts.tool_facts().standard.tools:
            yield f"the facts know no tool {name!r}"
        return
    yield from _options(tool, list(values))


def _options(tool: Tool, values: list[str]) -> Iterator[str]:
    """Options and sub-commands, where the facts list them; what follows ``--`` is another program's."""
    if tool.definitions:
        for value in values:
            found = re.match(r"-D(\w+)", value)
            if found and found[1] not in tool.definitions:
                yield f"the facts know no {tool.name} definition {found[1]!r}"
    if not tool.options:
        return
    for value in values:
        if value == "--":
            return
        option = value.partition("=")[0]
        if option.startswith("-") and option not in tool.options:
            yield f"the facts know no option {option!r} of {tool.name}"
    verbs = [o for o in tool.options if not o.startswith("-")]
    if verbs and values and not values[0].startswith("-") and values[0] not in verbs:
        yield f"the facts know no sub-command {values[0]!r} of {tool.name}"


# --- packages, images, addresses ------------------------------------------------------------------


def _packages(command: Command, base: str, values: list[str]) -> Iterator[str]:
    if base in ("apt", "apt-get", "dnf", "yum", "zypper", "winget"):
        manager = {"apt-get": "apt", "yum": "dnf"}.get(base, base)
        verbs = {"install", "remove", "purge", "reinstall"}
        at = next((i for i, v in enumerate(values) if v in verbs), None)
        if at is not None:
            yield from _system_packages(manager, values[at + 1 :])
        return
    found = requirements.pip_words(command)
    if found is not None and found[0] == "conda":
        channel = False
        for value in (w.value for w in found[1]):
            if not value.startswith("-") and not channel:
                yield from _system_packages("conda", [re.split(r"[<>=!]", value)[0]])
            channel = value in ("-c", "--channel")
        return
    if found is not None:
        text = " ".join(w.raw for w in command.words)
        (again,) = shell.parse(text)[:1]
        indexed = any(v.partition("=")[0] in _INDEX_OPTIONS for v in values)
        for requirement in requirements.from_command(text, again):
            if not requirement.url:
                yield from _python_package(requirement.name, requirement.spec)
                package = facts.package(requirement.name)
                if package is not None and package.needs_index and not indexed:
                    yield f"without --index-url pip takes {requirement.name} from PyPI, which has another build"
    elif base in ("pip", "pip3") and values[:1] in (["uninstall"], ["show"]):
        for value in values[1:]:
            if not value.startswith("-"):
                yield from _python_package(value, "")
    elif base in ("uv", "pipx") and "install" in values:
        for value in values[values.index("install") + 1 :]:
            if not value.startswith("-"):
                yield from _python_package(value, "")
    elif re.fullmatch(r"python[\d.]*", base) and values[:1] == ["-m"] and len(values) > 1:
        module = values[1].partition(".")[0]
        if module not in sys.stdlib_module_names:
            yield from _python_package(module, "")


def _python_package(name: str, spec: str) -> Iterator[str]:
    if re.fullmatch(r"[A-Z_]+", name) or name.startswith(("package", "{", "<", ".", "/")):
        return
    if requirements.normalise(name) in facts.tool_facts().standard.python_packages:
        return
    package = facts.package(name)
    if package is None:
        yield f"the facts know no Python package {name!r}"
    elif package.pypi and (newest := re.match(r"\d+(?:\.\d+)*", package.pypi)):
        from packaging.version import Version

        for sign, asked in re.findall(r"(===?|~=|>=|>)\s*(\d+(?:\.\d+)*)", spec):
            if Version(asked) > Version(newest[0]):
                yield f"{name}{sign}{asked} is newer than {newest[0]}, the newest that the facts know"


def _system_packages(manager: str, values: list[str]) -> Iterator[str]:
    known = [n for p in facts.tool_facts().system_packages if p.manager == manager for n in p.names]
    for value in values:
        name = re.sub(r"\$\(.*\)|\$\{?\w+\}?", "X", value)
        if value.startswith(("-", "./", "/", "<", "https:")) or (manager == "winget" and " " in value):
            continue
        if not any(re.fullmatch(re.escape(k).replace(r"\*", ".+"), name) for k in known):
            yield f"the facts know no {manager} package {value!r}"


def _renamed_packages(entry: Entry, fix: Fix) -> Iterator[tuple[str, str]]:
    """Packages whose name ends with a release that the fix does not exclude."""
    texts = [s.do or s.run or "" for s in fix.steps] + [fix.caveat or ""]
    for j, step in enumerate(fix.steps):
        for command in shell.parse(step.run or ""):
            manager = {"apt-get": "apt", "yum": "dnf"}.get(command.name, command.name)
            if "install" not in (w.value for w in command.arguments[:1]):
                continue
            for word in command.arguments:
                for row in facts.tool_facts().system_packages:
                    if row.manager != manager or word.value not in row.names or row.until is None:
                        continue
                    later = {
                        n for r in facts.tool_facts().system_packages if r.since == row.until for n in r.names
                    }
                    if _admits(fix.applies.rocm or entry.applies.rocm, row.until) and not any(
                        name in text for name in later for text in texts
                    ):
                        yield (
                            f"steps[{j}].run",
                            f"the {manager} package {word.value!r} is gone from ROCm {row.until} on: "
                            "name its successor in the fix, or give the fix a range",
                        )


def _admits(spec: str | None, version: str) -> bool:
    """Whether a range of ROCm versions admits ``version`` or a later one."""
    if spec is None:
        return True
    from packaging.specifiers import SpecifierSet

    wanted = SpecifierSet(spec)
    return any(wanted.contains(v) for v in (version, facts.release_facts().releases[0].version))


def _container(values: list[str]) -> Iterator[str]:
    for i, value in enumerate(values):
        if value in ("-e", "--env") and i + 1 < len(values):
            yield from _unknown_variables([values[i + 1].partition("=")[0]])
        elif not value.startswith("-") and re.fullmatch(r"[a-z0-9.]+/[\w./-]+(:[\w.-]+)?", value):
            yield from _image(value)


def _image(text: str) -> Iterator[str]:
    name, _, tag = text.partition(":")
    if _PLACEHOLDER.match(name) or "/" not in name or "$" in name:
        return
    image = next((i for i in facts.tool_facts().images if i.name == name), None)
    if image is None:
        yield f"the facts know no image {name!r}"
    elif tag and tag not in image.tags:
        yield f"the facts know no tag {tag!r} of the image {name}"


def _urls(text: str) -> Iterator[str]:
    for url in _URL.findall(text):
        if not _known_url(url.rstrip(".")):
            yield f"the facts know no package index or download {url!r}"


def _known_url(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "github.com":
        return True  # see _repositories_unknown
    return any(pattern.match(url) for pattern in _url_patterns())


@lru_cache(maxsize=1)
def _url_patterns() -> tuple[re.Pattern[str], ...]:
    known = [i.url for i in facts.release_facts().pytorch_indexes]
    known += [i.url for i in facts.gpu_facts().amd_indexes]
    known += [i.url for i in facts.tool_facts().indexes]
    patterns = []
    for url in known:
        parts = re.split(r"<[^>]+>", url.rstrip("/"))
        patterns.append(re.compile(r"[^/\s]+".join(map(re.escape, parts)) + r"/?\Z"))
    return tuple(patterns)


def _repositories(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for name in _REPOSITORY.findall(text):
            yield name.lower()


def _repositories_unknown(text: str, cited: frozenset[str]) -> Iterator[str]:
    for name in _repositories([text]):
        if name not in cited and name not in _fact_repositories():
            yield f"neither the facts nor the entry's sources name the repository {name!r}"


@lru_cache(maxsize=1)
def _fact_repositories() -> frozenset[str]:
    return frozenset(_repositories(url for p in facts.package_facts().packages for url in p.sources))


# --- variables, overrides, configuration ----------------------------------------------------------


def _unknown_variables(names: Iterable[str]) -> Iterator[str]:
    standard = facts.tool_facts().standard.variables
    for name in names:
        if facts.env_var(name) is None and name not in standard:
            yield f"the facts know no variable {name!r}"


def _overrides(text: str) -> Iterator[str]:
    for value in _OVERRIDE.findall(text):
        numbers = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", value)
        if numbers is not None:
            gfx = f"gfx{numbers[1]}{int(numbers[2]):x}{int(numbers[3]):x}"
            if facts.target(gfx) is None:
                yield f"HSA_OVERRIDE_GFX_VERSION={value} means {gfx}, which the facts do not know"
        elif not value.startswith(("{", "<", "$")):
            yield f"HSA_OVERRIDE_GFX_VERSION={value} is no major.minor.stepping"


def _in_config(text: str) -> Iterator[str]:
    yield from _urls(text)
    yield from _overrides(text)
    yield from _unknown_variables(_IN_PROSE.findall(re.sub(r"(?m)^\s*ARG .*|GRUB_\w+=|-D\w+=", "", text)))
    settings = {s.name.partition("=")[0].split(" ")[0] for s in facts.env_facts().system_settings}
    for name in [*_MODULE_OPTION.findall(text), *(".".join(m) for m in _MODPROBE.findall(text))]:
        if name not in settings:
            yield f"the facts know no kernel setting {name!r}"
    for image in _FROM.findall(text):
        if not image.startswith(("nvidia/", "nvcr.io/", "pytorch/")):  # the NVIDIA side of a two-vendor file
            yield from _image(image)


def _in_prose(text: str) -> Iterator[str]:
    yield from _unknown_variables(_IN_PROSE.findall(text))
    yield from _overrides(text)
