"""Its homes are those of encryption."""

from tests.security.conftest import home, made_home

__all__ = ("home", "made_home")
