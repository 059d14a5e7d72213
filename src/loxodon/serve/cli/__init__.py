"""Where installed scripts of earlier versions look for `main`."""

from loxodon.cli.main import main as main
