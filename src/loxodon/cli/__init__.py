"""The command line: `loxodon [--home DIR] [--space NAME] [--agent NAME] [--json] … COMMAND`.

`parser.py` says what can be typed, `commands.py` what each command does, `view.py` how a person
sees it. Each command returns data; with `--json` that is printed as one document, else its view.
"""

from __future__ import annotations

from loxodon.cli.main import main

__all__ = ["main"]
