"""Whether words that stand where a secret may stand are one: tables, and small tests over them.

`firm` is what no sentence goes on with: quoted, spelled out, digits, letters mixed with digits or
signs, words joined by dashes. `words` are plain words, which are a value only where the sentence
could not mean something else by them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from loxodon.trust import plausible
from loxodon.trust.cues import LOCKED, ZH_LOCKED

if TYPE_CHECKING:
    from loxodon.trust.clauses import Token


_WORDY = ("words", "phrase", "answer", "pair", "entry", "typed")
_PLAIN = ("words", "phrase", "answer")
"""What may be any kind of password, and what may be plain words."""


class Worth(NamedTuple):
    """A value, and the place of the token behind it."""

    start: int
    end: int
    next: int
    sure: bool = True
    strong: bool = True
    """Also without anything that says `is`."""


# Words

LINKS = frozenset(
    "is was are were be being becomes became remains stays reads says equals called named it's it’s its that's "
    "that’s thats c'est c’est 's ’s s use uses using try tried type types typing enter entering put goes ist es est lautet sind é это wants".split()
)
_TO = frozenset("to as into from".split())
_CHANGED = re.compile(
    r"(?i)\b(?:chang(?:e|ed|es|ing)|set(?:ting)?|re-?set|switch(?:ed|ing)?|updat(?:e|ed|ing)|rotat(?:e|ed|ing)|mov(?:e|ed)|made|make|"
    r"turn(?:ed)?|went|go(?:es)?|gone|renamed?|bumped|new|picked|chose|pick|going|it|them|mine)\b"
)
JOINS = frozenset("or and then / or: not oder ou 或 或者 和 then:".split())
FILLERS = frozenset(
    "now still just actually currently always simply probably literally basically maybe again obviously apparently "
    "exactly one word all lower lowercase upper uppercase caps small letters capital capitalised capitalized um uh er eh "
    "hmm so ok okay yes yeah yep sure well oh ah hey right i think believe guess this here you know of course left "
    "lol haha btw fyi also only even then temporarily temp rn atm today sorry it and please pls following string".split()
)  # fmt: skip
OPENERS = frozenset(
    "for of on to at in from with i we you he she they my our that which there here will should must can used now still was has "
    "needs i'm i've we've again has had today since might may would could remains stays reads".split()
)
"""What may stand right behind a cue that goes on to say what it is."""
BREAKS = frozenset(
    "and but because so when if while since although though or after before until unless whenever please can could would "
    "should will did do does don't doesn't didn't can't won't cannot not never who how why where".split()
)
_UNITS = frozenset(
    "characters character chars char digits digit letters letter words symbols numbers days day hours hour hrs minutes minute mins min "
    "seconds second secs sec times time tries attempts months month weeks week years year bits bit bytes people users accounts "
    "% percent long or more lines tests rows files dollars bucks euros usd commits pages ms kb mb gb steps miles km items points "
    "passwords codes tokens requests errors failed failures users".split()
)  # fmt: skip
_DIGIT_WORDS = frozenset(
    "zero oh o nought one two three four five six seven eight nine double triple treble ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred star hash pound "
    "ones twos threes fours fives sixes sevens eights nines zeros zeroes dash hyphen".split()
)  # fmt: skip
_REPEATED = frozenset("ones twos threes fours fives sixes sevens eights nines zeros zeroes".split())
_NOT_WORDS = plausible.NO_PASSWORDS | frozenset(
    """
    i'm i've i'd i'll it's it’s that's there's let's don't doesn't isn't wasn't aren't can't won't we're they're you're he's
    she's part kind sort type one thing things stuff problem problems issue issues matter reason mess joke pain nightmare disaster
    headache bother crap garbage rubbish trash gibberish nonsense bullshit shit stupid silly dumb ridiculous insane crazy weird
    funny cute lame boring obvious clear unclear impossible possible tricky confusing fancy ancient outdated obsolete stale fresh
    generic specific personal corporate shared common popular standard custom dynamic static local remote global internal external
    online offline active inactive broken fixed dead alive gone done finished complete incomplete ready pending due overdue late
    early soon later often rare rarely seldom twice once half full empty near far close next last first second third final
    much way far rather fairly somewhat even still another other others both either neither several many few some most such own per plus minus above below behind beside
    inside outside beyond against among toward towards onto upon off down up out away back home somewhere elsewhere anywhere
    fine-grained legit fake real true false actual virtual physical digital electronic manual automatic mandatory
    crucial critical essential vital key main major minor primary secondary basic advanced extra special particular different
    unreadable illegible readable impossible unguessable guessable memorable forgettable easy-peasy trivial nontrivial robust
    fragile brittle flaky slow fast quick quicker faster slower big small huge tiny large little low high higher lower
    complicated simple simplest longest shortest best worst worse bigger smaller larger ugly beautiful pretty nice lovely cool
    awesome perfect super ultra mega hella kinda sorta gonna wanna gotta ain't y'all dunno idk nope nah yep yup yeah yea ok okay
    sure thanks thank thx ty please pls sorry hi hello hey bye lol lmao haha hahaha hehe hm hmm wow oops ouch omg wtf well right
    cheers great cool nice perfect awesome understood roger copy noted done sent wait hold sec moment minute later soon
    everywhere nowhere someone's everyone's nobody's anybody else whatever whoever whichever whenever wherever however
    case-sensitive uppercase lowercase alphanumeric numeric ascii unicode hex binary base64 plaintext cyphertext
    characters chars digits letters symbols words numbers bits bytes dictionary birthday birthdays birthdate anniversary name names
    surname nickname address phone number date dog's cat's wife's husband's kid's mom's mum's dad's daughter's son's mother's
    father's company's pet's usual same old new previous current former original initial default correct wrong expired
    me you us them him her it mine yours his hers ours theirs ask asking told tell check checking look looking see saw seen
    guess guessing try trying retry copy paste copied pasted print printed write wrote ask call text mail email message dm ping
    sticky post-it note notes paper drawer fridge wall desk board whiteboard envelope wallet notebook docs doc wiki readme page
    file folder vault keychain bitwarden lastpass keepass 1password dashlane okta google facebook github apple microsoft sso
    oauth saml ldap kerberos biometrics fingerprint faceid touchid bcrypt argon2 scrypt sha256 md5 aes rsa https ssl tls
    written scribbled taped stuck hung hidden buried underneath reversible irreversible deprecated legacy
    security safety privacy convenience trust love patience practice timing consistency communication balance honesty butter salt
    nothing anything everything something none all any every each what which who whom whose when where why how whether
    stays goes comes works fails breaks expires changes resets lives sits lies depends matters helps
    was were is are be been being am do does did has have had having can could will would shall should may might must
    """.split()
)  # fmt: skip
_HINTS = frozenset(
    "birthday birthdate anniversary name nickname surname plus minus backwards initials zip postcode".split()
)
_FUNCTION = frozenset(
    "a an the in on at of for to from with and or but by as is are was were be been i you he she it we they my your his her our their "
    "this that these those not no do does did has have had can could will would should must may might if when because so than then "
    "me him us them its who what which where how why there here up down out off over under about into".split()
)
_SENTENCE = frozenset(
    "i you he she we they it is are was were be been has have had can could will would should must may might do does did because "
    "which who what when where how why if that not no doesn't don't isn't can't won't didn't wasn't aren't than until unless".split()
)
_ABOUT = plausible.ABOUT | frozenset(
    "manager managers policy reset resets-link hint field hash generator vault strength length prompt form box page screen dialog "
    "expiry rule rules requirement requirements leak leaks breach breaches spray spraying stuffing attack attacks audit less "
    "protected protection keeper book notebook safe style review reviews base bases name names red path freeze block blocks "
    "snippet snippets quality coverage smell limit limits count counts budget window usage ring economy sale holder bucket "
    "editor golf camp names owner owners duplication complexity complete completion formatter changes cleanup red-team".split()
)  # fmt: skip
_OTHER = re.compile(
    r"(?i)(?:\b(?:error|exit|status|zip|post|postal|area|country|dialing|dialling|calling|review|promo|promotion|promotional|discount|coupon|voucher|"
    r"referral|invite|flight|airport|iata|http|https|source|return|response|violation|section|qr|bar|color|colour|tax|morse|dress|genetic|"
    r"building|fire|penal|criminal|civil|legacy|python|java|javascript|rust|sql|html|machine|byte|object|native|dead|clean|spaghetti|"
    r"product|item|reference|booking|order|tracking|ticket|course|class|unit|subject|stock|currency|swift|sort|bic|state|language|"
    r"locale|time|event|reason|fault|dtc|trouble|diagnostic|obd|test|sample|example|pseudo|open|closed|low|no|visual|vs|claude|"
    r"character|unicode|ascii|hex|char|key|scan|op|billing|icd|cpt|diagnosis|procedure|hs|customs|style|model|part|serial|batch|lot|"
    r"boarding|mountain|bus|rail|train|season|ski|day|press|backstage|hall|guest|museum|parking|first|second|multiple|second|"
    r"rolling|bowling|drawing|hair|safety|push|bobby|straight|lapel|enamel|rolling|gpio|cpu|chip|board|map|belaying|"
    r"winning|lethal|magic|golden|favorite|favourite|perfect|deadly|colou?r|food|flavou?r|linear|key)"
    r"|错误|优惠|折扣|邮政|国家|地区|条形|二维|状态|返回|推广|邀请)$"
)
_OTHER_ZH = ("财富", "流量", "成功", "幸福", "人生", "健康", "爆款", "时尚", "致富", "养生")
"""What stands before a word that is no cue for it."""


def is_other(before: str, takes: str) -> bool:
    """Whether it is another kind of code, combination or pass: `zip code`, `boarding pass`."""
    if before.endswith(_OTHER_ZH):
        return True
    return takes not in _WORDY and _OTHER.search(before[-16:].rstrip(" -_")) is not None


def is_about(after: str) -> bool:
    """Whether something is spoken of that only has to do with it: `password manager`, `密码学`."""
    follow = re.match(r"[ \-_]?([A-Za-z]+)", after)
    if follow:
        return follow[1].lower() in _ABOUT
    return after.lstrip().startswith(plausible.ABOUT_ZH)


_LOCKS = re.compile(
    rf"(?i)\b{LOCKED}\b|\b(?:log|sign|get|gets|let|lets)[a-z]{{0,4}} (?:\w+ )?(?:in|into|on)\b|wi-?fi|pass(?:word|code)|disarm|alarm|{ZH_LOCKED}|密码|登录|进去|进来"
)


def has_lock(text: str) -> bool:
    """Whether something is spoken of that is locked."""
    return _LOCKS.search(text) is not None


def is_generic(before: str) -> bool:
    """`a password`, `every password`, `strong passwords`: no one's own."""
    last = before.lower().split()[-1:] or [""]
    return last[0] in {
        "a",
        "an",
        "any",
        "each",
        "every",
        "no",
        "some",
        "what",
        "good",
        "strong",
        "weak",
        "ideal",
        "which",
        "whose",
    }


def has_changed(text: str) -> bool:
    return _CHANGED.search(text) is not None


def is_link(one: Token, before: Sequence[Token], changed: bool) -> bool:
    low = one.low
    if one.form != "word":
        return False
    if low in LINKS:
        return True
    return low in _TO and (changed or any(has_changed(word.text) for word in before))


_LINK_ZH = re.compile(
    r"(?:是|为|為|叫|叫做|成|成了|改了|换了|变了|用|用的|用了|设的|设了|填|填的|输|输入|输个|写|写的|写着|回|到|拨|按|摁|给|就|还|个|串|这个|那个|那串|这串|下|选|敲|圈|位|位的|位数|现在|目前|新的|左|右|左边|右边|生日|拼音|小写|全小写|大写|"
    r"加|到了|回了|回去|喏|念|来|从|发你|发你了|给你|记一下|记下|记好|如下)$"
)


def links_zh(run: str) -> bool:
    return _LINK_ZH.search(run) is not None


def is_alone(found: Sequence[Token], at: int, loose: bool = False) -> bool:
    """Whether a clause ends here."""
    if at >= len(found) or found[at].form in ("stop", "pause"):
        return True
    if loose and found[at].low in FILLERS | JOINS:
        return True
    return found[at].form == "han" and found[at].text[0] in "了吧啊哦呀呢哈喔嘛哒哟噢"


# What no sentence goes on with


def firm(found: Sequence[Token], at: int, takes: str) -> Worth | None:
    """A value that is none of the words of a sentence."""
    one = found[at]
    if one.form == "quoted" and takes != "mixed":
        return _quoted(found, at, takes)
    if one.form != "word":
        return None
    if takes == "mixed":
        return _token(found, at, takes)
    return _spelled(found, at) or _digits(found, at, takes) or _token(found, at, takes)


def _quoted(found: Sequence[Token], at: int, takes: str) -> Worth | None:
    it = found[at].text.strip()
    behind = found[at + 1] if at + 1 < len(found) else None
    if behind is not None and (behind.text.startswith("的") or behind.form == "link"):
        return None  # something that is called so, or a name that has a value itself
    if _VERSIONED.match(it):
        return None
    if takes in _WORDY:
        is_one = (
            plausible.is_password(it) and len(it.split()) <= 10 and (it.isascii() or len(it) <= 12)
        )
    else:
        is_one = any(map(str.isdigit, it)) and plausible.is_password(it) and " " not in it
    strong = any(map(str.isdigit, it)) or takes == "phrase"
    return Worth(found[at].start, found[at].end, at + 1, strong=strong) if is_one else None


_VERSIONED = re.compile(r"[\^~>=<v ]{0,2}[0-9]+\.[0-9]+\.|[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _spelled(found: Sequence[Token], at: int) -> Worth | None:
    """`four two seven one`, `double oh seven`, `six eights`, `t-u-l-i-p`, `T U L 4 2`."""
    end = at
    while end < len(found) and (
        (found[end].form == "word" and all(part in _DIGIT_WORDS or part.isdigit() for part in found[end].low.split("-")))
        or (found[end].form == "pause" and found[end].text in ",-–" and end > at and end + 1 < len(found)
            and found[end + 1].low.split("-")[0] in _DIGIT_WORDS)
    ):  # fmt: skip
        end += 1
    parts = [part for one in found[at:end] for part in one.low.split("-") if part in _DIGIT_WORDS]
    counted = end < len(found) and found[end].low in _UNITS
    if counted:
        return None
    if len(parts) >= 3 or (len(parts) == 2 and parts[1] in _REPEATED):
        return Worth(found[at].start, found[end - 1].end, end)
    end = at
    while (
        end < len(found)
        and found[end].form == "word"
        and len(found[end].text) == 1
        and found[end].text.isalnum()
    ):
        end += 1
    if end - at >= 4:
        return Worth(found[at].start, found[end - 1].end, end)
    it = found[at].text
    pieces = re.split(r"[-.]", it)
    if len(pieces) >= 4 and all(len(one) == 1 for one in pieces):
        return Worth(found[at].start, found[at].end, at + 1)
    return None


_NUMBER = re.compile(r"[#*]{0,2}[0-9](?:[0-9\-.#*]*[0-9])?[#*]{0,2}")


def _digits(found: Sequence[Token], at: int, takes: str) -> Worth | None:
    """`4471`, `#4471*`, `31-07-22`, `44 71`, `4 4 7 1`."""
    if not _NUMBER.fullmatch(found[at].text):
        return None
    end = at + 1
    while (
        end < len(found)
        and found[end].form == "word"
        and _NUMBER.fullmatch(found[end].text)
        and end - at < 8
    ):
        end += 1
    group = found[at:end]
    many = sum(sum(map(str.isdigit, one.text)) for one in group)
    text = found[at].text
    least = 3 if takes in ("words", "phrase", "digits") else 4
    behind = found[end] if end < len(found) else None
    if not least <= many <= 16 or "." in text or _is_counted(behind):
        return None
    if len(group) == 1 and (
        _is_date(text) or (text.count("-") == 1 and many < 6 and takes in _WORDY)
    ):
        return None
    if takes == "code" and not (4 <= many <= 8):
        return None
    if len(group) > 1 and any(len(one.text) > 4 for one in group):
        end, group = at + 1, found[at : at + 1]
        if sum(map(str.isdigit, text)) < least:
            return None
    is_year = text.isdigit() and len(text) == 4 and 1950 <= int(text) <= 2049
    is_one = len(group) == 1 or takes not in _PLAIN
    return Worth(
        group[0].start, group[-1].end, end, strong=is_one and takes != "firm" and not is_year
    )


def _is_date(it: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d-\d\d?-\d\d?|\d\d?:\d\d", it) is not None


def _is_counted(behind: Token | None) -> bool:
    if behind is None:
        return False
    if behind.form == "han":
        return behind.text[0] in plausible.COUNTED | plausible.PRICED
    return behind.low in _UNITS or behind.text.startswith("%")


_SHAPES = re.compile(
    r"(?i)v?\d+(?:\.\d+){1,3}[a-z]?\d*|\d+(?:st|nd|rd|th|am|pm|km|kg|gb|mb|tb|kb|px|ms|s|m|h|d|k|g|x|w|ghz|mhz|hz|min|hrs?|yrs?|usd|eur|rmb|bit|%|[ap]\.m)"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:am|pm)?|\d{1,4}[/-]\d{1,2}[/-]\d{1,4}|[$€£¥]\d[\d,.]*[kKmM]?|[a-z]{1,2}\d|#\d{1,5}|\d{1,2}[a-z]|\d+%|\d+\+|[a-z]+\(\)|e\.g|i\.e|\d+-\d+"
)


def _token(found: Sequence[Token], at: int, takes: str) -> Worth | None:
    """Letters with digits or signs, or words joined by dashes."""
    one = found[at]
    it = one.text
    low = it.lower()
    if (
        not plausible.is_password(it)
        or not it.isascii()
        or "'" in it
        or plausible.is_technical(low)
    ):
        return None
    if (
        _SHAPES.fullmatch(it)
        or ("@" in it[1:-1] and "." in it.rpartition("@")[2])
        or it.count("/") > 1
    ):
        return None
    if "." in it and not any(map(str.isdigit, it)):
        return None
    has_digit, has_letter = any(map(str.isdigit, it)), any(map(str.isalpha, it))
    if takes in ("digits", "code"):
        fits = (
            has_digit
            and has_letter
            and 4 <= len(it) <= 12
            and sum(map(str.isdigit, it)) >= 2
            and "." not in it
            and takes == "digits"
        )
        return Worth(one.start, one.end, at + 1, strong=it.isupper()) if fits else None
    signs = (any(c in "!@#$%^&*+=~?|" for c in it[:-1]) and it[0] not in "$@#&") or any(
        c in "!@#$%^&*" for c in it[1:-1]
    )
    if has_letter and (has_digit or (signs and len(it) >= 5)):
        if len(it) < 4 or (it.count("_") and it.isupper()):
            return None
        return Worth(one.start, one.end, at + 1, strong=len(it) >= 6)
    pieces = [piece for piece in re.split(r"[-_.]", low) if piece]
    if len(pieces) >= 2 and all(map(str.isalpha, pieces)):
        if it.isupper() or _is_compound(pieces) or takes not in _WORDY:
            return None
        return Worth(one.start, one.end, at + 1, sure=True, strong=len(pieces) >= 3)
    humps = sum(map(str.isupper, it[1:]))
    if (
        humps
        and it.isalpha()
        and not it.isupper()
        and any(map(str.islower, it))
        and low not in _NOT_WORDS
        and takes in _WORDY
    ):
        return Worth(one.start, one.end, at + 1, strong=False)
    return None


_COMPOUNDS = frozenset(
    "sensitive date only based proof free wide end level step factor time term like friendly known defined made word words way day "
    "long side case up out off in to by less old new world art length digit character letter bit year month week hour minute "
    "self non pre re auto multi semi anti cross single double two three four five six seven eight ten twelve one all high low "
    "hard easy read write user per post well ill read server client machine human company team app device site".split()
)  # fmt: skip


def _is_compound(pieces: Sequence[str]) -> bool:
    """`case-sensitive`, `out-of-date`, `auto-generated`: words of the language."""
    if any(piece in _COMPOUNDS for piece in (pieces[0], pieces[-1])):
        return True
    return any(piece.endswith(plausible.ENDINGS) for piece in pieces) and len(pieces) == 2


# Plain words

_DESCRIBES = frozenset("with no all spelled spelt lowercase capital caps btw lol".split())
"""What follows a word that is spelled: `Gardenia with a capital G`."""

_LONGEST = 10


def words(found: Sequence[Token], at: int, takes: str, answers: bool) -> Worth | None:
    """Plain words up to the end of the clause, where they can be nothing else."""
    if takes not in _PLAIN:
        return None
    end = at
    while end < len(found) and found[end].form == "word" and end - at <= _LONGEST:
        end += 1
    phrase = [one.low.strip("'’") for one in found[at:end]]
    ends = (
        end >= len(found)
        or found[end].form in ("stop", "pause")
        or (found[end].form == "han" and is_alone(found, end))
    )
    while (
        ends and len(phrase) > 1 and phrase[-1] in FILLERS | {"btw", "now", "still", "again", "too"}
    ):
        end -= 1
        phrase.pop()
    if (
        not phrase
        or end - at > _LONGEST
        or not all(re.fullmatch(r"[a-z][a-z'’]*", one) for one in phrase)
    ):
        return None
    worth = Worth(found[at].start, found[end - 1].end, end)
    if answers and any(
        one.form in ("word", "han", "quoted") and one.low not in FILLERS for one in found[end:]
    ):
        return None  # more is said: it is a sentence
    if answers and len(phrase) > 4:
        return None
    if takes == "answer":
        return worth if ends and len(phrase) <= 4 and phrase[0] not in _NOT_WORDS else None
    head = phrase[0]
    content = [one for one in phrase if one not in _FUNCTION]
    if head in _FUNCTION or any(
        one in _SENTENCE or one in _HINTS or "'" in one or "’" in one for one in phrase
    ):
        return None
    known = sum(one in _NOT_WORDS for one in phrase)
    if (
        not ends
        and len(phrase) > 1
        and phrase[1] in _DESCRIBES
        and head not in _NOT_WORDS
        and len(head) >= 4
    ):
        sure = found[at].text[0].isupper() or takes == "phrase"
        return Worth(found[at].start, found[at].end, at + 1, sure=sure)
    if len(phrase) == 1:
        plain = head not in _NOT_WORDS and not head.endswith(plausible.ENDINGS) and len(head) >= 4
        return worth if ends and plain else None
    if not ends:
        return None
    if known == 0 and takes == "phrase":
        return worth
    if known == 0 and len(phrase) <= 8:
        return worth if not head.endswith(("ing", "ed", "ly")) else None
    if head in _NOT_WORDS:
        return worth if len(phrase) >= 4 and known <= 1 and len(content) == len(phrase) else None
    said = sum(one in _NOT_WORDS for one in content)
    names = len(content) >= 2 and said <= (takes == "phrase")
    loose = len(content) * 2 >= len(phrase) and (takes == "phrase" or not answers)
    if not (names and loose) or head.endswith(("ing", "ed", "ly")):
        return None
    return worth._replace(sure=takes == "phrase")


# Chinese

_LONGEST_ZH = 12
_ZH_DIGITS = "零〇一幺二两三四五六七八九"
_ZH_SPELLED = re.compile(rf"[{_ZH_DIGITS}]{{3,12}}|(?:[{_ZH_DIGITS}]个[{_ZH_DIGITS}]){{1,3}}")
_ZH_GIVES = re.compile(
    r"(?:就?是|叫|改成了?|换成了?|设成了?|设为|改为|变成了?|为)(?P<it>[\u3400-\u9fff]{2,12})$"
)
_ZH_NOT = re.compile(
    r"^(?:我|你|您|他|她|它|咱|谁|什么|啥|多少|几|不|没|错|对|太|很|挺|最|更|越|随机|自动|默认|统一|一样|一个|一串|一种|一直|一定|一般|老|新|旧|个|由|用|在|从|被|"
    r"必须|需要|可以|应该|可能|要|得|只|每|按|纯|字母|数字|大写|小写|大小写|汉字|中文|英文|拼音|生日|名字|手机|电话|学号|工号|身份证|空的?|明文|加密|安全|正确|"
    r"通用|共用|公开|初始|原来|以前|之前|上次|那个|这个|哪个|怎|为|因|如果|同一|相同|同样|单独|临时|永久|真|假|好|坏|简单|复杂|强|弱|长|短|有|无|能|会|"
    r"写|存|放|贴|记|发|给|改|换|设|重|忘|丢|泄|过期|失效|对的|错的|保存|存储|哈希|比|跟|和|与|前|后|首|末|第|六位|四位|八位|[0-9一二三四五六七八九十]+位|系统|管理员|公司|"
    r"大家|所有|全部|两|三|四|五|六|七|八|九|十|输|还|都|也|又|再|刚|已|正|非常|特别|比较|有点|门|关键|重要|核心|隐私|个人|敏感|指|说|看|找|问|让|叫|请|别|勿|千万|"
    r"至少|最多|最少|包含|包括|含|长度|建议|推荐|登录|登陆|必|选|可选|隐藏|保密|略|同上|见|待|暂|验证|保护|人脸|指纹|扫码|刷脸|区分|由于|何|哪|吗|呢|啊|吧|的)"
)


def han(found: Sequence[Token], at: int, takes: str, linked: bool, near: bool) -> Worth | None:
    """What a run of Chinese gives: digits that are spelled out, or a phrase."""
    one = found[at]
    for match in _ZH_SPELLED.finditer(one.text):
        before, behind = one.text[: match.start()], one.text[match.end() :]
        leads = (not before and (linked or at == 0)) or links_zh(before)
        if leads and (not behind or behind[0] in "了吧啊哦呀呢哈喔嘛的"):
            counted = not behind and at + 1 < len(found) and found[at + 1].form == "han"
            if not counted:
                start = one.start + match.start()
                return Worth(start, start + len(match[0]), at + 1)
    if takes not in _PLAIN or not near:
        return None
    phrase, start = one.text, one.start
    if not linked or takes == "words" or len(phrase) > _LONGEST_ZH:
        given = _ZH_GIVES.search(one.text)
        if given is None:
            return None
        phrase, start = given["it"], one.start + given.start("it")
    if len(phrase) < 2 or _ZH_NOT.match(phrase) or phrase[-1] in "的了吗呢吧啊多少":
        return None
    if not is_alone(found, at + 1):
        return None
    return Worth(start, start + len(phrase), at + 1, sure=takes != "words")
