"""From log to answer: a small knowledge base of its own, so that real entries may change."""

from __future__ import annotations

import pytest
from amdlint.kb import match
from amdlint.kb.context import Context
from amdlint.kb.model import Applies, Entry, Signature, Source
from amdlint.kb.store import KnowledgeBase

AMD = "torch 2.9.0+rocm6.4, AMD Instinct MI300X\n"
FUNCTION = "RuntimeError: HIP error: invalid device function"


def entry(code: str, *signatures: Signature, severity: str = "error", **more: object) -> Entry:
    return Entry(
        code=code,
        title=f"Problem {code}",
        severity=severity,  # type: ignore[arg-type]
        cause="Because.",
        sources=(Source("https://example.org", "says so", "now"),),
        signatures=signatures,
        slug=f"problem-{code.lower()}",
        area="runtime",
        **more,  # type: ignore[arg-type]
    )


def codes(log: str | bytes, *entries: Entry, given: Context | None = None) -> list[str]:
    return [m.entry.code for m in match.explain(log, KnowledgeBase(entries), given).matches]


GENERIC = entry("AMD9001", Signature(text="HIP error: invalid device function"))
BOOM = entry("AMD9002", Signature(text="the kernel went boom"))


def test_a_literal_answers() -> None:
    found = match.explain(f"x\n[rank3]: {FUNCTION}\n", KnowledgeBase([GENERIC]))
    best = found.matches[0]
    assert best.entry is GENERIC
    assert [(x.number, x.text, x.rank) for x in best.evidence] == [(2, FUNCTION, 3)]
    assert found.context.first_failing_rank == 3


def test_case_counts() -> None:
    assert codes(AMD + "The Kernel went boom", BOOM) == []


def test_without_evidence_of_amd_nothing_is_said() -> None:
    answer = match.explain("Error: the kernel went boom", KnowledgeBase([BOOM]))
    assert (answer.matches, answer.reason) == ((), "no-amd")


def test_on_nvidia_nothing_is_said() -> None:
    answer = match.explain("NVIDIA H100 80GB\nError: the kernel went boom", KnowledgeBase([BOOM]))
    assert (answer.matches, answer.reason) == ((), "nvidia")
    certain = entry("AMD9003", Signature(text="the kernel went boom", needs="nothing"))
    assert codes("NVIDIA H100 80GB\nError: the kernel went boom", certain) == []


def test_a_signature_that_needs_nothing_answers_alone() -> None:
    certain = entry("AMD9003", Signature(text="the kernel went boom", needs="nothing"))
    assert codes("Error: the kernel went boom", certain) == ["AMD9003"]


def test_where_both_vendors_are_named_the_line_must_speak_of_amd() -> None:
    log = "NVIDIA GeForce RTX 3090, AMD Radeon RX 7900 XTX\n"
    assert codes(log + "Error: the kernel went boom", BOOM) == []
    assert codes(log + FUNCTION, GENERIC) == ["AMD9001"]


def test_what_the_user_says_is_evidence() -> None:
    assert codes("Error: the kernel went boom", BOOM, given=Context(gfx=("gfx942",))) == ["AMD9002"]


def test_beside_and_absent() -> None:
    docker = entry("AMD9004", Signature(text="the kernel went boom", beside=("docker", "/podman [0-9]/")))
    bare = entry("AMD9005", Signature(text="the kernel went boom", absent=("docker",)))
    assert codes(AMD + "Error: the kernel went boom", docker, bare) == ["AMD9005"]
    assert codes(AMD + "$ docker run\nError: the kernel went boom", docker, bare) == ["AMD9004"]
    assert codes(AMD + "podman 5\nError: the kernel went boom", docker) == ["AMD9004"]
    assert codes(AMD + "podman\nError: the kernel went boom", docker) == []


def test_a_hint_never_answers_alone_but_supports() -> None:
    hinted = entry(
        "AMD9006", Signature(text="the kernel went boom"), Signature(text="smell of smoke", role="hint")
    )
    plain = entry("AMD9007", Signature(text="the kernel went boom"))
    assert codes(AMD + "Error: smell of smoke", hinted) == []
    assert codes(AMD + "smell of smoke\nError: the kernel went boom", plain, hinted)[0] == "AMD9006"


def test_cause_before_symptom() -> None:
    symptom = entry("AMD9008", Signature(text="all went dark at once", role="symptom"))
    assert (
        codes(AMD + "Error: all went dark at once\nError: the kernel went boom", symptom, BOOM)[0]
        == "AMD9002"
    )


def test_a_range_that_contradicts_drops_an_entry_and_one_that_agrees_prefers_it() -> None:
    rdna = entry("AMD9010", Signature(text="the kernel went boom"), applies=Applies(gfx=("gfx11*",)))
    cdna = entry("AMD9011", Signature(text="the kernel went boom"), applies=Applies(gfx=("cdna3",)))
    log = "Error: the kernel went boom"
    assert codes(f"AMD Instinct MI300X\n{log}", rdna, cdna, BOOM)[0] == "AMD9011"
    assert "AMD9010" not in codes(f"AMD Instinct MI300X\n{log}", rdna, cdna, BOOM)
    assert codes(f"Radeon RX 7600\n{log}", rdna, cdna, BOOM)[0] == "AMD9010"
    # Nothing known about the card: the general answer comes first.
    assert codes(f"ROCm here\n{log}", rdna, cdna, BOOM)[0] == "AMD9002"


@pytest.mark.parametrize(
    ("applies", "log", "fits"),
    [
        (Applies(rocm=">=6.4"), "torch 2.9.0+rocm6.4", True),
        (Applies(rocm="<6.4"), "torch 2.9.0+rocm6.4", False),
        (Applies(rocm=">=6.4.1"), "ROCm version: 6.4", True),
        (Applies(rocm="<6"), "torch 2.3+rocm5.6\n/opt/rocm-6.0.0/lib", True),
        (Applies(torch=">=2.10"), "torch 2.10.0a0+rocm7.10.0a20251120", True),
        (Applies(torch=">=2.10"), "torch 2.9.1+rocm7.0", False),
        (Applies(os=("windows",)), "C:\\ROCm\\x ROCm", True),
        (Applies(os=("windows",)), "/usr/lib/x ROCm", False),
        (Applies(packages={"bitsandbytes": "<0.49"}), "ROCm\nbitsandbytes==0.48.1", True),
        (Applies(packages={"bitsandbytes": "<0.49"}), "ROCm\nbitsandbytes==0.49.2", False),
        (Applies(packages={"bitsandbytes": "<0.49"}), "ROCm", True),
    ],
)
def test_ranges(applies: Applies, log: str, fits: bool) -> None:
    ranged = entry("AMD9012", Signature(text="the kernel went boom"), applies=applies)
    assert codes(f"{log}\nError: the kernel went boom", ranged) == (["AMD9012"] if fits else [])


def test_trailers_and_the_echo_of_other_ranks_do_not_lead() -> None:
    echo = entry("AMD9013", Signature(text="Watchdog caught collective operation timeout"))
    log = AMD + (
        "[rank0]:[E ProcessGroupNCCL.cpp:607] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)\n"
        f"[rank3]: {FUNCTION}\n"
        "[rank1]:[E ProcessGroupNCCL.cpp:607] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)\n"
    )
    assert codes(log, echo, GENERIC)[0] == "AMD9001"


def test_an_everyday_error_is_not_explained_by_a_warning_before_it() -> None:
    warned = entry("AMD9014", Signature(text="expandable_segments not supported"), severity="warning")
    warning = "UserWarning: expandable_segments not supported on this platform\n"
    assert codes(AMD + warning, warned) == ["AMD9014"]
    assert codes(AMD + warning + "KeyError: 'text'\n", warned) == []
    assert codes(AMD + warning + "torch.OutOfMemoryError: HIP out of memory. Tried\n", warned) == ["AMD9014"]


def test_a_note_answers_only_when_nothing_else_is_wrong() -> None:
    note = entry("AMD9015", Signature(text="Missing system database file"), severity="note")
    warning = "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_16.kdb\n"
    assert codes(warning + "loss: 0.4\n", note) == ["AMD9015"]
    assert codes(warning + "Traceback (most recent call last):\nRuntimeError: something else\n", note) == []


def test_a_healthy_log_has_no_answer() -> None:
    answer = match.explain(AMD + "step 1 loss 0.3\nstep 2 loss 0.2\n", KnowledgeBase([GENERIC, BOOM]))
    assert (answer.matches, answer.reason) == ((), "healthy")


def test_an_ordinary_python_error_is_named_as_such() -> None:
    answer = match.explain(AMD + "KeyError: 'text'\n", KnowledgeBase([GENERIC]))
    assert answer.reason == "python"
    assert answer.about is not None
    assert answer.about.text == "KeyError: 'text'"


def test_the_innermost_of_chained_exceptions_leads() -> None:
    outer = entry("AMD9016", Signature(text="Engine core initialization failed"))
    log = (
        f"Traceback (most recent call last):\n{FUNCTION}\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "Traceback (most recent call last):\nRuntimeError: Engine core initialization failed. See root cause above.\n"
    )
    assert codes(log, outer, GENERIC)[0] == "AMD9001"


def test_a_broken_line_is_found() -> None:
    log = (
        AMD
        + "RuntimeError: something quite long happens in here and then HIP error: invalid dev\nice function"
    )
    assert codes(log, GENERIC) == ["AMD9001"]


def test_rivals_for_one_line_are_listed_and_a_crowd_is_not() -> None:
    rivals = [entry(f"AMD90{n}", Signature(text="the kernel went boom")) for n in range(20, 29)]
    assert len(codes(AMD + "Error: the kernel went boom", *rivals)) == match.SHOWN


def test_all_keeps_the_weak_ones_apart() -> None:
    weak = entry(
        "AMD9030", Signature(text="small noise", role="symptom"), applies=Applies(gfx=("gfx942",), rocm=">=7")
    )
    answer = match.explain("ROCm Warning small noise", KnowledgeBase([weak]))
    assert [m.entry.code for m in answer.matches] == []
    assert [m.entry.code for m in answer.others] == ["AMD9030"]


def test_torchrun_names_the_rank_that_failed_first() -> None:
    log = (
        f"[rank0]: {FUNCTION}\nRoot Cause (first observed failure):\n[0]:\n  rank      : 5 (local_rank: 5)\n"
    )
    assert match.explain(log, KnowledgeBase([GENERIC])).context.first_failing_rank == 5


STOPPED = "Traceback (most recent call last):\n  File 'a.py'\nKeyboardInterrupt\n"


def test_somebody_who_stops_a_hanging_program_gets_the_answer() -> None:
    hang = entry("AMD9040", Signature(text="kfd: waiting for the queue"), severity="warning")
    assert codes(AMD + "Warning: kfd: waiting for the queue\n" + STOPPED, hang) == ["AMD9040"]


def test_a_harmless_notice_is_no_reason_to_stop_a_program() -> None:
    notice = entry("AMD9041", Signature(text="hipBLASLt is not there"), severity="note")
    answer = match.explain(AMD + "Warning: hipBLASLt is not there\n" + STOPPED, KnowledgeBase([notice]))
    assert (answer.matches, answer.reason) == ((), "python")


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_of_two_equal_errors_the_first_one_leads(order: tuple[str, str]) -> None:
    both = [entry(f"AMD904{n}", Signature(text=f"HIP error number {w}")) for n, w in ((2, "one"), (3, "two"))]
    log = AMD + "".join(f"RuntimeError: HIP error number {w}\n" for w in order)
    assert codes(log, *both) == ["AMD9042", "AMD9043"] if order[0] == "one" else ["AMD9043", "AMD9042"]


def test_a_long_expression_is_not_more_telling_than_what_it_spells_out() -> None:
    gaps = entry(
        "AMD9044", Signature(regex="boom.{0,80}[a-z0-9_]{1,60}.{0,80}[(]?(alpha|beta|gamma|delta)[)]?")
    )
    words = entry("AMD9045", Signature(text="boom in the kernel alpha"))
    assert codes(AMD + "RuntimeError: boom in the kernel alpha", gaps, words)[0] == "AMD9045"


@pytest.mark.parametrize(
    ("regex", "letters"),
    [
        ("abc", 3),
        ("ab.{0,80}cd", 4),
        ("lib[.]so[.0-9]{0,12}: gone", 11),
        (r"a\.so\.[0-9]", 5),
        ("x (one|three|five)", 5),
    ],
)
def test_letters_of_an_expression(regex: str, letters: int) -> None:
    assert match.letters(Signature(regex=regex)) == letters


def test_a_comment_in_a_program_tells_of_no_failure() -> None:
    assert codes(AMD + f"    # {FUNCTION}", GENERIC) == []


@pytest.mark.parametrize(
    "damaged",
    [
        "RuntimeError: HlP error: invaIid device functi0n",
        "RuntimeError: HIP error : invalid device  function",
        "runtimeerror: hip error: invalid device function",
        "RuntimeError: HIP errar: invalid devica function",
    ],
)
def test_a_damaged_line_is_recognised(damaged: str) -> None:
    assert codes(AMD + damaged, GENERIC) == ["AMD9001"]
    clean, hurt = (
        match.explain(AMD + x, KnowledgeBase([GENERIC])).matches[0].confidence for x in (FUNCTION, damaged)
    )
    assert hurt < clean


@pytest.mark.parametrize(
    "other",
    [
        "SafetensorError: Error while serializing: I/O error: invalid device function",
        "RuntimeError: HIP error: out of memory",
        "ValueError: the device function is not valid",
    ],
)
def test_likeness_alone_makes_no_answer(other: str) -> None:
    assert codes(AMD + other, GENERIC) == []


def test_a_damaged_line_without_amd_is_nothing() -> None:
    assert (
        codes(
            "Error: the kerneI vvent boorn to bits today",
            entry("AMD9031", Signature(text="the kernel went boom to bits today")),
        )
        == []
    )
