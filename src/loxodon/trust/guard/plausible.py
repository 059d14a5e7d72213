"""Whether something that has the form of a secret is one: entropy, context, and what is none.

Placeholders, names of variables, code, words and hashes stand where secrets stand; a rule that
took them for secrets would make holes in honest text.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from loxodon.text.patterns import lazy
from loxodon.trust.guard.personal import Candidate, Check

_PARTS = (
    "example",
    "****",
    "••",
    "your",
    "placeholder",
    "redacted",
    "dummy",
    "<",
    "${",
    "{{",
    "...",
    "…",
    "changeme",
    "insert",
    "goes-here",
    "goes_here",
    "abcdefgh",
    "0123456789",
    "1234567890",
    "123456789a",
    "%s",
    "00000000",
    "replace_me",
    "replace-me",
    "fake",
    "_here",
    "-here",
)
_NO_PASSWORD_PARTS = (
    "****",
    "••",
    "your_",
    "your-",
    "yourpass",
    "<",
    "${",
    "{{",
    "...",
    "…",
    "redacted",
    "placeholder",
    "%s",
    "$(",
    "_here",
    "-here",
)
_TRAILING = ".,;:!?)]}>\"'`*，。；：！？）】》、"


def entropy(it: str) -> float:
    """Bits a character, by how often each occurs (Shannon)."""
    size = len(it)
    return -sum(n / size * log2(n / size) for n in Counter(it).values()) if size else 0.0


def _is_placeholder(it: str, parts: tuple[str, ...] = _PARTS) -> bool:
    low = it.lower()
    return any(part in low for part in parts) or "XXXX" in it or "xxxx" in it or len(set(low)) <= 3


def given(one: Candidate) -> bool:
    """Anything but a placeholder: the form says all."""
    return not _is_placeholder(one.it)


def random(one: Candidate) -> bool:
    """A key of a known form: has digits, varies, and is not a piece of something longer."""
    it = one.it
    if _is_placeholder(it) or entropy(it) < 3.0:
        return False
    if not any(map(str.isdigit, it)) and _is_joined_words(it):
        return False
    return not (one.before == "/" and "." not in it) or "_" in it[:5] or it[:3] in ("sk-", "eyJ")


def _is_joined_words(it: str) -> bool:
    """`sk-spinner-container`: each piece a word by its capitals."""
    pieces = it.replace("_", "-").replace(".", "-").split("-")
    return all(one.islower() or one.isupper() or one.istitle() for one in pieces if one)


def varied(one: Candidate) -> bool:
    """Of a form that no word has: anything but a placeholder."""
    return not _is_placeholder(one.it) and entropy(one.it) >= 2.5


def mixed(one: Candidate) -> bool:
    """Forty characters of base64 rather than the forty of a hash."""
    it = one.it
    return (
        not _is_placeholder(it)
        and entropy(it) > 3.8
        and any(map(str.isupper, it))
        and any(map(str.islower, it))
        and any(map(str.isdigit, it))
    )


def url_password(one: Candidate) -> bool:
    """What stands before the @ of an address; not a variable, nor a port."""
    it = one.it
    if _is_placeholder(it, _NO_PASSWORD_PARTS) or it.startswith(("$", "%(", "{", "[")):
        return False
    return (it.lower() not in _PLACEHOLDERS and not it.isupper()) or any(map(str.isdigit, it))


_PLACEHOLDERS = frozenset(
    "password passwd pass pwd secret token user username key pw mypassword yourpassword "
    "user_password db_password dbpassword".split()
)


def header(one: Candidate) -> bool:
    return not _is_placeholder(one.it) and (
        any(map(str.isdigit, one.it)) or (entropy(one.it) > 3.2 and not one.it.islower())
    )


_BENIGN_TAILS = (
    "count",
    "counts",
    "limit",
    "size",
    "length",
    "name",
    "names",
    "type",
    "types",
    "id",
    "ids",
    "url",
    "uri",
    "path",
    "file",
    "files",
    "env",
    "var",
    "field",
    "header",
    "prefix",
    "index",
    "usage",
    "budget",
    "ttl",
    "expiry",
    "expires",
    "used",
    "izer",
    "ization",
    "ized",
    "format",
    "version",
    "manager",
    "store",
    "service",
    "provider",
    "key_path",
    "location",
    "policy",
    "ref",
)
_CODE_STARTS = (
    "${",
    "$(",
    "{{",
    "{%",
    "#{",
    "%{",
    "<",
    "[",
    "os.",
    "process.",
    "env.",
    "config.",
    "self.",
    "this.",
    "settings.",
    "http://",
    "https://",
    "./",
    "../",
    "~/",
    "file:",
    "import.",
    "secrets.",
    "env:",
    "ref:",
    "arn:",
    "vault:",
    "keyring:",
    "//",
)


_CALL = lazy(r"[A-Za-z_.]+\([\w.,:()\[\]]*")
_REFERENCE = lazy(r"[a-z][a-z+]{1,20}://.*|\{\w+\}?")
"""Where a value is kept, or the name that it is put in the place of."""


def _is_code(it: str) -> bool:
    low = it.lower()
    if low.startswith(_CODE_STARTS) or (it.startswith("/") and it.count("/") > 1):
        return True
    if it.startswith(("$", "%", "@", "&", "!")):  # a variable, unless no name could be this
        name = it[1:].rstrip("%").replace("_", "")
        return name.isalpha()
    if "." in it and it.replace(".", "").replace("_", "").isalpha():
        return True  # cfg.Provider.APIKey
    return any(form.fullmatch(it) for form in (_CALL, _REFERENCE))


def _is_wordy(it: str) -> bool:
    """Words, and numbers of versions, joined: `my-secret-name`, `gpt-4o-mini`, `OPENAI_API_KEY`."""
    pieces = it.replace("-", "_").replace(".", "_").replace("/", "_").replace(":", "_").split("_")
    return all(_is_word(piece) for piece in pieces if piece)


def _is_word(piece: str) -> bool:
    digits = sum(map(str.isdigit, piece))
    if digits == len(piece):
        return len(piece) <= 4
    if digits == 0:
        return (piece.islower() and len(piece) <= 20) or piece.isupper() or _is_camel(piece)
    return len(piece) <= 4 or (
        digits <= 2
        and piece.rstrip("0123456789").isalpha()
        and (piece.islower() or piece.isupper())
        and len(piece) <= 10
    )


def _is_camel(piece: str) -> bool:
    """`SecretManager`: letters alone, in which capitals begin words."""
    if not piece.isalpha() or not piece.isascii():
        return False
    humps = sum(map(str.isupper, piece))
    return humps <= 1 + len(piece) // 4 and entropy(piece) < 3.9


def assigned(one: Candidate) -> bool:
    """A value under a name that says it is secret: random enough, and no code, word or path."""
    it = one.it.rstrip(_TRAILING)
    name = one.name.lower().strip("_-. ")
    if len(it) < 8 or name.endswith(_BENIGN_TAILS) or ("tokens" in name and it.isdigit()):
        return False
    if _is_placeholder(it) or _is_code(it) or _is_wordy(it):
        return False
    if it.isdigit() or not it.isascii() or it[:-1].replace(".", "").replace(",", "").isdigit():
        return False
    return (any(map(str.isdigit, it)) and entropy(it) >= 2.8) or (
        entropy(it) >= 3.6 and len(it) >= 20
    )


# Passwords

NO_PASSWORDS = frozenset(
    """
    a an the in on at of for to from with and or not no none null nil nan undefined true false yes
    it its is are was were be been being that this these those my your our his her their what which
    who when where why how if then so too very also just only still now here there always never
    required optional needed necessary mandatory missing empty blank wrong incorrect invalid correct
    right valid bad weak strong good great fine okay ok long short simple complex easy hard secure
    insecure safe unsafe secret hidden private public protected encrypted hashed salted stored saved
    kept set unset reset changed updated expired expiring old new default same different similar
    unique random temporary permanent known unknown forgotten lost stolen leaked compromised
    exposed shared sent given asked used reused written typed entered generated created managed
    rotated checked verified validated case sensitive string str int bool bytes text char varchar
    number object any void optional[str] password passwords passwd secret token username user login
    email field input form value variable parameter argument prompt manager hash policy strength
    length protected-by going supposed meant likely probably maybe something anything everything
    nothing somewhere terrible awful annoying important confidential sensitive getting causing
    making asking working failing stored-in unlock access reset restore open enter login log sign
    get see use make keep find change update choose remember protect verify be do avoid prevent
    stay all each every one two three four five six seven eight nine ten least most more less at
    visible shown displayed masked plain plaintext cleartext redacted available unavailable disabled
    enabled mine yours ours theirs like really quite pretty about around over under between because
    since until while before after during without within via per by as but than can could should
    would will must may might shall does did done has have had having i you he she we they me him
    us them myself yourself basically actually literally definitely simply mostly usually sometimes
    safer better longer stronger harder easier shorter simpler nicer weaker enough again today tonight
    tomorrow yesterday somebody nobody everybody someone anyone everyone right wrong
    broken garbage rubbish history genius nonsense
    often already ready almost compatible up-to-date out unchanged admin-only write-only read-only
    """.split()
)
ENDINGS = ("ing", "ed", "ly", "able", "ible", "ful", "less", "ous", "ive", "ally")


def _value(one: Candidate) -> str:
    return one.it.rstrip(_TRAILING)


def _is_strong(it: str) -> bool:
    """Has more than letters of one case, as words have not."""
    if not any(map(str.isalnum, it)):
        return False
    inner = it[1:]
    return (
        any(map(str.isdigit, it))
        or (any(map(str.isupper, inner)) and not it.isupper())
        or any(c in "!@#$%^&*+=~?|" for c in it)
    )


def _is_amount(it: str) -> bool:
    """`8-16`, `12+`, `90%`: how long or how often, not what."""
    rest = it.strip("+%-~<>=")
    return len(rest) <= 3 or (rest.replace("-", "").isdigit() and "-" in rest and len(rest) <= 5)


def is_no_password(it: str) -> bool:
    """Whether it stands where passwords stand, and is none: a placeholder, code, an amount."""
    low = it.lower().strip("()[]")
    return (
        len(it) < 3
        or low in NO_PASSWORDS
        or _is_placeholder_password(it)
        or _is_code(it)
        or low.startswith(("http:", "https:", "//"))
        or _is_amount(it)
        or not any(map(str.isalnum, it))
    )


def _is_placeholder_password(it: str) -> bool:
    low = it.lower()
    if "xxxx" in it or "XXXX" in it or any(part in low for part in _NO_PASSWORD_PARTS):
        return True
    return len(set(low)) <= 1 and not it.isdigit()


def password(one: Candidate) -> bool:
    """What stands behind `password:` or `password=`."""
    it = _value(one)
    if is_no_password(it) or not it.isascii():
        return False
    if _is_strong(it):
        return not (it.isupper() and "_" in it and it.replace("_", "").isalpha())
    plain = it.lower()
    return (
        len(it) >= 4
        and not _is_heading(one)
        and not plain.endswith(ENDINGS)
        and _ends(one)
        and not it.isupper()
        and ("_" not in it and "." not in it)
    )


def _is_heading(one: Candidate) -> bool:
    """Whether a word stands behind `Password:`, where notes and forms say anything about one."""
    return one.name.isalpha() and "=" not in one.text[max(0, one.start - 4) : one.start]


def _is_time(it: str) -> bool:
    return it.replace(":", "").replace("/", "").replace("-", "").isdigit() and (
        ":" in it or "/" in it or it.count("-") == 2
    )


def _ends(one: Candidate) -> bool:
    """Whether nothing of a sentence follows."""
    rest = one.text[one.start + len(_value(one)) : one.end + 4].strip()
    return not rest or not (rest[0].isalnum() or rest[0] in "-_/(")


def strong(one: Candidate) -> bool:
    """Behind `password` with nothing between: only what no word looks like."""
    it = _value(one)
    if is_no_password(it) or not it.isascii() or _is_time(it) or len(it) < 6:
        return False
    digits = sum(map(str.isdigit, it))
    if digits >= 3 and _ends(one) and not any(year in it for year in ("19", "20")):
        return True
    kinds = sum(
        (
            any(map(str.isdigit, it)),
            any(map(str.isupper, it)),
            any(map(str.islower, it)),
            any(c in "!@#$%^&*+=~?|" for c in it),
        )
    )
    return any(map(str.isdigit, it)) and (kinds >= 3 or (kinds >= 2 and not _is_wordy(it)))


COUNTED = frozenset("年月日号位个次分秒点条天小时遍种组字多")


def code(one: Candidate) -> bool:
    """Digits that open something once; not a year, unless they are more than four."""
    it = one.it
    if any(c.isascii() and c.isalnum() for c in (one.before, one.after)):
        return False
    if not any(map(str.isdigit, it)):
        return False
    is_year = it.isdigit() and len(it) == 4 and 1950 <= int(it) <= 2049
    if one.after in ("年", "月", "%", "元", "位", "个", "分") or one.before in ("$", "¥", "#"):
        return False
    return not is_year or _is_told(one)


def _is_told(one: Candidate) -> bool:
    """Whether the words right before it say `is` this."""
    return (
        one.text[max(0, one.start - 4) : one.start]
        .rstrip(" \"'“")
        .endswith(("is", ":", "：", "=", "是", "为"))
    )


def share(one: Candidate) -> bool:
    """Behind 提取码: letters and digits, or what is not a word that goes on."""
    follows = one.text[one.end : one.end + 1]
    return len(set(one.it)) > 1 and follows not in COUNTED


_NO_KEYS = (
    "public",
    "cache",
    "primary",
    "foreign",
    "partition",
    "sort",
    "object",
    "index",
    "map",
    "json",
    "react",
    "redis",
    "row",
    "hash",
    "etag",
    "idempotency",
    "缓存",
    "主键",
    "公",
    "唯一",
    "索引",
    "排序",
    "对象",
    "提交",
    "哈希",
    "摘要",
    "指纹",
    "版本",
)


def key_said(one: Candidate) -> bool:
    """What is only called a key: not one of those that everybody may know."""
    return not any(word in one.name.lower() for word in _NO_KEYS) and assigned(
        one._replace(name="")
    )


def pgpass(one: Candidate) -> bool:
    """The last of five: no piece of a time, an address or a key."""
    parts = one.text[: one.start].split()[-1].split(":") if one.text[: one.start].split() else []
    return password(one) and not all(
        re.fullmatch(r"[0-9a-f*]{1,4}", part) for part in parts if part
    )


def user_and_password(one: Candidate) -> bool:
    """What Basic authentication is given: `user:password` in base64."""
    from base64 import b64decode

    try:
        plain = b64decode(one.it, validate=True).decode()
    except ValueError:
        return False
    return ":" in plain and plain.isprintable()


_PUBLIC = lazy(r"(?i)\b(?:tx|txn|hash|block|transaction|topic|root|public)\b|交易|哈希|区块|公钥")


def wallet_key(one: Candidate) -> bool:
    """As long as a hash: a key where nothing says that it is public."""
    return given(one) and not _PUBLIC.search(one.text[max(0, one.start - 40) : one.start])


_TECHNICAL = lazy(
    r"(?:bcrypt|scrypt|argon2(?:id?|d)?|pbkdf2|md5|aes|des|rsa|ecc|sm[234]|base64|hmac|oauth|https?|utf|ipv|web3|wpa|wep"
    r"|fido|sqlite|mysql|python|vue|windows|win1[01]|ios|chacha20|ed25519|1password)(?![a-z])"
    r"|sha-?[0-9]{1,3}(?![a-z0-9])"
)
"""What passwords are made, kept and typed with."""


def is_technical(low: str) -> bool:
    """Whether a word names a technique, an application or a system."""
    return _TECHNICAL.match(low) is not None


def unnamed_password(one: Candidate) -> bool:
    """Behind a password that was only spoken of: letters with digits, and no name of a technique."""
    it = _value(one)
    if is_no_password(it) or not it.isascii() or _is_time(it) or len(it) < 6 or it.count("/") > 1:
        return False
    low = it.lower()
    if is_technical(low) or ("@" in it[1:] and "." in it.rpartition("@")[2]):
        return False
    return any(map(str.isdigit, it)) and any(map(str.isalpha, it)) and not low.endswith(_UNITS)


_UNITS = ("th", "1st", "2nd", "3rd", "am", "pm", "km", "kg", "gb", "mb", "px", "ms")


def paired(one: Candidate) -> bool:
    """Behind `root/`, where paths stand too."""
    return unnamed_password(one) and strong(one)


_OTHER_CODES = (
    "error",
    "exit",
    "status",
    "zip",
    "area",
    "postal",
    "country",
    "review",
    "promo",
    "discount",
    "coupon",
    "flight",
    "http",
    "source",
    "return",
    "violation",
    "section",
    " path",
    " fee",
    " took",
    "contention",
    "code has",
    "错误",
    "优惠",
    "折扣",
)
_MEASURED = (
    "lines",
    "tests",
    "bytes",
    "ms",
    "seconds",
    "minutes",
    "rows",
    "files",
    "users",
    "dollars",
    "bucks",
    "percent",
    "times",
    "commits",
    "people",
    "pages",
    "words",
)


def door(one: Candidate) -> bool:
    """Digits that open something, where no other code is spoken of."""
    before = one.text[max(0, one.start - 40) : one.start].lower()
    after = one.text[one.end : one.end + 12].lower()
    if after.lstrip().startswith(_MEASURED) or (after[:1] == "." and after[1:2].isdigit()):
        return False
    return code(one) and not any(word in before for word in _OTHER_CODES)


def product_key(one: Candidate) -> bool:
    """Five by five: no words, and not digits alone."""
    has_both = any(map(str.isdigit, one.it)) and any(map(str.isalpha, one.it))
    return has_both and not _is_placeholder(one.it) and entropy(one.it) >= 3.0


def recovery(one: Candidate) -> bool:
    """Groups that have digits; one alone has more than a count or a year."""
    groups = one.it.replace("-", " ").split()
    if len(groups) > 1:
        has = [any(map(str.isdigit, group)) for group in groups]
        return sum(has) * 2 >= len(groups) and (has[0] or " " not in one.it)
    digits = sum(map(str.isdigit, one.it))
    return len(one.it) > 4 and (digits >= 4 or (digits >= 2 and len(one.it) >= 8))


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        given,
        random,
        varied,
        mixed,
        url_password,
        header,
        assigned,
        password,
        code,
        share,
        key_said,
        paired,
        door,
        product_key,
        recovery,
        pgpass,
        user_and_password,
        wallet_key,
    )
}
