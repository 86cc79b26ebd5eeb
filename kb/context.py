"""What a log says about the machine: GPUs, ROCm, torch, Python, system, ranks; AMD or NVIDIA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .clean import Line, Paste


@dataclass(frozen=True)
class Context:
    """Facts about the machine that printed the log. Empty and None mean "not told"."""

    gpus: tuple[str, ...] = ()
    """Marketing names as facts know them, or as printed when they do not."""
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
    amd: bool = False
    """The log holds evidence of an AMD GPU or of ROCm software."""
    nvidia: bool = False
    """The log holds evidence of an NVIDIA GPU or of a CUDA build, and none of AMD."""
    cuda_build: bool = False
    """A CUDA build of torch is named (on an AMD machine that is a problem of its own)."""
    text: str = field(default="", repr=False)

    @cached_property
    def packages(self) -> dict[str, str]:
        """Distribution name to version, from ``pip list``, ``pip freeze`` and pip's own messages."""
        found: dict[str, str] = {}
        for pattern in (_PIP_LIST, _PIP_PIN, _PIP_SAYS):
            for m in pattern.finditer(self.text):
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


_VERSION = r"\d{1,3}(?:\.\d{1,5}){1,3}(?:(?:\.|-)?(?:dev|a|b|rc|post)\d{0,12})*(?:\+[\w.]{1,40})?"
_PIP_LIST = re.compile(rf"^\s*([A-Za-z][\w.-]{{1,50}})[ \t]+({_VERSION})(?:[ \t]|$)", re.M)
_PIP_PIN = re.compile(rf"(?<![\w.-])([A-Za-z][\w.-]{{1,50}})={{2,3}}({_VERSION})(?![\w*])")
_PIP_SAYS = re.compile(rf"\b([a-z][\w.-]{{1,40}})(?: version|:)?[ :=v]{{1,3}}({_VERSION})", re.I)

# Words that prove ROCm software or an AMD GPU ...
_AMD = re.compile(
    r"\bgfx(?:[0-9a-f]{3,4}|\d{1,2}[0-9a-fx]{2})\b|\bhip[A-Z][A-Za-z]{2,}|\bHIP (?:error|out of memory|runtime|version|API|failure|SDK|GPUs?\b)"
    r"|\bhip(?:cc|blas|blaslt|sparse|fft|rand|solver|cub|dnn|rtc|config)\b|\bHIP(?:RTC|BLAS)_|\bHIP_|\bNo HIP\b|\bHIP\b"
    r"|\brocBLAS|\brocblas|\brocSOLVER|\brocm|\bROCm\b|\bROCM\b|\bROCR\b|\bROCk\b|\bROCm[A-Z]\w+|\bRCCL\b|\bRccl\b|\brccl|\bMIOpen|\bmiopen"
    r"|\bMIGraphX|\bmigraphx|\bamdgpu|\bamdgcn|\bamd-smi|\bamdsmi|\bamd_smi|\bHSA_|\bhsa_|\bhsa api|\bROC[Rr]|/dev/kfd|\bkfd\b|\bAITER\b|\baiter\b"
    r"|\bAMD_[A-Z]{3,}|\bTensileLibrary|\b(?:AMD )?Instinct\b|\bMI(?:25|50|60|100|200|210|250|300|308|325|350|355)[XA]?\b|\bRadeon\b"
    r"|\bRX ?(?:[4-7]\d{3}|9\d{3})\b|\bAOTriton|\bcomposable_kernel|\blibbitsandbytes_rocm|\+rocm\d|\b_rocm|rocm\d?\.|triton/backends/amd"
    r"|\bStrix (?:Halo|Point)\b|\bAMD GPU\b|\[AMD/ATI\]|\b8060S\b|\bRocm|\brocprof|\bAMD Radeon|\bcomgr\b|__HIP_|\bhipified\b|\[HIP\]|\bROCMExec"
)
# ... unless the line says that there is none, or lists what else would be possible.
_NOT_AMD = re.compile(
    r"(?:ROCM used to build|HIP runtime version|MIOpen runtime version|ROCm version|ROCM_VERSION|ROCM_HOME|HIP_HOME|hip version|"
    r"torch hip version|USE_ROCM|is_rocm|is_hip|version\.hip|ROCM_PATH)\W{0,20}\s*(?:N/A|None|False|OFF|Off|0\b|Could not collect|not found|$)"
    r"|from versions: |Available platform names are|(?:Unable|Failed) to initialize backend 'rocm'|or ROCm MI300|on CUDA devices with compute capability"
    r"|Checking if ROCm|ROCm platform is not available|Hipify|hipify(?:_python)?\b|HIPIFY|CUDA ?/ ?ROCm|CUDA (?:or|and) ROCm|ROCm (?:or|and) CUDA"
    r"|AMD EPYC|AuthenticAMD|NVIDIA or AMD|AMD or NVIDIA|NVIDIA/AMD|without ROCm|no ROCm|not ROCm|Model name:"
    r"|https?://[^ ]{0,200}(?:rocm|ROCm)",
)
_NVIDIA_GPU = re.compile(
    r"\bNVIDIA[ -](?:GeForce|A\d{1,4}|H\d{2,4}|L\d{1,2}S?|GB?\d{2,4}|B\d{3}|Tesla|RTX|GTX|TITAN|Quadro|Graphics|GH200|V100|P100|T4|DGX|Corporation)"
    r"|\bGeForce\b|\bTesla [VTPKM]\d|\bQuadro\b|\b(?:RTX|GTX) ?(?:PRO )?\d{3,4}|\b[AHVP]100\b|\bH[28]00\b|\bRTX A\d{4}|\bDGX\b|\bJetson\b"
    r"|\bNvidia driver version: \d|\bNVIDIA-SMI \d|\bNVRM:|\bNVIDIA GPUs?\b"
)
_CUDA_BUILD = re.compile(
    r"\+cu\d{2,3}\b|\bTORCH_USE_CUDA_DSA|\bCUDA_LAUNCH_BLOCKING|\bnvidia-smi\b|CUDA used to build PyTorch: \d|\bDriver Version: \d|\bcudnn_version|"
    r"\bCUDA out of memory|\bsm_\d{2,3}a?\b|\bptxas\b|\bNVML\b|\bnvidia-(?:cudnn|cublas|nccl|cuda)\S*|\blibcudart\.so|\bCUDA Version: \d|\bCUDA \d{2}\.\d"
)

_GFX = re.compile(r"\bgfx(?:9[0-9a-f]{2}|8[0-9a-f]{2}|1[0-2]\d{2})\b")
_GPU_NAME = re.compile(
    r"(?:AMD )?Instinct(?:\(TM\)|™)? MI\d{2,3}[XA]?\b|\bMI(?:25|50|60|100|210|250|300|308|325|350|355)[XA]?\b"
    r"|(?:AMD )?Radeon(?:\(TM\)|™)? (?:AI )?(?:RX|PRO|Pro)? ?(?:VII|[RWV]?\d{3,4}[A-Z]{0,2})(?: (?:XTX|XT|GRE|M|Duo))?\b|\bRadeon VII\b"
    r"|\bRX ?[4-9]\d{3}(?:[MS]\b)?(?: ?(?:XTX|XT|GRE|M)\b)?|\b[WRV]\d{4}\b(?= ?(?:\(|GPU|gfx))"
    r"|\bRyzen(?:\(TM\)|™)? (?:AI )?(?:MAX\+?|Max\+?|\d)(?: PRO| Pro| HX)* \d{3,4}\w{0,2}|\bStrix (?:Halo|Point)\b|\b(?:7|8|6)[4-9]0M\b|\b80[4-6]0S\b",
    re.I,
)
_TORCH = (
    re.compile(
        rf"\b(?:py)?torch(?:\.__version__)?(?: version| ver)?(?:\s*[=:]{{1,2}}\s*|\s+v?|\s*\(|\s*-\s*)['\"]?({_VERSION})", re.I
    ),
    re.compile(r"(?<![\w.+-])([12]\.\d{1,2}\.\d{1,2}[\w.]{0,20}\+rocm[\d.]{1,12}\w{0,20})"),
)
_ROCM = (
    re.compile(r"\bROCm[- ](?:runtime |toolkit )?version(?: hint)?\s*[:=]?\s*\(?(\d{1,2}(?:\.|, ?)\d{1,2}(?:\.\d{1,2})?)", re.I),
    re.compile(r"\brocm-core\S*\s+(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)"),
    re.compile(r"/opt/rocm-(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)"),
    re.compile(r"\\ROCm\\(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)\\"),
    re.compile(r"\bROCM used to build PyTorch: (\d{1,2}\.\d{1,2})"),
    re.compile(r"\bROCm(?: Toolkit)?:? v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d)", re.I),
    re.compile(r"\brocm/(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d)"),
    re.compile(r"\bHIP (?:runtime )?version\s*:?\s*(\d{1,2}\.\d{1,2})", re.I),
    re.compile(r"\bHIP SDK (\d{1,2}\.\d{1,2})", re.I),
)
_ROCM_OF_TORCH = re.compile(r"\+rocm(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d)")
_PYTHON = (
    re.compile(r"\bPython(?: version)?:? (3\.\d{1,2}(?:\.\d{1,2})?)", re.I),
    re.compile(r"[/\\]python(3\.\d{1,2})[/\\]"),
    re.compile(r"\bcp(3\d{1,2})-cp3"),
    re.compile(r"[/\\]Python(3\d{1,2})[/\\]"),
)


def read(paste: Paste) -> Context:
    """The context of a cleaned log."""
    text = _trusted(paste)
    amd, nvidia, cuda_build = evidence(text)
    gfx = list(dict.fromkeys(m.group() for m in _GFX.finditer(text)))
    gpus, told = _gpus(text)
    own = _own_gfx(text)
    # What names the card beats the list of targets that some library was built for.
    gfx = list(dict.fromkeys([*own, *told])) or (gfx if len(gfx) <= 2 else [])
    torch = next((m.group(1) for p in _TORCH if (m := p.search(text))), None)
    if torch is not None:
        torch = torch.rstrip(".")
    rocm_versions: list[str] = []
    for pattern in _ROCM:
        rocm_versions += [re.sub(r", ?", ".", m.group(1)) for m in pattern.finditer(text)]
    of_torch = [m.group(1) for m in _ROCM_OF_TORCH.finditer(text)]
    rocm = rocm_versions[0] if rocm_versions else of_torch[0] if of_torch else None
    ranks = tuple(sorted({x.rank for x in paste.lines if x.rank is not None}))
    return Context(
        gpus=tuple(gpus),
        gfx=tuple(gfx),
        rocm=rocm,
        torch=torch,
        python=_python(text),
        os=_os(text),
        ranks=ranks,
        rocm_versions=tuple(dict.fromkeys([*rocm_versions, *of_torch])),
        amd=amd,
        nvidia=nvidia,
        cuda_build=cuda_build,
        text=text,
    )


def evidence(text: str) -> tuple[bool, bool, bool]:
    """(AMD evidence, NVIDIA machine, CUDA build named) of the lines of a log."""
    amd = nvidia_gpu = cuda = False
    for line in text.split("\n"):
        if not amd and _AMD.search(line):
            amd = not _NOT_AMD.search(line) or bool(_AMD.search(_NOT_AMD.sub("", line)))
        nvidia_gpu = nvidia_gpu or bool(_NVIDIA_GPU.search(line))
        cuda = cuda or bool(_CUDA_BUILD.search(line))
    return amd, (nvidia_gpu or cuda) and not amd, cuda


def _trusted(paste: Paste) -> str:
    """The text without pip's lists of versions that would have been available."""
    if "from versions: " not in paste.text:
        return paste.text
    return re.sub(r"\(from versions: [^)]{0,20000}\)?", "", paste.text)


_OWN_GFX = re.compile(
    r"GPU arch ?: ?(gfx[0-9a-f]{3,4})|AMD arch: (gfx[0-9a-f]{3,4})|generated when compiling for (gfx[0-9a-f]{3,4})|Name: +(gfx[0-9a-f]{3,4})"
    r"|gcnArchName\W{1,4}(gfx[0-9a-f]{3,4})|unsupported arch\w*:? (gfx[0-9a-f]{3,4})|gpu_type=(gfx[0-9a-f]{3,4})|AMDGPU version : (gfx[0-9a-f]{3,4})"
    r"|GPU archs of \['(gfx[0-9a-f]{3,4})'\]|(gfx[0-9a-f]{3,4})(?::sramecc[+-])?:xnack[+-]"
)


def _own_gfx(text: str) -> list[str]:
    """Targets printed as that of the machine's own GPU."""
    return list(dict.fromkeys(next(g for g in m.groups() if g) for m in _OWN_GFX.finditer(text)))


def _gpus(text: str) -> tuple[list[str], list[str]]:
    """(names, gfx targets) of the GPUs named in the text."""
    names: list[str] = []
    gfx: list[str] = []
    seen: set[str] = set()
    for m in _GPU_NAME.finditer(text):
        printed = m.group().strip()
        if printed.lower() in seen:
            continue
        seen.add(printed.lower())
        from . import facts  # only when a GPU is named

        found = facts.gpu(printed)
        name = found.name if found else printed
        if found and found.gfx not in gfx:
            gfx.append(found.gfx)
        if name not in names and (found or "Ryzen" not in printed):
            names.append(name)
    return names, gfx


def _python(text: str) -> str | None:
    for pattern in _PYTHON:
        if (m := pattern.search(text)) is not None:
            version = m.group(1)
            return version if "." in version else f"{version[0]}.{version[1:]}"
    return None


_WSL = re.compile(r"microsoft-standard|\bWSL2?\b|/mnt/wsl|/usr/lib/wsl|/dev/dxg")
_WINDOWS = re.compile(r"\b[A-Z]:\\|\bWinError\b|\bWindows (?:10|11|Server)\b|\bwin32\b|\.dll\b|win_amd64")
_LINUX = re.compile(r"(?:^|[\s\"'(=:])/(?:home|usr|opt|root|dev|proc|sys|tmp|var|data|workspace|app|work|lib)/|\bLinux\b|\bUbuntu\b|\blinux_x86_64\b|\bdmesg\b|\.so\b", re.M)


def _os(text: str) -> str | None:
    if _WSL.search(text):
        return "wsl"
    if _WINDOWS.search(text):
        return "windows"
    return "linux" if _LINUX.search(text) else None


def with_rank(context: Context, rank: int | None) -> Context:
    """The context with the first failing rank filled in."""
    from dataclasses import replace

    return replace(context, first_failing_rank=rank)


def ranks_of(lines: Iterable[Line]) -> Sequence[int]:
    return sorted({x.rank for x in lines if x.rank is not None})
