"""How good a memory is, measured: labelled conversations go through the path that a user has.

lines           files of labelled conversations, read line by line
conversations   those with questions and their evidence
metrics         what an answer is worth, given what it should have had
retrieval       each conversation into a memory of its own, each question asked of it
cases           conversations with what a memory should hold afterwards
writing         each case into a memory of its own, each check held against it
"""
