"""Secrets in a plain statement: "my wifi password is …", 门禁密码 4471, the answer to "what is the PIN?".

What counts is where a value stands: behind the name of a secret and a word that links them, or right
at the beginning of the answer to a question for one. A value looks like no word, or is a number that
counts nothing. A word is a value only where the statement says whose password it is, and ends there. In doubt nothing is removed.

Each rule has examples of what it removes (in braces) and of what it leaves alone.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from loxodon.text.patterns import lazy
from loxodon.text.stopwords import ENGLISH
from loxodon.trust.guard.personal import Candidate, Check
from loxodon.trust.guard.plausible import ENDINGS, NO_PASSWORDS, is_no_password, is_technical
from loxodon.trust.guard.rules import Rule
from loxodon.trust.guard.rules_context import LINK, QUOTE, ZH_IS, ZH_TOLD


class ToldRule(NamedTuple):
    rule: Rule
    yes: tuple[str, ...]
    """What it finds, in braces."""
    no: tuple[str, ...]


# Values

_VALUE = r"[^\s\"'`,，;；。、<>“”‘’「」『』]"
_ASCII = r"[!#$%&()*+\-./0-9:=?@A-Z\[\]\\^_a-z{|}~]"
_TRAILING = ".,:!?)]}*"
_NUMBER = lazy(r"[#*]?\d(?:[ -]?\d){2,11}[#*]?")
_MEASURE = lazy(
    r"(?i)[$€£¥]\d.*|\d{1,3}-[a-z]+|v?\d+(?:\.\d+)+|\d+(?:[:/]\d+)+|\d{4}-\d\d?-\d\d?"
    r"|\d{1,4}(?:st|nd|rd|th|am|pm|km|kg|gb|mb|kb|px|ms|min|hrs?|[a-z%])"
)
"""Amounts, versions, dates and times."""
_LETTERS = lazy(r"[A-Za-z]+")
_ODD = lazy(r"(?=.*[A-Za-z]).*[0-9!@#$%^&*+=~|].*")
_WORD = lazy(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_SHORTEST_WORD = 6
"""Few places take a shorter password, and what is said about one is mostly shorter."""
_ADJECTIVES = (*ENDINGS, "ic", "al", "ant", "ent", "some", "ish", "ary", "ory", "like", "wide")
_COUNTED = frozenset("年月日号位个次分秒点条天小遍种组字多元块")
_PARTICLES = "了啦哦噢喔呀啊哈呢吧"


def _value(one: Candidate) -> str:
    return one.it.rstrip(_TRAILING)


def _follows(one: Candidate) -> str:
    at = one.start + len(_value(one))
    return one.text[at : at + 24].lstrip(" \t\"'`”’」』*")


def _ends(one: Candidate) -> bool:
    """Whether the statement ends behind the value."""
    rest = _follows(one).lstrip(_PARTICLES)
    return not rest or not (rest[0].isalnum() or rest[0] in "-_/(（%°")


def _ends_or_goes_on(one: Candidate) -> bool:
    """The same, or another clause begins: what a number counts is no function word."""
    word = _LETTERS.match(_follows(one))
    return _ends(one) or (word is not None and word[0].lower() in ENGLISH)


def _is_number(one: Candidate, least: int) -> bool:
    it = _value(one)
    if not _NUMBER.fullmatch(it) or _MEASURE.fullmatch(it) or one.before in tuple("$€£¥"):
        return False
    return sum(map(str.isdigit, it)) >= least and _ends_or_goes_on(one)


def _is_odd(it: str, least: int = 4) -> bool:
    """Letters with digits, or with signs that no word has."""
    if len(it) < least or not it.isascii() or not _ODD.fullmatch(it):
        return False
    if is_no_password(it) or _MEASURE.fullmatch(it) or is_technical(it.lower()):
        return False
    is_mail = "@" in it[1:] and "." in it.rpartition("@")[2]
    is_name = "_" in it and "pass" in it.lower()
    return not is_mail and not is_name and it.count("/") <= 1


def _is_word(it: str) -> bool:
    """A word that could be chosen as a password, and says nothing about one."""
    if len(it) < _SHORTEST_WORD or not _WORD.fullmatch(it):
        return False
    parts = it.lower().replace("_", "-").split("-")
    return (
        (it[1:].islower() or not it.isalpha())
        and not any(part in ENGLISH or part in NO_PASSWORDS for part in parts)
        and not parts[-1].endswith(_ADJECTIVES)
        and (not it.endswith("y") or it.endswith("ey"))
        and not is_technical(parts[0])
    )


def _says_whose(one: Candidate) -> bool:
    """Whether it is somebody's password: "my email password", "Ann's password for the NAS"."""
    before = one.text[max(0, one.start - 200) : one.start]
    *_, name = _NAMES.finditer(before)
    lead = _CLAUSE.split(before[: name.start()])[-1].lower().split()[-4:]
    return any(word in _OWNERS or word.endswith(("'s", "’s")) for word in lead)


_CLAUSE = lazy(r"[.,;:!?\n]")
_OWNERS = frozenset(("my", "your", "our", "his", "her", "their"))


def stated(one: Candidate) -> bool:
    it = _value(one)
    if it.isalpha():
        return _is_word(it) and _ends(one) and _says_whose(one)
    return _is_odd(it) or _is_number(one, 4) or (_is_word(it) and _ends(one))


def changed(one: Candidate) -> bool:
    return _is_odd(_value(one)) or _is_number(one, 4)


def beside(one: Candidate) -> bool:
    """Nothing links it to the name: it must look like nothing else."""
    it = _value(one)
    is_year = it.isdigit() and len(it) == 4 and it[:2] in ("19", "20")
    if _is_number(one, 4):
        return not is_year
    return _is_odd(it, 5) and _ends_or_goes_on(one)


_SUPERLATIVE = lazy(r"(?i)\b(?:most|least|worst|best)\b|最")


def named_behind(one: Candidate) -> bool:
    is_example = _SUPERLATIVE.search(one.text[one.end : one.end + 30]) is not None
    return _is_odd(_value(one), 5) and not is_example


def number(one: Candidate) -> bool:
    return _is_number(one, 3)


def card_code(one: Candidate) -> bool:
    return _is_number(one, 3) or _follows(one).startswith("exp")


def quoted(one: Candidate) -> bool:
    """Words in quotation marks: a message about a password is mostly made of such words."""
    words = one.it.lower().split()
    about = sum(word in ENGLISH or word in NO_PASSWORDS for word in words)
    line = one.text[max(0, one.start - 80) : one.start].rpartition("\n")[2]
    return (
        about * 2 < len(words)
        and not _SETTING.fullmatch(line)
        and not is_no_password(one.it)
        and not one.it.endswith("?")
        and _ends_or_goes_on(one)
    )


_SETTING = lazy(r"\W*[\w.-]+\s?:\W*")
"""`password: "…"` alone in its line: a label or a template as likely as a password."""


def stated_zh(one: Candidate) -> bool:
    it = _value(one)
    if _follows(one)[:1] in _COUNTED:
        return False
    if _is_odd(it):
        return _ends(one) or one.after == " "
    return _is_number(one, 3) or (_is_word(it) and _ends(one))


def beside_zh(one: Candidate) -> bool:
    return _follows(one)[:1] not in _COUNTED and beside(one) and _ends(one)


def quoted_zh(one: Candidate) -> bool:
    return _ends(one) and not one.it.endswith(("?", "？"))


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        stated,
        changed,
        beside,
        named_behind,
        number,
        card_code,
        quoted,
        stated_zh,
        beside_zh,
        quoted_zh,
    )
}

# Rules

_NAME = r"pass[ -]?(?:word|phrase|code)|passwd|pwd|pw"
_NAMES = lazy(rf"(?i)\b(?:{_NAME})")
_SIGNS = ("~pass[ -]?(?:word|phrase|code)|passwd", r"~\bpwd?\b")
_PIN = r"pin(?:[ -](?:code|number))?|puk(?:[ -]code)?"
_LOCK = (
    "door|gate|garage|alarm|entry|entrance|lock|safe|keypad|building|lobby|elevator|lift|lockbox|"
    "locker|padlock|intercom|house|shed|vault|suitcase|luggage|unlock|screen|bike|access|wifi|mailbox|voicemail"
)
_CODE = rf"(?:(?:{_LOCK}),?[ -]){{1,3}}code"
_ONCE = (
    r"(?:verification|login|log-in|sign-in|security|one-time|one time|2fa|mfa|two-factor|"
    r"authentication) (?:pass)?code|otp(?: code)?"
)
_ABOUT = r"(?: (?:for|of|to|on|at|in|from|with) [^\n.:;,?!\"“]{1,48}?)?"
_ASIDE = r"(?:, [^\n,.:;?!]{1,40},)?"
_IS = (
    r"(?:['’]s|\s(?:is|was|will be|should be|used to be)"
    r"(?: (?:now|still|just|currently|again|actually))?|\s?:)"
)
_TO = r"(?:is|was|has been|got)?\s?(?:changed|set|reset|switched|updated) (?:to|as)"
_VERB = r"(?:chang(?:e|ed|ing)|set(?:ting)?|reset|switched|updated|made)"
_ZH_NAME = r"(?:密码|密碼|口令|(?i:\b(?:pin|puk)\b)\s?(?:码|碼)?)"
_ZH_SIGNS = (
    "密码",
    "密碼",
    "口令",
    "~(?:password|passcode) ?[是就为改设]",
    r"~\b(?:pin|puk) ?[码碼是为:：0-9]",
)
_ZH_ADVERBS = (
    rf"(?:{ZH_TOLD}|我|你|他|她|们|已经|已|现在|今天|都|也|还|又|刚刚?|统一|一律|一直|重新|暂时|应该|好像|给|先|"
    r"记一下|记好|记住|从\p{Han}{1,4}起){0,3}\s?"
)
_ZH_LINK = rf"(?:改回|{ZH_IS})"
_ZH_ONCE = r"(?:(?:验证|校验|动态|认证|确认|激活|短信)码|驗證碼|动态密码|动态口令|一次性密码)"
_ZH_OPENS = (
    r"(?i:wi-?fi|无线网?|网络|路由器?|[硬网u优]盘|[手相]机|平板|电脑|电视机?|门禁|[大房]门|锁屏?|柜|箱|卡|"
    r"[账帐][号户]|服务器|后台|登[录陆]|开机|解压|压缩包|文件夹?|系统|仓库|nas)"
)


def _rule(kind: str, pattern: str, check: str, signs: tuple[str, ...]) -> Rule:
    return Rule(kind, pattern, signs, check=check)


TOLD: tuple[ToldRule, ...] = (
    ToldRule(
        _rule(
            "password",
            rf"(?i)\b(?:{_NAME}){_ABOUT}{_ASIDE}"
            rf"(?:{_IS}\s|\s?{LINK}|\s(?:-|–|—)\s|\s{_TO}\s)\s{{0,3}}{QUOTE}(?P<it>{_VALUE}{{3,64}})",
            "stated",
            _SIGNS,
        ),
        yes=(
            "my wifi password is {otter-lantern-42}. Guests arrive on Friday.",
            "my email password is {sunflower}, remind me to change it",
            "my password for the library website is {hedgehog}, card expires in November",
            "dad's old email password was {marmalade}.",
            "The guest wifi password, by the way, is {pancake-syrup}.",
            "pw for the server: {Br1ghtM00n}",
            "her phone passcode is {827163} in case you need it",
            "password changed to {kettle-bell-99}",
        ),
        no=(
            "the LDAP password is case sensitive, the username isn't",
            "The password field is required",
            "The password is required.",
            "my password manager is Bitwarden",
            "My password is wrong, third time today",
            "the wifi password is on the fridge",
            "wifi password: ask at reception",
            "my password is 12 characters long",
            "The passphrase is 4096 bits in the old firmware",
            "Our password is hashed with argon2id",
            "the password is the same as last year",
            "the router password is temporary, tricky and silly",
            "Password: optional",
            "the password was changed in 2019",
            "the password is a nuisance",
            "the password is fiction.",
            "the wifi password is company-wide.",
            "The password for the server is in 1Password",
        ),
    ),
    ToldRule(
        _rule(
            "password",
            rf"(?i)\b{_VERB} (?:[\w'’-]{{1,20}} ){{0,5}}(?:{_NAME}|{_PIN}|{_CODE}){_ABOUT} (?:to|as) "
            rf"{QUOTE}(?P<it>{_VALUE}{{3,64}})",
            "changed",
            (*_SIGNS, r"~\b(?:pin|puk)\b", r"~\bcode\b"),
        ),
        yes=(
            "I changed my Netflix password to {mangoes77} because of my ex",
            "I set the alarm code to {7712}.",
        ),
        no=(
            "I changed the password to something longer",
            "set the password as soon as possible",
            "they changed the password to 12 characters",
        ),
    ),
    ToldRule(
        _rule(
            "password",
            rf"(?i)\b(?:(?:{_NAME})(?:{_ABOUT}(?: again)?\?(?: it['’]s)?)?"
            rf"|(?:user(?:name)?|login)(?: is|:)? [^\s,;/]{{1,40}}[,;/]? (?:and )?pass:?) {QUOTE}(?P<it>{_VALUE}{{4,64}})",
            "beside",
            (*_SIGNS, r"~\bpass:? "),
        ),
        yes=(
            "Laptop login: username kbrandt, password {Vio1inCase}. It runs Ubuntu.",
            "passcode {0907}",
            "vpn: user bob, pass {tunnelvision9}",
            "my steam password? {gaben3777}",
        ),
        no=(
            "password policy2 applies",
            "password reset at 12:30",
            "password 2019 edition",
            "a password bcrypt2 would hash",
            "Password resets are handled by Tom",
            "the login page will pass AB1234 on",
            "forgot your password? 12 people did",
        ),
    ),
    ToldRule(
        _rule(
            "password",
            rf"(?i)(?:^|[\s\"'“`])(?P<it>{_VALUE}{{4,64}})[\"'”`]?(?: (?:is|as) (?:the|my|our|your|his|her) "
            rf"(?:[\w'’-]{{1,20}} ){{0,4}}?(?:{_NAME})(?:[.,;!\n]|$)"
            r"|\s?就?是(?:我|你|他|她)?们?\p{Han}{0,6}?\s?(?i:wi-?fi)?\s?的?\p{Han}{0,4}(?:密码|密碼|口令)(?:[，。；！,.;!\n]|$))",
            "named_behind",
            _SIGNS + _ZH_SIGNS,
        ),
        yes=(
            "{hunter22} is the wifi password",
            "use {bluebird77} as the password.",
            "{mochi2020} 就是我们家的 wifi 密码",
        ),
        no=(
            "argon2id is the password hash of choice",
            "2024 is the year of the password",
            "Bitwarden is my password manager.",
            "123456 is a common password.",
            "abc123 is the most common password.",
            "AES256是加密密码的方法",
        ),
    ),
    ToldRule(
        _rule(
            "password",
            rf"(?i)\b(?:{_NAME}){_ABOUT}{_ASIDE}{_IS}\s[\"'“‘`](?P<it>[^\"“”`\n]{{2,64}}?)[\"'”’`]",
            "quoted",
            _SIGNS,
        ),
        yes=(
            'The passphrase for my backup drive is "{quiet river under glass}".',
            "the password to the folder is '{three green apples}' and only Leo knows it",
        ),
        no=(
            'it says the password is "too short"',
            'it says my password is "not valid any more"',
            'the password is "incorrect"',
            'password: "{{ .Values.dbPassword }}"',
            'password: "Neues Passwort eingeben"',
            'the password is "${DB_PASSWORD}" in both files',
        ),
    ),
    ToldRule(
        _rule(
            "pin",
            rf"(?i)\b(?:{_PIN}){_ABOUT}{_ASIDE}(?:{_IS}\s{{0,2}}|\s?{LINK}\s{{0,2}}|\s){QUOTE}"
            r"(?P<it>[0-9]{4,8})\b",
            "number",
            (r"~\b(?:pin|puk)\b",),
        ),
        yes=(
            "My SIM PIN is {0417} and the rest I forgot",
            "the PUK is {83920174}.",
            "mom's bank card, PIN {5407}",
        ),
        no=(
            "The PIN is on the card",
            "On the Arduino the LED pin is 13 and the buzzer pin is 8.",
            "PIN: 4 to 6 digits",
            "pin 1200 messages",
            "PIN diode 1N4007",
        ),
    ),
    ToldRule(
        _rule(
            "door-code",
            rf"(?i)\b(?:{_CODE}{_ABOUT}|code (?:for|of|to|on|at) (?:[\w'’]+ ){{0,4}}?(?:{_LOCK})\b"
            rf"[^\n.:;,?!0-9]{{0,30}}?){_ASIDE}(?:{_IS}\s{{0,2}}|\s?{LINK}\s{{0,2}}|\s){QUOTE}"
            r"(?P<it>[#*]?[0-9]{4,8}[#*]?)",
            "number",
            (rf"~(?:{_LOCK})[ -]code", r"~code (?:for|of|to|on|at) "),
        ),
        yes=(
            "The alarm code for mum's house is {9182}, enter it within 30 seconds.",
            "Door code: {4471#}. The cleaner comes Tuesdays at 10.",
            "phone lock screen code is {260914} in case my wife needs it",
            "the code to the garage is {9021}",
        ),
        no=(
            "gate 4512 error code 5003",
            "gate code review took 1200 seconds",
            "the code for the lock is 1200 lines",
            "building code section 1203",
            "Our area code is 415 and the country code is +1",
        ),
    ),
    ToldRule(
        _rule(
            "door-code",
            rf"(?i)\b(?:(?:{_LOCK})(?:['’]s)? (?:combination|combo){_ABOUT}|(?:combination|combo) (?:for|of|to|on) "
            rf"(?:[\w'’]+ ){{0,4}}?(?:{_LOCK})){_ASIDE}(?:{_IS}\s{{0,2}}|\s)"
            r"(?P<it>[0-9]{1,4}(?:-[0-9]{1,2}){0,3})",
            "number",
            (r"~\bcomb(?:o|ination)\b",),
        ),
        yes=("the safe combination is {18-34-07}", "the combination for the bike lock is {742}."),
        no=(
            "the combination of 3 and 5 is 8",
            "a combination of garage and house is 120 square metres",
        ),
    ),
    ToldRule(
        _rule(
            "card-code",
            rf"(?i)\b(?:cvv2?|cvc2?)(?:\s?码)?(?:{_IS}|是|为|\s?{LINK})?\s{{0,2}}(?P<it>[0-9]{{3,4}})\b",
            "card_code",
            (r"~\bcv[vc]",),
        ),
        yes=("the CVV is {417}", "CVV码{417}", "cvv {417} expires 04/29"),
        no=("the CVV is 3 digits", "CVC-1234567", "CVC 300 members"),
    ),
    ToldRule(
        _rule(
            "one-time-code",
            rf"(?i)\b(?:{_ONCE}){_ABOUT}(?:{_IS}\s{{0,2}}|\s?{LINK}\s{{0,2}}|\s){QUOTE}"
            r"(?P<it>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\b",
            "number",
            ("~code|otp",),
        ),
        yes=(
            "Your verification code is {604118}",
            "Use OTP {604118} to sign in",
            "2FA code {441 902}",
        ),
        no=(
            "our login code is 2000 lines of PHP",
            "what is the verification code for?",
            "login code 12 lines",
        ),
    ),
    ToldRule(
        _rule(
            "one-time-code",
            r"(?i)\b(?:code(?: is|:)?|use) (?P<it>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\b[^\n]{0,40}?"
            r"\b(?:share|verify|sign in|log in|tap this link)\b",
            "code",
            (r"~\bcode(?: is|:)? [0-9]{3}", r"~\buse [0-9]{3}"),
        ),
        yes=(
            "Your Acme code is {604118}. Don't share it.",
            "use code {604118} to verify your account",
        ),
        no=("error code 50012 at line 7", "coupon code 20252025 expires tomorrow"),
    ),
    ToldRule(
        _rule(
            "password",
            rf"(?:{_ZH_NAME}{_ZH_ADVERBS}{_ZH_LINK}|(?i:password|passcode)\s?(?:就?是|为|改成了?|设成了?))"
            rf"\s{{0,2}}{QUOTE}(?P<it>{_ASCII}{{3,64}})",
            "stated_zh",
            _ZH_SIGNS,
        ),
        yes=(
            "家里wifi密码是 {lanmao2019}，客人来了直接连",
            "我那个旧邮箱的密码是{xiangrikui}，回头提醒我改掉。",
            "行李箱的密码是 {307}，别迟到",
            "手机锁屏密码改成 {140725} 了，旧的不能用了。",
            "电脑开机密码我设成了 {bluewhale}，简单好记。",
            "服务器密码：{Zx_tiger88}，用户名是 root。",
            "新密码我念给你：{Zx_tiger88}",
        ),
        no=(
            "密码是个麻烦事，每三个月就得换一次。",
            "密码：见邮件。",
            "密码是2019年改的",
            "密码是 12 位",
            "密码长度是2048，够了",
            "用户密码是 bcrypt 加密的",
            "密码是SHA256，不是明文",
            "密码是什么时候改的？",
            "密码的有效期是 180 天",
        ),
    ),
    ToldRule(
        _rule(
            "password",
            rf"{_ZH_NAME}\s{{0,2}}[（(【]?{QUOTE}(?P<it>{_ASCII}{{4,64}})",
            "beside_zh",
            _ZH_SIGNS,
        ),
        yes=(
            "门禁密码 {4471}，快递放三楼",
            "账号 linxiaoyu，密码 {mango_tree5}，登录之后先看公告。",
            "我妈的 iPad 密码 {1122}，她老忘",
        ),
        no=("密码 1Password 管", "密码 base64 编码", "密码 3000 多个", "PIN 1200 条"),
    ),
    ToldRule(
        _rule(
            "password",
            rf"{_ZH_OPENS}的?[新旧老]?{_ZH_NAME}{_ZH_ADVERBS}{_ZH_LINK}\s{{0,2}}[“\"「『‘'](?P<it>[^\n“”\"「」『』‘’']{{4,40}})[”\"」』’']",
            "quoted_zh",
            _ZH_SIGNS,
        ),
        yes=(
            "路由器后台的密码是“{春风又绿江南岸}”，管理地址还是原来的。",
            "移动硬盘的密码是“{山高月小}”，别弄丢",
        ),
        no=(
            "流量密码是“真诚”。",
            "手机上显示密码是“输入错误”",
            "财富之门的密码是“勤能补拙”",
            "手机密码是“必填”项",
            "门上的口令是“芝麻开门”的那部电影",
        ),
    ),
    ToldRule(
        _rule(
            "one-time-code",
            rf"{_ZH_ONCE}\s?{ZH_IS}?[:：]?\s{{0,2}}{QUOTE}(?P<it>[0-9]{{4,8}}|[0-9]{{3}} [0-9]{{3}})",
            "code",
            ("~[证验态认活信]码|驗證碼|动态|一次性",),
        ),
        yes=("您的验证码{604118}，5分钟内有效", "动态密码{604118}，打死都不要告诉别人"),
        no=("验证码一般是6位数字", "验证码 2024 年改版", "动态码率 6000"),
    ),
    ToldRule(
        _rule(
            "door-code",
            rf"(?:门禁|单元门|进门|开门|开锁|解锁)(?:码|碼)\s?{ZH_IS}?\s{{0,2}}(?P<it>[#*]?[0-9]{{4,8}}[#*]?)",
            "code",
            ("~(?:门禁|单元门|进门|开门|开锁|解锁)(?:码|碼)",),
        ),
        yes=("门禁码是{2580}", "智能锁的开门码改成{260914}了"),
        no=("解锁码要 4 位", "开门码在门后"),
    ),
    ToldRule(
        _rule(
            "card-code",
            rf"安全(?:码|碼)\s?{ZH_IS}?\s{{0,2}}(?P<it>[0-9]{{3,4}})(?:[^0-9A-Za-z]|$)",
            "code",
            ("安全码", "安全碼"),
        ),
        yes=("信用卡背面的安全码是{417}",),
        no=("安全码是3位",),
    ),
)
"""In the order in which they are tried."""
RULES: tuple[Rule, ...] = tuple(one.rule for one in TOLD)

# Answers

_FIRST = r"(?i)(?:(?:and|ok|okay|so|also|sorry|hey|hi|sure),? )*"
_SOUGHT = (
    r"(?:(?:the|your|my|our|his|her|their|ur) )?(?P<which>(?:[\w'’-]{1,20} ){0,4}?)"
    rf"(?:(?P<password>{_NAME})|(?P<pin>{_PIN})|(?P<door>{_CODE}|combination|combo)|(?P<card>cvv|cvc)"
    rf"|(?P<once>{_ONCE}))"
)
_WHERE = (
    r"(?: (?:for|of|to|on|at|in|from) [^?]{1,60}?)?(?:,? (?:again|please|pls|then))?"
    r"(?:, (?:so|in case|if|just|to|before|since|because) [^?]{1,80})?"
)
_ASKED = (
    lazy(
        rf"{_FIRST}(?:do you (?:remember|know|have) |what(?:['’]?s| is| was| are) |here['’]?s )?"
        rf"{_SOUGHT}{_WHERE}(?:\s?\?| is| is:|:)"
    ),
    lazy(
        rf"{_FIRST}(?:(?:(?:can|could|would|will) you )?(?:please )?(?:tell|give|send|read|remind) me,? |"
        r"(?:please )?(?:enter|type|provide) |(?:can|could|may) i (?:please )?(?:have|get) )"
        rf"{_SOUGHT}{_WHERE}[.!?]?"
    ),
    lazy(
        rf"{_FIRST}(?:what|which) {_SOUGHT} (?:do|did|does|should) (?:you|i|we|he|she|they) "
        r"(?:use|choose|pick|set|enter|type|need)\b[^?]{0,60}\?"
    ),
)
_CODE_ZH = r"(?P<door>(?:门禁|单元门|进门|开门|开锁|解锁)[码碼])|(?P<share>(?:提取|访问|分享)[码碼])|(?P<recovery>(?:恢复|备用)[码碼])"
_ASKED_ZH = lazy(
    rf"(?:(?P<once>{_ZH_ONCE})|{_CODE_ZH}|(?P<card>安全[码碼])|(?P<password>密码|密碼|口令))(?:又?是|为)?"
    r"(?:(?:多少|什么|啥)(?:来着|呀|啊|呢)?\s?[?？]?|(?:呢|吗)\s?[?？]?|\s?[?？]|[:：]"
    r"|(?:发|给|告诉|报)给?我(?:一?下|吧|呗)?[。.!！]?)"
)
_KINDS = {
    "password": "password",
    "pin": "pin",
    "door": "door-code",
    "card": "card-code",
    "once": "one-time-code",
    "share": "share-code",
    "recovery": "recovery-code",
}
_SENTENCE = lazy(r"[.!?。！？\n](?=\s|[^\x00-\x7f])")
_NOTE = lazy(r"(?i)(?:i|we|thanks|thank you)\b[^?？]*|(?:我|谢)[^?？]*")
"""What is said behind a question and leaves it open: "I'll write it down." """
_LEAD = lazy(
    r"(?i)\s*(?:(?:i think|it(?:['’]s| is)|that(?:['’]s| is)|its|sure|yes|yep|yeah|ok|okay|oh|right|try|"
    r"(?:就?是)|好的?|嗯|当然)[,，:：! ]*)*[\"'“「*`]{0,2}"
)
_ANSWER = lazy(rf"{_ASCII}{{3,64}}")
_PHRASE = lazy(r"[A-Za-z0-9 ,.!'’-]{6,64}(?=[\"”`])")
_LATEST = 300
"""Characters of a turn in which a question is looked for, from its end."""


def asked_for(text: str) -> str:
    """The kind of the secret that a turn asks for at its end, or nothing."""
    text = text[-_LATEST:].strip()
    ends = [one.end() for one in _SENTENCE.finditer(text, 0, max(0, len(text) - 1))]
    sentences = [text[a:b].strip() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    while len(sentences) > 1 and _NOTE.fullmatch(sentences[-1]):
        del sentences[-1]
    sentence = sentences[-1]
    if not (found := next(filter(_is_of_one, (form.fullmatch(sentence) for form in _ASKED)), None)):
        found = _ASKED_ZH.search(sentence)
    if not found or found.end() < len(sentence):
        return ""
    return next(kind for name, kind in _KINDS.items() if found.groupdict().get(name))


def _is_of_one(found: re.Match[str] | None) -> bool:
    """Whether a question is for the secret of something, and no other question about it."""
    return found is not None and not any(one.lower() in ENGLISH for one in found["which"].split())


def answer(text: str, kind: str = "password") -> tuple[int, int] | None:
    """Where a turn that may be an answer begins with a value."""
    lead = _LEAD.match(text, 0, 80)
    at = lead.end() if lead else 0
    if text[at - 1 : at] in tuple('"“`') and (phrase := _PHRASE.match(text, at)):
        one = Candidate(text, *phrase.span())
        if " " in one.it:
            return (one.start, one.end) if kind == "password" and quoted(one) else None
    found = _ANSWER.match(text, at)
    if found is None:
        return None
    one = Candidate(text, *found.span())
    it = _value(one)
    rest = _follows(one)[:1]
    is_clause = _ends_or_goes_on(one) or not rest.isascii()
    is_odd = kind != "pin" and _is_odd(it) and is_clause
    if rest in _COUNTED or not (is_odd or _is_number(one, 3)):
        return None
    return one.start, one.start + len(it)
