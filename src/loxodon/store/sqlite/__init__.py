"""The embedded backend: one SQLite file for each space. `store.py` is the `Store`."""
