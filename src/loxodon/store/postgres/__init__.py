"""One PostgreSQL database for all spaces."""
