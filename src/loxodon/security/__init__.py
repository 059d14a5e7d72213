"""Tokens and permissions, the audit log, keys and encryption."""
