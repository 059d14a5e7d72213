"""The embedded backend: one SQLite file for each space."""
