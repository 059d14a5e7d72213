"""Backups: writing, restoring, and repair of a damaged database."""
