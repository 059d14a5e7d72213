"""Forgetting: erased for good, everywhere, and kept from coming back."""
