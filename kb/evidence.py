"""Is this an AMD machine, an NVIDIA machine, or can nobody tell? Words that prove it, and lines that only seem to."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

AMD_WORDS = (
    "HIP error", "HIP out of memory", "HIP runtime", "HIP version", "HIP API", "HIP SDK", "HIP failure", "HIP GPU", "HIP device",
    "HIP object", "HIP Library", "HIP kernel", "HIP_", "[HIP]", "(HIP)", "HIPRTC", "hiprtc", "HIPBLAS", "hipError", "hipErr", "hipMalloc", "hipMem",
    "hipLaunch", "hipSet", "hipGet", "hipDevice", "hipStream", "hipModule", "hipIpc", "hipInfo", "hipHost", "hipFunc", "hipEvent",
    "hipcc", "hipblas", "hipBLAS", "hipsparse", "hipfft", "hiprand", "hipsolver", "hipcub", "hipCUB", "hipconfig", "hipify-", "amdhip64",
    "hip/hip_", "/hip/", "_hip.", ".hip", "hip_bfloat16", "__HIP", "-x hip", "BUILD_HIP",
    "ROCm", "ROCM", "rocm", "ROCk", "ROCR", "ROCr", "Rocm",
    "rocBLAS", "rocblas", "rocSOLVER", "rocsolver", "rocprim", "rocPRIM", "rocThrust", "rocthrust", "rocFFT", "rocprof", "rocALUTION",
    "RCCL", "rccl", "Rccl", "MIOpen", "miopen", "MIGraphX", "migraphx", "TensileLibrary", "Tensile", "AOTriton", "aotriton",
    "composable_kernel", "ck_tile", "comgr", "aqlprofile",
    "amdgpu", "amdgcn", "amd-smi", "amdsmi", "amd_smi", "AMDGPU", "AMD_", "amd_detail", "backends/amd", "amd_gpu",
    "HSA_", "hsa_", "hsa api", "hsakmt", "/dev/kfd", "kfd ", "aiter", "AITER",
    "Instinct", "Radeon", "ZLUDA", "[AMD/ATI]", "AMD GPU", "AMD Radeon", "Strix Halo", "Strix Point", "8060S", "GPU node-",
)  # fmt: skip
"""Literals that stand only in the output of AMD software or of something that names an AMD GPU."""

_AMD_PATTERNS = (
    ("gfx", r"\bgfx(?:[0-9a-f]{3,4}|\d{1,2}[0-9a-fx]{1,2}|\d+-generic)\b"),
    ("MI", r"\bMI(?:25|50|60|100|200|210|250|300|308|325|350|355)[XA]?\b"),
    ("RX", r"\bRX ?(?:[4-7]\d{3}|9\d{3})\b"),
    ("HIP", r"\bHIP\b"),
    ("kfd", r"\bkfd\b"),
    ("7900", r"\b7900 ?(?:XTX|XT|GRE)\b"),
    ("W7", r"\bW7[5-9]00\b"),
)

NOT_AMD_WORDS = (
    "used to build PyTorch", "runtime version", "from versions: ", "Available platform names are", "initialize backend 'rocm'",
    "or ROCm MI300", "ROCm platform", "hipify", "Hipify", "HIPIFY", "AMD EPYC", "AuthenticAMD", "NVIDIA or AMD", "AMD or NVIDIA",
    "NVIDIA/AMD", "AMD/NVIDIA", "CUDA/ROCm", "CUDA / ROCm", "CUDA or ROCm", "ROCm or CUDA", "CUDA and ROCm", "without ROCm", "no ROCm", "not ROCm", "(ROCm)",
    "ROCM_HOME", "ROCM_PATH", "ROCM Version", "ROCm version", "ROCm Version", "hip version", "USE_ROCM", "is_rocm", "is_hip", "version.hip", "ROCM_VERSION",
    "Could NOT find", "rocm.docs.amd.com", "For AMD GPU", "for AMD GPU", "ROCm install", "ROCm docs", "ROCm doc", "Ryzen", "import amdsmi", "No module named 'amdsmi'", "rocm_platform_plugin", "CUDA, ROCm", "cuda/hip", "hip.py", "rocm.py", "test_hip", "CUDA/HIP", "HIP/CUDA",
)  # fmt: skip
"""Words of lines that may only seem to speak of an AMD GPU: ``_NO_EVIDENCE`` looks at those closer."""

_NO_EVIDENCE = (
    # collect_env, ds_report and CMake summaries of a machine without ROCm
    r"(?:ROCM used to build PyTorch|HIP runtime version|MIOpen runtime version|ROC[mM][ _][vV](?:ersion|ERSION)|ROCM_HOME|HIP_HOME|ROCM_PATH|"
    r"(?:torch )?hip version|USE_ROCM|[iI]s_?rocm(?:_build)?|is_hip|torch\.version\.hip|version\.hip)"
    r"[^A-Za-z0-9]{0,40}(?:N/A|None|False|OFF|Off|0\b|Could not collect|not found|$)",
    r"\(?from versions: .{0,20000}",
    r"Unable to initialize backend 'rocm'.{0,2000}",
    r"Available platform names are.{0,400}",
    r".{0,300}or ROCm MI300\+?",
    r".{0,40}(?:Checking if ROCm platform|ROCm platform is not available).{0,200}",
    r"\b[Hh]ipify(?:_torch|_python)?\b|\bHIPIFY\b|utils/hipify/[\w.]{1,40}",
    r"AMD EPYC[^|\n]{0,40}|AuthenticAMD|AMD Ryzen(?! AI)[^|\n]{0,30}(?:Processor|CPU)?",
    r"(?:NVIDIA|CUDA|cuda) ?(?:/|or|and|,) ?(?:AMD|ROCm|HIP|hip)\b|(?:AMD|ROCm|HIP) ?(?:/|or|and|,) ?(?:NVIDIA|CUDA)\b|(?:without|no|not) ROCm\b",
    r"\S{0,200}/(?:rocm|hip)\.py",
    # CMake looks for every vendor
    r"Could NOT find (?:HIP|hip|ROCM|ROCm|rocm)\b.{0,120}",
    # where to read on
    r"https?://rocm\.docs\.amd\.com[^\s'\"]{0,200}|\b[Ff]or AMD GPUs?\b|\bROCm (?:install\w{0,10}|docs?|documentation)(?: guide| page| instructions)?\b",
    # vLLM asks every machine for amdsmi
    r"rocm_platform_plugin|import amdsmi|No module named 'amdsmi'",
)

NVIDIA_WORDS = (
    "NVIDIA", "GeForce", "Tesla", "Quadro", "RTX", "GTX", "A100", "H100", "V100", "P100", "H200", "H800", "A800", "B200", "GB200", "GH200",
    "DGX", "Jetson", "Nvidia driver version", "NVRM:", "nvidia-smi",
)  # fmt: skip

_NVIDIA_GPU = (
    r"\bNVIDIA[ -](?:GeForce|[AHLBV]\d{1,4}S?\b|GB?\d{2,4}|Tesla|RTX|GTX|TITAN|Quadro|Graphics Device|GH200|P100|T4|DGX|Corporation)"
    r"|\bGeForce\b|\bTesla [VTPKM]\d|\bQuadro\b|\b(?:RTX|GTX) ?(?:PRO |A)?\d{3,4}|\b[AHVP]100\b|\b[HA]800\b|\bH200\b|\bG?B200\b|\bGH200\b|\bDGX\b|\bJetson\b"
    r"|\bNvidia driver version: \d|\bNVIDIA-SMI \d|\bNVRM:|\bNVIDIA GPUs, "
)

CUDA_ADVICE = (
    "TORCH_USE_CUDA_DSA",
    "consider passing CUDA_LAUNCH_BLOCKING",
    "/libtorch_cuda.so)",
    "/libc10_cuda.so)",
)
"""What only a CUDA build prints, and only after its GPU has answered: its advice, and its stack frames."""

CUDA_WORDS = (
    "+cu1", "+cu9", "CUDA_LAUNCH_BLOCKING", "CUDA used to build PyTorch: 1", "CUDA out of memory", "+cuda1",
    "ptxas", "initialize NVML", "libcudart.so", "CUDA Version: 1", "nvidia-cublas", "nvidia-cudnn", "sm_", "/usr/local/cuda", "CUDA 1", "cuda_version: 1",
)  # fmt: skip
"""Words of a CUDA build of torch or of the CUDA toolkit. On an AMD machine they may be the problem itself."""


class Evidence(msgspec.Struct, frozen=True):
    """What a log proves about the vendor of the machine."""

    amd: bool = False
    nvidia: bool = False
    """An NVIDIA GPU or driver is named."""
    cuda: bool = False
    """A CUDA build or toolkit is named."""

    @property
    def contested(self) -> bool:
        """Both vendors are named: a line must speak of AMD itself to count."""
        return self.nvidia and self.amd

    @property
    def foreign(self) -> bool:
        """Surely no AMD matter: NVIDIA or CUDA is named and nothing of AMD."""
        return (self.nvidia or self.cuda) and not self.amd


def lines_with(text: str, words: Iterable[str], limit: int = 40) -> list[str]:
    """The different lines of a text that hold one of the words, in order; a few of each word."""
    starts: dict[int, str] = {}
    for word in words:
        at = text.find(word)
        seen = 0
        while at >= 0 and seen < limit:
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            starts[start] = text[start:end]
            seen += 1
            at = text.find(word, end)
    return list(dict.fromkeys(starts[s] for s in sorted(starts)))


def of_text(text: str) -> Evidence:
    """The evidence in a cleaned log."""
    return Evidence(
        amd=_amd(text),
        nvidia=any(w in text for w in CUDA_ADVICE)
        or any(re.search(_NVIDIA_GPU, line) for line in lines_with(text, NVIDIA_WORDS)),
        cuda=any(w in text for w in CUDA_WORDS),
    )


def _amd(text: str) -> bool:
    lines = lines_with(text, (*AMD_WORDS, *(guard for guard, _ in _AMD_PATTERNS)))
    for line in lines:
        if not speaks_of_amd(line):
            continue
        if any(w in line for w in NOT_AMD_WORDS):
            for pattern in _NO_EVIDENCE:
                line = re.sub(pattern, " ", line)
            if not speaks_of_amd(line):
                continue
        return True
    return False


def speaks_of_amd(text: str) -> bool:
    """Whether a line names AMD software or an AMD GPU."""
    return any(w in text for w in AMD_WORDS) or any(
        guard in text and re.search(pattern, text) is not None for guard, pattern in _AMD_PATTERNS
    )
