"""What every SQL backend shares: the store written over a small `Database`."""
