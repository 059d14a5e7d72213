"""The implementation of the operations that `memory.py` declares."""
