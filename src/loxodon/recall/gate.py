"""The gate: decides by rules whether a message is worth a recall, and why.

First come messages that never need the memory (thanks, code, an order that contains all it needs),
then those that do, last the same kind of question on a topic that the conversation has not left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from loxodon.language.questions import en as words_en
from loxodon.language.questions import zh as words_zh
from loxodon.recall.understand import TABLES, Kind, compiled, kind_of, regex
from loxodon.text.keywords import quick
from loxodon.text.language import language_of
from loxodon.text.names import candidates
from loxodon.text.wordlists import CHINESE_CHARACTERS, words_of
from loxodon.text.words import fold, index_words
from loxodon.types import Gate

LOOKED_AT = 700  # characters that are read: what a longer message wants is said then, or at its end
_TAIL = 250
_ENDS = 200  # characters in which topic and names are looked for, half of them at the end
# Characters, a Chinese one for two; in fewer there is nothing to look for, unless they name someone
# known, ask for a memory, ask about something or speak of someone close
_SHORTEST = 5
_LONG = 20  # Characters of a statement that is long enough to begin a topic
_KEPT = 5  # Recalls that a conversation keeps in mind
# The share of a message's keywords that must be recalled for before it is the same topic
_SAME = 0.6
_CODE = 0.5  # The share of code from which a message is code
_EMPTY = ("acknowledgement", "greeting")  # Messages that say nothing
_HEAD = 120  # Characters within which an order says what is to be done with what follows it

# Tells which of some names the memory knows, folded (`words.fold`); asked once for a message
Known = Callable[[Iterable[str]], Iterable[str]]


class Topic(NamedTuple):
    words: frozenset[str]  # The stems and the characters of its keywords
    kind: Kind  # The kind of answer; `none` where nothing is asked


class State(NamedTuple):
    """What the gate knows of a conversation; a new one for each message, cheap to hold."""

    recalled: tuple[Topic, ...] = ()  # What the last recalls were for, newest last

    def after(self, message: str, gate: Gate) -> State:
        """The state once the gate has let `message` pass, or has not."""
        if not gate.recall:
            return self
        prose, _ = without_code(_looked_at(message))
        return State((*self.recalled, Topic(_topic(prose), _asked(prose)))[-_KEPT:])


def should_recall(
    message: str,
    state: State = State(),  # noqa: B008  it is frozen
    known: Known | None = None,
) -> Gate:
    """Whether `message` is worth a recall in this conversation, and why."""
    text = _looked_at(message)
    if not any(map(str.isalnum, text)):
        emoji = any("\u2600" <= c <= "\u27bf" or "\U0001f000" <= c <= "\U0001faff" for c in text)
        return Gate(False, "acknowledgement" if emoji else "empty")
    prose, share = without_code(text)
    said = fold(prose).strip()
    line = text[: 2 * _LINE_READ].lower().removeprefix("sudo ")
    if share >= _CODE or ("\n" not in text and regex(TABLES["shell"], re.VERBOSE).match(line)):
        reason = _strong(said)
        return Gate(bool(reason), reason or "code")
    is_named = known is not None and _has_name(said, known)
    if not is_named and (skipped := _says_nothing(said)):
        return Gate(False, skipped)
    if said.startswith("/") and said[1:2].isalpha():
        asked = _found("REQUESTED", said)
        return Gate(asked, "requested" if asked else "command")
    language = "zh" if _has_han(said[:12]) else "en"
    order = "".join(compiled(language, name).pattern for name in ("POLITE", "COMMAND"))
    is_order = regex(order).match(said) is not None
    # What an order says before the material that it is to be carried out on
    head = regex(r"[:：\n]").split(said[:_HEAD], maxsplit=1)[0] if is_order else said
    head = said if head == said[:_HEAD] else head
    if reason := _strong(head):
        return Gate(True, reason)
    if known and is_named and is_order:  # a name in the text to translate is nobody's business
        is_named = _has_name(head, known)
    reason = "name" if is_named else _sign(head, is_order)
    if not reason and is_order:
        return Gate(False, "command")
    words = _topic(prose)
    reason = reason or ("topic" if _begins_topic(said, prose, words, state) else "")
    if not reason:
        return Gate(False, "plain")
    if not words:  # "why is it like that" asks about what was said just now, "where do I work" not
        asks = reason != "question" or _found("OWN", said) or regex(_CAPITAL).search(prose)
        return Gate(True, reason) if asks else Gate(False, "empty")
    if state.recalled and _share(words, _asked(prose), state) >= _SAME:
        return Gate(False, "repeated")
    return Gate(True, reason)


def says_nothing(message: str) -> bool:
    """Whether it is what people say to say nothing: “Understood, thank you.”"""
    # Few messages are made of such phrases: the others need not pass the gate to tell
    said = fold(without_code(message[:_HEAD])[0])
    may_be = len(message) <= _HEAD and any(_is_made_of(said, one.upper()) for one in _EMPTY)
    return may_be and should_recall(message).reason in _EMPTY


def _looked_at(message: str, most: int = LOOKED_AT, tail: int = _TAIL) -> str:
    """The beginning of a message, and the end of a long one: people ask first or last."""
    if len(message) <= most:
        return message.strip()
    return f"{message[: most - tail].strip()}\n{message[-tail:].strip()}"


def _says_nothing(said: str) -> str:
    """Why a message cannot want a recall, if it cannot: it is made of set phrases, or too short."""
    bare = regex(r"[^\w'/:+]+").sub(" ", said[: 2 * _HEAD + 1]).strip()
    if len(said) > 2 * _HEAD or len(bare) > _HEAD:
        return ""
    reason = next((one for one in _EMPTY if _is_made_of(bare, one.upper())), "")
    if not reason and any(compiled(x, "CONTROL").fullmatch(bare) for x in _languages(bare)):
        reason = "command"
    # Characters but blanks, a Chinese one for two: 何伟是谁 says as much as `who is he`
    solid = "".join(said.split())
    if len(solid) + sum(map(_has_han, solid)) >= _SHORTEST:
        return reason
    # The shortest of messages may want a memory all the same: 我妈?, 谁的?, 记得?
    points = _found("REQUESTED", said) or _found("RELATION", said)
    points = points or (_found("QUESTION", said) and bool(_topic(said)))
    return "short" if reason or not points else ""


def _is_made_of(said: str, name: str) -> bool:
    """Whether a message is nothing but phrases of one kind, one after the other."""
    phrases, longest = _phrases(name)
    units = _units(said)
    reached = {0}
    for start in range(len(units)):
        if start in reached:
            ends = range(start + 1, min(start + longest, len(units)) + 1)
            reached.update(end for end in ends if units[start:end] in phrases)
    return len(units) in reached


@cache
def _phrases(name: str) -> tuple[frozenset[tuple[str, ...]], int]:
    """The phrases of a kind in both languages, and the length of the longest."""
    english: list[str] = getattr(words_en, name).replace("\n", "").split("|")
    found = frozenset(map(_units, english + getattr(words_zh, name).split()))
    return found, max(map(len, found))


def _units(text: str) -> tuple[str, ...]:
    """Words where there are spaces, characters where there are none."""
    return tuple(regex(r"[a-z0-9']+|[^\W!-~]").findall(text))


def _strong(said: str) -> str:
    """What wants a recall whatever else the message is."""
    return next((one.lower() for one in ("REQUESTED", "PAST") if _found(one, said)), "")


def _sign(said: str, is_order: bool) -> str:
    for name in ("RELATION", "CONFIGURATION", "PREFERENCE", "PROJECT"):
        if _found(name, said):
            return name.lower()
    if not is_order and _found("QUESTION", said):
        return "question"
    # An order may speak of the user only as the one who gives it: `I want you to …`
    rest = compiled("en", "POLITE").sub("", said, count=1) if is_order else said
    return "own" if _found("OWN", said) and _found("OWN", rest) else ""


def _found(name: str, said: str) -> bool:
    """Whether words of a kind are in the message; of relations, those to the user."""
    for language in _languages(said):
        for match in compiled(language, name).finditer(said):
            owner, _, word = match[0].rpartition(" ")
            if (language, name) != ("en", "RELATION") or (
                word not in words_of("needs_my") or owner in ("my", "our", "his", "her", "their")
            ):
                return True
    return False


def _languages(said: str) -> list[str]:
    return [*(["zh"] if _has_han(said) else []), *(["en"] if regex("[a-z]").search(said) else [])]


def _has_han(text: str) -> bool:
    return not text.isascii() and any("\u3400" <= character <= "\u9fff" for character in text)


def _has_name(said: str, known: Known) -> bool:
    """Whether a known name is in the message, or at the ends of a long one."""
    return any(True for _ in known(candidates(_looked_at(said, _ENDS, _ENDS // 2))))


def _begins_topic(said: str, prose: str, words: frozenset[str], state: State) -> bool:
    """Whether a statement begins a topic: it says so, or is long and names things."""
    if len(words) > 1 and _found("TOPIC", said):
        return True
    if len(said) <= _LONG or len(words) < 3:
        return False
    elsewhere = bool(state.recalled) and _share(words, "none", state) == 0
    return elsewhere or regex(_NAMED_THING).search(prose) is not None


_NAMED_THING = (
    r"(?<=[a-z,;] )[A-Z][\w.+#-]+|(?<![.!?] )\b[A-Za-z]*[a-z][A-Z]\w*|\b[A-Z]{2,}\b|《[^》]+》"
    r"|(?<=[^!-~])[A-Za-z][\w.+#-]{2,}"
)
_CAPITAL = r"(?:[a-z] |[\u4e00-\u9fff] ?)(?!OK|I\b)[A-Z]"  # `why Go?`, though `go` says nothing


def _share(words: frozenset[str], kind: Kind, state: State) -> float:
    """The share of `words` that earlier recalls for the same kind of answer (any, if none) had."""
    same = (one.words for one in state.recalled if kind in ("none", one.kind))
    return len(words & frozenset[str]().union(*same)) / len(words)


def _asked(message: str) -> Kind:
    text = _looked_at(message, _ENDS, _ENDS // 2)
    kind = kind_of(text, language_of(text))
    return "what" if kind == "which" else kind  # one asks for a framework with either


def _topic(message: str) -> frozenset[str]:
    """What a message is about: the stems and the characters of its keywords."""
    text = _looked_at(message, _ENDS, _ENDS // 2)
    found: set[str] = set()
    for phrase in quick(text, 12) or [compiled("zh", "VAGUE").sub(" ", text)]:
        for word in index_words(phrase):
            if word[0] >= "\u2e80":
                found.update(c for c in word if c not in CHINESE_CHARACTERS)
            elif word not in words_of("vague"):
                found.add(word)
    return frozenset(found)


_LINE_READ = 200  # Characters of a line that tell whether it is code
_PLAIN_WORDS = 7  # A line with more plain words than this is a sentence, unless it is full of signs


def without_code(text: str) -> tuple[str, float]:
    """The message without its code, and the share of it that is code."""
    prose, code, size = [], 0, 0
    fenced = False
    for line in text.split("\n"):
        opens = line.lstrip().startswith("```")
        fenced = fenced != opens
        solid = len("".join(line.split()))
        size += solid
        if fenced or opens or (solid and _is_code(line)):
            code += solid
        else:
            prose.append(line)
    return "\n".join(prose), code / (size or 1)


def _is_code(line: str) -> bool:
    line = line[:_LINE_READ].lower()
    if _has_han(line):
        return False
    plain = regex(r"(?<!\S)[a-z']+[,.!?]?(?!\S)").findall(line)
    signs = regex(r"[;{}()=<>\[\]_$]").findall(line)
    is_sentence = len(plain) > _PLAIN_WORDS and len(signs) < len(plain) / 3
    if is_sentence and not line.lstrip().startswith("//"):
        return False
    return regex(TABLES["code"], re.VERBOSE).match(line) is not None
