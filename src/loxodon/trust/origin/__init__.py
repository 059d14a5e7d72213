"""Where words came from, and how far they are believed."""
