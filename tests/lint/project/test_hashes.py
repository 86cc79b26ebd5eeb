"""A requirement with hashes is not rewritten: pip would refuse the new package by the old hashes."""

from __future__ import annotations

from amdlint.lint.engine import check_text, fix_text

TEXT = """\
cupy-cuda12x==13.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
onnxruntime-gpu==1.20
"""


def test_only_the_requirement_without_hashes_is_rewritten() -> None:
    assert {f.code: f.fix.applicability for f in check_text("requirements.txt", TEXT) if f.fix} == {
        "AMD6100": "display",
        "AMD6113": "unsafe",
    }
    after = fix_text("requirements.txt", TEXT, unsafe=True)
    assert after.startswith(TEXT[: TEXT.index("onnxruntime")])
    assert "onnxruntime-migraphx" in after
