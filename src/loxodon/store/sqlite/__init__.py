"""The embedded backend: one SQLite file per space. `store.py` is the `Store`."""
