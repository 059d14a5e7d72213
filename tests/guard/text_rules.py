"""Pure rules of the guard, text in and value out, by names that tests use.

Imported from where they live here and nowhere else: a move of the code changes this file alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loxodon.guard import own_words as own
from loxodon.guard import quarantine
from loxodon.guard.guard import Guard
from loxodon.guard.policy import built_in
from loxodon.types import Draft, Origin, Record, Turn
from tests.clock import NOW

OWN_TRUST = ("user", "file")
"""Origins whose words are the owner's own."""
_WISHES = {
    *("rule", "reply_style", "reply_language", "avoids", "form_of_address", "units"),
    *("emergency_contact", "safety"),
}
_guard = Guard(built_in)


def kept(text: str) -> str:
    """What is stored of a text under the built-in policy."""
    return _guard.clean(text)


def shown(text: str, *, private: bool = False, reveal: bool = False) -> str:
    """What is displayed of a stored text, in a private chat or in a group."""
    return _guard.shown(text, private=private, reveal=reveal)


def unmasked(new: str, old: str) -> str:
    """An edited text with every mask replaced by what it stands for in the old one."""
    return _guard.restored(new, old)


def sensitivity(text: str) -> str:
    return _guard.taken(text).sensitivity


def kinds(text: str) -> Sequence[str]:
    """What a text has of secrets and personal data."""
    return _guard.taken(text).found


def kept_turns(texts: Sequence[str]) -> list[str]:
    """What is stored of the messages of one conversation."""
    drafts = [Draft(line=n, role="user", content=text) for n, text in enumerate(texts, 1)]
    return [str(one.content) for one in _guard.drafts(drafts, lambda session: ())]


def held_parts(text: str, origin: Origin) -> list[str]:
    """The parts of a text that are held back as instructions."""
    return [text[one.start : one.end] for one in quarantine.found_in(text, origin)]


own_words: Callable[[str], str] = own.own_words
"""What of a message are the speaker's own words."""


def own_words_of_last(texts: Sequence[str]) -> str:
    """The speaker's own words of the last of several messages, user and assistant in turn."""
    said = [
        Turn("s", str(n), "assistant" if n % 2 else "user", text, NOW)
        for n, text in enumerate(texts)
    ]
    said[-1] = said[-1]._replace(role="user")
    return [*own.own_turns(said)][-1].content


def is_wish(record: Record) -> bool:
    """Whether a memory binds whoever replies."""
    return record.category == "preference" or record.attribute in _WISHES
