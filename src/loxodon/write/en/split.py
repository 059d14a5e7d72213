"""Phase 1 of English: a message cut into pieces that can be judged by themselves.

First what is not the user's own speech is set apart (code, quoted and pasted text, tables, logs),
then the rest is cut into sentences, and each sentence where a new clause with its own subject, a
request or a question begins. Every cut is found by one pass of a regular expression with bounded
look-ahead, so that time grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loxodon.text import sentences
from loxodon.text.stopwords import ENGLISH
from loxodon.write.en.clean import bare, plain, spelled
from loxodon.write.en.foreign import is_own_text, stretches
from loxodon.write.en.kinds import type_of
from loxodon.write.en.patterns import Lazy
from loxodon.write.en.person import ADVERBS
from loxodon.write.en.verbs import AUXILIARIES, forms_of, is_finite, is_noun_too
from loxodon.write.en.words import PETS, RELATIONS, alternatives, as_set
from loxodon.write.statements import Piece

MOST_WORDS = 40
_LONGEST = 2_000
"""A sentence longer than this is no speech: it is cut by its length alone."""


def split(text: str) -> list[Piece]:
    """The pieces of `text` in order, each with its type; every word is in one of them."""
    pieces: list[Piece] = []
    own = is_own_text(text[:_LONGEST])
    for start, end, foreign in stretches(text):
        if foreign and own and text[start] in "\"“«'":
            start, end, foreign = start + 1, end - 1, False
        if foreign:
            pieces.append(Piece(text[start:end].strip(), "statement"))
            continue
        for first, last in sentences.spans(text[start:end]):
            clauses = _clauses(text[start + first : start + last])
            pieces += [Piece(clause, type_of(clause)) for clause in clauses]
    return _joined([piece for piece in pieces if piece.text])


# --- clauses --------------------------------------------------------------------------------------

_PRONOUN = (
    r"(?:i|we|he|she|they|it|there|that|this)(?:'(?:m|ve|d|ll|re|s)|s(?= (?:a|an|the|not|my|in|at"
    r"|been)\b))?"
)
_CONTRACTED = r"(?:im|ive|hes|shes|theyre|theyve|weve|theres|thats|i'am)"
_QUESTION = (
    r"(?:what|whats|what's|which|how|how's|why|where|where's|when(?= (?:is|are|do|does|should"
    r"|can))|who|who's|is|are|can|could|would"
    r"|should|do you|does|did|any (?:tips|ideas|recs|advice|suggestions|good))"
)
_REQUEST = (
    r"(?:(?:scrap|skip|ditch|drop|leave out|avoid|forget|swap) (?:the|that|any|all) |make me|give me|write me|write (?:a|an|him|her|them)|find me|tell me|help me|help\b"
    r"|teach me|show me|send me|send help|remind me"
    r"|draft|suggest|recommend|pls|please|need help|need (?:a|an|some|\d+) "
    r"|looking for (?:ideas|recs|advice)|let me know"
    r"|distract me|nudge me|don't (?:plan|suggest|use|tell|forget|say|mix)|dont (?:plan"
    r"|suggest|use|tell|forget|say|mix)"
    r"|you (?:can|could|should|also)|make (?:it|the|a)|can you|could you|remember (?:for|that"
    r"|when|to)\b|hit (?:me|ya|you) up|(?:text|call|email|message|ping) me\b)"
)


@cache
def _boundary() -> re.Pattern[str]:
    """Where a clause may begin: after a mark or a connective, with what begins it looked at."""
    people = alternatives(RELATIONS + PETS)
    subject = (
        rf"(?:(?:{_PRONOUN}|{_CONTRACTED})(?=\s)|(?:my|our)\s|(?:his|her|their)\s+{people}\b"
        rf"|(?:the|a|an)\s+\w+|{people}(?:'s|s)?\b"
        r"|(?-i:[A-Z][\w'-]+)|you\s|mine\b)"
    )
    connective = (
        r"(?:(?:and|but|so|then|also|plus|because|cos|bc|though|although|while|whereas|anyway"
        r"|oh|or|yet|btw|by the way|well|like"
        r"|otherwise|however|therefore|since|as|still|now|too)\s+)"
    )
    strong = (
        r"(?:but|so|anyway|also|plus|btw|by the way|although|however|whereas|otherwise|oh and"
        r"|and then|and also|because|cos|bc)"
    )
    return re.compile(
        rf"(?P<mark>\s*[;]+\s+|\s+[-–—]{{1,3}}\s+|\.{{2,}}\s+|…\s*|,\s+"
        rf"|:\s+)(?P<lead>{connective}{{0,3}})"
        rf"(?=(?P<next>{subject}|{_QUESTION}\b|{_REQUEST}|[\w']+))"
        rf"|(?P<gap>\s+)(?=(?P<word>(?:{strong})\s+(?:{connective}{{0,2}})(?P<after>{subject}"
        rf"|{_QUESTION}\b|{_REQUEST}|no\b|still\b|not\b|\w+ing\b)))"
        r"|(?P<space>\s+)(?=(?P<and>and\s+(?:(?:then|also|now|it turns out|turns out|these days|nowadays|currently|lately|usually"
        rf"|sometimes|at weekends),?\s+)?(?P<second>(?:{_PRONOUN}|{_CONTRACTED})\s|(?:my|our|his|her|their)\s+\S+"
        rf"|(?-i:[A-Z][\w'-]+)\s|the\s+\S+\s|{people}(?:'s)?\s+\S|{_REQUEST}|{_QUESTION}\s)))"
        r"|(?P<run>\s+)(?=(?:i'm|im|he's|hes|she's|shes|it's|they're|theyre|we're|i've|ive|there's|theres"
        r"|that's|thats|(?:um+|uh+|erm?)\s+(?:my|i|i'm|i've|we|our|he|she|it|it's|the))\s)"
        r"|(?P<open>\s*\()(?=(?P<inner>[^()]{12,300})\))|(?P<close>\)\s*)",
        re.I,
    )


def _clauses(sentence: str) -> Iterator[str]:
    """A sentence cut where another clause begins, no piece longer than `MOST_WORDS`."""
    if len(sentence) > _LONGEST:
        yield from _short(sentence)
        return
    start = 0
    opened = False
    straight = sentence.replace("’", "'")
    for found in _boundary().finditer(straight):
        at = found.start()
        if found["close"] is not None:
            cut = opened
            at, opened = found.end(), False
        elif found["open"] is not None:
            cut = opened = _is_clause(found["inner"])
        else:
            cut = _cuts(straight, start, found)
            at = found.end("mark") if found["mark"] is not None else at
        if cut and at > start and re.search(r"\w", sentence[start:at]):
            yield from _short(sentence[start:at].strip())
            start = at
    yield from _short(sentence[start:].strip())


def _cuts(sentence: str, start: int, found: re.Match[str]) -> bool:
    before = sentence[max(start, found.start() - 600) : found.start()]
    if found["run"] is not None:
        # Who writes "I" with a capital marks their clauses: "the party I'm hosting" is no run-on.
        if re.match(r"\s+(?:um|uh|er)", sentence[found.start() : found.start() + 6], re.I):
            return _has_verb(before)
        return sentence[found.end() : found.end() + 1] != "I" and _runs_on(before)
    if found["gap"] is not None:
        return _strong_cuts(before, sentence[found.end() : found.end() + 160], found)
    if found["space"] is not None:
        rest = sentence[found.end() : found.end() + 160].split(None, 1)[-1]
        if re.match(r"(?:i|me|myself)\b", rest, re.I) and _COMPOUND.search(before):
            return False
        return _has_verb(before) and _begins_clause(rest)
    mark = found["mark"].strip()
    rest = sentence[found.end() : found.end() + 160]
    if not _has_meaning(before) or _OPENS.match(before):
        return False
    if _is_topic(before) and not (len(before.split()) > 3 and type_of(rest) == "instruction"):
        return False
    if _is_relative(rest) or (_leads_in(before) and not (_tells(before) and _asks(rest))):
        return False
    if mark in (";", "-", "--", "---", "–", "—") or mark.startswith((".", "…")):
        return _has_verb(before) or _begins_clause(rest) or type_of(rest) != "statement"
    if mark == ":":
        return (
            _begins_clause(rest)
            or type_of(rest) != "statement"
            or type_of(before) not in ("statement", "chat")
        )
    if _LISTED_VERBS.search(before) and re.match(r"and |or ", found["lead"] or ""):
        return _begins_clause(rest)
    return _begins_clause(rest, after=before) or _asks(rest) or _GROUNDS.match(rest) is not None


_LISTED_VERBS = Lazy(r"\b(?:to|can|will|could|must|should|would) (?:[a-z]+, )*[a-z]+$", re.I)
"""Verbs in a row before "and edit …", which is then no request."""


_COMPOUND = Lazy(
    r"(?:^|[,;:(]|\b(?:where|when|that|because|so|but|while|since|as|before|after|which|and|if))\s*"
    r"(?:(?:my|our|the) [a-z-]+(?: [a-z-]+)?|(?-i:[A-Z])[\w-]+)$",
    re.I,
)
"""What makes one subject with the "and I" after it: "…, where my team and I"."""


def _tells(before: str) -> bool:
    """Whether what leads in is a clause that tells something: "since I moved to Leeds"."""
    found = _LEADS_IN.match(before)
    first = found["first"].lower() if found else ""
    words = (
        [word.lower() for word in _WORDS.findall(before[found.start("first") :])] if found else []
    )
    return first in ("since", "as", "because") and len(words) > 3 and words[1] in _SUBJECTS


_GROUNDS = Lazy(
    r"(?:given|considering|seeing as|bearing in mind)\b(?: that)? (?:i|my|we|our)\b", re.I
)
"""What a question rests on."""


def _runs_on(before: str) -> bool:
    """Whether a clause was complete, so that "he's …" after it without a mark begins another."""
    words = [word.lower() for word in _WORDS.findall(before)]
    if len(words) < 4 or "," in before[-1:] or not _has_verb(before):
        return False
    last = words[-1]
    if _TOLD_WHOM.search(before):
        return False  # "told my mum I'm …" is one clause
    return last.isalpha() and last not in ENGLISH and not forms_of(last) and last not in _OPEN_ENDS


_TOLD_WHOM = Lazy(
    r"\b(?:told|tell|telling|convinced|reminded|promised|texted)(?: [\w']+){1,3}$", re.I
)
_OPEN_ENDS = frozenset(
    "sure glad happy afraid sorry aware certain convinced way reason time case fact thing place one "
    "maybe probably hope guess anyway though because cos although since until whether".split()
)


def _strong_cuts(before: str, rest: str, found: re.Match[str]) -> bool:
    word = found["word"].split()[0].lower()
    if not _has_meaning(before) or (not _has_verb(before) and word not in ("so", "btw", "also")):
        return False
    after = rest.split(None, 1)[-1]
    if word in ("because", "cos", "bc"):
        return type_of(before) != "statement" and _begins_clause(after)
    if word == "so" and re.search(
        r"\b(?:just|is|are|was|been|feel|'m|and|or|think|hope|even|if)$", before
    ):
        return False
    if word == "so" and re.match(r"that (?!is\b|was\b|means\b|makes\b)\w", after, re.I):
        return False
    if word == "so" and re.match(r"\w+ing\b", after):
        return True
    return _begins_clause(after) or _asks(after) or word in ("but", "plus", "anyway", "btw")


def _asks(rest: str) -> bool:
    asked = re.split(r"[,;]", rest, maxsplit=1)[0]
    if re.fullmatch(r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'-]*(?: [A-Z][\w'-]*)*\s*\?", asked):
        return False
    return type_of(asked) in ("question", "instruction")


_PAUSE = Lazy(r"(?<=\w)[,;]\s")
_OPENS = Lazy(r"\W*(?:according to|in my opinion|as far as)\b[^,]*$", re.I)
_APPOSED = Lazy(r",\s([A-Z][\w'-]+),\s")
"""A name in commas belongs to the noun before it: "my son, Max, is"."""
_TOPIC = Lazy(
    r"\W*(?:(?:and|so|then|but|oh|also|well|ok|plus)\s+)*(?:(?:one|two|three|both|some|most|all"
    r"|none|an?\s\w+)\sof\s(?:mine$|mine(?=,))?)?(?:(?:my|our"
    r"|the)\s[\w' -]{1,40})?(?:,\s[A-Z][\w'-]+)?$",
    re.I,
)
_RELATIVE = Lazy(
    r"(?:like\s)?(?:(?:and|but)\s)?(?:(?P<open>which|who|that)\s+(?P<verb>[\w']+)"
    r"|(?:where|when|whose|which|whom|who)\s+(?:i|we|my|our|he|she|they|it|the|you|people|\w+'ve)\b"
    r"|(?:where|when|which|whom|who)\s+(?:i|we|he|she|they|it)'"
    r"|(?:one|some|most|both|all|none|two|three)\sof\s(?:which|whom)\b"
    r"|(?:in|at|on|for|with|from|during|after)\s(?:which|whom)\b)",
    re.I,
)
_LEADS_IN = Lazy(
    r"\W*(?:(?:and|so|then|but|oh|also|well|ok|plus|btw|by the way)\W+)*(?P<first>[\w']+)", re.I
)
_PREPOSITIONS = frozenset(
    """
    in at on for with from by before after since during until under between without besides
    despite because due thanks within throughout towards around over among as
    """.split()
)
_SUBORDINATORS = frozenset(
    ["when", "while", "although", "though", "once", "whenever", "because", "since", "after"]
)


def _is_relative(rest: str) -> bool:
    """Whether `rest` says more of what was just named: "…, which I bought", "…, where we met"."""
    found = _RELATIVE.match(rest)
    if not found or found["open"] is None:
        return found is not None
    verb = found["verb"].lower()
    asks = re.match(r"[^,;.!]*\?", rest) is not None
    if verb in _SUBJECT_PRONOUNS or verb.split("'")[0] in _SUBJECT_PRONOUNS:
        return found["open"].lower() != "that"
    says = is_finite(verb) or "s" in forms_of(verb) or verb in _AFTER_WHO
    return not asks and says and found["open"].lower() != "that"


_AFTER_WHO = frozenset(
    ["also", "just", "never", "always", "really", "still", "now", "recently", "actually", "then"]
)


def _leads_in(before: str) -> bool:
    """Whether only a time, place or circumstance was named so far: "For my sister's birthday"."""
    found = _LEADS_IN.match(before)
    first = found["first"].lower() if found else ""
    words = (
        [word.lower() for word in _WORDS.findall(before[found.start("first") :])] if found else []
    )
    if "," in before[len(before) - len(before.lstrip()) :] and len(words) > 14:
        return False
    if first in _SUBORDINATORS and len(words) > 2 and words[1] in _SUBJECTS:
        return True
    if first not in _PREPOSITIONS or words[1:2] in (["for"], ["far"], ["mentioned"], ["usual"]):
        return False
    inner = set(words[1:])
    return not any(is_finite(word) for word in inner) and not inner & (_SUBJECTS - {"my", "our"})


_SUBJECTS = frozenset(
    ["i", "we", "he", "she", "they", "my", "our", "i'm", "i've", "we're", "we've"]
)


def _is_topic(before: str) -> bool:
    """Whether only a subject was named so far: "my eldest, Sam, he's"."""
    before = re.sub(r",? who(?:m|se)?\b[^,]{1,80}$", "", before)
    return _TOPIC.match(before) is not None and not any(
        _is_verb(word, 1) or "s" in forms_of(word) for word in _WORDS.findall(before.lower())
    )


_WORDS = Lazy(r"[^\s,;:.!?()]+")


def _begins_clause(rest: str, after: str = "") -> bool:
    """Whether `rest` begins with a subject and its verb, or with the verb of the same subject."""
    if "," in rest or ";" in rest:
        rest = _PAUSE.split(_APPOSED.sub(r" \1 ", rest), maxsplit=1)[0]
    words = [word.lower() for word in _WORDS.findall(rest)[:9]]
    while words and (words[0] in _LINKS or (len(words) > 1 and words[0] in _OFTEN)):
        words.pop(0)
    if words[:2] in (["these", "days"], ["at", "weekends"], ["turns", "out"]):
        words = words[2:]
    if not words:
        return False
    first = words[0].replace("’", "'")
    if first in _NO_SUBJECT:
        return bool(
            {"i", "we", "he", "she", "i'm", "i've", "we're"} & set(words[1:6])
        ) and first in ("on", "in", "at", "since", "after", "before", "from", "for", "with")
    if "'" in first and first.rsplit("'", 1)[1] in ("m", "ve", "re", "ll", "d"):
        return True
    if "'" in first and first.endswith("'s") and len(words) > 1:
        return not _possesses(words)
    if first in _CONTRACTIONS:
        return True
    if first in _SUBJECT_PRONOUNS:
        return len(words) > 1
    if _of_someone(words):
        return True
    if after and _same_subject(first, words, after):
        return True
    if first not in ("my", "our", "his", "her", "their") and _NAMED_SO.fullmatch(rest.strip(" .!")):
        return False
    limit = 7 if first in ("my", "our", "his", "her", "their", "the", "a", "an") else 4
    return any(
        _is_verb(word, i) or ("s" in forms_of(word) and words[i - 1] in as_set(RELATIONS))
        for i, word in enumerate(words[1:limit], 1)
    )


_NAMED_SO = Lazy(
    r"(?:and |or )?[\w' ,-]{2,60}? (?:called|named|titled|nicknamed|known as|(?:we|i) call) (?:the )?(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*)*",
    re.I,
)
"""A thing with its name, the last of several: "…, and a van named Bertha"."""


def _of_someone(words: list[str]) -> bool:
    """Whether someone of the user's and a verb come first: `my wife Lin plays the violin`."""
    if words[0] not in ("my", "our", "his", "her", "their"):
        return False
    at = next((n for n, word in enumerate(words[1:4], 1) if word in as_set(RELATIONS + PETS)), 0)
    rest = [word for word in words[at + 1 : at + 4] if word not in ADVERBS] if at else []
    return any("s" in forms_of(word) or is_finite(word) for word in rest[:2])


def _possesses(words: list[str]) -> bool:
    """Whether the 's of the first word is a genitive with no verb after its noun."""
    second = words[1]
    pronoun = words[0][:-2] in _SUBJECT_PRONOUNS
    if pronoun or second in _AFTER_IS or second.endswith("ing") or second[0].isdigit():
        return False
    return not any(_is_verb(word, i) for i, word in enumerate(words[2:5], 2))


def _is_verb(word: str, position: int) -> bool:
    if word.endswith(("'s", "'re", "'ve", "'ll")) and position:
        return True
    return is_finite(word) or (position > 1 and word in ("never", "always"))


def _same_subject(first: str, words: list[str], before: str) -> bool:
    """Whether a verb without a subject goes on with the one before: "I'm Sam, live in Leeds"."""
    if len(words) < 2:
        return False
    forms = forms_of(first)
    if first in AUXILIARIES:
        return first not in ("is", "are") and _has_verb(before)
    if not forms or not _has_verb(before) or _NAMED_BEFORE.search(before):
        return False
    if "past" in forms and words[1] not in ("and", "or"):
        return first not in (
            "born",
            "called",
            "named",
            "based",
            "left",
            "made",
            "run",
            "set",
            "read",
        )
    other = re.match(
        r"\W*(?:(?:and|so|but|well|ok) )*(?:(?:my|our|he|she)\b|(?-i:[A-Z][a-z]+)'?s? )",
        before,
        re.I,
    )
    if (
        "s" in forms
        and other
        and (words[1] in _AFTER_VERB or words[1] in ("me", "us", "him", "her", "them"))
    ):
        return True
    user = re.match(r"(?:\W*\w+\W+){0,3}?(?:i|i'm|im|i've|ive|we|we're|i'd)\b", before, re.I)
    return (
        "base" in forms
        and bool(user)
        and (words[1] in _AFTER_VERB or (not is_noun_too(first) and words[1] not in ("and", "or")))
    )


_NAMED_BEFORE = Lazy(
    r"\b(?:my|our|a|the|his|her) [a-z][\w' -]{2,40}, [A-Z][\w'-]+(?: [A-Z][\w'-]+)?$"
)
"""A name in commas is the subject of the verb after it: "a friend of mine, David, had"."""


def _has_verb(text: str) -> bool:
    words = [word.lower().replace("’", "'") for word in _WORDS.findall(text)]
    return any(
        word in AUXILIARIES
        or word in _CONTRACTIONS
        or ("'" in word and word.rsplit("'", 1)[1] in ("m", "ve", "re", "ll", "d", "s"))
        or bool(forms_of(word))
        for word in words
    )


def _has_meaning(text: str) -> bool:
    return bool(bare(spelled(plain(text))))


def _is_clause(inner: str) -> bool:
    if re.match(r"(?:both|all|neither|one|two|most|some)\b", inner, re.I):
        return False  # some of what stands before the bracket
    return len(inner.split()) >= 3 and _begins_clause(inner)


def _short(piece: str) -> Iterator[str]:
    """`piece`, or its parts where it has more than `MOST_WORDS` words."""
    words = piece.split()
    if len(words) <= MOST_WORDS:
        if piece:
            yield piece
        return
    start = 0
    while len(words) - start > MOST_WORDS:
        end = start + _cut_at(words[start : start + MOST_WORDS + 1])
        yield " ".join(words[start:end])
        start = end
    yield " ".join(words[start:])


def _cut_at(words: list[str]) -> int:
    """How many of the words to take: up to a comma, or before a connective, or all that fit."""
    places = range(MOST_WORDS, MOST_WORDS // 2, -1)
    pause = next((n for n in places if words[n - 1].endswith((",", ";", ":"))), 0)
    joint = next((n for n in places if words[n] in ("and", "but", "so", "then")), MOST_WORDS)
    return pause or joint


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Pieces that mean nothing alone (a lone mark, "well", "so") put to their neighbour."""
    found: list[Piece] = []
    for piece in pieces:
        empty = not re.search(r"\w", piece.text)
        if empty and found:
            last = found.pop()
            found.append(Piece(f"{last.text} {piece.text}", last.type))
        else:
            found.append(piece)
    return found


_LINKS = frozenset(
    """
    and but so then also plus because cos bc though although while whereas anyway oh or yet btw
    well like now still
    """.split()
)
_OFTEN = frozenset(
    "always usually often sometimes never nowadays currently lately mostly recently".split()
)
_NO_SUBJECT = frozenset(
    """
    of in at on for with to from by about like than as if when until before after which who
    """.split()
)
_SUBJECT_PRONOUNS = frozenset(
    """
    i we he she they it there that you this
    """.split()
)
_CONTRACTIONS = frozenset(
    """
    im ive hes shes theyre theyve weve theres thats i'm i've it's he's she's that's there's we're
    they're
    """.split()
)
_AFTER_IS = frozenset(
    """
    a an the in at on off out back from not so too very really always still now just called due
    over fine gone been left got moved about going my our his her their only also already actually here there
    allergic vegetarian vegan coeliac celiac
    """.split()
)
_AFTER_VERB = frozenset(
    """
    in at on for with to a an the my our no some any as from by two three
    """.split()
)

__all__ = ["MOST_WORDS", "split"]
