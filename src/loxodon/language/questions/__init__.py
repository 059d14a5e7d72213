"""What a message wants of the memory: the words that tell, for each language."""
