"""Who read and wrote what, on record."""
