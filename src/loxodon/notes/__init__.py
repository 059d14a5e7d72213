"""Files that a user or an agent wrote, read where they lie and never written to."""
