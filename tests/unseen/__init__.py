"""Conversations by authors who have not seen the code, and what must become of each."""
