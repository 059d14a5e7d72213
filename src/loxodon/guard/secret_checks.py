"""Whether something that has the form of a secret, or stands behind the name of one, is one.

Placeholders, names of variables, code, words and hashes stand where secrets stand; a rule that
took them for secrets would make holes in honest text. A plain statement has a kind of
secret, a sign of being and a value, before or behind. A value looks like no word, or is a number
that counts nothing; a word is one where the statement says whose password it is or what it opens,
ends there, and the word is nothing that is said about passwords ("weak"). In doubt nothing is cut.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Container
from functools import cache
from importlib.resources import files
from itertools import dropwhile, groupby, islice, takewhile
from math import log2

from loxodon.guard.policy import CHECKS, Candidate, Spans, add_checks, expanded, words
from loxodon.text.wordlists import ENGLISH

_SAID_ABOUT = ENGLISH | frozenset(words("no_passwords"))
_PREDICATES = _SAID_ABOUT | frozenset(words("predicates"))
_ENDINGS = words("adjective_ends")
_COUNTED = frozenset("年月日号位个次分秒点条天小时遍种组字多")
_GO_ON = ENGLISH | {"works", "opens", "unlocks", "last", "now", "yesterday", "today"}
_SIGNS = frozenset("!@#$%^&*+=~?|")
_PUBLIC = re.compile(expanded("<PUBLIC_NUMBER>"))
_DOCUMENTED = re.compile(expanded("<DOCUMENTED>"))
_TECHNICAL = re.compile(expanded("<TECHNICAL>"))
_CALL = re.compile(r"[A-Za-z_.]+\([\w.,:()\[\]]*")
# Where a value is kept, or the name that it is put in the place of
_REFERENCE = re.compile(r"[a-z][a-z+]{1,20}://.*|\{\w+\}?")


def entropy(it: str) -> float:
    """Bits a character, by how often each occurs (Shannon)."""
    size = len(it)
    return -sum(n / size * log2(n / size) for n in Counter(it).values()) if size else 0.0


def _has_part(it: str, parts: str) -> bool:
    return any(part in it.lower() for part in words(parts))


def _is_placeholder(one: Candidate) -> bool:
    """A run of letters is one only where the words beside it say so: somebody may have typed it."""
    if _has_part(one.it, "placeholder_parts") or len(set(one.it.lower())) <= 3:
        return True
    beside = one.lead(80) + one.text[one.end : one.end + 40]
    return _has_part(one.it, "runs") and _DOCUMENTED.search(beside) is not None


def _has_digit(it: str) -> bool:
    return any(map(str.isdigit, it))


def _is_code(it: str) -> bool:
    if it.lower().startswith(words("code_starts")) or (it.startswith("/") and it.count("/") > 1):
        return True
    if it.startswith(("$", "%", "@", "&", "!")):  # a variable, unless no name could be this
        return it[1:].rstrip("%").replace("_", "").isalpha()
    if "." in it and it.replace(".", "").replace("_", "").isalpha():
        return True  # cfg.Provider.APIKey
    return any(form.fullmatch(it) for form in (_CALL, _REFERENCE))


# Words, and numbers of versions: `secret`, `SecretManager`, `API`, `4o`, `mini2`
_PIECE = re.compile(
    r"\d{1,4}|[a-z]{1,20}|[A-Z]+|\S{1,4}|[A-Z]{0,5}[a-z]{2,}+(?:[A-Z]{1,5}[a-z]{2,}+)*[A-Z]{0,5}"
    r"|(?=.{1,10}$)(?:[a-z]+|[A-Z]+)\d{1,2}"
)


def _is_wordy(it: str) -> bool:
    """Words joined: `my-secret-name`, `gpt-4o-mini`, `OPENAI_API_KEY`."""
    return all(_PIECE.fullmatch(piece) for piece in re.split("[-_./:]", it) if piece)


# Keys


def token(one: Candidate) -> bool:
    """A key of a known form: no joined words (`sk-spinner-container`), nor a piece of a path."""
    it = one.it
    is_words = not _has_digit(it) and all(
        len(piece) < _LONG_WORD and (piece.islower() or piece.isupper() or piece.istitle())
        for piece in re.split("[-_.]", it)
        if piece
    )
    is_key = "." in it or "_" in it[:12] or it.startswith(("sk-", "eyJ")) or mixed_case(one)
    is_path = one.before == "/" and not is_key
    return not _is_placeholder(one) and not is_words and not is_path


def mixed_case(one: Candidate) -> bool:
    """Base64 rather than the digits of a hash."""
    kinds = (str.isupper, str.islower, str.isdigit)
    return not _is_placeholder(one) and all(any(map(kind, one.it)) for kind in kinds)


def user_and_password(one: Candidate) -> bool:
    """What Basic authentication is given: `user:password` in base64."""
    try:
        plain = b64decode(one.it, validate=True).decode()
    except ValueError:
        return False
    return ":" in plain and plain.isprintable()


def assigned(one: Candidate) -> bool:
    """A value under a name that says it is secret: random enough, and no code, word or path."""
    it = one.value
    name = one.name.lower().strip("_-. ")
    if (
        len(it) < 8
        or name.endswith(words("harmless_name_ends"))
        or ("tokens" in name and it.isdigit())
    ):
        return False
    if _is_placeholder(one) or _is_code(it) or _is_wordy(it):
        return False
    if it.isdigit() or not it.isascii() or it[:-1].replace(".", "").replace(",", "").isdigit():
        return False
    return entropy(it) >= (2.8 if _has_digit(it) else 3.6) and (_has_digit(it) or len(it) >= 20)


def named_key(one: Candidate) -> bool:
    """What is only called a key: not one of those that everybody may know."""
    is_public = any(word in one.name.lower() for word in words("public_keys"))
    return not is_public and assigned(one._replace(name=""))


def header(one: Candidate) -> bool:
    is_random = entropy(one.it) > 3.2 and not one.it.islower()
    return not _is_placeholder(one) and (_has_digit(one.it) or is_random)


# Passwords


def url_password(one: Candidate) -> bool:
    """What stands before the @ of an address; not a variable, nor a port."""
    it = one.it
    is_placeholder = _has_part(it, "password_placeholder_parts") or len(set(it.lower())) <= 3
    if is_placeholder or it.startswith(("$", "%(", "{", "[")):
        return False
    return (it.lower() not in words("url_placeholders") and not it.isupper()) or _has_digit(it)


def _is_no_password(it: str) -> bool:
    """Whether it stands where passwords stand, and is none: a placeholder, code, an amount."""
    amount = it.strip("+%-~<>=")  # `8-16`, `12+`, `90%`: how long or how often, not what
    return (
        it.lower().strip("()[]") in _SAID_ABOUT
        or _has_part(it, "password_placeholder_parts")
        or (len(set(it.lower())) <= 1 and not it.isdigit())
        or _is_code(it)
        or len(amount) <= 3
        or (amount.replace("-", "").isdigit() and "-" in amount and len(amount) <= 5)
        or not any(map(str.isalnum, it))
    )


def password(one: Candidate) -> bool:
    """What stands behind `password:` or `password=`."""
    it = one.value
    if _is_no_password(it) or not it.isascii():
        return False
    is_mixed = any(map(str.isupper, it[1:])) and not it.isupper()
    if _has_digit(it) or is_mixed or _SIGNS.intersection(it):  # no word has these
        return not (it.isupper() and "_" in it and it.replace("_", "").isalpha())
    # Behind `Password:` notes and forms have any word.
    is_heading = one.name.isalpha() and "=" not in one.lead(4)
    is_about_one = it.lower().endswith(_ENDINGS) or it.isupper() or {"_", "."}.intersection(it)
    return len(it) >= 4 and not is_heading and not is_about_one and _ends(one)


def login_pair(one: Candidate) -> bool:
    """Behind `root/`, where paths stand too: letters with digits, and nothing that has a name."""
    it = one.value
    if not _is_odd(it, 6) or it.lower().endswith(words("units")):
        return False
    if sum(map(str.isdigit, it)) >= 3 and _ends(one) and "19" not in it and "20" not in it:
        return True
    classes = (str.isupper, str.islower, _SIGNS.__contains__)
    others = sum(any(map(is_of, it)) for is_of in classes)
    return _has_digit(it) and (others >= 2 or (others == 1 and not _is_wordy(it)))


def pgpass(one: Candidate) -> bool:
    """The last of five: no piece of a time, an address or a key."""
    parts = one.text[: one.start].split()[-1:] or [""]
    is_hex = all(re.fullmatch(r"[0-9a-f*]{0,4}", part) for part in parts[0].split(":"))
    return password(one) and not is_hex


# Codes


def code(one: Candidate) -> bool:
    """Digits that open something once; a year only where the words before it say `is`."""
    it = one.it
    if any(c.isascii() and c.isalnum() for c in (one.before, one.after)) or not _has_digit(it):
        return False
    if one.after in tuple("年月%元位个分") or one.before in tuple("$¥#"):
        return False
    is_year = it.isdigit() and len(it) == 4 and 1950 <= int(it) <= 2049
    lead = one.lead(4).rstrip(" \"'“")
    return not is_year or lead.endswith(("is", ":", "：", "=", "是", "为"))


def recovery_code(one: Candidate) -> bool:
    """Groups that have digits; one alone has more than a count or a year."""
    groups = one.it.replace("-", " ").split()
    if len(groups) > 1:
        has = [_has_digit(group) for group in groups]
        return sum(has) * 2 >= len(groups) and (has[0] or " " not in one.it)
    digits = sum(map(str.isdigit, one.it))
    return len(one.it) > 4 and (digits >= 4 or (digits >= 2 and len(one.it) >= 8))


# The phrases of wallets: twelve to twenty-four words of a list (BIP 39)

_SIZES = (12, 15, 18, 21, 24)  # words of a phrase
# What a phrase is called, in words that phrases have too
_NAMES = frozenset(("seed", "phrase", "word", "wallet"))


def seed_phrase(one: Candidate) -> Spans:
    """Where phrases stand in words that stand one after the other."""
    words, spans = [*re.finditer(r"[A-Za-z]+", one.it)], []
    for is_known, group in groupby(words, lambda word: word[0].lower() in _seed_words()):
        known = [*dropwhile(lambda word: word[0].lower() in _NAMES, group)]
        # Chance repeats few of 2,048 words.
        is_varied = len({word[0].lower() for word in known}) >= len(known) * 3 // 4
        if is_known and len(known) in _SIZES and is_varied:
            spans.append((one.start + known[0].start(), one.start + known[-1].end()))
    return spans


@cache
def _seed_words() -> frozenset[str]:
    return frozenset((files(__package__) / "bip39_en.txt").read_text("utf-8").split())


# Plain statements

_NUMBER = re.compile(r"[#*]?\d(?:[ -]?\d){2,11}[#*]?")
_MEASURE = re.compile(expanded("(?i)<MEASURE>"))
_LETTERS = re.compile(r"[A-Za-z]+")
_ODD = re.compile(r"(?=.*[A-Za-z]).*[0-9!@#$%^&*+=~|].*")
_WORD = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*")
_SHORTEST_WORD = 5  # few places take a shorter password; what is said about one is mostly shorter
_CLAUSES = frozenset(("and", "but", "so", "if", "because", "for"))
_LONG_WORD = 16  # letters on end that are several words, as nobody writes but in a password
_PARTICLES = "了啦哦噢喔呀啊哈呢吧でですだよ입니다"


def _follows(one: Candidate) -> str:
    at = one.start + len(one.value)
    return one.text[at : at + 24].lstrip(" \t\"'`”’」』*")


def _ends(one: Candidate) -> bool:
    """Whether the statement ends behind the value."""
    rest = _follows(one).lstrip(_PARTICLES)
    return not rest or not (rest[0].isalnum() or rest[0] in "-_/(（%°")


def _ends_or_goes_on(one: Candidate, by: Container[str] = _GO_ON) -> bool:
    """The same, or another clause begins: what a number counts is no function word."""
    word = _LETTERS.match(_follows(one))
    return _ends(one) or (word is not None and word[0].lower() in by)


def _is_number(one: Candidate, least: int) -> bool:
    it = one.value
    if not _NUMBER.fullmatch(it) or _MEASURE.fullmatch(it) or one.before in tuple("$€£¥"):
        return False
    return sum(map(str.isdigit, it)) >= least and _ends_or_goes_on(one)


def _is_odd(it: str, least: int = 4) -> bool:
    """Letters with digits, or with signs that no word has."""
    if len(it) < least or not it.isascii() or not _ODD.fullmatch(it):
        return False
    if _is_no_password(it) or _MEASURE.fullmatch(it) or _TECHNICAL.match(it.lower()):
        return False
    is_mail = "@" in it[1:] and "." in it.rpartition("@")[2]
    is_name = "_" in it and "pass" in it.lower()
    return not is_mail and not is_name and it.count("/") <= 1


def _is_pinyin(it: str) -> bool:
    """A word in a Chinese sentence, where English says nothing about a password."""
    parts = re.split("[-_.]", it.lower())
    if len(it) < _SHORTEST_WORD or not _WORD.fullmatch(it):
        return False
    return (
        (it[1:].islower() or not it.isalpha())
        and _SAID_ABOUT.isdisjoint(parts)
        and _TECHNICAL.match(parts[0]) is None
        and ("." not in it or parts[-1] not in words("dotted_ends"))
    )


def _is_word(it: str) -> bool:
    """A word that could be chosen as a password, and says nothing about one."""
    parts = re.split("[-_.]", it.lower())
    is_noun = not parts[-1].endswith(_ENDINGS) or parts[-1].endswith(words("nouns_like_adjectives"))
    return is_noun and _PREDICATES.isdisjoint(parts) and _is_pinyin(it)


_NAMED = re.compile(expanded(r"(?i)\b(?:<PASSWORD>)"))
_OWNERS = ("my", "your", "our", "his", "her", "their")
_MOST = re.compile(r"(?i)\b(?:most|least|worst|best|common|popular) [\w ]{0,20}pass|最")


def _says_which(one: Candidate) -> bool:
    """Whose password it is or what it opens: "Ann's password", "the wifi password", "pw for"."""
    *before, behind = _NAMED.split(one.lead(200))
    if not before:
        return False
    lead = ["the", *re.split(r"[.,;:!?()\"“\n]", before[-1])[-1].lower().split()[-4:]]
    is_owned = any(word in _OWNERS or word.endswith(("'s", "’s")) for word in lead)
    is_of_thing = lead[-1] not in _PREDICATES and not lead[-1].endswith(_ENDINGS)
    return is_owned or is_of_thing or (lead[-1] != "a" and behind.startswith((" for ", " to ")))


def stated(one: Candidate) -> bool:
    it = one.value
    if _MOST.search(one.lead(60)):
        return False
    if one.name.lower() == "pin" or not _is_word(it):
        return changed(one)
    is_certain = not (it.isalpha() or "." in it) or len(it) >= _LONG_WORD or _says_which(one)
    return is_certain and _ends_or_goes_on(one, _CLAUSES)


def changed(one: Candidate) -> bool:
    return _is_number(one, 4) or (_is_odd(one.value) and one.name.lower() != "pin")


def next_to_name(one: Candidate) -> bool:
    """Nothing links it to the name: it must look like nothing else."""
    it = one.value
    if _is_number(one, 4):
        return not (len(it) == 4 and it.startswith(("19", "20")))
    return _is_odd(it, 5) and _ends_or_goes_on(one)


_ROW = re.compile(r"[^\n]{1,400}")
_LOGIN = re.compile(expanded("(?i)<LOGIN>"))


def heading(one: Candidate) -> Spans:
    """What stands under a heading, in a table or the next line of a form, or in the cell behind."""
    before, _, lead = one.lead(400).rpartition("\n")
    rows = islice(_ROW.finditer(one.text, one.start - len(lead)), 200)
    head = next(rows)
    sign = next((c for c in head[0] if c in "|\t,;"), "\n")
    column, size = lead.count(sign), head[0].count(sign)
    is_login = _LOGIN.search(head[0]) is not None
    if not is_login and (sign in ",;" or one.it.lower() == "pass"):
        return ()
    cells = [(head, column + 1)] if sign in "|\t" else []
    # Of a table only the first row has headings.
    if sign == "\n" or before.rpartition("\n")[2].count(sign) != size:
        below = takewhile(lambda row: row[0].count(sign) == size, rows)
        cells += [(row, column) for row in (islice(rows, 1) if sign == "\n" else below)]
    found = (_cell(one.text, row, sign, n) for row, n in cells)
    is_one = stated_zh if is_login else next_to_name
    return [(it.start, it.end) for it in found if not {" ", "("} & {*it.it} and is_one(it)]


def _cell(text: str, row: re.Match[str], sign: str, n: int) -> Candidate:
    *before, cell = row[0].split(sign)[: n + 1]
    bare = cell.strip(" \t\r\"'`*")
    start = row.start() + sum(len(it) + 1 for it in before) + cell.index(bare)
    return Candidate(text, start, start + len(bare))


_OF_SOMEBODY = re.compile(r"\W? (?:is|as) (?:my|our|your|his|her|the [\w'’-]+)")
_BEGINS = re.compile(r"(?i)(?:^|[.,;:!?\n]\s*|\bus(?:e|ed|ing)\s)[\"'“`]?$")


def named_behind(one: Candidate) -> bool:
    """A word only where a clause begins with it, or it is used, and whose password it is is said."""
    after = one.text[one.end : one.end + 60]
    if _MOST.search(after):
        return False
    is_told = _OF_SOMEBODY.match(after) is not None and _BEGINS.search(one.lead(12)) is not None
    return _is_odd(one.value, 5) or (is_told and _is_word(one.value))


def _said_about(it: str) -> float:
    """How many of some words, of all, are those that are said about passwords."""
    parts = it.lower().replace("-", " ").split()
    return sum(word in _SAID_ABOUT or word.endswith(_ENDINGS) for word in parts) / len(parts)


def quoted(one: Candidate) -> bool:
    """Words in quotation marks: a message about a password is mostly made of such words."""
    # `password: "…"` alone in its line is a label or a template as likely as a password.
    is_setting = re.fullmatch(r"\W*[\w.-]+\s?:\W*", one.lead(80).rpartition("\n")[2])
    return (
        _said_about(one.it) < 0.5
        and not is_setting
        and not _is_no_password(one.it)
        and not one.it.endswith("?")
        and _ends_or_goes_on(one)
    )


def _speaks_of_value(one: Candidate) -> bool:
    """Nothing before it speaks of something else, nothing behind it is counted."""
    return (
        not any(word in one.name for word in words("not_said_of_value_zh"))
        and _follows(one)[:1] not in _COUNTED
    )


def stated_zh(one: Candidate) -> bool:
    it = one.value
    if not _speaks_of_value(one):
        return False
    if _is_odd(it):
        return _ends(one) or one.after == " "
    return _is_number(one, 3) or (_is_pinyin(it) and _ends(one))


CHECKS.update(seed_phrase=seed_phrase, heading=heading)
add_checks(
    *(assigned, named_key, header, url_password, password, login_pair, pgpass),
    *(stated, changed, next_to_name, named_behind, stated_zh),
    next_to_name_zh=lambda one: _speaks_of_value(one) and next_to_name(one) and _ends(one),
    security_answer=lambda one: changed(one) or (_is_word(one.value) and _ends(one)),
    trims=True,
)
add_checks(
    *(token, mixed_case, user_and_password, code, recovery_code, quoted),
    not_placeholder=lambda one: not _is_placeholder(one),
    # Five by five: no words, and not digits alone
    product_key=lambda one: (
        not _is_placeholder(one) and _has_digit(one.it) and any(map(str.isalpha, one.it))
    ),
    # As long as a hash: a key where nothing says that it is public
    wallet_key=lambda one: not _is_placeholder(one) and not _PUBLIC.search(one.lead(40)),
    # Behind 提取码: letters and digits, or what is not a word that goes on
    share_code=lambda one: len(set(one.it)) > 1 and one.after not in _COUNTED,
    number=lambda one: _is_number(one, 3),
    card_code=lambda one: _is_number(one, 3) or _follows(one).startswith("exp"),
    # Words side by side
    phrase=lambda one: _said_about(one.it) <= 0.25,
    # Four by four letters, none of them a word that is said about passwords
    app_password=lambda one: _SAID_ABOUT.isdisjoint(one.it.lower().split()),
    quoted_zh=lambda one: _ends(one) and not one.it.endswith(("?", "？")),
)


# Secrets that answer a question

_SENTENCE = re.compile(r"[.!?。！？\n](?=\s|[^\x00-\x7f])")
_PHRASE = re.compile(r"[A-Za-z0-9 ,.!'’-]{6,64}(?=[\"”`])")
_LATEST = 300  # characters of a turn in which a question is looked for, from its end


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(expanded(source))


def asked_for(text: str) -> str:
    """The kind of the secret that a turn asks for at its end, or nothing."""
    text = text[-_LATEST:].strip()
    ends = [one.end() for one in _SENTENCE.finditer(text, 0, max(0, len(text) - 1))]
    sentences = [text[a:b].strip() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    while len(sentences) > 1 and _pattern("<LEAVES_OPEN>").fullmatch(sentences[-1]):
        del sentences[-1]
    for form in words("questions"):
        found = _pattern(form).search(sentences[-1])
        if found and found.end() == len(sentences[-1]):
            named = found.groupdict()
            # One that has a function word before the name is another question about it.
            if not ENGLISH.intersection((named.pop("which", "") or "").lower().split()):
                return next(kind.replace("_", "-") for kind, it in named.items() if it)
    return ""


def answer(text: str, kind: str = "password") -> tuple[int, int] | None:
    """Where a turn that may be an answer begins with a value."""
    lead = _pattern("<BEFORE_ANSWER>").match(text, 0, 80)
    at = lead.end() if lead else 0
    if text[at - 1 : at] in tuple('"“`') and (phrase := _PHRASE.match(text, at)):
        one = Candidate(text, *phrase.span())
        if " " in one.it:
            return (one.start, one.end) if kind == "password" and quoted(one) else None
    found = _pattern("<ASCII>{3,64}").match(text, at)
    if found is None:
        return None
    if kind == "password" and found[0].rstrip(".!") == text[at:].strip(" .!\n"):
        alone = found[0].rstrip(".!")  # a word and nothing else, that is none one answers with
        if len(alone) > 7 and _is_word(alone) and not alone.lower().endswith("ever"):
            return at, at + len(alone)
    one = Candidate(text, *found.span())
    rest = _follows(one)[:1]
    is_value = (
        kind != "pin" and _is_odd(one.value) and (_ends_or_goes_on(one) or not rest.isascii())
    )
    if rest in _COUNTED or not (is_value or _is_number(one, 3)):
        return None
    return one.start, one.start + len(one.value)
