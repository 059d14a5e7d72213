"""`loxodon code`: what the user tells an agent that may not decide by itself."""

from __future__ import annotations

import sys
from argparse import Namespace

from loxodon.errors import UsageError
from loxodon.messages import t
from loxodon.serve.cli import view
from loxodon.serve.cli.opening import Outcome, opened
from loxodon.serve.consent import code_of, question_of


def run(args: Namespace) -> Outcome:
    if args.json or not sys.stdout.isatty():  # an agent that runs commands mostly has no terminal
        raise UsageError(
            "a code is only shown in a terminal", hint="run this yourself, without --json or a pipe"
        )
    with opened(args) as memory:
        question = question_of(memory, args.action, args.id)
        code = code_of(memory, question)

    def show() -> None:
        print(view.safe(question.asked))
        print(t("if so, tell your agent this code: {code}", code=view.paint(code, "bold")))

    return Outcome({}, show)
