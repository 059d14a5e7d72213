"""The rules of Chinese: how talk becomes knowledge without a model.

    split   a message cut into pieces: statement, question, instruction, chat
    judge   which of them are worth keeping, and what they are about
    read    what those say, as sentences in the third person
    deeds   what the assistant says it did

`words` has the word lists; `clean` evens out script, dialect and fillers; `speech` tells the kinds
of sayings apart. `person` turns a clause to the third person with the people of `people`;
`attributes` recognises what a clause says of whom; `changes`, `corrections`, `beliefs` and
`answers` know the special ways of saying it.
"""

from __future__ import annotations

from loxodon.write.zh.deeds import deeds
from loxodon.write.zh.judge import judge
from loxodon.write.zh.read import read
from loxodon.write.zh.split import split

__all__ = ["deeds", "judge", "read", "split"]
