"""A model that is a program: it takes a prompt on standard input and prints the answer, such as
`claude -p`, `codex exec -`, or a script of one's own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory

from loxodon.errors import RejectedModelError, UnreachableModelError
from loxodon.models.wire import Answer

READING = "LOXODON_READING"  # set for the program, whose own hooks then do nothing
_MOST_BYTES = 2 << 20  # more than this is no answer to what we ask


def ask(
    command: str, turns: Sequence[Mapping[str, str]], schema: Mapping[str, object], timeout: float
) -> Answer:
    """What the program prints for a conversation, as a model's server would answer."""
    said = [turn["content"] for turn in turns]
    form = f"Answer with JSON only, as this schema has it: {json.dumps(schema)}"
    try:
        # In an empty folder: it has no files to read, and an agent no project.
        with TemporaryDirectory(prefix="loxodon-") as folder:
            done = subprocess.run(  # noqa: S603 the owner's own choice
                shlex.split(command),
                input="\n\n".join([*said, form]).encode(),
                capture_output=True,
                timeout=timeout,
                cwd=folder,
                env={**os.environ, READING: "1"},
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise UnreachableModelError(
            "the model did not answer within {timeout} seconds",
            hint="if it is overloaded, raise the timeout with `loxodon config {section}.timeout`",
            section="model",
            timeout=f"{timeout:g}",
            delivered=True,
        ) from None
    except (OSError, ValueError) as error:
        raise RejectedModelError(
            "cannot run the model's program: {reason}",
            hint="check model.command",
            reason=getattr(error, "strerror", None) or str(error),
        ) from None
    if done.returncode:  # what it complains of may repeat what it was told: unsaid
        raise RejectedModelError(
            "the model's program failed (exit status {status})",
            hint="run model.command yourself: it must read a prompt from standard input",
            status=done.returncode,
        )
    text = done.stdout[:_MOST_BYTES].decode("utf-8", "replace")
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    return Answer(200, json.dumps(body).encode())
