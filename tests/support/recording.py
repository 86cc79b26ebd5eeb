"""Run Python code in a world where every library only writes down what is asked of it.

Two programs do the same on NVIDIA when they leave the same notes there. ``torch.version.hip`` is None, as in a
CUDA build, and asking for it leaves no note; every comparison and test is answered from its own text, so that
both sides of branches are seen over several ``seed`` values.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import zlib
from collections.abc import Iterator
from typing import Any

REAL = frozenset(
    [
        "__future__",
        "abc",
        "argparse",
        "ast",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "enum",
        "functools",
        "inspect",
        "itertools",
        "json",
        "math",
        "operator",
        "packaging",
        "re",
        "string",
        "textwrap",
        "types",
        "typing",
        "typing_extensions",
        "warnings",
    ]
)
"""Modules that run as they are: they touch nothing outside the program."""
MAX_NOTES = 4000


class TooLong(Exception):
    """The program runs in circles; what it did so far is compared."""


class World:
    """Notes of one run."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.notes: list[str] = []
        self.modules: dict[str, Thing] = {}

    def note(self, text: str) -> None:
        self.notes.append(text)
        if len(self.notes) > MAX_NOTES:
            raise TooLong

    def answer(self, text: str) -> int:
        """A number that depends on nothing but the question and the seed."""
        return zlib.crc32(f"{self.seed} {text}".encode())

    def module(self, name: str) -> Thing:
        parts = name.split(".")
        thing = self.modules.setdefault(parts[0], Thing(self, parts[0]))
        for part in parts[1:]:
            thing = thing._child(part)
        return thing


class Thing:
    """Anything of a library: it has every attribute, can be called, compared, indexed, entered and iterated."""

    def __init__(self, world: World, path: str) -> None:
        self.__dict__.update(_world=world, _path=path, _children={}, __name__=path)

    def _child(self, name: str) -> Any:
        children = self.__dict__["_children"]
        if name not in children:
            children[name] = Thing(self._world, f"{self._path}.{name}")
        return children[name]

    def _quietly(self, name: str) -> tuple[bool, Any]:
        """Attributes that a fix may ask for: their answer on an NVIDIA machine, without a note."""
        quiet = {
            "torch.version.hip": None,
            "torch.version.cuda": "12.8",
            "torch.utils.cpp_extension.ROCM_HOME": None,
            "torch.utils.cpp_extension.IS_HIP_EXTENSION": False,
        }
        path = f"{self._path}.{name}"
        return path in quiet, quiet.get(path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        quiet, value = self._quietly(name)
        return value if quiet else self._child(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._world.note(f"{self._path}.{name} = {show(value)}")
        self._children[name] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        text = (
            f"{self._path}({', '.join([*map(show, args), *(f'{k}={show(v)}' for k, v in kwargs.items())])})"
        )
        quiet = {"torch.cuda.is_available()": True, "torch.distributed.is_nccl_available()": True}
        if text in quiet:
            return quiet[text]
        self._world.note(text)
        if len(args) == 1 and not kwargs and inspect.isfunction(args[0]):
            return args[0]  # a decorator
        return Thing(self._world, text)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)

    def __repr__(self) -> str:
        return self._path

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return self._path

    def __hash__(self) -> int:
        return hash(self._path)

    def __bool__(self) -> bool:
        return bool(self._world.answer(self._path) & 1)

    def __int__(self) -> int:
        return self._world.answer(self._path) % 16

    __index__ = __len__ = __int__

    def __float__(self) -> float:
        return float(int(self))

    def __iter__(self) -> Iterator[Any]:
        return iter([self[0], self[1]])

    def __getitem__(self, key: Any) -> Thing:
        return Thing(self._world, f"{self._path}[{show(key)}]")

    def __setitem__(self, key: Any, value: Any) -> None:
        self._world.note(f"{self._path}[{show(key)}] = {show(value)}")

    def __delitem__(self, key: Any) -> None:
        self._world.note(f"del {self._path}[{show(key)}]")

    def __contains__(self, key: Any) -> bool:
        return bool(self._world.answer(f"{show(key)} in {self._path}") & 1)

    def __enter__(self) -> Thing:
        self._world.note(f"enter {self._path}")
        return self

    def __exit__(self, *_: Any) -> bool:
        self._world.note(f"exit {self._path}")
        return False


def _binary(name: str, sign: str) -> None:
    def forward(self: Thing, other: Any) -> Any:
        return Thing(self._world, f"({self._path} {sign} {show(other)})")

    def backward(self: Thing, other: Any) -> Any:
        return Thing(self._world, f"({show(other)} {sign} {self._path})")

    setattr(Thing, f"__{name}__", forward)
    setattr(Thing, f"__r{name}__", backward)


for _name, _sign in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "matmul": "@",
}.items():
    _binary(_name, _sign)


def _comparison(name: str, sign: str) -> None:
    def compare(self: Thing, other: Any) -> bool:
        return bool(self._world.answer(f"{self._path} {sign} {show(other)}") & 1)

    setattr(Thing, f"__{name}__", compare)


for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    _comparison(_name, _sign)


def show(value: Any) -> str:
    """A value as a note shows it: without addresses."""
    if isinstance(value, Thing):
        return value._path
    if isinstance(value, (list, tuple, set)):
        return f"{type(value).__name__}({', '.join(map(show, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{show(k)}: {show(v)}' for k, v in value.items())}}}"
    if isinstance(value, (str, bytes, int, float, bool, type(None))):
        return repr(value)
    return f"<{type(value).__name__} {getattr(value, '__name__', '')}>"


def notes(code: str, seed: int) -> list[str]:
    """What a program does on NVIDIA: its top level, then each of its functions and methods."""
    world = World(seed)

    def importing(
        name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level == 0 and name.split(".")[0] in REAL:
            return builtins.__import__(name, globals_, locals_, fromlist, level)
        name = "." * level + name
        if name != "torch" and name != "os" and name != "shutil":  # imports that a fix may add
            world.note(f"import {name} {show(fromlist)}")
        return world.module(name) if fromlist else world.module(name.split(".")[0] or name)

    def printing(*args: Any, **_: Any) -> None:
        world.note(f"print {show(args)}")

    def reading(*args: Any, **_: Any) -> Any:
        return Thing(world, f"open({show(args)})")

    space: dict[str, Any] = {
        "__builtins__": {
            **vars(builtins),
            "__import__": importing,
            "print": printing,
            "open": reading,
            "input": reading,
            "exit": world.module("exit"),
        },
        "__name__": "__main__",
    }
    _fill_in(code, space, world)
    own = {
        n.name
        for n in ast.walk(ast.parse(code))
        if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
    }
    _attempt(world, lambda: exec(compile(code, "example.py", "exec"), space))
    for name, value in list(space.items()):
        if name in own and not name.startswith("_rocm"):
            _use(world, name, value)
    return world.notes


def _fill_in(code: str, space: dict[str, Any], world: World) -> None:
    """Examples are fragments: a name that nothing defines stands for anything."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            space.setdefault(node.id, world.module(node.id) if node.id != "torch" else world.module("torch"))


def _use(world: World, name: str, value: Any) -> None:
    if isinstance(value, type):
        for method, function in vars(value).items():
            if inspect.isfunction(function):
                _use(world, f"{name}.{method}", function)
        return
    if not inspect.isfunction(value):
        return
    world.note(f"-- {name}")
    needed = [
        p
        for p in inspect.signature(value).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    result: Any = None

    def call() -> None:
        nonlocal result
        result = value(*(Thing(world, p.name) for p in needed))
        if inspect.iscoroutine(result):
            try:
                result.send(None)
            except StopIteration as e:
                result = e.value
        elif inspect.isgenerator(result):
            result = list(result)

    _attempt(world, call)
    world.note(f"{name} gives {show(result)}")


def _attempt(world: World, run: Any) -> None:
    try:
        with warnings_off():
            run()
    except TooLong:
        pass
    except (Exception, SystemExit) as e:
        world.note(f"raises {type(e).__name__}: {e}")


def warnings_off() -> Any:
    import warnings

    return warnings.catch_warnings()
