"""The weight of each part of a score, fitted on labelled conversations of several kinds.

`tools/fit_ranking.py` creates the two tables. It reads the parts of everything that recall found
for each question, and searches for weights that put the answers first, with equal say for each
set. It also reports how a fit on the other sets does on one that was left out (docs/benchmarks.md
has the tables). The sets have no evidence on the parts that find memories and notes; these weights
were set by hand.
"""

from __future__ import annotations

from collections.abc import Mapping

Parts = Mapping[str, float]

# Ways of finding memories and notes; the sets have their evidence in turns
_HAND = {
    "attribute": 1.2,
    "since": 0.5,
    "entity": 0.1,
    "beside": 0.15,
    "label": 0.1,
    "trigger": 0.3,
    "last": 1.2,
    "all questions": 1.0,
}

# For a question
ASKED: Parts = _HAND | {
    "words": 1.0,
    "related": 0.35,
    "around": 1.0,
    "alike": 1.12,
    "meaning": 0.3,
    "setting": 0.12,
    "time": 0.3,
    "then": 0.4,
}

# For a message or a piece of dialogue, in which what is told is looked for too
TOLD: Parts = _HAND | {
    "words": 1.0,
    "related": 0.175,
    "around": 0.0,
    "alike": 0.0,
    "meaning": 0.7,
    "setting": 0.0,
    "time": 0.0,
    "then": 0.0,
}

# Share of what a question's words tell that a match must have for words to count in full beside
# meaning
CARRIED = 0.9
BY_ASSISTANT = 0.35  # What an assistant said counts so much, unless it is asked for what it said
NAMED = 1.92  # What someone said counts so much more where the question names them
IN_TIME = 1.4  # What lies in the time that the question names counts so much more
