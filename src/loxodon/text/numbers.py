"""Words for numbers."""

from __future__ import annotations

# From one to ten, in English
COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
