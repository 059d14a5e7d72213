"""How good a recall is, measured: labelled conversations go through the path that a user has.

conversations   what stands in a file of labelled conversations
metrics         what an answer is worth, given what it should have had
retrieval       each conversation into a memory of its own, each question asked of it
"""
