"""Typed facts: GPUs, ROCm releases, environment variables, packages, CUDA names.

Every fact has ``sources`` (URLs that were read) and ``as_of`` (the version they speak of). Free text
stands next to a typed field wherever the sources need words ("since 7.1 (7.0 not checked)").
"""

from __future__ import annotations

from typing import Literal

import msgspec


class _Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all facts: immutable, and a misspelt field is an error."""


class Meta(_Fact, frozen=True):
    """When a file of facts was compiled and from what."""

    compiled: str
    note: str
    sources: tuple[str, ...]
    as_of: str


class Target(_Fact, frozen=True):
    """One gfx target and what ROCm, PyTorch and the math libraries do with it."""

    gfx: str
    family: str
    """Family name that ``expand_gfx`` knows: gcn, vega, cdna1 .. cdna4, rdna1 .. rdna4, rdna3.5."""
    generation: str
    wavefront: Literal[32, 64]
    """Threads of a wavefront as PyTorch kernels are compiled (RDNA can also run 64)."""
    capability: tuple[int, int]
    """What torch.cuda.get_device_capability() answers."""
    lds_kib: int | None
    """Shared memory (LDS) that one workgroup can have; None: not known."""
    matrix: str
    fp8: Literal["none", "fnuz", "ocp", "unknown"]
    """The fp8 encoding of the matrix unit."""
    rocm: str
    """In which ROCm releases AMD lists the target."""
    torch_wheels: str
    sdpa: str
    """Fused attention in torch's SDPA (AOTriton)."""
    hipblaslt: str
    ck: str
    """Composable Kernel."""
    sources: tuple[str, ...]
    as_of: str
    override: str | None = None
    """HSA_OVERRIDE_GFX_VERSION that lets the card use kernels built for a relative; None: none is known to help."""
    override_note: str | None = None
    amd_wheels: str | None = None
    fp8_note: str | None = None
    fp16: str | None = None
    bf16: str | None = None
    tf32: str | None = None
    fp64_matrix: str | None = None
    codenames: tuple[str, ...] = ()
    wavefront_note: str | None = None
    kernel: str | None = None
    """Linux kernel that the target needs."""
    memory: str | None = None
    note: str | None = None


Kind = Literal["instinct", "radeon_pro", "radeon", "ryzen_apu"]


class Card(_Fact, frozen=True):
    """One product that people can buy."""

    name: str
    gfx: str
    kind: Kind
    sources: tuple[str, ...]
    as_of: str
    igpu: str | None = None
    """Name of the graphics part of an APU, e.g. Radeon 8060S."""
    memory: str | None = None
    compute_units: int | None = None
    linux: bool | None = None
    """In AMD's Linux support list of ROCm 10.x."""
    windows: bool | None = None
    wsl2: bool | None = None
    first_linux: str | None = None
    linux_note: str | None = None
    windows_note: str | None = None
    wsl2_note: str | None = None
    aliases: tuple[str, ...] = ()
    note: str | None = None


class Wheel(_Fact, frozen=True):
    """One official PyTorch ROCm wheel and the gfx targets it was compiled for."""

    torch: str
    rocm: str
    url: str
    python: str
    targets: tuple[str, ...]
    confidence: str
    """Where the list of targets comes from."""
    sources: tuple[str, ...]
    as_of: str
    note: str | None = None


class AmdIndex(_Fact, frozen=True):
    """A wheel index of AMD."""

    name: str
    url: str
    note: str
    sources: tuple[str, ...]
    as_of: str
    install: str | None = None
    targets: tuple[str, ...] = ()


class Trap(_Fact, frozen=True):
    """Something about GPUs that often misleads."""

    id: str
    text: str
    sources: tuple[str, ...]
    as_of: str


class GpuFile(_Fact, frozen=True):
    """gpus.yaml."""

    meta: Meta
    targets: tuple[Target, ...]
    cards: tuple[Card, ...]
    wheels: tuple[Wheel, ...]
    amd_indexes: tuple[AmdIndex, ...]
    traps: tuple[Trap, ...]


class Release(_Fact, frozen=True):
    """One ROCm release (or a row of previews: ``version`` to ``through``)."""

    version: str
    stream: Literal["production", "preview"]
    line: Literal["classic", "therock", "unknown"]
    stream_note: str
    sources: tuple[str, ...]
    as_of: str
    released: str | None = None
    through: str | None = None
    status: str | None = None
    os: tuple[str, ...] = ()
    os_change: str | None = None
    os_instinct: tuple[str, ...] = ()
    os_radeon: tuple[str, ...] = ()
    os_ryzen: tuple[str, ...] = ()
    windows_note: str | None = None
    wsl: str | None = None
    adrenalin_windows: str | None = None
    gfx: tuple[str, ...] = ()
    python_linux: str | None = None
    python_windows: str | None = None
    pytorch: tuple[str, ...] = ()
    """PyTorch versions that AMD tested or built for the release."""
    pytorch_instinct: tuple[str, ...] = ()
    pytorch_radeon_ryzen: tuple[str, ...] = ()
    pytorch_windows_wsl: tuple[str, ...] = ()
    jax: tuple[str, ...] = ()
    tensorflow: tuple[str, ...] = ()
    tensorflow_python: str | None = None
    onnxruntime: str | None = None
    migraphx: str | None = None
    vllm: str | None = None
    sglang: str | None = None
    components: dict[str, str] = {}
    driver: str | None = None
    new_gpus: tuple[str, ...] = ()
    breaking: tuple[str, ...] = ()
    known_issues: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class DriverRule(_Fact, frozen=True):
    """Which driver goes with which ROCm."""

    rule: str
    sources: tuple[str, ...]
    as_of: str
    since: str | None = None
    until: str | None = None


class Dropped(_Fact, frozen=True):
    """What was removed, and the last release that had it."""

    item: str
    last: str
    sources: tuple[str, ...]
    as_of: str


class TorchIndex(_Fact, frozen=True):
    """One wheel index of pytorch.org that exists."""

    rocm: str
    url: str
    torch: tuple[str, ...]
    platform: str
    sources: tuple[str, ...]
    as_of: str


class ReleaseFile(_Fact, frozen=True):
    """rocm_releases.yaml."""

    meta: Meta
    releases: tuple[Release, ...]
    driver_rules: tuple[DriverRule, ...]
    dropped: tuple[Dropped, ...]
    pytorch_indexes: tuple[TorchIndex, ...]


class EnvVar(_Fact, frozen=True):
    """One environment variable. ``<node>`` or ``*`` in the name stands for any text."""

    name: str
    component: str
    scope: Literal["run", "build"]
    does: str
    default: str
    sources: tuple[str, ...]
    as_of: str
    cuda_names: tuple[str, ...] = ()
    """What the variable is called on CUDA, or which CUDA name it also answers to."""
    since: str | None = None
    until: str | None = None
    danger: str | None = None


class AllocOption(_Fact, frozen=True):
    """One option inside PYTORCH_ALLOC_CONF."""

    option: str
    rocm: str
    meaning: str
    default: str
    sources: tuple[str, ...]
    as_of: str
    note: str | None = None


class SystemSetting(_Fact, frozen=True):
    """A kernel command line option, module parameter or sysctl."""

    name: str
    kind: str
    does: str
    sources: tuple[str, ...]
    as_of: str


class EnvFile(_Fact, frozen=True):
    """env_vars.yaml."""

    meta: Meta
    env_vars: tuple[EnvVar, ...]
    alloc_conf_options: tuple[AllocOption, ...]
    system_settings: tuple[SystemSetting, ...]


class Package(_Fact, frozen=True):
    """One Python package or tool on ROCm."""

    name: str
    rocm: Literal["yes", "partly", "fork", "source", "retired", "no"]
    """yes: works; fork: use AMD's fork; source: build it yourself; retired: no longer maintained."""
    verification: str
    sources: tuple[str, ...]
    as_of: str
    aliases: tuple[str, ...] = ()
    rocm_note: str | None = None
    since: str | None = None
    install: str | None = None
    use_instead: str | None = None
    pypi: str | None = None
    notes: str | None = None
    traps: tuple[str, ...] = ()
    needs_index: bool = False
    """PyPI has another build under this name: an install command must name an index."""


class Twin(_Fact, frozen=True):
    """An NVIDIA product and its counterpart on AMD."""

    nvidia: str
    amd: str
    sources: tuple[str, ...]
    as_of: str
    since: str | None = None


class PackageFile(_Fact, frozen=True):
    """packages.yaml."""

    meta: Meta
    packages: tuple[Package, ...]
    nvidia_to_amd: tuple[Twin, ...]


class Tool(_Fact, frozen=True):
    """One command-line tool that a fix may name."""

    name: str
    what: str
    platform: Literal["linux", "windows", "any"]
    sources: tuple[str, ...]
    as_of: str
    aliases: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    """The release without it, or what took its place."""
    options: tuple[str, ...] = ()
    """Sub-commands and options that the sources name; empty: not collected."""
    definitions: tuple[str, ...] = ()
    """Names that ``-DNAME=value`` may set."""
    note: str | None = None


class SystemPackage(_Fact, frozen=True):
    """Packages of a system's package manager. ``*`` in a name stands for any text."""

    names: tuple[str, ...]
    manager: Literal["apt", "dnf", "conda", "winget"]
    what: str
    sources: tuple[str, ...]
    as_of: str
    since: str | None = None
    """First ROCm release with these packages."""
    until: str | None = None
    """First ROCm release without them."""


class Image(_Fact, frozen=True):
    """One container image."""

    name: str
    what: str
    sources: tuple[str, ...]
    as_of: str
    tags: tuple[str, ...] = ("latest",)


class Index(_Fact, frozen=True):
    """One package index beside those of PyTorch and AMD. ``<x>`` stands for any text."""

    url: str
    what: str
    sources: tuple[str, ...]
    as_of: str


class Standard(_Fact, frozen=True):
    """Names that every system of their kind has and nobody needs a source for."""

    tools: tuple[str, ...]
    variables: tuple[str, ...]
    python_packages: tuple[str, ...]


class ToolFile(_Fact, frozen=True):
    """tools.yaml."""

    meta: Meta
    tools: tuple[Tool, ...]
    system_packages: tuple[SystemPackage, ...]
    images: tuple[Image, ...]
    indexes: tuple[Index, ...]
    standard: Standard


class Gpu(_Fact, frozen=True):
    """A card together with its target; ``card`` is None when only the gfx target is known."""

    name: str
    gfx: str
    family: str
    wavefront: int
    lds_kib: int | None
    fp8: Literal["none", "fnuz", "ocp", "unknown"]
    capability: tuple[int, int]
    override: str | None
    target: Target
    card: Card | None = None


class NvccFlag(_Fact, frozen=True):
    """One option of nvcc and what clang (hipcc) does with it."""

    flag: str
    on_rocm: Literal["same", "refused", "ignored", "trap"]
    """same: works; refused: clang stops; ignored: accepted without effect; trap: accepted with another meaning."""
    does: str
    """What the option does in nvcc."""
    instead: str
    """What to write for hipcc, or that it is to be left out."""
    sources: tuple[str, ...]
    as_of: str
    spellings: tuple[str, ...] = ()
    takes_value: bool = False
    note: str | None = None


class FlagFile(_Fact, frozen=True):
    """nvcc_flags.yaml."""

    meta: Meta
    flags: tuple[NvccFlag, ...]


class Intrinsic(_Fact, frozen=True):
    """A name of CUDA code that needs words: an intrinsic, PTX instruction, header, macro or library.

    ``name`` and ``aliases`` may hold ``*``. These rows go before HIPIFY's tables: they say what differs.
    """

    name: str
    kind: Literal[
        "warp", "math", "memory", "sync", "matrix", "ptx", "macro", "header", "library", "keyword", "api"
    ]
    rocm: Literal["same", "renamed", "differs", "none"]
    says: str
    """What happens on AMD, and what to write."""
    sources: tuple[str, ...]
    as_of: str
    aliases: tuple[str, ...] = ()
    hip: str | None = None
    library: str | None = None
    since: str | None = None
    """ROCm version from which the statement holds."""


class IntrinsicFile(_Fact, frozen=True):
    """intrinsics.yaml."""

    meta: Meta
    intrinsics: tuple[Intrinsic, ...]


class NewerName(_Fact, frozen=True):
    """A row of cuda_hip_newer.yaml, which goes before the row of cuda_hip.json."""

    cuda: str
    hip: str
    since: str
    experimental: bool = False
    unsupported_for_cuda: str | None = None
    """The CUDA version from which the function has another signature that HIP lacks."""


class NewerFile(_Fact, frozen=True):
    """cuda_hip_newer.yaml."""

    meta: Meta
    names: tuple[NewerName, ...]


class CudaName(_Fact, frozen=True):
    """One name of a CUDA library and its HIP counterpart, from HIPIFY's tables."""

    name: str
    kind: str
    cuda_library: str
    library: str
    hip: str | None = None
    since: str | None = None
    """ROCm version in which the HIP name appeared."""
    cuda_since: str | None = None
    cuda_deprecated: str | None = None
    cuda_removed: str | None = None
    hip_deprecated: str | None = None
    hip_removed: str | None = None
    newer: bool = False
    """From cuda_hip_newer.yaml."""
    hip_experimental: str | None = None
    unsupported_for_cuda: str | None = None
