"""Sources: the files that a user or an agent wrote, read where they lie and never written to.

    discover ──▶ read ──▶ annotations ──▶ blocks ──▶ chunk ──▶ store

`index` calls them in order.
"""
