"""The facts: typed, sourced, consistent, and found under the names that people paste."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from amdlint.kb import facts, load
from amdlint.kb.facts import cuda, files, lookup, model

FILES = {
    "gpus": model.GpuFile,
    "rocm_releases": model.ReleaseFile,
    "env_vars": model.EnvFile,
    "packages": model.PackageFile,
    "nvcc_flags": model.FlagFile,
    "intrinsics": model.IntrinsicFile,
    "cuda_hip_newer": model.NewerFile,
}
ROOT = Path(__file__).parents[2]


def facts_of(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every structure that can carry sources, with its place."""
    if isinstance(value, msgspec.Struct):
        if hasattr(value, "sources"):
            yield path, value
        for name in value.__struct_fields__:
            yield from facts_of(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from facts_of(item, f"{path}[{i}]")


@pytest.mark.parametrize("name", FILES)
def test_every_fact_has_sources_and_a_version(name: str) -> None:
    content = files.parse(files.FOLDER / f"{name}.yaml", FILES[name])
    seen = 0
    for path, fact in facts_of(content, name):
        seen += 1
        assert fact.sources, path
        assert all(s.startswith("https://") and " " not in s for s in fact.sources), path
        assert fact.as_of.strip(), path
    assert seen > (0 if name == "cuda_hip_newer" else 5)


@pytest.mark.parametrize("name", FILES)
def test_no_key_is_given_twice(name: str) -> None:
    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [k.value for k, _ in node.value]
            assert len(keys) == len(set(keys)), f"{name}:{node.start_mark.line + 1}: {keys}"
            return super().construct_mapping(node, deep)

    yaml.load((files.FOLDER / f"{name}.yaml").read_text("utf-8"), Loader)


def test_names_are_unique() -> None:
    for names in (
        [t.gfx for t in facts.targets()],
        [c.name for c in facts.cards()],
        [v.name for v in facts.env_facts().env_vars],
        [n for p in facts.package_facts().packages for n in (p.name, *p.aliases)],
        [r.version for r in facts.release_facts().releases],
        [n for f in cuda.flag_facts().flags for n in (f.flag, *f.spellings)],
        [n for i in cuda.intrinsic_facts().intrinsics for n in (i.name, *i.aliases)],
        [(w.torch, w.rocm) for w in facts.gpu_facts().wheels],
    ):
        assert sorted(names) == sorted(set(names))


def test_a_wrong_field_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "packages.yaml"
    file.write_text(
        "meta: {compiled: x, note: x, sources: [https://x], as_of: x}\npackages: []\nnvidia_to_amd: []\nnew: 1\n"
    )
    with pytest.raises(facts.FactsError, match=r"packages\.yaml: .*new"):
        files.parse(file, model.PackageFile)


# --- targets and families


def test_families_and_targets_agree() -> None:
    assert {t.gfx for t in facts.targets()} == facts.FAMILIES["all"]
    for t in facts.targets():
        assert (t.gfx in facts.FAMILIES["wave64"]) == (t.wavefront == 64), t.gfx
        assert (t.gfx in facts.FAMILIES["wave32"]) == (t.wavefront == 32), t.gfx
        if t.family in facts.FAMILIES:
            assert t.gfx in facts.FAMILIES[t.family], t.gfx
        digits = t.gfx.removeprefix("gfx")
        assert t.capability == (int(digits[:-2]), int(digits[-2], 16)), t.gfx
    assert facts.FAMILIES["wave64"] | facts.FAMILIES["wave32"] == facts.FAMILIES["all"]
    assert facts.FAMILIES["cdna"] == frozenset().union(*(facts.FAMILIES[f"cdna{i}"] for i in range(1, 5)))


def test_current_targets_are_those_of_the_supported_cards() -> None:
    assert {c.gfx for c in facts.cards() if c.linux} == facts.CURRENT_TARGETS


def test_every_card_has_a_known_target() -> None:
    assert {c.gfx for c in facts.cards()} <= facts.FAMILIES["all"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gfx942", "gfx942"),
        ("GFX90A", "gfx90a"),
        ("gfx90a:sramecc+:xnack-", "gfx90a"),
        ("gfx94*", "gfx940 gfx941 gfx942"),
        ("gfx115x", "gfx1150 gfx1151 gfx1152 gfx1153"),
        ("gfx12xx", "gfx1200 gfx1201 gfx1250"),
        ("rdna4", "gfx1200 gfx1201"),
        ("rdna3", "gfx1100 gfx1101 gfx1102 gfx1103"),
        ("rdna3.5", "gfx1150 gfx1151 gfx1152 gfx1153"),
        ("CDNA3", "gfx940 gfx941 gfx942"),
        ("gfx12-generic", "gfx1200 gfx1201"),
    ],
)
def test_expand_gfx(name: str, expected: str) -> None:
    assert facts.expand_gfx(name) == frozenset(expected.split())


@pytest.mark.parametrize("name", ["sm_80", "", "gfx", "gfx9999", "mi300x", "gfxx", "cdna9", "*"])
def test_expand_gfx_refuses_what_it_does_not_know(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown GPU target .* cdna3.* gfx942.* gfx11\*"):
        facts.expand_gfx(name)


def test_the_entries_name_known_targets_only() -> None:
    for entry in load():
        for applies in (entry.applies, *(fix.applies for fix in entry.fixes)):
            for name in () if applies.gfx == "all" else applies.gfx:
                assert facts.expand_gfx(name), (entry.code, name)


# --- GPUs by name


@pytest.mark.parametrize(
    ("pasted", "name", "gfx"),
    [
        ("AMD Instinct MI300X", "AMD Instinct MI300X", "gfx942"),
        ("AMD Instinct MI300X OAM", "AMD Instinct MI300X", "gfx942"),
        ("MI300X", "AMD Instinct MI300X", "gfx942"),
        ("AMD Instinct MI250X/MI250", "AMD Instinct MI250X", "gfx90a"),
        ("mi355x", "AMD Instinct MI355X", "gfx950"),
        ("RX 7900 XTX", "AMD Radeon RX 7900 XTX", "gfx1100"),
        ("AMD Radeon RX 7900 XT", "AMD Radeon RX 7900 XT", "gfx1100"),
        ("7900xtx", "AMD Radeon RX 7900 XTX", "gfx1100"),
        ("Radeon RX 9070 XT", "AMD Radeon RX 9070 XT", "gfx1201"),
        ("RX 9070", "AMD Radeon RX 9070", "gfx1201"),
        ("AMD Radeon Pro W6800", "AMD Radeon PRO W6800", "gfx1030"),
        ("R9700", "AMD Radeon AI PRO R9700", "gfx1201"),
        ("Radeon VII", "AMD Radeon VII", "gfx906"),
        ("Radeon 8060S", "AMD Radeon 8060S", "gfx1151"),
        ("Radeon 890M Graphics", "AMD Radeon 890M", "gfx1150"),
        ("AMD Ryzen AI 9 HX 370", "AMD Ryzen AI 9 HX PRO 370", "gfx1150"),
        ("Strix Halo", "gfx1151", "gfx1151"),
        ("gfx1151", "gfx1151", "gfx1151"),
        ("gfx90a:sramecc+:xnack-", "gfx90a", "gfx90a"),
        ("Navi 31", "gfx1100", "gfx1100"),
        ("Navi 48 [Radeon RX 9070/9070 XT/9070 GRE]", "AMD Radeon RX 9070", "gfx1201"),
        ("AMD Radeon (TM) Pro WX 5100 Graphics", "AMD Radeon Pro WX 5100", "gfx803"),
    ],
)
def test_gpu_by_the_name_people_paste(pasted: str, name: str, gfx: str) -> None:
    found = facts.gpu(pasted)
    assert found is not None
    assert (found.name, found.gfx) == (name, gfx)


def test_a_processor_with_its_graphics_part() -> None:
    found = facts.gpu("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S")
    assert found is not None
    assert found.gfx == "gfx1151"


@pytest.mark.parametrize(
    "pasted",
    [
        "NVIDIA A100-SXM4-80GB",
        "NVIDIA GeForce RTX 4090",
        "GeForce 7600 GT",
        "Quadro W6800",
        "Intel Arc A770",
        "AMD Radeon Graphics",
        "AMD Radeon(TM) Graphics",
        "Radeon 840M",  # sold as gfx1152 and as gfx1153
        "hello world",
        "",
        "370",
    ],
)
def test_a_name_that_says_nothing(pasted: str) -> None:
    assert facts.gpu(pasted) is None


def test_what_a_gpu_knows() -> None:
    mi300 = facts.gpu("MI300X")
    assert mi300 is not None
    assert mi300.card is not None
    assert (mi300.family, mi300.wavefront, mi300.lds_kib, mi300.fp8) == ("cdna3", 64, 64, "fnuz")
    assert (mi300.capability, mi300.override) == ((9, 4), None)
    assert (mi300.card.kind, mi300.card.linux, mi300.card.windows) == ("instinct", True, False)
    mi355 = facts.gpu("gfx950")
    assert mi355 is not None
    assert (mi355.lds_kib, mi355.fp8) == (160, "ocp")


@pytest.mark.parametrize(
    ("gfx", "value"),
    [
        ("gfx1031", "10.3.0"),
        ("gfx1036", "10.3.0"),
        ("gfx1103", "11.0.0"),
        ("gfx1030", None),
        ("gfx1100", None),
        ("gfx1151", None),
        ("gfx942", None),
        ("gfx1010", None),
        ("gfx9999", None),
    ],
)
def test_override_for(gfx: str, value: str | None) -> None:
    assert facts.override_for(gfx) == value


# --- wheels and releases

WHL = "https://download.pytorch.org/whl/"


@pytest.mark.parametrize(
    ("rocm", "index"),
    [
        ("7.2", "rocm7.2"),
        ("7.2.4", "rocm7.2"),
        ("rocm6.4", "rocm6.4"),
        ("6.2", "rocm6.2"),
        ("6.2.4", "rocm6.2.4"),
        ("6.2.41133-dd7f95766", "rocm6.2"),  # torch.version.hip
        ("7.14.1", "rocm7.14"),
        ("5.4", "rocm5.4.2"),
        ("5.4.3", None),
        ("10.1", None),
        ("7.9", None),
        ("7", None),
        ("nonsense", None),
    ],
)
def test_wheel_index(rocm: str, index: str | None) -> None:
    assert facts.wheel_index(rocm) == (WHL + index if index else None)


def test_wheels_and_indexes_agree() -> None:
    from_wheels = {(w.rocm, w.torch) for w in facts.gpu_facts().wheels}
    from_indexes = {(i.rocm, t) for i in facts.release_facts().pytorch_indexes for t in i.torch}
    assert from_wheels == from_indexes
    for wheel in facts.gpu_facts().wheels:
        assert set(wheel.targets) <= facts.FAMILIES["all"]
        assert wheel.url == WHL + "rocm" + wheel.rocm


def test_wheels_with_a_target() -> None:
    first = facts.wheels_with("gfx942")[0]
    assert (first.torch, first.rocm) == ("2.3", "6.0")
    assert [f"{w.torch}+{w.rocm}" for w in facts.wheels_with("gfx1151")] == [
        "2.11+7.2",
        "2.12+7.2",
        "2.13+7.2",
        "2.14+7.2",
        "2.14+7.14",
    ]
    assert facts.wheels_with("gfx1031") == []


@pytest.mark.parametrize(
    ("asked", "version"),
    [
        ("7.2", "7.2.4"),
        ("7.2.0", "7.2.0"),
        ("10", "10.2.0"),
        ("7.11", "7.9.0"),
        ("7.11.0", "7.9.0"),
        ("7.3", None),
        ("x", None),
    ],
)
def test_release(asked: str, version: str | None) -> None:
    found = facts.release(asked)
    assert (found.version if found else None) == version


# --- variables and packages


def test_env_var() -> None:
    assert facts.env_var("hsa_override_gfx_version=10.3.0").name == "HSA_OVERRIDE_GFX_VERSION"  # type: ignore[union-attr]
    assert facts.env_var("HSA_OVERRIDE_GFX_VERSION_1").name == "HSA_OVERRIDE_GFX_VERSION_<node>"  # type: ignore[union-attr]
    assert facts.env_var("MIOPEN_DEBUG_CONV_GEMM").name == "MIOPEN_DEBUG_*"  # type: ignore[union-attr]
    assert facts.env_var("NO_SUCH_VARIABLE") is None


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("flash_attn>=2.6", "flash-attn"),
        ("Flash-Attn", "flash-attn"),
        ("bitsandbytes==0.50.1", "bitsandbytes"),
        ("nvidia-cudnn-cu12", "nvidia-* wheels"),
        ("nvidia-ml-py", "nvidia-ml-py"),
        ("cupy-cuda12x", "cupy"),
        ("nvidia-smi", None),
        ("requests", None),
    ],
)
def test_package(asked: str, name: str | None) -> None:
    found = facts.package(asked)
    assert (found.name if found else None) == name


# --- the compiled copy


def run_python(code: str, cache: Path) -> str:
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME decides the cache folder on Linux only")
def test_a_warm_start_parses_no_yaml(tmp_path: Path) -> None:
    ask = "from amdlint.kb import facts; print(facts.gpu('MI300X').gfx, facts.wheel_index('7.2'), 'yaml' in sys.modules)"
    assert run_python(f"import sys; {ask}", tmp_path) == f"gfx942 {WHL}rocm7.2 True"
    no_yaml = "import sys; sys.modules['yaml'] = None\n" + ask.replace(", 'yaml' in sys.modules", "")
    assert run_python(no_yaml, tmp_path) == f"gfx942 {WHL}rocm7.2"
    assert {p.name.split("-")[1] for p in (tmp_path / "amdlint").glob("facts-*.msgpack")} == {
        "gpus",
        "rocm_releases",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME decides the cache folder on Linux only")
def test_without_a_cache_folder_or_with_a_broken_copy(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    ask = "from amdlint.kb import facts; print(facts.override_for('gfx1032'))"
    assert run_python(ask, blocked) == "10.3.0"
    run_python(ask, tmp_path)
    (copy,) = (tmp_path / "amdlint").glob("facts-gpus-*.msgpack")
    copy.write_bytes(b"\x81garbage")
    assert run_python(ask, tmp_path) == "10.3.0"


# --- CUDA names


def test_rows_of_the_hipify_tables() -> None:
    meta = cuda.cuda_meta()
    assert meta["source"] == "https://github.com/ROCm/HIPIFY"
    assert len(meta["commit"]) == 40
    assert "MIT" in meta["licence"]
    row = facts.cuda_name("cublasSgemm")
    assert row is not None
    assert (row.hip, row.library, row.cuda_library, row.kind) == (
        "hipblasSgemm",
        "hipBLAS",
        "cuBLAS",
        "function",
    )
    assert facts.cuda_name("cudaMalloc").hip == "hipMalloc"  # type: ignore[union-attr]
    assert facts.cuda_name("<cublas_v2.h>").hip == "hipblas/hipblas.h"  # type: ignore[union-attr]
    assert facts.cuda_name("cublasLtMatmul").library == "hipBLASLt"  # type: ignore[union-attr]
    assert facts.cuda_name("ncclAllReduce").hip == "ncclAllReduce"  # type: ignore[union-attr]
    no_twin = facts.cuda_name("cudaD3D11GetDevice")
    assert no_twin is not None
    assert no_twin.hip is None
    assert facts.cuda_name("cudaNoSuchThing") is None
    assert len(cuda.cuda_names()) > 10_000


def test_a_newer_table_goes_first() -> None:
    table = {n for g in cuda._table().groups if g.cuda == "CUDA runtime" for n in g.names}
    for row in cuda.newer_facts().names:
        found = facts.cuda_name(row.cuda)
        assert found is not None
        assert (found.hip, found.since, found.library) == (row.hip, row.since, "HIP runtime")
        if row.cuda in table and not row.unsupported_for_cuda:
            old = next(g.names[row.cuda] for g in cuda._table().groups if row.cuda in g.names)
            assert not old or old[0] != row.hip, f"{row.cuda}: the table knows it by now, remove the row"


@pytest.mark.torch
def test_agrees_with_torchs_own_map_but_for_the_listed_differences() -> None:
    mappings = pytest.importorskip("torch.utils.hipify.cuda_to_hip_mappings")
    listed: dict[str, str] = {}
    for group in yaml.safe_load((Path(__file__).parent / "hipify_differences.yaml").read_text("utf-8")):
        assert group["reason"]
        for name in group["names"]:
            assert name not in listed
            listed[name] = group["reason"]
    same, different = 0, set()
    for table in ("CUDA_IDENTIFIER_MAP", "CUDA_TYPE_NAME_MAP", "CUDA_SPECIAL_MAP", "CUDA_INCLUDE_MAP"):
        for name, twin in getattr(mappings, table).items():
            name = name.strip('<>"')
            twin = (twin if isinstance(twin, str) else twin[0]).strip('<>"')
            row = facts.cuda_name(name)
            if row is None:
                continue
            if row.hip == twin:
                same += 1
            else:
                different.add(name)
    assert different - listed.keys() == set()
    assert same > 2300
    # The list may keep names of other torch versions, but not many that no version explains.
    assert len(listed.keys() - different) < 50


def test_words_do_not_contradict_the_tables() -> None:
    for row in cuda.intrinsic_facts().intrinsics:
        for name in (row.name, *row.aliases):
            table = facts.cuda_name(name)
            if table is not None and row.rocm == "none":
                assert table.hip is None, name
            if table is not None and row.hip and table.hip:
                assert table.hip == row.hip, name


@pytest.mark.parametrize(
    ("text", "flag", "on_rocm"),
    [
        ("-gencode=arch=compute_80,code=sm_80", "-gencode", "refused"),
        ("-gencode arch=compute_80,code=sm_80", "-gencode", "refused"),
        ("--use_fast_math", "--use_fast_math", "refused"),
        ("-use_fast_math", "-use_fast_math", "trap"),
        ("-lineinfo", "-lineinfo", "trap"),
        ("-std=c++17", "-std", "same"),
        ("--ptxas-options=-v", "-Xptxas", "refused"),
    ],
)
def test_nvcc_flag(text: str, flag: str, on_rocm: str) -> None:
    found = facts.nvcc_flag(text)
    assert found is not None
    assert (found.flag, found.on_rocm) == (flag, on_rocm)


def test_unknown_flags_and_intrinsics() -> None:
    assert facts.nvcc_flag("--no-such-option") is None
    assert facts.nvcc_flag("") is None
    assert facts.intrinsic("cudaMalloc") is None


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("__shfl_xor_sync", "__shfl_*_sync"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync*"),
        ("<cuda_bf16.h>", "cuda_bf16.h"),
        ("cub::BlockReduce", "cub::*"),
        ("cub/block/block_reduce.cuh", "cub/*"),
        ("cute::Tensor", "cutlass/*"),
        ("sm_90a", "sm_*"),
    ],
)
def test_intrinsic(name: str, row: str) -> None:
    found = facts.intrinsic(name)
    assert found is not None
    assert found.name == row


# --- the tool that refreshes the tables

TABLE = """# CUDA Runtime API supported by HIP
## **1. Device Management**

|**CUDA**|**A**|**D**|**C**|**R**|**HIP**|**A**|**D**|**C**|**R**|**U**|**E**|
|:--|:-:|:-:|:-:|:-:|:--|:-:|:-:|:-:|:-:|:-:|:-:|
|`cudaGetDevice`| | | | |`hipGetDevice`|1.6.0| | | | | |
|`cudaInitDevice`|12.0| | | | | | | | | | |
|`cudaMemcpyFromArray`| |10.1| | |`hipMemcpyFromArray`|1.9.0|3.8.0| | | | |

## **2. Data types used by CUDA Runtime**

|**CUDA**|**A**|**D**|**C**|**R**|**HIP**|**A**|**D**|**C**|**R**|**U**|**E**|
|:--|:-:|:-:|:-:|:-:|:--|:-:|:-:|:-:|:-:|:-:|:-:|
|`cudaError_t`| | | | |`hipError_t`|1.5.0| | | | | |
"""
INCLUDES = """const std::map <llvm::StringRef, hipCounter> CUDA_INCLUDE_MAP {
  {"cublas_v2.h", {"hipblas.h", "rocblas.h", CONV_INCLUDE_CUDA_MAIN_V2_H, API_BLAS, 0}},
  {"cudnn.h",     {"hipDNN.h", "miopen/miopen.h", CONV_INCLUDE_CUDA_MAIN_H, API_DNN, 0}},
  {"device_launch_parameters.h", {"", "", CONV_INCLUDE, API_RUNTIME, 0}},
};
"""


def test_the_refresh_tool_reads_a_hipify_checkout(tmp_path: Path) -> None:
    tables = tmp_path / "docs" / "reference" / "tables"
    tables.mkdir(parents=True)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "CUDA2HIP.cpp").write_text(INCLUDES)
    (tmp_path / "src" / "Statistics.h").write_text("CUDA_LATEST = CUDA_129,\nHIP_LATEST = HIP_7010,\n")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import refresh_cuda_hip as tool
    finally:
        sys.path.remove(str(ROOT / "tools"))
    for name in tool.TABLES:
        (tables / f"{name}.md").write_text(TABLE if "Runtime" in name else "# empty\n")
    out = tmp_path / "out.json"
    assert tool.main([str(tmp_path), "--commit", "c" * 40, "--date", "2026-01-02", "--out", str(out)]) == 0
    data = json.loads(out.read_text("utf-8"))
    assert (data["meta"]["rocm"], data["meta"]["cuda"], data["meta"]["date"]) == (
        "7.1.0",
        "12.9",
        "2026-01-02",
    )
    assert data["groups"] == [
        {
            "cuda": "CUDA runtime",
            "amd": "HIP runtime",
            "kind": "function",
            "names": {
                "cudaGetDevice": ["hipGetDevice", "1.6.0"],
                "cudaInitDevice": ["", "", {"cuda_since": "12.0"}],
                "cudaMemcpyFromArray": [
                    "hipMemcpyFromArray",
                    "1.9.0",
                    {"cuda_deprecated": "10.1", "hip_deprecated": "3.8.0"},
                ],
            },
        },
        {
            "cuda": "CUDA runtime",
            "amd": "HIP runtime",
            "kind": "type",
            "names": {"cudaError_t": ["hipError_t", "1.5.0"]},
        },
        {
            "cuda": "headers",
            "amd": "headers",
            "kind": "header",
            "names": {
                "cublas_v2.h": ["hipblas/hipblas.h"],
                "cudnn.h": ["miopen/miopen.h"],
                "device_launch_parameters.h": [],
            },
        },
    ]
    (tables / "CUB_API_supported_by_HIP.md").unlink()
    assert tool.main([str(tmp_path), "--commit", "c", "--date", "d", "--out", str(out)]) == 1


def test_every_name_can_be_looked_up() -> None:
    """What the suggestions offer must lead to an answer."""
    names = lookup.all_names()
    step = max(1, len(names) // 400)
    for name in names[::step]:
        assert lookup.look_up(name), name


def test_tools_are_answered() -> None:
    (answer,) = [a for a in lookup.look_up("rocm-smi") if a.kind == "command-line tool"]
    assert ("until", "ROCm 10.1 neither builds nor installs it: use amd-smi") in answer.rows
    assert answer.sources
