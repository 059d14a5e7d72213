"""`python -m loxodon` is `loxodon`."""

import sys

from loxodon.cli import main

sys.exit(main())
