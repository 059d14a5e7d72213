"""Phase 3 of English: what the fragments that were kept say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from loxodon.text.words import fold
from loxodon.write.en.reading import interpret
from loxodon.write.en.sound import is_sound
from loxodon.write.statements import Said, Statement, Verdict


def read(said: Said, verdicts: Sequence[Verdict]) -> list[Statement]:
    """The statements of the fragments whose verdict is to keep them."""
    return [
        _under_one_name(statement)
        for reading, verdict in zip(interpret(said), verdicts, strict=True)
        if verdict.keep
        for statement in reading.statements
        if is_sound(statement)
    ]


_KIN = {
    "mother": "mum mom mam mama mummy mommy ma mumsy", "father": "dad papa daddy pa pops",
    "sister": "sis", "brother": "bro", "husband": "hubby", "wife": "missus wifey",
    "grandmother": "gran nan nana nanna grandma granny",
    "grandfather": "grandad granddad grandpa gramps grampa", "flatmate": "roommate housemate",
    "colleague": "coworker co-worker workmate", "manager": "boss",
}  # fmt: skip


@cache
def _kin() -> dict[str, str]:
    """English words for relations, and the one that memories are filed under."""
    listed = {word: kin for kin, words in _KIN.items() for word in words.split()}
    return listed | {"other half": "partner", "line manager": "manager"}


def _under_one_name(statement: Statement) -> Statement:
    """A statement whose relations go by one name: what is known of `mum` is known of `mother`."""
    subject = _kin().get(statement.subject, statement.subject)
    mentions = tuple(
        one._replace(
            name=_kin().get(one.name, one.name),
            aliases=tuple(dict.fromkeys(_kin().get(alias, alias) for alias in one.aliases)),
        )
        for one in statement.mentions
    )
    also = (_kin()[fold(words)] for words in statement.over if fold(words) in _kin())
    over = tuple(dict.fromkeys((*statement.over, *also)))
    return statement._replace(subject=subject, mentions=mentions, over=over)
