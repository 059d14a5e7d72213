"""Corrections and things taken back: the earlier statement is found, and said right."""

from __future__ import annotations

from loxodon.write.statements import Fragment, Statement
from loxodon.write.zh.attributes import recognise
from loxodon.write.zh.clean import plain
from loxodon.write.zh.corrections import (
    Correction,
    correction_in,
    denied,
    is_slip,
    misreported,
    replaced,
    right_words,
)
from loxodon.write.zh.reading import Reading, ends_sentence
from loxodon.write.zh.requests import cancelled, forgotten
from loxodon.write.zh.syntax import words_in
from loxodon.write.zh.words import pattern


def corrects(reading: Reading, place: int, text: str) -> bool:
    """Read a fragment that puts something right; False if it does no such thing."""
    fragment = reading.said.fragments[place]
    if is_slip(text):
        reading.slipped = True
        told = [*reading.said.earlier, *reading.found][-1:]
        for last in told:  # whoever it was said of
            reading.scene.running = reading.scene.known_by(last.subject)
        return True
    if place == reading.put_right:
        return True
    if mistaken := misreported(text, "，".join(reading.texts[place + 1 : place + 4])):
        reading.mistaken = mistaken
        return True
    if pair := _not_but(reading, place, text):
        reading.put_right = place + 1
        if not _apply(reading, pair, fragment):
            reading.found.append(_bare(pair, fragment))
        return True
    correction = correction_in(text) or _confessed(reading, place, text)
    wrong = "" if ends_sentence(fragment) else _denied_after(reading, place)
    if wrong and any(wrong in one.over for one in reading.found):
        return True
    if correction is None and reading.slipped:
        correction = Correction(right_words(text), wrong)
    elif correction is not None and wrong and not correction.wrong:
        correction = Correction(right_words(correction.right), wrong)
    elif (
        correction is None
        and wrong
        and _spoken_before(reading, wrong)
        and pattern("[是在叫]").search(text)
    ):
        correction = Correction(right_words(text), wrong)
    if correction is None:
        return bool(denied(text)) and any(one.act == "correct" for one in reading.found)
    if _apply(reading, correction, fragment):
        reading.slipped = False
        return True
    reading.slipped = reading.slipped or correction_in(text) is not None
    return False


def _not_but(reading: Reading, place: int, text: str) -> Correction | None:
    """不是青霉素，是头孢: two clauses that put a word said before in the place of another."""
    subject = pattern(r"^(?P<s>[^，不]{1,8}?)(?:其实|并|应该)?(?=不是[^，]{2,12}$)").match(
        text.strip("，, ")
    )
    wrong = denied(text[subject.end() :] if subject else text)
    if not wrong or place + 1 >= len(reading.texts) or pattern("[我你他她]").search(wrong):
        return None
    right = pattern(
        r"^(?:而|应该|其实)*(?:是|叫|在)(?P<b>[^，我你他她]{1,12}?)(?:了|才对|哈|的)*[。！!]?$"
    ).match(reading.texts[place + 1].strip())
    return Correction(right["b"], wrong) if right else None


def _confessed(reading: Reading, place: int, text: str) -> Correction | None:
    """应该是属牛，我搞混了: that it was wrong is said behind it."""
    if place + 1 >= len(reading.texts) or not is_slip(reading.texts[place + 1]):
        return None
    right = pattern(r"^(?:应该|其实|实际上?|准确说)*(?:是|叫|在)(?P<b>[^，我你他她]{1,12})$").match(
        text.strip("，, ")
    )
    return Correction(right["b"]) if right else None


def _bare(correction: Correction, fragment: Fragment) -> Statement:
    """The right word alone: it goes where the memory has the wrong one."""
    return Statement(
        correction.right, value=correction.right, category="temp", act="correct",
        over=(correction.wrong,), fragments=(fragment.n,),
    )  # fmt: skip


def _denied_after(reading: Reading, place: int) -> str:
    """What one of the next clauses of the sentence says it is not."""
    for later in range(place + 1, min(place + 4, len(reading.texts))):
        if word := denied(reading.texts[later]):
            return word
        if ends_sentence(reading.said.fragments[later]):
            break
    return ""


def _spoken_before(reading: Reading, word: str) -> bool:
    return any(word in plain(one.content) for one in [*reading.found, *reading.said.earlier])


def _apply(reading: Reading, correction: Correction, fragment: Fragment) -> bool:
    if pattern(r"^.{1,4}的.$").match(correction.right) or pattern(r"[看记搞说](?:错|岔)").search(
        correction.right
    ):  # 飞翔的翔: how a name is written
        return True
    for place, statement in reversed(list(enumerate(reading.found))):
        if changed := replaced(statement.content, correction) or _by_value(statement, correction):
            fixed = _corrected(statement, changed[0])
            reading.found[place] = fixed._replace(fragments=(*fixed.fragments, fragment.n))
            reading.scene.running = reading.scene.known_by(statement.subject)
            return True
    for statement in reversed(reading.said.earlier):
        if statement.category == "temp":
            continue
        earlier = statement._replace(content=plain(statement.content), value=plain(statement.value))
        if (
            changed := replaced(earlier.content, correction)
            or _by_value(earlier, correction)
            or _by_kind(earlier, correction)
        ):
            fixed = _corrected(earlier, changed[0])
            reading.found.append(
                fixed._replace(act="correct", over=(changed[1],), fragments=(fragment.n,))
            )
            reading.scene.running = reading.scene.known_by(statement.subject)
            return True
    return False


def takes_back_a_request(reading: Reading, fragment: Fragment, text: str) -> bool:
    """取消吧 after a reminder, 别记了 after something said."""
    earlier = reading.said.earlier[-1] if reading.said.earlier else None
    if earlier is None:
        return False
    statement = cancelled(text, earlier) or forgotten(text, earlier)
    if statement:
        reading.found.append(statement._replace(fragments=(fragment.n,)))
    return statement is not None


def take_back(reading: Reading) -> None:
    """A joke taken back: what was said just before it is not so."""
    if reading.found:
        reading.found.clear()
    elif reading.said.earlier:
        last = reading.said.earlier[-1]
        words = (last.value,) if last.value else ()
        reading.retracted = (*words, plain(last.content).removeprefix("用户"))


def _corrected(statement: Statement, content: str) -> Statement:
    found = recognise(content.removeprefix("用户的").removeprefix("用户"))
    value = found.value if found.attribute == statement.attribute else statement.value
    if value and value not in content:
        value = ""
    return statement._replace(content=content, value=value)


_PROPER = ("ns", "nr", "nrt", "nz", "nt", "nrfg", "eng")


def _by_kind(statement: Statement, correction: Correction) -> tuple[str, str] | None:
    """泸州, of what was said to be 宜宾: one word of a kind for another, told by a dictionary."""
    right = words_in(correction.right)
    if correction.wrong or len(right) != 1 or len(correction.right) < 2:
        return None
    if right[0][1] not in _PROPER:
        return None
    body = statement.content.removeprefix("用户")
    same = [word for word, tag in words_in(body) if tag in _PROPER and len(word) > 1]
    if not same or same[-1] == correction.right:
        return None
    return statement.content.replace(same[-1], correction.right, 1), same[-1]


def _by_value(statement: Statement, correction: Correction) -> tuple[str, str] | None:
    """Names and places have no shape: they stand where the value of the statement stood."""
    value, right = statement.value, correction.right
    if correction.wrong or not value or value not in statement.content:
        return None
    fits = 0 < len(right) <= 10 and not pattern(r"[我你他她了]|[0-9]").search(right)
    lasting = ("name", "employer", "school", "home", "hometown", "major", "occupation", "pet")
    if fits and statement.attribute in lasting:
        return statement.content.replace(value, right, 1), value
    return None
