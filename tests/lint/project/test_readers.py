"""The readers of Dockerfiles, TOML, CMake, Makefiles, YAML and JSON keep spans."""

from __future__ import annotations

from amdlint.lint.project import cmake, dockerfile, makefile, toml_file, tree


def test_dockerfile_stages_and_arguments() -> None:
    text = (
        "# syntax=docker/dockerfile:1\nARG TAG=24.07-py3\nARG BASE=nvcr.io/nvidia/pytorch:${TAG}\n"
        "FROM --platform=linux/amd64 ${BASE} AS build\nRUN apt-get update && \\\n    # a comment\n    apt-get install -y git\n"
        "ENV A=1 \\\n    B=2\nFROM build\n"
    )
    parsed = dockerfile.parse(text)
    assert [(s.image, s.name) for s in parsed.stages] == [("${BASE}", "build"), ("build", None)]
    assert [i.name for i in parsed.instructions] == ["ARG", "ARG", "FROM", "RUN", "ENV", "FROM"]
    assert parsed.resolve("${BASE}")[0] == "nvcr.io/nvidia/pytorch:24.07-py3"
    run = parsed.instructions[3]
    assert text[run.start : run.end].endswith("apt-get install -y git")
    assert "comment" not in parsed.shell_text


def test_dockerfile_heredoc_belongs_to_run() -> None:
    text = "FROM a\nRUN <<EOF\nFROM not-a-stage\nnvcc x\nEOF\nCMD x\n"
    parsed = dockerfile.parse(text)
    assert [i.name for i in parsed.instructions] == ["FROM", "RUN", "CMD"]


def test_toml_strings_know_their_table_and_key() -> None:
    text = '[project]\nname = "a" # "no"\ndependencies = [\n  "torch>=2",  # "x"\n  \'b\',\n]\n[[tool.uv.index]]\nurl = "u"\n[tool.uv.sources]\ntorch = [{ index = "i", marker = "m" }]\n'
    found = [(s.table, s.key, s.inner, s.value) for s in toml_file.strings(text)]
    assert found == [
        ("project", "name", "", "a"),
        ("project", "dependencies", "", "torch>=2"),
        ("project", "dependencies", "", "b"),
        ("tool.uv.index", "url", "", "u"),
        ("tool.uv.sources", "torch", "index", "i"),
        ("tool.uv.sources", "torch", "marker", "m"),
    ]
    assert all(text[s.start : s.end] == s.value for s in toml_file.strings(text))


def test_cmake_conditions_and_comments() -> None:
    text = '# find_package(CUDA)\nif(USE_CUDA)\n  find_package(CUDA REQUIRED) # why\nelse()\n  message("a (b)")\nendif()\nadd_library(x\n  a.cpp # b.cpp\n  c.cpp)\n'
    commands = cmake.parse(text)
    assert [(c.name, c.conditions) for c in commands if c.name in ("find_package", "add_library")] == [
        ("find_package", ("USE_CUDA",)),
        ("add_library", ()),
    ]
    assert commands[-1].words == ["x", "a.cpp", "c.cpp"]


def test_makefile_variables_recipes_conditions() -> None:
    text = (
        "CC = gcc # c\nFLAGS += -a \\\n  -b\nifdef HIP\nall: x\n\t@hipcc x\nelse\nall: x\n\tnvcc x\nendif\n"
    )
    parsed = makefile.parse(text)
    assert [(v.name, v.operator, v.value) for v in parsed.variables] == [
        ("CC", "=", "gcc"),
        ("FLAGS", "+=", "-a \\\n  -b"),
    ]
    assert [(r.value, bool(r.conditions)) for r in parsed.recipes] == [("hipcc x", True), ("nvcc x", True)]


def test_yaml_spans_are_bytes() -> None:
    data = "ä: ö\ntf32: true\nlist:\n  - a\n  - 'b c'\n".encode()
    (root,) = tree.read_yaml(data)
    node = root.get("tf32")
    assert node is not None
    assert data[node.key_start : node.end] == b"tf32: true"
    items = root.get("list")
    assert items is not None
    assert [data[c.start : c.end] for c in items.children] == [b"a", b"'b c'"]


def test_yaml_aliases_and_templates() -> None:
    (root,) = tree.read_yaml(b"a: &x\n  k: v\nb: *x\n")
    assert [n.path() for n in root.walk() if n.key == "k"] == [("a", "k")]
    assert tree.read_yaml(b"a: {{ .Values.x }}\n  b: [\n") == []


def test_json_with_comments_and_tabs() -> None:
    data = b'{\n\t// note\n\t"a": [1, "x", {"b": true,},],\n\t"c": null /* d */\n}\n'
    root = tree.read_json(data)
    assert root is not None
    assert [(n.path(), n.value) for n in root.walk() if n.kind == "scalar"] == [
        (("a",), "1"),
        (("a",), "x"),
        (("a", "b"), "true"),
        (("c",), "null"),
    ]
    assert tree.read_json(b'{"a": ') is None
    assert tree.read_json(b"[" * 1000) is None
