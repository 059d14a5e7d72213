"""What one can do with a memory, by what it is about; `memory.py` has them all in one class."""
