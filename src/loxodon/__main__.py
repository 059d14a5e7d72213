"""`python -m loxodon` is `loxodon`."""

from loxodon.cli import main

raise SystemExit(main())
