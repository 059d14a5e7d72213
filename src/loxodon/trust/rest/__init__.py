"""What lies on disk: keys and encryption."""
