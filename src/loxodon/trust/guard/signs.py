"""Whether a text may have anything in it that the rules are about, told without loading them.

A recall from the shell shows a few lines, which mostly have nothing, and should not wait for the
rules to be compiled. The patterns here are bounded and have no choices to go back on, so that they
take time in proportion to the text. Where in doubt, the answer is yes.
"""

from __future__ import annotations

from loxodon.text.patterns import lazy
from loxodon.trust.guard import cues, wallets

_STEMS = (
    "@",
    "://",
    "pass",
    "pasw",
    "pwd",
    "psw",
    "pssw",
    "mdp",
    "kennwort",
    "senha",
    "парол",
    "パス",
    "비번",
    "蜜码",
    "秘码",
    "密马",
    "暗号",
    "暗號",
    "密保",
    "安全问题",
    "security",
    "challenge",
    "contrase",
    "비밀번호",
    "密码",
    "密 码",
    "密碼",
    "口令",
    "seed",
    "mnemonic",
    "recovery",
    "backup",
    "secret",
    "助记",
    "助記",
    "恢复",
    "注记",
    "private key",
    "-pass",
    "-pw",
    "cookie",
    "(at)",
    "[at]",
    "( at )",
    "[ at ]",
    "token",
    "credential",
    "令牌",
    "密钥",
    "秘钥",
    "私钥",
    "授权码",
    "凭证",
    "access key",
    "api key",
    "bearer",
    "authorization",
    "wifi:",
    "pw",
    "otpauth",
    "asia",
    "akia",
    "machine",
    "login",
    "log in",
    "log-in",
    "signin",
    "sign in",
    "sign on",
    "signed",
    "signing",
    "log on",
    "logged",
    "sign-in",
    "creds",
    "access",
    "登录",
    "登陆",
    "登入",
    "微信",
    "薇信",
    "威信",
    "v信",
    "加v",
    "wechat",
    "wxid",
    "sk-",
    "opens with",
    "unlocks with",
    "root",
    "admin",
    "mysql",
    "redis-cli",
    "totp",
    "验证器",
    "两步验证",
    "net use",
    "net user",
    "echo ",
    "psk",
)
_ASCII_STEMS = tuple(filter(str.isascii, _STEMS))
_LISTED = lazy(r"(?:[a-z]{3,8}\n){3}|[1-9](?:[.):]|、)? ?[a-z]{3,8}\s")
_WORDS = lazy(r"(?a:\w+)")


def _split(words: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Words of letters, and what is looked for anywhere."""
    found = frozenset(words.split())
    plain = frozenset(one for one in found if one.isascii() and one.isalnum())
    return plain, tuple(found - plain)


_NAMES, _NAMES_WITHIN = _split(" ".join(cues.NAMES.values()))
_ASCII_WITHIN = tuple(filter(str.isascii, _NAMES_WITHIN))
_ODD_ASCII = [(frozenset(one), lazy(pattern)) for one, pattern in cues.ODD_ASCII.items()]
_ODD_HAN = lazy(cues.ODD_HAN)  # by itself: English need not wait for it to be compiled
_OPTION = lazy(r"(?:^|\s)[-/]{1,2}[A-Za-z]")
_WALLET = lazy(r"\b(?:[a-z]{3,8}[ ,\n]{1,2}){11}[a-z]{3,8}\b")
_DATES = lazy(r"\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d)?|(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBERS = lazy(
    r"\d{3}|\d\d?[ .-]\d\d|\d(?:号|號|室|栋|幢|棟|单元|弄|座|楼|层|房)"
    r"|[\u200b-\u200f\u2060\ufeff\u00ad]"
    r"|[A-HJ-NP-Z] ?[·•・.]? ?[A-HJ-NP-Z0-9]{4}|[A-Za-z]\d[A-Za-z]|\d[A-Za-z]\d"
)
_RUN = lazy(r"[A-Za-z0-9_.~+/=-]{16,}")
_STREETS = lazy(r"\d[a-d]? [a-z0-9]|\bbox \d|(?:flat|apt|apartment|unit|suite) \d")


def has_sign(text: str) -> bool:
    """Whether the rules may find something in `text`; False only where they find nothing."""
    low = text.lower()
    if any(stem in low for stem in (_ASCII_STEMS if low.isascii() else _STEMS)):
        return True
    if any(_is_mixed(run) for run in _RUN.findall(text)) or _OPTION.search(text):
        return True
    if _is_told(low) or _is_wallet(text):
        return True
    rest = _DATES.sub(" ", text)
    if _STREETS.search(low):
        return True
    if not any(map(str.isdigit, rest)):
        return False
    return _NUMBERS.search(rest) is not None


def _is_wallet(text: str) -> bool:
    """Whether it may be the phrase of a wallet: a list of words, as many of them words of phrases
    as a phrase has."""
    is_list = (
        text.count(" ") + 1 in wallets.SIZES and text.replace(" ", "").replace(",", "").isalpha()
    )
    if not (is_list or _LISTED.match(text) or _WALLET.search(text)):
        return False
    return sum(map(wallets.is_word, wallets.words_of(text))) >= wallets.SIZES[0]


def _is_told(low: str) -> bool:
    """Whether a secret is talked about, as the signs of `cues.py` tell it."""
    words = set(_WORDS.findall(low))
    within = _ASCII_WITHIN if low.isascii() else _NAMES_WITHIN
    if not words.isdisjoint(_NAMES) or any(one in low for one in within):
        return True
    letters = set(low)
    for needed, pattern in _ODD_ASCII:
        if not (needed and needed.isdisjoint(letters)) and pattern.search(low):
            return True
    return not low.isascii() and _ODD_HAN.search(low) is not None


def _is_mixed(run: str) -> bool:
    """Whether it has digits, or capitals within, as words do not, or is longer than words are."""
    return len(run) > 20 or any(map(str.isdigit, run)) or not (run[1:].islower() or run.isupper())
