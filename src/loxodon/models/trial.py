"""Ten sentences in each language that a model has to read well before it decides anything.

What the rules read is dropped where a model says so, and memories end. A small model that takes
every question for a fact, or ends what goes on, would leave a memory worse than none at all had
been set; so a model shows on these what it can do, once, before it is asked about anybody.
`loxodon model check` shows how it did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from loxodon.models.chat import ChatModel, ModelReply
from loxodon.models.reading import (
    Batch,
    Do,
    Hint,
    KnownMemory,
    ModelReading,
    PromptMessage,
    ReadItem,
    believed,
    question,
)

ENOUGH = 8
"""Sentences of the ten that a model must read well."""
VERSION = 2
"""Of the sentences and the question: a model that passed another is tried again."""
_START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class TrialSentence(NamedTuple):
    text: str
    has: tuple[str, ...] = ()
    """One of these stands in what is kept; none for a sentence of which nothing is."""
    do: tuple[Do, ...] = ("add", "update")
    """What is right to do with it."""
    known: str = ""
    """A memory that it is about."""
    hint: str = ""
    """What the rules made of it."""


SENTENCES: Mapping[str, Sequence[TrialSentence]] = {
    "en": (
        TrialSentence(
            "Please keep in mind that shellfish makes my throat swell up.", ("shellfish",)
        ),
        TrialSentence("What is the tallest building in Lisbon?"),
        TrialSentence(
            "We have been living in Utrecht since last month.",
            ("Utrecht",),
            ("update",),
            known="The user lives in Antwerp",
        ),
        TrialSentence("If I ever won a lot of money I would buy a vineyard."),
        TrialSentence(
            "I gave up coffee, not a cup for weeks.",
            (),
            ("end", "update"),
            known="The user drinks coffee every morning",
        ),
        TrialSentence("My sister Ana flies freight planes for a living.", ("Ana", "sister")),
        TrialSentence(
            "A man on the train shouted “I am a surgeon” into his phone.",
            hint="The user is a surgeon",
        ),
        TrialSentence(
            "Our dog Biscuit turned three.", ("Biscuit",), hint="The user's dog is called Biscuit"
        ),
        TrialSentence("ok thanks, that was quick"),
        TrialSentence(
            "Still at the same bakery on Mill Street, by the way.",
            (),
            ("same", "update"),
            known="The user works at a bakery on Mill Street",
        ),
    ),
    "zh": (
        TrialSentence("记一下，我一吃虾喉咙就肿", ("虾",)),
        TrialSentence("里斯本最高的楼是哪一栋？"),
        TrialSentence("上个月起我们就住到南通了", ("南通",), ("update",), known="用户住在扬州"),
        TrialSentence("要是哪天发了财，我就去买个葡萄园"),
        TrialSentence(
            "咖啡我戒了，好几个星期一杯没喝", (), ("end", "update"), known="用户每天早上喝咖啡"
        ),
        TrialSentence("我姐姐陈岚是开货运飞机的", ("陈岚", "姐姐")),
        TrialSentence("地铁上有个人对着手机喊“我是外科医生”", hint="用户是外科医生"),
        TrialSentence("我们家的狗饼干三岁了", ("饼干",), hint="用户的狗叫饼干"),
        TrialSentence("好的，谢谢，真快"),
        TrialSentence(
            "我还在磨坊街那家面包店上班", (), ("same", "update"), known="用户在磨坊街的面包店上班"
        ),
    ),
}


class Trial(NamedTuple):
    """How a model did."""

    passed: int
    of: int
    failed: tuple[str, ...]
    """The sentences that it did not read well."""

    @classmethod
    def none(cls, language: str) -> Trial:
        """Of a model that answers nothing that can be used."""
        return cls(0, len(SENTENCES[language]), tuple(one.text for one in SENTENCES[language]))

    @property
    def good(self) -> bool:
        return self.passed >= ENOUGH


def attempt(model: ChatModel, language: str) -> ModelReply[Trial]:
    """Have a model read the ten sentences of a language, in one question."""
    batch = batch_of(language)
    asked = question(batch)._replace(name="trial")
    return model.ask(asked, lambda value: judged(believed(value, batch), language))


def batch_of(language: str) -> Batch:
    """The question: each sentence a message of a day of its own."""
    sentences = SENTENCES[language]
    lines = [PromptMessage(one.text, _START + timedelta(days=n)) for n, one in enumerate(sentences)]
    known = [
        KnownMemory(str(n), one.known, _START - timedelta(days=30))
        for n, one in enumerate(sentences)
        if one.known
    ]
    hints = [Hint(n, one.hint) for n, one in enumerate(sentences) if one.hint]
    return Batch(lines, known, hints, language)


def judged(reading: ModelReading, language: str) -> Trial:
    """Which of the sentences were read well."""
    hints = batch_of(language).hints
    failed = [
        one.text
        for n, one in enumerate(SENTENCES[language])
        if n not in reading.decided
        or not _well(one, n, [item for item in reading.items if item.line == n], hints)
    ]
    of = len(SENTENCES[language])
    return Trial(of - len(failed), of, tuple(failed))


def _well(
    sentence: TrialSentence, n: int, items: Sequence[ReadItem], hints: Sequence[Hint]
) -> bool:
    dropped = {one.hint for one in items if one.do == "drop"}
    kept = [one.text for k, one in enumerate(hints) if items and one.line == n and k not in dropped]
    texts = [*kept, *(one.statement.content for one in items if one.statement)]
    if not sentence.has and not sentence.known:
        return not texts and all(one.do == "drop" for one in items)
    if sentence.known and not any(one.do in sentence.do and one.target == str(n) for one in items):
        return False
    told = any(word in text for word in sentence.has for text in texts)
    return told or not sentence.has
