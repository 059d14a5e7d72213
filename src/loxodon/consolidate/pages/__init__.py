"""What is written for people and agents to read: summaries, the snapshot, the profile."""
