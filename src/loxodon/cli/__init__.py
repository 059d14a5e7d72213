"""The command line: `loxodon [--home DIR] [--space NAME] [--agent NAME] [--json] … COMMAND`.

`commands.py` lists the commands, builds the parser of one from its verb and runs it; a module for
each group of commands has what they do; `view.py` shows what they return, or prints it as JSON.
"""

from loxodon.cli.commands import main

__all__ = ["main"]
