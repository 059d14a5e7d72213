"""What a session has spoken of so far: who a pronoun means, whom a bare clause is about."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from loxodon.write.statements import USER, Said
from loxodon.write.zh.clean import plain
from loxodon.write.zh.people import THE_USER, Who, gender_of, people_in
from loxodon.write.zh.words import PARTNERS, PLAIN_RELATION, pattern

_RECENT = 24
"""People further back than this many mentions are not what a pronoun means."""


class Scene:
    """The people and things named up to a point of a turn; moves on with `notice`."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self.known: dict[str, str] = dict(said.known)
        self.running: Who = THE_USER
        """Whom the last clause was about: a clause without a subject goes on with it."""
        self.speaker = ""
        """Who said or ordered something last: 大夫 in 大夫说…，给我开了药."""
        self._people: list[Who] | None = None
        self._here: deque[Who] = deque(maxlen=_RECENT)

    def notice(self, text: str) -> None:
        """Remember who a clause (plain) speaks of."""
        for relation, name in list(self.known.items()):
            if name in text or (len(name) == 3 and name[1:] in text):
                self._here.append(
                    Who(f"用户的{relation}{name}", name, relation, name, gender_of(relation))
                )
        for who in people_in(text, self.known):
            self.remember(who)

    def remember(self, who: Who) -> None:
        if who.name and who.relation:
            self.known[who.relation] = who.name
        self._here.append(who)

    @property
    def people(self) -> list[Who]:
        """Everyone spoken of in the session, the last of them last."""
        if self._people is None:
            self._people = []
            for line in self._said.before:
                if line.role == "user":
                    self._people += people_in(plain(line.content), self.known)
            for statement in self._said.earlier[-4:]:
                if statement.subject not in (USER, "") and statement.mentions:
                    self._people += [
                        _from_subject(statement.subject, self.known)
                        for one in statement.mentions
                        if one.name == statement.subject
                    ]
        return [*self._people, *self._here]

    def meant_by(self, pronoun: str) -> Who | None:
        """The one that 他, 她 or 它 means, if that is clear."""
        wanted = {"他": "m", "她": "f", "它": "it"}.get(pronoun[0], "")
        for who in reversed(self.people):
            if who.relation in ("医生", "中介", "客户", "房东"):
                continue
            if who.gender == wanted or (not who.gender and wanted != "it"):
                return who
            if wanted == "it" and who.gender != "it":
                continue
            if who.gender and who.gender != wanted:
                continue
        return None

    def last_two(self) -> tuple[Who, Who] | None:
        """The two people that this turn spoke of last: 他们 in 我姐嫁到青岛，姐夫是海军，他们…"""
        named = list({who.key: who for who in self._here if who.gender != "it"}.values())
        return (named[-2], named[-1]) if len(named) > 1 else None

    def known_by(self, subject: str) -> Who:
        """The one that a statement has as its subject."""
        if subject == USER:
            return THE_USER
        here = [who for who in self.people if who.key == subject]
        return here[-1] if here else _from_subject(subject, self.known)

    def partner(self) -> Who | None:
        for who in reversed(self.people):
            if who.relation in PARTNERS or who.relation in ("相亲对象", "暧昧对象"):
                return who
        for relation, name in self.known.items():
            if relation in PARTNERS or relation in ("相亲对象", "暧昧对象"):
                return Who(f"用户的{relation}{name}", name, relation, name, gender_of(relation))
        return None

    def last_woman(self) -> Who | None:
        return next((who for who in reversed(self.people) if who.gender == "f"), None)

    def last_named(self) -> Who | None:
        """The one spoken of last, person or pet."""
        return self.people[-1] if self.people else None


def _from_subject(subject: str, known: Mapping[str, str]) -> Who:
    relation = next((word for word, name in known.items() if name == subject), "")
    if subject in PLAIN_RELATION:
        return Who(f"用户的{subject}", subject, subject, "", gender_of(subject))
    return Who(subject, subject, relation, subject, gender_of(relation))


def earlier_text(said: Said) -> str:
    """The words of the user's turn before this one, plain."""
    for line in reversed(said.before):
        if line.role == "user":
            return plain(line.content)
    return ""


def asked(said: Said) -> str:
    """What the assistant asked last, plain, or nothing."""
    if not said.before or said.before[-1].role == "user":
        return ""
    sentences = pattern(r"[^。！!？?\n]*[？?]").findall(plain(said.before[-1].content))
    return sentences[-1].strip("？? ") if sentences else ""
