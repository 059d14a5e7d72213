"""`loxodon chat`: talk with a model that remembers."""

from __future__ import annotations

import os
from argparse import Namespace

from loxodon import config as settings
from loxodon.config import ChatConfig
from loxodon.serve.cli.opening import Outcome, home_of, opened

SESSION = "chat"


def run(args: Namespace) -> Outcome:
    from loxodon.serve.chat.loop import Loop
    from loxodon.serve.chat.model import model_of

    if args.base_url:
        settings.checked("chat.base_url", args.base_url)
    if args.window:
        settings.checked("working.window", args.window)
    home = home_of(args)

    def model() -> ChatConfig:
        """As the settings are now: what is wrong can be put right while the chat runs."""
        config = settings.with_environment(settings.load(home), os.environ)
        return model_of(config, args.base_url, args.model)

    with opened(args, make=True) as memory:
        loop = Loop(
            memory, args.session, args.window, model, events=args.json, background=not args.now
        )
        code = loop.run()
    args.json = False  # what there was to say was said as it happened
    return Outcome({}, lambda: None, code)
