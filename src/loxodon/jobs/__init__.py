"""What is due in the background of a space, and which process does it."""
