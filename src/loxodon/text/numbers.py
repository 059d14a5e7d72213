"""Words for numbers."""

from __future__ import annotations

COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""From one to ten, in English."""
