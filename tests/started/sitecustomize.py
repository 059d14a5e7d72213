"""On the path of the processes that tests start while their homes are in databases."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.on_postgres import in_process

in_process()
