"""The shell reader: which commands run, and which a vendor test guards."""

from __future__ import annotations

import pytest
from amdlint.lint.project.shell import parse


def names(text: str) -> list[str]:
    return [c.name for c in parse(text)]


def guarded(text: str) -> dict[str, bool]:
    return {" ".join(w.value for w in c.words): c.guarded for c in parse(text)}


def test_words_and_spans() -> None:
    text = 'docker run \\\n  --gpus all \\\n  -v "$PWD":/w img # not this\n'
    (command,) = parse(text)
    assert [w.value for w in command.words] == ["docker", "run", "--gpus", "all", "-v", "$PWD:/w", "img"]
    assert text[command.start : command.end].endswith("img")
    assert command.alone


def test_assignments_wrappers_and_redirections() -> None:
    (command,) = parse("A=1 B='x y' sudo -E env C=2 python train.py > log 2>&1\n")
    assert [w.raw for w in command.assignments] == ["A=1", "B='x y'"]
    assert command.name == "python"
    assert [w.value for w in command.arguments] == ["train.py"]


def test_substitutions_are_commands_of_their_own() -> None:
    assert names('N=$(nvidia-smi -L | wc -l) && echo "$(hostname)" `date`\n') == [
        "",
        "nvidia-smi",
        "wc",
        "echo",
        "hostname",
        "date",
    ]


def test_here_documents_and_comments_hold_no_commands() -> None:
    text = "cat <<EOF > job.sh\nnvidia-smi\nEOF\n# nvcc a.cu\nls\ncat <<-'X'\n\tnvcc\n\tX\necho end\n"
    assert names(text) == ["cat", "ls", "cat", "echo"]


@pytest.mark.parametrize(
    "text",
    [
        "if command -v nvidia-smi; then\n  tool\nfi\n",
        "if [ -d /opt/rocm ]; then\n  rocm-smi\nelse\n  tool\nfi\n",
        'if [[ "$GPU_VENDOR" == nvidia && -n $X ]]; then tool; fi\n',
        "case $1 in\n  cuda|cu124) tool ;;\n  cpu) other ;;\nesac\n",
        'case "$BACKEND" in\n  a) tool ;;\nesac\n',
        "install_cuda() {\n  tool\n}\n",
        "function setup_nvidia {\n  tool\n}\n",
        "which nvcc && tool\n",
        "tool || true\n",
        "tool 2>/dev/null || echo none\n",
        "command -v nvidia-smi >/dev/null || exit 0\ntool\n",
        "if ! command -v nvidia-smi; then\n  exit 0\nfi\ntool\n",
        "if rocminfo; then\n  run\n  exit\nfi\ntool\n",
    ],
)
def test_vendor_tests_guard(text: str) -> None:
    assert guarded(text)["tool"]


@pytest.mark.parametrize(
    "text",
    [
        "tool\n",
        "if [ $# -lt 1 ]; then\n  usage\n  exit 1\nfi\ntool\n",
        'if [ -z "$CUDA_VISIBLE_DEVICES" ]; then\n  tool\nfi\n',
        "case $1 in\n  cuda) x ;;\n  train) tool ;;\nesac\n",
        "if command -v nvidia-smi; then\n  x\nfi\ntool\n",
        "main() {\n  tool\n}\n",
        "cd /w && tool\n",
        "tool || exit 1\n",
        "for i in 1 2; do tool; done\n",
        "x=(a b c)\n(( n = 1 + 2 ))\ntool\n",
    ],
)
def test_other_tests_do_not_guard(text: str) -> None:
    assert not guarded(text)["tool"]


@pytest.mark.parametrize(
    "text",
    [
        "'",
        '"',
        "$(",
        "${",
        "`",
        "<<",
        "if",
        "case x in",
        "((",
        "a=(",
        "f() {",
        "\\",
        "done",
        "esac",
        "}",
        ")",
        "|",
        "&& &&",
    ],
)
def test_broken_text_ends(text: str) -> None:
    assert isinstance(parse(text), list)
