"""How talk becomes knowledge without a model, in each of our languages.

    statements.py   the values that come out: statements with subject, attribute and value
    reader.py       start here: what a message says
    frames.py       whole clauses that are understood: patterns of a table
    speech.py       what kinds of things are said, and which tell nothing
    attributes.py   what can be known of someone, and whether it has one value at a time
    en/, zh/        the tables of a language, and how it cuts and names clauses
    words.py        the words by which clauses and people are told apart
    questions.py    the words that tell what a message wants of the memory

Engines are small and the same for all; what is of one language is in its tables.
"""
