"""The last talk: "what did we talk about last time?", 上次讨论到哪了, 继续讨论.

Such a question contains no word of what it asks for. It means the last session and the three days
before.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from loxodon.recall.asking import last_talk
from loxodon.recall.terms import is_light
from loxodon.recall.understand import Question
from loxodon.store import Filter
from loxodon.text.language import language_of
from loxodon.text.words import query_words

if TYPE_CHECKING:
    from loxodon.store.store import Store


DAYS = timedelta(days=3)
_WORDS = 3  # Words from which on a turn says something
_READ = 120


def is_bare_last(question: Question) -> bool:
    """Whether a question asks for the last talk and for nothing in particular."""
    rest = query_words(question.text.replace(question.last, " ", 1)) if question.last else ()
    return bool(question.last) and is_light(rest)


def last_turns(store: Store, where: Filter, now: datetime, most: int) -> list[int]:
    """The turns of the last session, then those of the last three days, the newest first."""
    newest = store.journal(where, 1)
    if not newest:
        return []
    session = store.journal(where._replace(session=newest[0].session), most // 2)
    since = max(filter(None, (where.since, now - DAYS)))
    recent = store.journal(where._replace(since=since), most)
    told = [turn for turn in (*reversed(session), *reversed(recent)) if _says(turn.content)]
    return list(dict.fromkeys(int(turn.ref[2:]) for turn in told))[:most]


def _says(content: str) -> bool:
    """Whether a turn says something: not `ok`, nor the asking for the last talk itself."""
    language = language_of(content)
    return len(query_words(content)) >= _WORDS and not last_talk(content[:_READ], language)
