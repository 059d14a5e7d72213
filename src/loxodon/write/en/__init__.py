"""How English becomes knowledge without a model: cut, judge, read.

split.py      a message cut into pieces; kinds.py says what type each is
screen.py     which pieces are quoted, invented, supposed, joked: not the user's facts
reading.py    what a piece states, by way of
  clean.py        chat spelling written out, fillers gone
  hedges.py       how sure it is
  corrections.py  what it puts right
  answers.py      what it answers
  clauses.py      whom it is about (elided.py where that was left out), in the third person
  recognise.py    its attribute and value, by the rules of endings.py and themes.py
  asides.py       what it tells in passing
  polish.py       the sentence made fit to be shown
judge.py, read.py, deeds.py   what the pipeline calls
"""

from __future__ import annotations

from loxodon.write.en.deeds import deeds
from loxodon.write.en.judge import judge
from loxodon.write.en.read import read
from loxodon.write.en.split import split

__all__ = ["deeds", "judge", "read", "split"]
