"""What project rules see: one file, read by its kind, with what guards each place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from ..repo import Repo
from ..settings import Settings
from ..source import Source
from . import cmake, dockerfile, makefile, requirements, shell, siblings, toml_file, tree
from .kinds import Kind, kind_of
from .requirements import Requirement
from .spans import Spans
from .tree import Node

Role: TypeAlias = Literal[
    "compose", "kubernetes", "workflow", "ci", "devcontainer", "deepspeed", "accelerate", "llamafactory", "axolotl",
    "lightning", "training", "sky", "conda", "other",
]  # fmt: skip

# Words by which a file shows that its author had AMD GPUs in mind.
AMD = re.compile(
    r"\brocm|[-_/:]rocm|rocm\d|/dev/kfd|amd\.com/gpu|amd-?smi|\bhipcc\b|hipify|amdgpu|HIP_VISIBLE|ROCR_VISIBLE|USE_HIP"
    r"|USE_ROCM|HIP_PLATFORM|\bgfx\d{3}|[-_]rocm|AMD_VISIBLE_DEVICES|rocprof|driver:\s*amd|runtime:\s*amd|-amd\b|\bamd-",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(?:(?<=^)|(?<=[ \t]))#[^\n]*", re.MULTILINE)
_JSON_COMMENT = re.compile(r"(?:(?<=^)|(?<=[\s,{\[]))//[^\n]*", re.MULTILINE)
_OWN_SWITCH = re.compile(
    r"if (?:\[ -e /dev/kfd \] && ! command -v nvidia-smi|command -v rocprofv3 >/dev/null 2>&1 && ! command -v).*?"
    r"(?=^[ \t]*else\b|\bfi\b)",
    re.DOTALL | re.MULTILINE,
)
_SHELL_KEYS = frozenset(
    [
        "run",
        "script",
        "before_script",
        "after_script",
        "setup",
        "postCreateCommand",
        "postStartCommand",
        "onCreateCommand",
    ]
)


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the file sets, with the spans of its name and value.

    ``where`` tells the notation: a shell ``export`` or prefix, ``ENV``, a YAML list item ``NAME=value``,
    a YAML mapping, or a Kubernetes name/value pair.
    """

    name: str
    value: str
    start: int
    end: int
    value_start: int
    value_end: int
    where: Literal["export", "assignment", "prefix", "env", "item", "mapping", "pair"]
    guarded: bool


class ProjectFile:
    """One project file. ``text`` is the source decoded as Latin-1: its indices are byte offsets."""

    def __init__(self, source: Source, repo: Repo, settings: Settings) -> None:
        self.source = source
        self.repo = repo
        self.settings = settings
        self.path: Path = source.path
        self.kind: Kind | None = kind_of(source.path)
        self.text = source.data.decode("latin-1")

    @cached_property
    def code(self) -> str:
        """The text with comments blanked, positions unchanged."""
        comment = _JSON_COMMENT if self.kind == "json" else _COMMENT
        return comment.sub(lambda m: " " * len(m[0]), self.text)

    @cached_property
    def normalised(self) -> str:
        """The text with every name in it written as pip compares names."""
        return requirements.normalise(self.text)

    @cached_property
    def for_one_vendor(self) -> bool:
        """The file is one of a pair for NVIDIA and AMD, or is meant for AMD: nothing here is a mistake."""
        return siblings.for_one_vendor(self.path, self.repo)

    @cached_property
    def knows_amd(self) -> bool:
        """The file itself handles AMD GPUs somewhere, or a twin file does."""
        return self.for_one_vendor or AMD.search(self.code) is not None

    @cached_property
    def for_both(self) -> bool:
        """The file (or its twin) serves both vendors, so that what is for NVIDIA alone has its reason.

        A Dockerfile whose only sign of AMD is its ROCm base image serves AMD alone: what it installs for
        CUDA is a mistake.
        """
        if self.kind == "dockerfile" and not self.for_one_vendor:
            code = self.code
            images = [self.dockerfile.resolve(s.image) for s in self.dockerfile.stages]
            if images and all(AMD.search(image) for image, _ in images):
                spans = [(s.start, s.end) for s in self.dockerfile.stages]
                spans += [(arg.start, arg.end) for _, arg in images if arg is not None]
                for a, b in spans:
                    code = code[:a] + " " * (b - a) + code[b:]
                return AMD.search(code) is not None
        if self.kind == "shell" and not self.for_one_vendor:
            # The switches that amdlint's own fixes write say nothing about the rest of the script.
            return AMD.search(_OWN_SWITCH.sub("", self.code)) is not None
        return self.knows_amd

    def mentions(self, pattern: str) -> bool:
        """Whether the file, comments left out, matches a regular expression."""
        return re.search(pattern, self.code, re.IGNORECASE) is not None

    # YAML and JSON

    @cached_property
    def documents(self) -> list[Node]:
        """The trees of a YAML or JSON file."""
        if self.kind in ("yaml", "conda"):
            return tree.read_yaml(self.source.data)
        if self.kind == "json":
            root = tree.read_json(self.source.data)
            return [root] if root is not None else []
        return []

    def nodes(self) -> Iterator[Node]:
        """All nodes of all documents, in file order."""
        for document in self.documents:
            yield from document.walk()

    @cached_property
    def role(self) -> Role:
        """What a YAML or JSON file is for, judged by its place and keys."""
        posix = "/" + self.path.as_posix()
        keys: set[str] = set()
        for document in self.documents:
            keys |= document.keys
        if self.kind == "json":
            if self.path.name in ("devcontainer.json", ".devcontainer.json"):
                return "devcontainer"
            return "deepspeed" if _deepspeed(keys) else _training_role(keys)
        if "/.github/workflows/" in posix or ({"jobs", "on"} <= keys or {"jobs", "True"} <= keys):
            return "workflow"
        if "/.github/actions/" in posix and "runs" in keys:
            return "workflow"
        if self.kind == "conda" or ("dependencies" in keys and "channels" in keys):
            return "conda" if "dependencies" in keys else "other"
        if (
            self.path.name == ".gitlab-ci.yml"
            or "/.gitlab/" in posix
            or "/.buildkite/" in posix
            or "/.circleci/" in posix
        ):
            return "ci"
        if {"apiVersion", "kind"} <= keys:
            return "kubernetes"
        services = next((d.get("services") for d in self.documents if d.get("services")), None)
        if services is not None and services.kind == "map":
            return "compose"
        if "resources" in keys and ("run" in keys or "setup" in keys):
            return "sky"
        return "deepspeed" if _deepspeed(keys) else _training_role(keys)

    # Commands

    @cached_property
    def dockerfile(self) -> dockerfile.Dockerfile:
        return dockerfile.parse(self.text if self.kind == "dockerfile" else "")

    @cached_property
    def cmake_commands(self) -> list[cmake.CMakeCommand]:
        return cmake.parse(self.text) if self.kind == "cmake" else []

    @cached_property
    def makefile(self) -> makefile.Makefile:
        return makefile.parse(self.text if self.kind == "make" else "")

    @cached_property
    def commands(self) -> list[shell.Command]:
        """The shell commands of a script, of RUN instructions, of workflow steps and of recipes."""
        found: list[shell.Command] = []
        for text, start, end in self._shell_parts():
            found += shell.parse(text, start, end)
        spans = self._conditional_steps
        for command in found if spans else ():
            command.guarded = command.guarded or any(a <= command.start < b for a, b in spans)
        return found

    @cached_property
    def _conditional_steps(self) -> list[tuple[int, int]]:
        """Steps and jobs of a workflow that run for one vendor only (``if: matrix.gpu == 'cuda'``)."""
        if self.role != "workflow":
            return []
        conditions = [
            n for n in self.nodes() if n.key == "if" and n.kind == "scalar" and n.parent is not None
        ]
        return [(n.parent.start, n.parent.end) for n in conditions if n.parent and shell.vendor_test(n.value)]

    def _shell_parts(self) -> Iterator[tuple[str, int, int]]:
        if self.kind == "shell":
            yield self.text, 0, len(self.text)
        elif self.kind == "dockerfile":
            for instruction in self.dockerfile.instructions:
                if instruction.name == "RUN":
                    body = self.dockerfile.shell_text
                    start, end = instruction.body, instruction.end
                    options = re.compile(
                        r"[ \t]*(?:--\w+(?:=\S+)?[ \t]+)*(?:<<-?[\"']?\w+[\"']?[ \t]*\r?\n)?"
                    ).match(body, start, end)
                    yield body, options.end() if options else start, end
        elif self.kind == "make":
            for line in self.makefile.recipes:
                if not line.conditions:
                    yield self.text, line.start, line.end
        elif self.role in ("workflow", "ci", "sky", "devcontainer"):
            for node in self.nodes():
                if node.kind == "scalar" and self._is_shell(node):
                    yield self.text, *self.inner_span(node)

    def _is_shell(self, node: Node) -> bool:
        key = node.key
        parent = node.parent
        if key is None and parent is not None and parent.kind == "seq":
            key = parent.key
        return key in _SHELL_KEYS

    def inner_span(self, node: Node) -> tuple[int, int]:
        """The span of a scalar's content: without quotes, without the ``|`` line of a block scalar."""
        if node.style in ("|", ">"):
            first = self.text.find("\n", node.start, node.end)
            return (first + 1 if first >= 0 else node.end), node.end
        if node.style in ("'", '"'):
            return node.start + 1, node.end - 1
        return node.start, node.end

    # Requirements

    @cached_property
    def requirements(self) -> list[Requirement]:
        """The packages that the file asks pip or conda for."""
        found: list[Requirement | None] = []
        if self.kind == "requirements":
            found += [
                requirements.from_text(self.text, a, b, "line")
                for a, b in requirements.lines(self.text, self.code)
            ]
        elif self.kind == "toml":
            found += self._toml_requirements()
        elif self.kind == "ini":
            found += self._ini_requirements()
        elif self.role == "conda":
            found += self._conda_requirements()
        for command in self.commands:
            found += requirements.from_command(self.text, command)
        return [r for r in found if r is not None]

    def _toml_requirements(self) -> Iterator[Requirement | None]:
        for s in self.toml_strings:
            table, key = s.table, s.key
            full = f"{table}.{key}"
            if full in (
                "build-system.requires",
                "project.dependencies",
                "tool.setuptools.dynamic.dependencies",
            ):
                yield requirements.from_text(self.text, s.start, s.end, "toml")
            elif table in ("project.optional-dependencies", "dependency-groups", "tool.pdm.dev-dependencies"):
                yield requirements.from_text(
                    self.text, s.start, s.end, "toml", group=key, guarded=self._optional(key, s.value)
                )
            elif table == "tool.uv" and key.endswith("dependencies"):
                yield requirements.from_text(self.text, s.start, s.end, "toml")
            elif re.fullmatch(r"tool\.hatch\.envs\.[\w-]+", table) and key.endswith("dependencies"):
                group = table.rsplit(".", 1)[-1]
                yield requirements.from_text(
                    self.text, s.start, s.end, "toml", group=group, guarded=self._optional(group, s.value)
                )
            elif (
                re.fullmatch(
                    r"(?:tool\.poetry\.(?:group\.[\w-]+\.)?(?:dev-)?dependencies|packages|dev-packages"
                    r"|(?:tool\.pixi\.)?(?:feature\.[\w-]+\.)?(?:pypi-)?dependencies)",
                    table,
                )
                and s.inner in ("", "version", "url")
                and key != "python"
            ):
                group = (re.search(r"(?:group|feature)\.([\w-]+)", table) or ("", ""))[1]
                yield Requirement(
                    requirements.normalise(key), (), "" if s.inner == "url" else s.value,
                    s.value if s.inner == "url" else "", "", s.key_start, s.end + 1, s.key_start, s.key_end, "table",
                    group, self._optional(group, key),
                )  # fmt: skip

    def _optional(self, group: str, requirement: str) -> bool:
        """Whether a group is one that only NVIDIA users, or users of that very package, would ask for."""
        name = requirements.normalise(re.split(r"[\[<>=!~; @]", requirement.strip(), maxsplit=1)[0])
        plain = requirements.normalise(group)
        return bool(re.search(r"cuda|nvidia|cu\d{2}|gpu|trt|tensorrt|rapids", plain)) or (
            bool(plain)
            and (plain in name or name in plain or plain == "".join(part[:1] for part in name.split("-")))
        )

    @cached_property
    def toml_strings(self) -> list[toml_file.TomlString]:
        return toml_file.strings(self.text) if self.kind == "toml" else []

    def _ini_requirements(self) -> Iterator[Requirement | None]:
        section = key = ""
        at = 0
        for line in self.code.splitlines(keepends=True):
            body = line.rstrip()
            header = re.match(r"\[([^\]]+)\]", body)
            if header:
                section, key = header[1], ""
            elif body and not body[0].isspace():
                key, _, value = body.partition("=")
                key = key.strip()
                body = " " * (len(body) - len(value)) + value
            wanted = (section == "options" and key in ("install_requires", "setup_requires")) or section == (
                "options.extras_require"
            )
            if wanted and body.strip() and not header:
                group = key if section.endswith("extras_require") else ""
                yield requirements.from_text(
                    self.text, at + len(body) - len(body.lstrip()), at + len(body), "ini", group=group,
                    guarded=bool(group) and self._optional(group, body.strip()),
                )  # fmt: skip
            at += len(line)

    def _conda_requirements(self) -> Iterator[Requirement | None]:
        for document in self.documents:
            dependencies = document.get("dependencies")
            for item in dependencies.children if dependencies is not None else ():
                if item.kind == "scalar":
                    yield requirements.from_text(self.text, *self.inner_span(item), "conda")
                elif (pip := item.get("pip")) is not None:
                    for line in pip.children:
                        if line.kind == "scalar":
                            yield requirements.from_text(self.text, *self.inner_span(line), "conda-pip")

    # Environment variables

    @cached_property
    def variables(self) -> list[Variable]:
        """The environment variables that the file sets, in file order."""
        found: list[Variable] = []
        for command in self.commands:
            found += _command_variables(command)
        if self.kind == "dockerfile":
            found += self._dockerfile_variables()
        elif self.role in ("compose", "workflow", "ci", "kubernetes", "devcontainer", "sky", "conda"):
            found += self._tree_variables()
        return sorted(found, key=lambda v: v.start)

    def _dockerfile_variables(self) -> Iterator[Variable]:
        text = self.dockerfile.shell_text
        for instruction in self.dockerfile.instructions:
            if instruction.name != "ENV":
                continue
            body = text[instruction.body : instruction.end]
            if not re.match(r"\s*[A-Za-z_]\w*=", body):
                old = re.compile(r"\s*([A-Za-z_]\w*)[ \t]+(.*)").match(
                    text, instruction.body, instruction.end
                )
                if old:
                    yield Variable(
                        old[1],
                        old[2].strip(),
                        old.start(1),
                        old.end(2),
                        old.start(2),
                        old.end(2),
                        "env",
                        False,
                    )
                continue
            for m in re.compile(
                r"([A-Za-z_]\w*)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:[^\s\\]|\\[^\n])*)"
            ).finditer(text, instruction.body, instruction.end):
                yield Variable(
                    m[1], m[2].strip("\"'"), m.start(1), m.end(2), m.start(2), m.end(2), "env", False
                )

    def _tree_variables(self) -> Iterator[Variable]:
        keys = {"environment", "env", "containerEnv", "remoteEnv", "variables", "envs"}
        for node in self.nodes():
            if node.key not in keys:
                continue
            for child in node.children:
                if node.kind == "map" and child.kind == "scalar" and child.key is not None:
                    a, b = self.inner_span(child)
                    yield Variable(child.key, child.value, child.key_start, child.end, a, b, "mapping", False)
                elif node.kind == "seq" and child.kind == "scalar" and "=" in child.value:
                    a, b = self.inner_span(child)
                    name, _, value = self.text[a:b].partition("=")
                    yield Variable(name, value, a, b, a + len(name) + 1, b, "item", False)
                elif node.kind == "seq" and (name_node := child.get("name")) is not None:
                    value_node = child.get("value")
                    if value_node is not None and value_node.kind == "scalar":
                        a, b = self.inner_span(value_node)
                        yield Variable(
                            name_node.value,
                            value_node.value,
                            name_node.start,
                            value_node.end,
                            a,
                            b,
                            "pair",
                            False,
                        )

    # Guards

    @cached_property
    def _guarded_spans(self) -> Spans:
        spans = [(c.start, c.end) for c in self.commands if c.guarded]
        spans += [(r.start, r.end) for r in self.requirements if r.guarded]
        spans += self._conditional_steps
        if self.kind == "make":
            spans += [(x.line_start, x.end) for x in self.makefile.lines if x.conditions]
        if self.kind == "cmake":
            spans += [
                (c.start, c.end) for c in self.cmake_commands if any(map(shell.vendor_test, c.conditions))
            ]
        return Spans(spans)

    def guarded(self, offset: int) -> bool:
        """Whether the place stands behind a test for the vendor, or in a part that only NVIDIA users ask for."""
        return offset in self._guarded_spans


def _command_variables(command: shell.Command) -> Iterator[Variable]:
    def variable(word: shell.Word, where: Literal["export", "assignment", "prefix"]) -> Variable:
        at = word.raw.index("=")
        value = word.raw[at + 1 :]
        quote = 1 if value[:1] in "\"'" and len(value) > 1 and value[-1] == value[0] else 0
        return Variable(
            word.raw[:at].rstrip("+"), value[quote : len(value) - quote] if quote else value, word.start, word.end,
            word.start + at + 1 + quote, word.end - quote, where, command.guarded,
        )  # fmt: skip

    for word in command.assignments:
        yield variable(word, "prefix" if command.words else "assignment")
    if command.words and command.words[0].raw in ("export", "declare", "typeset", "env"):
        where: Literal["export", "prefix"] = "prefix" if command.words[0].raw == "env" else "export"
        for word in command.words[1:]:
            if re.match(r"[A-Za-z_]\w*=", word.raw):
                yield variable(word, where)


def _deepspeed(keys: set[str]) -> bool:
    """Whether the top keys are those of a DeepSpeed config."""
    own = {"zero_optimization", "train_micro_batch_size_per_gpu", "zero_allow_untested_optimizer"}
    return bool(keys & own) or bool(
        "train_batch_size" in keys
        and keys & {"fp16", "bf16", "optimizer", "sparse_attention", "steps_per_print"}
    )


def _training_role(keys: set[str]) -> Role:
    if "compute_environment" in keys or {"distributed_type", "num_processes"} <= keys:
        return "accelerate"
    if "base_model" in keys and keys & {
        "datasets", "adapter", "sequence_len", "micro_batch_size", "pretraining_dataset", "sample_packing", "rl",
        "load_in_4bit", "load_in_8bit", "output_dir", "optimizer",
    }:  # fmt: skip
        return "axolotl"
    if "model_name_or_path" in keys and keys & {"stage", "finetuning_type", "template"}:
        return "llamafactory"
    if "trainer" in keys and keys & {"seed_everything", "model", "data", "ckpt_path", "trainer", "callbacks"}:
        return "lightning"
    if keys & {
        "per_device_train_batch_size", "per_device_eval_batch_size", "gradient_accumulation_steps",
        "lr_scheduler_type", "torch_compile_backend", "dataloader_num_workers", "num_train_epochs", "save_strategy",
    }:  # fmt: skip
        return "training"
    return "other"
