"""What may be kept, shown and believed, and what is forgotten."""
