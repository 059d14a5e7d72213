"""What the files and folders of a home are called. ARCHITECTURE.md draws the whole."""

from __future__ import annotations

# In the home.
CONFIG = "config.toml"
SPACES = "spaces"
KEYS = "keys"
STRETCH = "stretch.json"
"""In `keys`: how a pass phrase is stretched."""
RECODING = "recoding.json"
"""In `keys`: a home is being encrypted, decrypted or given another key."""
SCHEDULE_LOCK = "schedule.lock"
"""Held by the process that runs what is due."""

DELETING = "deleting"
"""There while a space is being deleted: what is left of it, and a lock with its name."""
DELETED = "deleted.jsonl"
"""Receipts of the spaces that were deleted."""

# In the folder of a space.
DATABASE = "loxodon.db"
BESIDE = (".check", ".mark", ".lock")
"""What stands beside a database, or a copy of it that was put aside, under its name."""
MADE = "loxodon.lock"
"""Held while one process writes; there only where a database was made."""
OFF_MARKER = "switched-off"
"""There where something was said while the engine was off."""
PENDING = "memory/loxodon-pending"
"""In a workspace: what was said while the engine was off."""
KEY_MARK = "key.mark"
"""Which master key a space has used; there where a database was."""
COPIES = "copies"
"""Every folder that text views were written to."""
OLD_SESSIONS = "sessions"
OLD_STATE = frozenset({OLD_SESSIONS, "paused", "forgotten", "audit"})
"""What earlier versions kept in files, and is rows now (services/old_files.py)."""
WORKSPACE = "workspace"
VIEWS = "memory"
"""In a workspace: the text views."""
CONSOLIDATION_LOCK = "consolidation.lock"
EMBEDDING_LOCK = "embedding.lock"
