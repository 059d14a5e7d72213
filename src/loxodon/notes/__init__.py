"""Sources: the files that a user or an agent wrote, read where they lie and never written to.

    discover ──▶ read ──▶ generated ──▶ annotations ──▶ blocks ──▶ chunk ──▶ store
    which        bytes,   what is not   what is said    bullets,   about 400
    files        lines    theirs        about a line    code, …    tokens each

`index` calls them in order.
"""
