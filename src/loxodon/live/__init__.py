"""What stands in for the memory while the engine is off."""
