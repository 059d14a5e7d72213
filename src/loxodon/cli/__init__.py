"""The command line: `loxodon [--home DIR] [--space NAME] [--agent NAME] [--json] … COMMAND`.

`commands.py` lists the commands and builds the parser of one from its verb; a module for each group
of commands has what they do; `view.py` shows what they return, or prints it as JSON.
"""

import gc

gc.disable()  # nothing that is imported is garbage: a short command need not look for any
from loxodon.cli.main import main  # noqa: E402

gc.freeze()
gc.enable()
__all__ = ["main"]
