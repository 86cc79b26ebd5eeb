"""What a log says about the machine: GPUs, ROCm, torch, Python, system, ranks; AMD or NVIDIA.

Expressions are kept as text and compiled by ``re`` when a word that guards them stands in the log: a
short paste must not pay for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

import msgspec

from . import evidence
from .clean import Paste
from .evidence import Evidence, lines_with


class Context(msgspec.Struct, frozen=True, dict=True):
    """Facts about the machine that printed the log. Empty and None mean "not told"."""

    gpus: tuple[str, ...] = ()
    """Marketing names as the facts know them, or as printed when they do not."""
    gfx: tuple[str, ...] = ()
    rocm: str | None = None
    torch: str | None = None
    python: str | None = None
    os: str | None = None
    """linux, windows or wsl."""
    ranks: tuple[int, ...] = ()
    first_failing_rank: int | None = None
    rocm_versions: tuple[str, ...] = ()
    """Every ROCm version in the log: that of the system and that of the torch wheel may differ."""
    evidence: Evidence = Evidence()
    text: str = ""
    """The cleaned log, for the questions below."""

    @cached_property
    def packages(self) -> dict[str, str]:
        """Distribution name to version, from ``pip list``, ``pip freeze`` and what programs print."""
        found: dict[str, str] = {}
        for pattern in (_PIP_LIST, _PIP_PIN, _SAID):
            for m in re.finditer(pattern, self.text, re.M):
                found.setdefault(re.sub(r"[-_.]+", "-", m.group(1).lower()), m.group(2))
        return found

    def facts(self) -> dict[str, object]:
        """The public part, as the JSON report gives it."""
        return {
            "gpus": list(self.gpus),
            "gfx": list(self.gfx),
            "rocm": self.rocm,
            "torch": self.torch,
            "python": self.python,
            "os": self.os,
            "ranks": list(self.ranks),
            "first_failing_rank": self.first_failing_rank,
        }


def read(paste: Paste) -> Context:
    """The context of a cleaned log."""
    text = _own(paste.text)
    names, named_gfx = _gpus(text)
    gfx = _gfx(text, named_gfx)
    rocm_versions, of_torch = _rocm(text)
    versions = tuple(dict.fromkeys([*rocm_versions, *of_torch]))
    return Context(
        gpus=tuple(names),
        gfx=tuple(gfx),
        rocm=versions[0] if versions else None,
        torch=_torch(text),
        python=_first(_PYTHON, text, _dotted),
        os=_os(text),
        ranks=tuple(sorted({x.rank for x in paste.lines if x.rank is not None})),
        rocm_versions=versions,
        evidence=evidence.of_text(f"{text}\n{paste.peeled}"),
        text=text,
    )


def _own(text: str) -> str:
    """The text without pip's lists of versions that could have been installed."""
    if "from versions: " not in text:
        return text
    return re.sub(r"\(from versions: [^)\n]{0,20000}\)?", "", text)


# ---- versions ----------------------------------------------------------------------------------

_VERSION = r"\d{1,3}(?:\.\d{1,5}){1,3}(?:[.-]?(?:dev|a|b|rc|post)\d{0,12}){0,3}(?:\+[\w.]{1,40})?"
_PIP_LIST = rf"^[ \t]*([A-Za-z][\w.-]{{1,50}})[ \t]+({_VERSION})(?=[ \t]|$)"
_PIP_PIN = rf"(?<![\w.-])([A-Za-z][\w.-]{{1,50}})={{2,3}}({_VERSION})(?![\w*])"
_SAID = rf"\b([A-Za-z][\w-]{{1,40}})(?: version|: version| ver\.?)?[ :=-]{{1,3}}v?({_VERSION})"

_TORCH = (
    (("torch", "Torch"), rf"(?<![\w/.-])(?<!build )(?:[Pp]y)?[Tt]orch(?:\.__version__)?(?: version| ver)?(?: {{0,4}}[=:]{{1,2}} {{0,4}}| +v?| \()['\"]?({_VERSION})"),
    (("+rocm", "+cu", "+cpu", "+git"), r"(?<![\w.+-])([12]\.\d{1,2}\.\d{1,2}[\w.]{0,24}\+(?:rocm|cu|cpu|git)[\w.]{0,24})"),
)  # fmt: skip
_NO_TORCH = r"torch(?:vision|audio|codec|ao|tune|text|data|titan)\w*"

_V3 = r"(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)"
_ROCM = (
    (("ROCm", "ROCM", "rocm"), r"\bROCm[- ](?:runtime |toolkit )?[vV]ersion(?: hint)?\s*[:=]?\s*\(?(\d{1,2}(?:\.|, ?)\d{1,2}(?:\.\d{1,2})?)"),
    (("rocm-core",), rf"\brocm-core\S{{0,20}}\s+{_V3}"),
    (("rocm-",), rf"/opt/rocm-{_V3}"),
    (("ROCm\\",), rf"\\ROCm\\{_V3}\\"),
    (("ROCM used",), r"\bROCM used to build PyTorch: (\d{1,2}\.\d{1,2})"),
    (("ROCm", "rocm"), rf"\b(?:ROCm|rocm)(?: Toolkit)?[: ] ?v?{_V3}(?![\d.]*x)"),
    (("rocm/",), rf"\brocm/{_V3}(?!\d)"),
    (("HIP version", "HIP runtime"), r"\bHIP (?:runtime )?version\s*:?\s*(\d{1,2}\.\d{1,2})"),
    (("HIP SDK",), r"\bHIP SDK (\d{1,2}\.\d{1,2})"),
    (("+hip",), r"\+hip(\d{1,2}\.\d{1,2})"),
)  # fmt: skip
_ROCM_OF_TORCH = rf"\+rocm{_V3}(?!\d)"

_PYTHON = (
    (("Python", "python"), r"\b[Pp]ython(?: version)?:? (3\.\d{1,2}(?:\.\d{1,2})?)"),
    (("/python3",), r"/python(3\.\d{1,2})/"),
    (("cp3", "cpython-3"), r"\bcp(?:ython-)?(3\d{1,2})\b"),
    (("Python3",), r"[/\\]Python(3\d{1,2})[/\\]"),
)

Guarded = tuple[tuple[str, ...], str]


def _all(table: tuple[Guarded, ...], text: str) -> Iterator[str]:
    """Everything that the expressions of a table find, in the order of the table."""
    for guards, pattern in table:
        for line in lines_with(text, guards):
            for m in re.finditer(pattern, line):
                yield m.group(1)


def _first(table: tuple[Guarded, ...], text: str, form: Callable[[str], str]) -> str | None:
    found = next(_all(table, text), None)
    return form(found) if found is not None else None


def _dotted(version: str) -> str:
    """``312`` as ``3.12``."""
    return version if "." in version else f"{version[0]}.{version[1:]}"


def _torch(text: str) -> str | None:
    text = "\n".join(lines_with(text, ("torch", "Torch", "+rocm", "+cu", "+cpu", "+git")))
    if text:
        text = re.sub(rf"{_NO_TORCH}(?:[ \t]+|={{1,3}}|: )(?:{_VERSION})?", " ", text)
    found = next(_all(_TORCH, text), None)
    return found.rstrip(".") if found else None


def _rocm(text: str) -> tuple[list[str], list[str]]:
    """(versions of the system, versions in the name of a torch build)."""
    system = [re.sub(r", ?", ".", v) for v in _all(_ROCM, text)]
    of_torch = list(_all(((("+rocm",), _ROCM_OF_TORCH),), text))
    plausible = [v for v in system if 1 <= int(v.split(".")[0]) <= 30]
    return list(dict.fromkeys(plausible)), list(dict.fromkeys(of_torch))


# ---- GPUs --------------------------------------------------------------------------------------

_GFX = r"\bgfx(?:[89][0-9a-f]{2}|1[0-2]\d{2})\b"
_OWN_GFX = (
    r"(?:GPU arch ?: ?|AMD arch: |generated when compiling for |Name: +|gcnArchName\W{1,4}|gpu_type=|AMDGPU version : |GPU archs of \[')"
    r"(gfx[0-9a-f]{3,4})|(gfx[0-9a-f]{3,4})(?::sramecc[+-])?:xnack[+-]"
)
_NAME_WORDS = (
    "Radeon", "Instinct", "RX", "MI1", "MI2", "MI3", "MI5", "MI6", "Ryzen", "RYZEN", "Strix", "8060S", "8050S", "8040S",
    "W6", "W7", "R97", "R96", "7900", "7800", "40M", "60M", "70M", "80M", "90M",
)  # fmt: skip
_NAME = (
    r"(?:AMD )?Instinct(?:\(TM\)|™)? MI\d{2,3}[XAP]?\b|\bMI(?:25|50|60|100|210|250|300|308|325|350|355)[XAP]?\b"
    r"|(?:AMD )?Radeon(?:\(TM\)|™)? (?:AI )?(?:RX|PRO|Pro|Pro )? ?(?:VII|[RWV]?\d{3,4}[A-Z]{0,2})(?: (?:XTX|XT|GRE|M|Duo))?\b"
    r"|\bRX[ -]?[4-9]\d{3}(?:[MS]\b)?(?: ?(?:XTX|XT|GRE|M)\b)?|\b(?:W[67]\d00|R9[67]00[DS]?)\b|\b7[89]00 ?(?:XTX|XT|GRE)\b"
    r"|\bR(?:yzen|YZEN)(?:\(TM\)|™)? (?:AI )?(?:MAX\+?|Max\+?|\d)(?: PRO| Pro| HX)* \d{3,4}\w{0,2}|\bStrix (?:Halo|Point)\b|\b[678][4-9]0M\b|\b80[4-6]0S\b"
)


def _gpus(text: str) -> tuple[list[str], list[str]]:
    """(names, gfx targets) of the GPUs named in the text."""
    names: list[str] = []
    gfx: list[str] = []
    lines = lines_with(text, _NAME_WORDS)
    for printed in dict.fromkeys(m.group().strip() for line in lines for m in re.finditer(_NAME, line)):
        from . import facts  # only when a GPU is named

        found = facts.gpu(printed)
        if found is not None and found.gfx not in gfx:
            gfx.append(found.gfx)
        name = found.name if found else printed
        if name not in names and (found or "yzen" not in printed):
            names.append(name)
    return names, gfx


def _gfx(text: str, of_names: list[str]) -> list[str]:
    """Targets of this machine: those printed as its own, then those of named cards, then a lone one."""
    if "gfx" not in text:
        return of_names
    text = "\n".join(lines_with(text, ("gfx",), limit=400))
    own = [next(g for g in m.groups() if g) for m in re.finditer(_OWN_GFX, text)]
    found = list(dict.fromkeys([*own, *of_names]))
    if found:
        return found
    loose = list(dict.fromkeys(m.group() for m in re.finditer(_GFX, text)))
    # A longer list is that of what some library was built for.
    return loose if len(loose) <= 2 else []


# ---- operating system --------------------------------------------------------------------------

_WSL = ("microsoft-standard", "WSL", "/mnt/wsl", "/usr/lib/wsl", "/dev/dxg")
_WINDOWS = (
    "WinError",
    "Windows 10",
    "Windows 11",
    "Windows Server",
    "win32",
    "win_amd64",
    ".dll",
    "\\Lib\\site-packages",
)
_LINUX = ("/home/", "/usr/", "/opt/", "/root/", "/dev/", "/proc/", "/sys/", "/var/", "/lib/python3", "Linux", "Ubuntu", "linux", ".so", "dmesg", "kfd")  # fmt: skip


def _os(text: str) -> str | None:
    if any(w in text for w in _WSL):
        return "wsl"
    if any(w in text for w in _WINDOWS) or (":\\" in text and re.search(r"\b[A-Z]:\\", text)):
        return "windows"
    return "linux" if any(w in text for w in _LINUX) else None
