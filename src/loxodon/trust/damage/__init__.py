"""Backup, restore and repair."""
