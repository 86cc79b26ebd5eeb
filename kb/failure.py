"""What kind of line a log line is: the error itself, a warning, an afterthought, or another rank's echo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from .clean import Line


class Kind(IntEnum):
    """Kinds of lines, the least telling first."""

    TRAILER = 0
    """Advice and summaries that follow any error."""
    CASCADE = 1
    """What the other ranks say after one has failed."""
    OTHER = 2
    WARNING = 3
    ERROR = 4


_TRAILER = re.compile(
    r"Compile with `TORCH_USE_|kernel errors might be asynchronously reported|For debugging consider passing"
    r"|Search for `hipError\w+' in https|ChildFailedError|Root Cause \(first observed failure\)|error_file: <N/A>"
    r"|exitcode +: |failed \(exitcode: |process group has NOT been destroyed|To enable traceback see:"
    r"|note: This error originates from a subprocess|ninja: build stopped|subprocess\.CalledProcessError|Error compiling objects for extension"
    r"|error: metadata-generation-failed|Failed building wheel for|Could not build wheels for|Error building extension '"
    r"|resource_tracker: There appear to be|Aborted \(core dumped\)|Fatal Python error: Aborted|srun: error: |(?:tasks? [\d,-]+: )?Exited with exit code"
    r"|run with NCCL_DEBUG=|This usually reflects|Could this error message be improved"
)
_CASCADE = re.compile(
    r"Watchdog caught collective operation timeout|Connection reset by peer|Connection closed by remote peer|ncclRemoteError"
    r"|remote process exited or there was a network error|NCCL communicator was aborted|Broken pipe|recvValue failed|failed to recv, got 0 bytes"
    r"|Sending process \d+ closing signal SIG|SIGTERM|To avoid data inconsistency, we are taking the entire process down|HeartbeatMonitor"
    r"|Some NCCL operations have failed or timed out|collective operation timeout|Socket Timeout|DistNetworkError: Failed to recv|ncclCommWatchdog"
    r"|Received [01] death signal|Rank \d+ .{0,40}first PG on this rank to signal dumping|Flight recorder|FlightRecorder|ProcessExitedException"
    r"|wait timeout after \d+ms|store->get\('\d+'\) got error|RendezvousConnectionError|UCX +ERROR .{0,80}reset"
)
_WARNING = re.compile(r"\b\w*Warning\b|\bWARN(?:ING)?\b|\bwarning:|\bDeprecat", re.I)
_ERROR = re.compile(
    r"(?:^|[\s(\"'`|])(?:[a-zA-Z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Failure)\b(?:: | \(|:?$)"
    r"|\berror: |\bError: |\bERROR\b|\bfatal error\b|\bFATAL\b|\bFatal\b|\bAborted\b|\bfailed\b|\bFAILED\b|\bfailure\b|\b[Cc]ould not\b|\b[Cc]annot\b|\bUnable to\b"
    r"|\bHW Exception\b|[Mm]emory access fault|\bSegmentation fault\b|\bcore dumped\b|\bpage fault\b|\bnot supported\b|LLVM ERROR"
    r"|\bHIP error\b|\b(?:hip|HIPBLAS_STATUS|hipError|MIOPEN_STATUS|miopenStatus|HSA_STATUS)_?(?:ERROR|Error|\w*Invalid|Unknown|Internal)\w*|\bundefined symbol\b"
    r"|\bNo such file\b|\bPermission denied\b|\bnot found\b|\bnot available\b|\bno .{1,40} is detected\b|\bE\d{4} \d\d:"
)
_EXCEPTION = re.compile(r"^\s*(?:E\s{1,6})?(?:[a-zA-Z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|NotFound)\b(?::|$)")
_NO_ERROR = re.compile(r"\b0 errors?\b|\bno errors?\b|error_rate|\berrors?=0|Total number of unsupported CUDA function calls", re.I)
_PLAIN_PYTHON = re.compile(
    r"^\s*(?:[a-zA-Z_]\w*\.)*(?:KeyError|IndexError|TypeError|NameError|AttributeError|ZeroDivisionError|UnboundLocalError|JSONDecodeError"
    r"|SyntaxError|IndentationError|StopIteration|UnicodeDecodeError|ModuleNotFoundError|FileNotFoundError|ValueError|AssertionError|KeyboardInterrupt"
    r"|IsADirectoryError|NotADirectoryError|RecursionError|HTTPError|ConnectionError|GatedRepoError|RepositoryNotFoundError|LocalEntryNotFoundError"
    r"|SafetensorError|ValidationError|OSError|PermissionError|TimeoutError)\b"
)


def kind(text: str) -> Kind:
    """The kind of a cleaned line."""
    if _TRAILER.search(text):
        return Kind.TRAILER
    if _CASCADE.search(text):
        return Kind.CASCADE
    exception = is_exception(text)
    if not exception and _WARNING.search(text):
        return Kind.WARNING
    if exception or (_ERROR.search(text) and not _NO_ERROR.search(text)):
        return Kind.ERROR
    return Kind.OTHER


def is_exception(text: str) -> bool:
    """Whether the line is the last one of a Python traceback (``SomeError: message``)."""
    return bool(_EXCEPTION.match(text)) and "Warning:" not in text.partition(" ")[0]


def is_plain_python(text: str) -> bool:
    """Whether the line is a Python exception that any program on any machine may raise."""
    return bool(_PLAIN_PYTHON.match(text))


def first_failure(lines: Sequence[Line]) -> Line | None:
    """The first line that is an error in its own right, no warning, echo or afterthought."""
    first: Line | None = None
    for line in lines:
        if not line.text.strip():
            continue
        if is_exception(line.text) and kind(line.text) is Kind.ERROR:
            return line
        if first is None and kind(line.text) is Kind.ERROR:
            first = line
    return first


_SUMMARY_RANK = re.compile(r"^\s*rank\s*: (\d{1,6}) \(local_rank: \d+\)")


def failing_rank(lines: Sequence[Line]) -> int | None:
    """The rank that failed first: torchrun's own verdict, else the first one with an error of its own."""
    in_summary = False
    for line in lines:
        if "Root Cause (first observed failure)" in line.text:
            in_summary = True
        elif in_summary and (m := _SUMMARY_RANK.match(line.text)):
            return int(m.group(1))
    for wanted in (is_exception, lambda text: True):
        for line in lines:
            if line.rank is not None and wanted(line.text) and kind(line.text) is Kind.ERROR:
                return line.rank
    return None
