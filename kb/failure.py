"""What kind of line a log line is: the error itself, a warning, an afterthought, or another rank's echo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache

from .clean import Line, Paste


class Kind(IntEnum):
    """Kinds of lines, the least telling first."""

    TRAILER = 0
    """Advice and summaries that follow any error."""
    CASCADE = 1
    """What the other ranks say after one has failed."""
    OTHER = 2
    WARNING = 3
    ERROR = 4


TRAILERS = (
    "Compile with `TORCH_USE_", "kernel errors might be asynchronously reported", "For debugging consider passing",
    "Search for `hipError", "ChildFailedError", "Root Cause (first observed failure)", "error_file: <N/A>", "exitcode  :", "exitcode :",
    "failed (exitcode: ", "process group has NOT been destroyed", "To enable traceback see:", "This error originates from a subprocess",
    "ninja: build stopped", "subprocess.CalledProcessError", "Error compiling objects for extension", "metadata-generation-failed",
    "Failed building wheel for", "Could not build wheels for", "Failed to build installable wheels", "subprocess-exited-with-error",
    "Error building extension '", "resource_tracker: There appear to be", "Aborted (core dumped)", "Fatal Python error: Aborted",
    "srun: error: ", "Exited with exit code", "This usually reflects", "did not run successfully", "leaked semaphore", "generated when compiling for",
    "Engine core initialization failed", "Engine process failed to start", "make: *** ", "make[", "gmake[", "The above exception was the direct cause",
    "During handling of the above exception", "FAILED: ", "Task failed with",
)  # fmt: skip

CASCADES = (
    "Watchdog caught collective operation timeout", "Connection reset by peer", "Connection closed by remote peer", "ncclRemoteError",
    "remote process exited or there was a network error", "NCCL communicator was aborted", "Broken pipe", "recvValue failed",
    "failed to recv, got 0 bytes", "closing signal SIG", "Received 15 death signal", "Received 1 death signal", "SignalException: Process",
    "we are taking the entire process down", "taking the entire process down", "HeartbeatMonitor", "Some NCCL operations have failed or timed out",
    "collective operation timeout", "Socket Timeout", "DistNetworkError: Failed to recv", "first PG on this rank to signal dumping", "Flight recorder",
    "FlightRecorder", "ProcessExitedException", "wait timeout after", "store->get(", "RendezvousConnectionError", "Exception (either an error or timeout) detected by watchdog",
)  # fmt: skip

_WARNINGS = ("Warning", "WARN", "warning:", "Deprecat", "[W")
ERROR_WORDS = (
    "error: ", "Error: ", "Error(", "CMake Error", "ERROR", "FATAL", "Fatal", "Aborted", "failed", "Failed", "FAILED", "failure", "ould not", "annot", "Unable to",
    "unable to", "HW Exception", "emory access fault", "Segmentation fault", "core dumped", "page fault", "not supported", "unsupported", "Unsupported",
    "HIP error", "hipError", "HIPBLAS_STATUS_", "HSA_STATUS_ERROR", "miopenStatus", "undefined symbol", "No such file", "ermission denied",
    "not found", "is detected", "what():", "Exception:", "exception:", "rejects", "NCCL WARN", "error]",
)  # fmt: skip
_HARMLESS = re.compile(
    r"Could not collect|\b0 errors?\b|\bno errors?\b|error_rate|\berrors?=0|Total number of unsupported CUDA",
    re.I,
)
_EXCEPTION = re.compile(
    r"^\s*(?:E\s{1,6})?(?:[a-zA-Z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|NotFound|OutOfResources)\b(?::|$)"
)
_EVERYDAY = re.compile(
    r"^\s*(?:E\s{1,6})?(?:[a-zA-Z_]\w*\.)*(?:KeyError|IndexError|TypeError|NameError|AttributeError|ZeroDivisionError|UnboundLocalError"
    r"|JSONDecodeError|SyntaxError|IndentationError|StopIteration|UnicodeDecodeError|ModuleNotFoundError|ImportError|FileNotFoundError|ValueError"
    r"|AssertionError|IsADirectoryError|NotADirectoryError|RecursionError|HTTPError|ConnectionError|GatedRepoError"
    r"|RepositoryNotFoundError|LocalEntryNotFoundError|SafetensorError|ValidationError|OSError|PermissionError|TimeoutError|NotImplementedError)\b"
)


_RETOLD = re.compile(
    r"^\W{0,8}(?:[0-9a-f]{7,40}\s+|#\d{1,6}:?\s+)?(?:\[[\w ./-]{1,40}\]:?\s*){0,4}(?:[\w-]{1,20}\s*:\s+)?"
    r"(?:[Ff]ix(?:e[sd])?\b(?! it\b)|[Rr]esolve[sd]?\b(?!\s+architecture)|[Rr]evert(?:s|ed)?\b|[Rr]aise an? |[Ww]ork around |[Aa]void |[Ss]ilence |[Ii]f you (?:see|get|hit|run into|encounter) )"
    r"|^\W{0,8}cuda\w{3,60}\W{1,12}hip\w{3,60}"  # a table of translated names
    r"|^\s{2,}# "  # a comment in a program
)


_QUERY = re.compile(
    r"\bhip(?:EventQuery|StreamQuery|StreamIsCapturing|PointerGetAttributes?|MemGetAddressRange|DeviceGetAttribute|DeviceEnablePeerAccess)"
    r": {1,3}Returned hipError"
)


def is_retold(text: str) -> bool:
    """Whether the line tells of no failure in this run: of somebody's repair or advice (a commit, a changelog, a
    manual), or of the "no" that a call of the HIP trace (AMD_LOG_LEVEL=3) has asked for."""
    return _RETOLD.match(text) is not None or _is_denial(text)


def _is_denial(text: str) -> bool:
    return ": Returned hipError" in text and _QUERY.search(text) is not None


@lru_cache(maxsize=1 << 14)
def kind(text: str) -> Kind:
    """The kind of a cleaned line."""
    if _holds(text, TRAILERS):
        return Kind.TRAILER
    if _holds(text, CASCADES):
        return Kind.CASCADE
    if is_exception(text):
        return Kind.ERROR
    if _holds(text, _WARNINGS) and "NCCL WARN" not in text:
        return Kind.WARNING
    if _is_denial(text):
        return Kind.OTHER
    if text.startswith("E: ") and not text.startswith("E:  "):  # apt
        return Kind.ERROR
    if _holds(text, ERROR_WORDS) and not _HARMLESS.search(text):
        return Kind.ERROR
    return Kind.OTHER


def _holds(text: str, words: Sequence[str]) -> bool:
    for word in words:  # noqa: SIM110 - asked of every line: a generator takes three times as long
        if word in text:
            return True
    return False


def is_exception(text: str) -> bool:
    """Whether the line is the last one of a Python traceback (``SomeError: message``)."""
    return _EXCEPTION.match(text) is not None


NEUTRAL = (
    "Address already in use", "address already in use", "No space left on device", "Disk quota exceeded", "file write failed", "oom_kill event",
    "mat1 and mat2 shapes cannot be multiplied", "must match the size of tensor", "size mismatch for ", "Error(s) in loading state_dict",
    "does not require grad", "Trying to backward through the graph a second time", "Expected all tensors to be on the same device",
    "gated repo", "401 Client Error", "404 Client Error", "429 Client Error", "ReadTimeout", "Temporary failure in name resolution",
    "Max retries exceeded", "CERTIFICATE_VERIFY_FAILED", "exec format error", "Input length of input_ids is", "unexpected keyword argument",
    "DataLoader worker", "Unexpected bus error encountered in worker", "pickle data was truncated", "invalid load key", "unrecognized arguments",
    "modified by an inplace operation", "Expected more than 1 value per channel", "expected scalar type", "indices should be either on cpu",
)  # fmt: skip
"""Failures that have nothing to do with the vendor of the GPU."""


def is_everyday(text: str) -> bool:
    """Whether the line is a failure that any program on any machine may meet."""
    return _EVERYDAY.match(text) is not None or any(x in text for x in NEUTRAL)


def first_failure(paste: Paste) -> Line | None:
    """The first exception that is neither echo nor afterthought, else the first line that sounds like an error.

    Somebody's Ctrl-C is the last thing to blame.
    """
    first: Line | None = None
    stopped: Line | None = None
    for line in _whole_lines(paste):
        if kind(line.text) is Kind.ERROR:
            if is_interrupt(line.text):
                stopped = stopped or line
            elif is_exception(line.text):
                return line
            else:
                first = first or line
    return first or stopped


def is_interrupt(text: str) -> bool:
    """Whether the line says that somebody stopped the program."""
    return text.lstrip().startswith("KeyboardInterrupt")


def _whole_lines(paste: Paste) -> Iterator[Line]:
    """The lines, a broken warning as one: its second half may sound like an error of its own."""
    warned = {x.number: x.parts for x in paste.joins if kind(x.text) is Kind.WARNING}
    inside = 0
    for line in paste.lines:
        if line.number in warned:
            inside = max(inside, line.number + warned[line.number])
        if line.number >= inside or line.number in warned or _NAMED.search(line.text):
            yield line


_NAMED = re.compile(r"[A-Za-z](?:Error|Exception): ")


def has_traceback(lines: Sequence[Line]) -> bool:
    """Whether the log shows a program that died, not only one that complained."""
    return any(
        "Traceback (most recent call last)" in x.text or "core dumped" in x.text or is_exception(x.text)
        for x in lines
    )


_SUMMARY_RANK = re.compile(r"^\s*rank\s*: (\d{1,6}) \(local_rank: \d+\)")


def failing_rank(lines: Sequence[Line]) -> int | None:
    """The rank that failed first: torchrun's own verdict, else the first one with an error of its own."""
    in_summary = False
    for line in lines:
        if "Root Cause (first observed failure)" in line.text:
            in_summary = True
        elif in_summary and (m := _SUMMARY_RANK.match(line.text)):
            return int(m.group(1))
    ranked = [x for x in lines if x.rank is not None]
    for line in ranked:
        if is_exception(line.text) and kind(line.text) is Kind.ERROR:
            return line.rank
    return next((x.rank for x in ranked if kind(x.text) is Kind.ERROR), None)
