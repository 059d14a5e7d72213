"""An OpenClaw beside this memory: its conversations are followed, and it is given ways to ask."""
