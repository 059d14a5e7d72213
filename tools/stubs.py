"""Write `src/loxodon/remote.pyi`: the methods of the client, for editors and type checkers.

python tools/stubs.py          # write it; also `make reference`
python tools/stubs.py --check  # fail if it is not as this would write it
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import Parameter
from pathlib import Path
from subprocess import run
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from loxodon import remote
from loxodon.http.operations import RESULTS
from loxodon.paging import Page
from loxodon.recall.gate import State
from loxodon.verbs import Verb

STUB = Path(remote.__file__).with_suffix(".pyi")
PARTS = {
    "RemoteMemory": "",
    "RemoteWorkspace": "workspace",
    "RemoteSchedule": "schedule",
    "RemoteAudit": "audit",
}
FUNCTIONS = """
def signature_of(verb: Verb) -> Signature: ...
def served(part: str) -> Iterator[tuple[str, Verb]]: ...
"""
NAMES = {**RESULTS, "Page": Page, "Conversation": State}


class Stub:
    """The text of the stub, and what it has to import."""

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {
            "inspect": {"Signature"},
            "typing": {"Any", "Unpack"},
            "collections.abc": {"Callable", "Iterator"},
            "loxodon.verbs": {"Changes", "Verb"},
        }

    def text(self) -> str:
        classes = [self.of_class(name, part) for name, part in PARTS.items()]
        lines = [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.imports.items())
        ]
        head = '"""Written by tools/stubs.py."""\n\nimport builtins\n'
        text = "\n".join([head, *lines, "", FUNCTIONS, *classes])
        for command in (["check", "-q", "--fix", "--select", "I"], ["format", "-q"]):
            made = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUB), "-"]
            done = run(made, input=text, capture_output=True, text=True, check=True)  # noqa: S603
            text = done.stdout
        return text

    def of_class(self, name: str, part: str) -> str:
        methods = [self.method(name, verb) for name, verb in remote.served(part)]
        return (
            f"class {name}:\n"
            + ("    def __init__(self, do: Callable[..., Any]) -> None: ...\n" if part else "")
            + "    def do(self, verb: Any, given: dict[str, Any]) -> Any: ...\n"
            + ("".join(methods))
        )

    def method(self, name: str, verb: Verb) -> str:
        taken = list(self.parameters(verb))
        result = self.type(verb.hints(NAMES)["return"])
        return f"    def {name}({', '.join(taken)}) -> {result}: ...\n"

    def parameters(self, verb: Verb) -> Iterator[str]:
        hints, starred = verb.hints(NAMES), False
        for one in remote.signature_of(verb).parameters.values():
            if one.name == "self":
                yield "self"
                continue
            if one.kind is Parameter.VAR_KEYWORD:
                yield f"**{one.name}: Unpack[Changes]"
                continue
            if one.kind is Parameter.KEYWORD_ONLY and not starred:
                yield "*"
            starred |= one.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
            if one.name == "progress":
                yield "progress: Callable[..., None] | None = None"
                continue
            star = "*" if one.kind is Parameter.VAR_POSITIONAL else ""
            kind = self.type(hints.get(one.name, bool))
            default = "" if star or one.default is Parameter.empty else " = ..."
            yield f"{star}{one.name}: {kind}{default}"

    def type(self, hint: Any) -> str:
        origin, given = get_origin(hint), get_args(hint)
        if hint in (None, NoneType):
            return "None"
        if origin is Annotated:
            return self.type(given[0])
        if origin in (Union, UnionType):
            return " | ".join(dict.fromkeys(map(self.type, given)))
        if origin is Literal:
            self.imports["typing"].add("Literal")
            return f"Literal[{', '.join(map(repr, given))}]"
        kind = origin or hint
        if kind is list:  # which is a verb in its class
            return f"builtins.list[{', '.join(map(self.type, given))}]"
        if kind.__module__ != "builtins":
            self.imports.setdefault(kind.__module__, set()).add(kind.__name__)
        if not given:
            return str(kind.__name__)
        return f"{kind.__name__}[{', '.join(map(self.type, given))}]"


def main(argv: list[str]) -> int:
    text = Stub().text()
    if "--check" in argv:
        return int(STUB.read_text("utf-8") != text)
    STUB.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
