"""A model's server for the tests of working memory."""

from __future__ import annotations

from tests.models.conftest import server

__all__ = ["server"]
