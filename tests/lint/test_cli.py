"""The command line on real files: what is printed, what is written, how it ends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from amdlint.kb import load

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "docs/examples/cuda-finetune"

GATE = """\
import torch

if torch.cuda.get_device_capability()[0] >= 9:
    import hopper_kernels
"""
GATE_FIXED = GATE.replace("if torch.cuda", "if torch.version.hip is None and torch.cuda")
PORTABLE = """\
import os
import torch
import torch.distributed as dist

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(8, 8).cuda()
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
print(torch.cuda.get_device_capability(), torch.cuda.get_device_name())
"""


def codes(result) -> list[str]:
    return [f["code"] for f in json.loads(result.stdout)]


def test_portable_code_is_silent(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PORTABLE)
    result = amdlint("--output-format", "json", "a.py")
    assert (result.exit_code, json.loads(result.stdout), result.stderr) == (0, [], "")


def test_text(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    result = amdlint("a.py")
    title = load().by_code["AMD1001"].title
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == f"a.py:3:4 AMD1001 [*] {title}"
    assert lines[1] == "    3 | if torch.cuda.get_device_capability()[0] >= 9:"
    assert lines[2].startswith("      |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ")
    assert lines[3].startswith("  fix: ")
    assert lines[3].endswith("amdlint rule AMD1001")
    assert "\x1b" not in result.stdout
    assert lines[-1].startswith("Found 1 problem in 1 file. 1 can be fixed with --fix.")


def test_json_has_the_shape_of_the_contract(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    (found,) = [
        f for f in json.loads(amdlint("--output-format", "json", "a.py").stdout) if f["code"] == "AMD1001"
    ]
    entry = load().by_code["AMD1001"]
    assert found["slug"] == entry.slug
    assert found["severity"] == entry.severity
    assert found["url"] == entry.url
    assert Path(found["filename"]) == tmp_path / "a.py"
    assert found["location"] == {"row": 3, "column": 4}
    assert found["end_location"] == {"row": 3, "column": 46}
    assert found["cell"] is None
    assert found["fix"]["applicability"] == "safe"
    (edit,) = found["fix"]["edits"]
    assert edit == {
        "content": "torch.version.hip is None and ",
        "location": {"row": 3, "column": 4},
        "end_location": {"row": 3, "column": 4},
    }


def test_fix_diff_and_second_run(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    shown = amdlint("--diff", "a.py")
    assert shown.exit_code == 1
    assert (tmp_path / "a.py").read_text() == GATE
    assert shown.stdout.startswith("--- a/a.py\n+++ b/a.py\n")
    assert "+if torch.version.hip is None and torch.cuda.get_device_capability()[0] >= 9:\n" in shown.stdout
    fixed = amdlint("--fix", "a.py")
    assert fixed.exit_code == 0
    assert fixed.stdout == "Fixed 1 finding. Nothing left to report.\n"
    assert (tmp_path / "a.py").read_text() == GATE_FIXED
    again = amdlint("--fix", "a.py")
    assert (again.exit_code, again.stdout) == (0, "Nothing left to report.\n")
    assert (tmp_path / "a.py").read_text() == GATE_FIXED
    assert amdlint("--diff", "a.py").exit_code == 0


def test_the_diff_applies(amdlint, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "one")
    shutil.copytree(EXAMPLE, tmp_path / "two")
    os.chdir(tmp_path / "one")
    diff = amdlint("--diff", ".").stdout
    subprocess.run(["git", "apply", "-p1", "-"], input=diff, text=True, check=True)
    os.chdir(tmp_path / "two")
    amdlint("--fix", ".")
    for file in (tmp_path / "one").rglob("*.*"):
        if file.is_file() and ".amdlint_cache" not in file.parts:
            assert file.read_bytes() == (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()


def test_the_example_loses_every_safely_fixable_finding_and_gains_none(amdlint, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "repo")
    before = json.loads(amdlint("--output-format", "json", "repo").stdout)
    safe = [f for f in before if f["fix"] and f["fix"]["applicability"] == "safe"]
    assert len(safe) >= 8
    fixing = amdlint("--fix", "repo")
    assert " 0 can be fixed with --fix, " in fixing.stdout
    after = json.loads(amdlint("--output-format", "json", "repo").stdout)
    assert not [f for f in after if f["fix"] and f["fix"]["applicability"] == "safe"]
    # Some remaining ones may be settled as well: a requirement is fine once the code that uses it is guarded.
    kept = Counter((f["code"], f["filename"]) for f in before if f not in safe)
    assert Counter((f["code"], f["filename"]) for f in after) <= kept


def test_select_and_ignore(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    arguments = ("--output-format", "json", "a.py")
    assert codes(amdlint("--select", "AMD1", *arguments)) == ["AMD1001"]
    assert codes(amdlint("--select", "AMD7", *arguments)) == []
    assert "AMD1001" not in codes(amdlint("--ignore", "AMD1001", *arguments))
    assert codes(amdlint("--select", "AMD1001", "--ignore", "AMD1", *arguments)) == ["AMD1001"]
    (tmp_path / "pyproject.toml").write_text('[tool.amdlint]\nper-file-ignores = {"a.*" = ["AMD1"]}\n')
    assert "AMD1001" not in codes(amdlint(*arguments))


def test_noqa_and_unused_noqa(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE.replace(">= 9:", ">= 9:  # noqa: AMD1001"))
    assert amdlint("a.py").exit_code == 0
    (tmp_path / "b.py").write_text("x = 1  # noqa: AMD1001\n")
    result = amdlint("--output-format", "json", "b.py")
    assert (result.exit_code, codes(result)) == (0, ["AMD0001"])
    amdlint("--fix", "b.py")
    assert (tmp_path / "b.py").read_text() == "x = 1\n"
    (tmp_path / "c.py").write_text("x = 1  # noqa: E501, AMD1001\n")
    amdlint("--fix", "c.py")
    assert (tmp_path / "c.py").read_text() == "x = 1  # noqa: E501\n"


def test_add_noqa(amdlint, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "repo")
    before = json.loads(amdlint("--output-format", "json", "repo").stdout)
    result = amdlint("--add-noqa", "repo")
    assert result.exit_code == 0
    after = json.loads(amdlint("--output-format", "json", "repo").stdout)
    assert {Path(f["filename"]).suffix for f in before} > {".json"}
    assert {Path(f["filename"]).suffix for f in after if f["severity"] != "note"} <= {".json"}
    assert "ds_config.json: this file type has no comments" in result.stderr


def test_baseline(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    assert amdlint("--write-baseline", "known.json", "a.py").exit_code == 0
    assert amdlint("--baseline", "known.json", "a.py").exit_code == 0
    moved = "# moved down\n" + GATE + "\nassert torch.cuda.get_device_capability() >= (8, 9)\n"
    (tmp_path / "a.py").write_text(moved)
    (found,) = json.loads(amdlint("--baseline", "known.json", "--output-format", "json", "a.py").stdout)
    assert found["location"]["row"] == 7


def test_diff_base(amdlint, tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    (tmp_path / "a.py").write_text(GATE)
    for command in (["init", "-q"], ["add", "a.py"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)
    assert amdlint("--diff-base", "HEAD", ".").exit_code == 0
    (tmp_path / "a.py").write_text(GATE + "\nassert torch.cuda.get_device_capability() >= (8, 9)\n")
    (tmp_path / "new.py").write_text(GATE)
    found = json.loads(amdlint("--diff-base", "HEAD", "--output-format", "json", ".").stdout)
    assert [(Path(f["filename"]).name, f["location"]["row"]) for f in found] == [("a.py", 6), ("new.py", 3)]
    result = amdlint("--diff-base", "nope", ".")
    assert result.exit_code == 2
    assert "nope" in result.stderr


def test_statistics_and_exit_zero(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE + GATE.replace("import torch\n", ""))
    result = amdlint("--statistics", "--exit-zero", "--select", "AMD1001", "a.py")
    assert result.exit_code == 0
    assert result.stdout == f"     2  AMD1001  [*]  {load().by_code['AMD1001'].title}\n"


def test_stdin(amdlint) -> None:
    result = amdlint("--stdin-filename", "pkg/a.py", "--output-format", "json", "-", stdin=GATE)
    assert result.exit_code == 1
    assert codes(result) == ["AMD1001"]
    assert amdlint("--fix", "-", stdin=GATE).stdout == GATE_FIXED


def test_a_folder_called_like_a_command(amdlint, tmp_path: Path) -> None:
    (tmp_path / "explain").mkdir()
    (tmp_path / "explain/a.py").write_text(GATE)
    assert codes(amdlint("--output-format", "json", "./explain")) == ["AMD1001"]


@pytest.mark.parametrize(
    "name", ["text", "json", "json-lines", "sarif", "github", "gitlab", "junit", "markdown"]
)
def test_every_format_names_the_finding(amdlint, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(GATE)
    result = amdlint("--output-format", name, "a.py")
    assert result.exit_code == 1
    assert "AMD1001" in result.stdout
    assert "a.py" in result.stdout
    if name in ("json", "sarif", "gitlab"):
        json.loads(result.stdout)
    if name == "junit":
        import xml.etree.ElementTree as ET

        assert ET.fromstring(result.stdout.split("\n", 1)[1]).get("failures") == "1"


def test_target_narrows(amdlint, tmp_path: Path) -> None:
    kernel = "__global__ void f(unsigned* o) {\n  unsigned m = __activemask();\n  o[0] = m;\n}\n"
    (tmp_path / "a.cu").write_text(kernel)
    wave64 = codes(amdlint("--target", "gfx942", "--output-format", "json", "a.cu"))
    wave32 = codes(amdlint("--target", "gfx1100", "--output-format", "json", "a.cu"))
    assert wave64
    assert wave32 == []


def test_results_are_cached_and_a_change_is_seen(
    amdlint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from amdlint.lint import engine

    (tmp_path / "a.py").write_text(GATE)
    first = amdlint("--output-format", "json", "a.py").stdout
    checked = []
    original = engine.check
    monkeypatch.setattr(
        engine, "check", lambda source, *a, **k: checked.append(source.path) or original(source, *a, **k)
    )
    assert amdlint("--output-format", "json", "a.py").stdout == first
    assert checked == []
    (tmp_path / "a.py").write_text("# moved\n" + GATE)
    assert json.loads(amdlint("--output-format", "json", "a.py").stdout)[0]["location"]["row"] == 4
    assert [p.name for p in checked] == ["a.py"]
    amdlint("--no-cache", "a.py")
    assert len(checked) == 2


def test_jobs_change_nothing(amdlint, tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"m{i:02}.py").write_text(GATE + "#" * 60_000)
    one = amdlint("--no-cache", "--jobs", "1", "--output-format", "json", ".")
    two = amdlint("--no-cache", "--jobs", "2", "--output-format", "json", ".")
    assert len(json.loads(one.stdout)) == 40
    assert one.stdout == two.stdout


def test_rules(amdlint) -> None:
    rows = json.loads(amdlint("rules", "--output-format", "json").stdout)
    assert [r["code"] for r in rows] == sorted(r["code"] for r in rows)
    gate = next(r for r in rows if r["code"] == "AMD1001")
    assert (gate["language"], gate["area"]) == ("python", "architecture")


def test_user_entry_with_a_pattern(amdlint, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/old-queue.yaml").write_text(
        "code: AMD7990\ntitle: The old queue has no AMD nodes\nseverity: error\ncause: Ours.\n"
        "patterns:\n  - regex: partition=a100\n    detail: use partition=mi300\n    files: ['*.sh']\n"
        "examples:\n  - path: run.sh\n    bad: 'srun --partition=a100 x'\n  - path: run.sh\n    ok: '# --partition=a100'\n"
        "sources:\n  - {url: https://example.org/, says: Ours., as_of: '1'}\n"
    )
    (tmp_path / "run.sh").write_text("# not partition=a100\nsrun --partition=a100 train\n")
    check = amdlint("kb", "check", "mine")
    assert (check.exit_code, check.stdout) == (0, "1 entry is fine\n"), check.stderr
    found = json.loads(
        amdlint("--kb", "mine", "--select", "AMD7990", "--output-format", "json", "run.sh").stdout
    )
    assert [(f["code"], f["location"]["row"], f["message"]) for f in found] == [
        ("AMD7990", 2, "The old queue has no AMD nodes: use partition=mi300")
    ]


def test_a_suppression_is_not_unused_because_the_run_looks_elsewhere(amdlint, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE.replace(">= 9:", ">= 9:  # noqa: AMD1001"))
    assert codes(amdlint("--ignore", "AMD1001", "--output-format", "json", "a.py")) == []
    (tmp_path / "a.cu").write_text(
        "__global__ void f(unsigned* o) {\n  unsigned m = __activemask();\n  o[0] = m;\n}\n"
    )
    marked = json.loads(amdlint("--output-format", "json", "a.cu").stdout)
    amdlint("--add-noqa", "a.cu")
    assert marked
    assert codes(amdlint("--target", "gfx1100", "--output-format", "json", "a.cu")) == []


def test_chinese_titles_for_people_only(amdlint, tmp_path: Path) -> None:
    from amdlint.kb.translation import translated

    (tmp_path / "a.py").write_text(GATE)
    entry = load().by_code["AMD1001"]
    chinese = translated(entry, "zh").title
    assert chinese != entry.title
    assert amdlint("--lang", "zh", "a.py").stdout.splitlines()[0] == f"a.py:3:4 AMD1001 [*] {chinese}"
    assert chinese in amdlint("rule", "AMD1001", "--lang", "zh").stdout
    (found,) = json.loads(amdlint("--lang", "zh", "--output-format", "json", "a.py").stdout)
    assert found["message"].startswith(entry.title)
