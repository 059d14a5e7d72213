"""Names of the files and folders of a home. ARCHITECTURE.md draws the whole."""

from __future__ import annotations

# In the home.
CONFIG = "config.toml"
SPACES = "spaces"
KEYS = "keys"
RECODING = "recoding.json"  # in `keys`: while a home is encrypted, decrypted or gets another key
SCHEDULE_LOCK = "schedule.lock"  # held by the process that runs what is due
DELETING = "deleting"  # while a space is deleted: what is left of it
DELETED = "deleted.jsonl"  # receipts of deleted spaces

# In the folder of a space.
DATABASE = "loxodon.db"
BESIDE = (".check", ".mark", ".lock")  # suffixes of files beside a database or a copy of it
MADE = "loxodon.lock"  # held while one process writes; exists only where a database was made
OFF_MARKER = "switched-off"  # exists if something was said while the engine was off
COPIES = "copies"  # every folder that text views were written to
KEY_MARK = "key.mark"  # which master key a space has used; exists where a database was
OLD_SESSIONS = "sessions"
# What earlier versions kept in files, and is rows now
OLD_STATE = frozenset({OLD_SESSIONS, "paused", "forgotten", "audit"})
WORKSPACE = "workspace"
FILES = "files"  # what requests over HTTP may name: imports are read from it, exports written
CONSOLIDATION_LOCK = "consolidation.lock"
EMBEDDING_LOCK = "embedding.lock"

# In a workspace.
VIEWS = "memory"  # the text views
PENDING = "memory/loxodon-pending.jsonl"  # what was said while the engine was off

FORGOTTEN_TO = "forgotten_to"  # in a database: the marks it was held against, or what to forget
