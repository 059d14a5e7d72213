"""How a memory does what `memory.py` says it can."""
