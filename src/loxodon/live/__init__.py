"""Memory beside a live agent: what runs by itself, and what stands in while the engine is off."""
