"""`python -m loxodon` is `loxodon`."""

import sys

from loxodon.serve.cli import main

sys.exit(main())
