"""Labelled conversations: what was said, what is asked, and the turns that have the answer.

One JSON object a line, each a conversation:

    {"id", "sessions": [{"id", "at", "turns": [{"id", "role", "speaker", "text", "at"?}]}],
     "questions": [{"id", "text", "category", "evidence": [turn ids], "asked_at"}]}

The evidence is kept apart from the questions, so that whoever ingests and asks has never seen it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from loxodon.clock import parse_instant
from loxodon.errors import InputError
from loxodon.measure.lines import name, objects, parsed, unfit

EXAMPLE = (
    '{"id": "c1", "sessions": [{"id": "s1", "at": "2026-02-04T10:30:00", "turns": '
    '[{"id": "t1", "role": "user", "text": "…"}]}], "questions": '
    '[{"id": "q1", "text": "…", "category": "…", "evidence": ["t1"]}]}'
)
_APART = timedelta(seconds=1)
"""Between turns of a session that has one time for all: they keep their order, and no pause."""


class LabelledTurn(NamedTuple):
    """One turn, as the file has it."""

    id: str
    role: str
    speaker: str
    text: str
    at: datetime


class LabelledSession(NamedTuple):
    id: str
    turns: tuple[LabelledTurn, ...]


class LabelledQuestion(NamedTuple):
    """What is asked, without what would be the answer."""

    id: str
    text: str
    category: str
    asked_at: datetime | None


class Conversation(NamedTuple):
    """What becomes one memory, and what is asked of it."""

    id: str
    sessions: tuple[LabelledSession, ...]
    questions: tuple[LabelledQuestion, ...]

    @property
    def ends_at(self) -> datetime | None:
        """The latest moment of which it has a turn; None where nothing was said."""
        return max((turn.at for one in self.sessions for turn in one.turns), default=None)


class Labelled(NamedTuple):
    """A conversation, and the evidence for each of its questions, in their order."""

    conversation: Conversation
    evidence: tuple[tuple[str, ...], ...]


def read_conversations(lines: Iterable[bytes], name: str, zone: tzinfo) -> list[Labelled]:
    """Every conversation of a file called `name`; one InputError for all its bad lines.

    Times without an offset are in `zone`.
    """
    return parsed(lines, name, lambda value: _conversation(value, zone), EXAMPLE)


def only(labelled: Labelled, categories: Sequence[str]) -> Labelled:
    """The same conversation with the questions of these categories; of all where none is named."""
    if not categories:
        return labelled
    one = labelled.conversation
    kept = [n for n, question in enumerate(one.questions) if question.category in categories]
    return Labelled(
        one._replace(questions=tuple(one.questions[n] for n in kept)),
        tuple(labelled.evidence[n] for n in kept),
    )


def _conversation(value: Mapping[str, Any], zone: tzinfo) -> Labelled:
    sessions = tuple(
        _session(one, zone, f"sessions[{n}]") for n, one in enumerate(objects(value, "sessions"))
    )
    _check_unique([turn.id for one in sessions for turn in one.turns])
    questions: list[LabelledQuestion] = []
    evidence: list[tuple[str, ...]] = []
    for n, one in enumerate(objects(value, "questions")):
        where = f"questions[{n}]."
        asked = one.get("asked_at")
        questions.append(
            LabelledQuestion(
                name(one, "id", where),
                _text(one, "text", where),
                name(one, "category", where) if one.get("category") is not None else "",
                _moment(asked, zone, f"{where}asked_at") if asked is not None else None,
            )
        )
        evidence.append(_evidence(one, where))
    return Labelled(Conversation(name(value, "id"), sessions, tuple(questions)), tuple(evidence))


def _session(value: Mapping[str, Any], zone: tzinfo, where: str) -> LabelledSession:
    begins = value.get("at")
    start = _moment(begins, zone, f"{where}.at") if begins is not None else None
    turns: list[LabelledTurn] = []
    for n, one in enumerate(objects(value, "turns", f"{where}.")):
        place = f"{where}.turns[{n}]."
        at = one.get("at")
        if at is not None:
            moment = _moment(at, zone, f"{place}at")
        elif start is not None:
            moment = start + n * _APART
        else:
            raise InputError(
                "{field} is missing or has the wrong type",
                hint="give the session or each turn a time",
                field=f"{where}.at",
            )
        speaker = one.get("speaker")
        turns.append(
            LabelledTurn(
                name(one, "id", place),
                _text(one, "role", place),
                speaker if isinstance(speaker, str) else "",
                _text(one, "text", place),
                moment,
            )
        )
    return LabelledSession(name(value, "id", f"{where}."), tuple(turns))


def _text(value: Mapping[str, Any], field: str, where: str) -> str:
    found = value.get(field)
    if not isinstance(found, str):
        raise unfit(where + field)
    return found


def _evidence(value: Mapping[str, Any], where: str) -> tuple[str, ...]:
    found = value.get("evidence")
    if not isinstance(found, list) or not all(isinstance(one, str | int) for one in found):
        raise unfit(f"{where}evidence")
    return tuple(dict.fromkeys(str(one) for one in found))


def _moment(value: object, zone: tzinfo, field: str) -> datetime:
    if not isinstance(value, str):
        raise unfit(field)
    return parse_instant(value, zone)


def _check_unique(ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for id in ids:
        if id in seen:
            raise InputError(
                "the turn {id} appears twice in the conversation",
                hint="evidence refers to turns by id: give each turn its own id",
                id=repr(id),
            )
        seen.add(id)
