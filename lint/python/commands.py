"""Commands that a program runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .values import words_of

if TYPE_CHECKING:
    from .module import Module

RUNNERS = (
    "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.getoutput",
    "subprocess.getstatusoutput", "os.system", "os.popen", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
)  # fmt: skip


def runs(module: Module, tool: str) -> Iterator[tuple[ast.Call, ast.expr, list[str]]]:
    """Calls that run a tool: the call, the expression that names the tool, the words of the command."""
    seen: set[ast.AST] = set()
    for call in module.calls(*RUNNERS):
        command = (
            call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "args"), None)
        )
        words = words_of(module, command)
        if not words or command is None or call in seen:
            continue
        if any(_is(w, tool) for w in words[:1]) or (
            isinstance(command, (ast.Constant, ast.JoinedStr)) and _piped(words, tool)
        ):
            seen.add(call)
            yield call, named_in(module, command, tool) or command, words


def _is(word: str, tool: str) -> bool:
    return word.rpartition("/")[2].removesuffix(".exe") == tool or word.endswith(f"\0{tool}")


def _piped(words: list[str], tool: str) -> bool:
    """``cd x && nvcc ...``, ``CUDA_VISIBLE_DEVICES=0 nvidia-smi``."""
    before = "&&"
    for word in words:
        if _is(word, tool) and (before in ("&&", ";", "|", "||") or "=" in before or before.endswith(";")):
            return True
        before = word
    return False


def named_in(module: Module, command: ast.expr, tool: str) -> ast.expr | None:
    """The string that holds the tool's name, in the command or in the variable that it comes from."""
    for node in module.walk(command):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and tool in node.value:
            return module.fstring(node) or node
    for node in list(module.walk(command)):
        if isinstance(node, (ast.Name, ast.Attribute)):
            for binding in module.resolver.bound_to(node):
                if binding.kind == "assign" and binding.value is not None and binding.value is not command:
                    found = named_in(module, binding.value, tool)
                    if found is not None:
                        return found
    return None
