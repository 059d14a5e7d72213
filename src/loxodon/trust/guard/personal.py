"""Whether a number is what it looks like: checksums, dates and areas, by their published rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple


class Candidate(NamedTuple):
    """Something that has the form of a rule, and where it stands."""

    text: str
    """All of the text, folded to plain digits and letters."""
    start: int
    end: int
    name: str = ""
    """What it is called there, where the rule says so."""

    @property
    def it(self) -> str:
        return self.text[self.start : self.end]

    @property
    def digits(self) -> str:
        return "".join(filter(str.isdigit, self.it))

    @property
    def before(self) -> str:
        return self.text[self.start - 1 : self.start] if self.start else ""

    @property
    def after(self) -> str:
        return self.text[self.end : self.end + 1]


Check = Callable[[Candidate], bool]

_JOINS = frozenset("-_./+:\\=#@&%~")
"""What joins a number to more of the same: an id, a path, an address of a page."""


def _is_part(c: str) -> bool:
    return c.isascii() and c.isalnum()


def alone(one: Candidate) -> bool:
    """Not a piece of something longer: a word, a decimal, an id, a path."""
    if _is_part(one.before) or _is_part(one.after) or "_" in (one.before, one.after):
        return False
    text, start, end = one.text, one.start, one.end
    if one.before in _JOINS and start > 1 and _is_part(text[start - 2]):
        return False
    if one.before in ("/", "#", "=", "%", "\\"):
        return one.before == "=" and not _is_part(text[start - 2 : start - 1])
    return not (one.after in _JOINS and end + 1 < len(text) and _is_part(text[end + 1]))


# Identity numbers

_PROVINCES = frozenset(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 "
    "71 81 82 83".split()
)
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def chinese_id(one: Candidate) -> bool:
    """GB 11643: a province, a date of birth, and a check digit by ISO 7064 mod 11-2."""
    it = one.it.replace(" ", "").replace("-", "").upper()
    if len(it) != 18 or not alone(one) or it[:2] not in _PROVINCES:
        return False
    if not _is_date(it[6:10], it[10:12], it[12:14]):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(it, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == it[17]


def _is_date(year: str, month: str, day: str) -> bool:
    try:
        return 1850 <= date(int(year), int(month), int(day)).year <= 2100
    except ValueError:
        return False


_COMPANY = "0123456789ABCDEFGHJKLMNPQRTUWXY"


def company_code(one: Candidate) -> bool:
    """GB 32100, the unified social credit code: mod 31 over its own alphabet."""
    it = one.it
    if not alone(one) or it[2:4] not in _PROVINCES:
        return False
    total = sum(_COMPANY.index(c) * pow(3, n, 31) for n, c in enumerate(it[:17]))
    return _COMPANY.index(it[17]) == (31 - total % 31) % 31


def luhn(one: Candidate) -> bool:
    """ISO/IEC 7812: every second digit doubled, the sum a multiple of ten."""
    digits = [int(c) for c in reversed(one.digits)]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return alone(one) and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def card(one: Candidate) -> bool:
    """A length and a beginning that a card network gives out, and Luhn."""
    it = one.digits
    return (
        _is_issued(it)
        and len(set(it)) > 1
        and _grouped(one.it)
        and luhn(one)
        and not _is_named(one)
    )


_NUMBERED = (
    "单号",
    "订单",
    "編號",
    "编号",
    "流水",
    "单据",
    "运单",
    "快递",
    "order",
    "tracking",
    "invoice",
    "ticket",
    "shipment",
    "条码",
    "条形码",
    "serial",
    "序列号",
    "sku",
)


def _is_named(one: Candidate) -> bool:
    """Whether the words right before it say that it numbers something else: one in ten checks by chance."""
    before = one.text[max(0, one.start - 14) : one.start].lower()
    return any(word in before for word in _NUMBERED) and "卡" not in before and "card" not in before


def _is_issued(it: str) -> bool:
    size, two, four = len(it), int(it[:2]), int(it[:4])
    if it[0] == "4":
        return size in (13, 16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return size == 16
    if two in (34, 37):
        return size == 15
    if two in (30, 36, 38, 39):
        return size in (14, 16)
    if 3528 <= four <= 3589:
        return 16 <= size <= 19
    if two == 62 or it[:4] == "6011" or two in (64, 65, 60, 81) or two == 68:
        return 16 <= size <= 19
    return it[0] == "9" and size in (16, 18, 19) and two in (94, 95, 98, 99)


def _grouped(it: str) -> bool:
    """Written at a stretch, or in groups of more than one digit, as cards are."""
    groups = it.replace("-", " ").split(" ")
    return len(groups) == 1 or all(len(group) >= 3 for group in groups[:-1])


def digits(one: Candidate) -> bool:
    """Any number, where the words before it say what it is."""
    return alone(one) and len(set(one.digits)) > 1


_IBAN_SIZES = {
    country: int(size)
    for size, countries in (
        entry.split(":")
        for entry in (
            "15:NO",
            "16:BE BI",
            "18:DK FO FI GL NL SD FK",
            "19:MK SI",
            "20:AT BA EE KZ XK LT LU MN",
            "21:CR HR LV LI CH",
            "22:BH BG GE DE IE ME RS GB VA",
            "23:TL GI IQ IL AE OM SO",
            "24:AD CZ MD PK RO SA SK ES SE TN VG",
            "25:LY PT ST",
            "26:IS TR",
            "27:BJ FR GR IT MC MR SM BF CF CG CI CM GA GQ ML NE SN TD TG KM DJ",
            "28:AL AZ BY CY DO SV GT HU LB PL NI",
            "29:BR EG PS QA UA",
            "30:JO KW MU YE",
            "31:MT SC",
            "32:LC",
            "33:RU",
        )
    )
    for country in countries.split()
}
"""How long an account number is in each country, by the registry of ISO 13616."""


def iban(one: Candidate) -> bool:
    """ISO 13616: the country and check digits go last, letters count from ten, mod 97 is one."""
    it = one.it.replace(" ", "")
    if _IBAN_SIZES.get(it[:2]) != len(it) or not alone(one):
        return False
    return int("".join(str(int(c, 36)) for c in it[4:] + it[:4])) % 97 == 1


def ssn(one: Candidate) -> bool:
    """Areas 000, 666 and from 900 were never given out, nor groups or serials of zeros."""
    it = one.digits
    if not alone(one) or len(it) != 9 or it in ("123456789", "078051120", "219099999"):
        return False
    return it[:3] not in ("000", "666") and it[0] != "9" and it[3:5] != "00" and it[5:] != "0000"


def hong_kong_id(one: Candidate) -> bool:
    """Letters from ten, a space for a missing first one, weights from nine, mod 11."""
    bracketed = "(" in one.it or "（" in one.it
    it = "".join(c for c in one.it if c.isalnum())
    if not alone(one) or len(it) not in (8, 9) or bracketed != (")" in one.it or "）" in one.it):
        return False
    if not bracketed and not _said(one, "香港", "身份", "HKID", "Hong Kong", "hkid"):
        return False
    body, check = it[:-1].rjust(8), it[-1]
    values = [36 if c == " " else int(c, 36) for c in body]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return (total + (10 if check == "A" else int(check))) % 11 == 0


_TAIWAN = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


def taiwan_id(one: Candidate) -> bool:
    """A letter as two digits, then weights eight down to one, mod 10."""
    it = one.it
    first = _TAIWAN.index(it[0]) + 10
    values = [first // 10, first % 10, *map(int, it[1:])]
    weights = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)
    total = sum(value * weight for value, weight in zip(values, weights, strict=True))
    return alone(one) and total % 10 == 0


def nino(one: Candidate) -> bool:
    """A prefix that is given out; where it is written at a stretch, letters and digits tell."""
    return alone(one) and one.it[:2] not in ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def korean_id(one: Candidate) -> bool:
    """A date of birth, and a check digit mod 11 (not since 2020, so the date decides)."""
    it = one.digits
    century = {"1": "19", "2": "19", "5": "19", "6": "19"}.get(it[6], "20")
    return alone(one) and _is_date(century + it[:2], it[2:4], it[4:6])


def cpf(one: Candidate) -> bool:
    """Two check digits, mod 11."""
    it = [int(c) for c in one.digits]
    for size in (9, 10):
        total = sum(
            value * weight for value, weight in zip(it, range(size + 1, 1, -1), strict=False)
        )
        if it[size] != total * 10 % 11 % 10:
            return False
    return alone(one) and len(set(it)) > 1


_VERHOEFF = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_TURNS = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def aadhaar(one: Candidate) -> bool:
    """Verhoeff's check over all twelve digits."""
    found = 0
    for n, c in enumerate(reversed(one.digits)):
        found = int(_VERHOEFF[found][int(_TURNS[n % 8][int(c)])])
    return alone(one) and found == 0


def _said(one: Candidate, *words: str) -> bool:
    near = one.text[max(0, one.start - 40) : one.end + 20]
    return any(word in near for word in words)


# How people are reached


def chinese_mobile(one: Candidate) -> bool:
    return alone(one) and one.it.count(" ") + one.it.count("-") <= 3 and len(set(one.digits)) > 2


def landline(one: Candidate) -> bool:
    return alone(one) and len(set(one.digits)) > 2


def international(one: Candidate) -> bool:
    """E.164: eight to fifteen digits behind a plus that adds nothing."""
    return 8 <= len(one.digits) <= 15 and not _is_part(one.before) and not _is_part(one.after)


def in_pairs(one: Candidate) -> bool:
    """Five pairs, no more: six of them are drawn numbers or a measurement."""
    text, start, end = one.text, one.start, one.end
    more = text[end : end + 1] in (" ", ".") and text[end + 1 : end + 2].isdigit()
    return alone(one) and not more and not (start > 1 and text[start - 2].isdigit())


_NO_NAMES = frozenset(
    "android iphone windows official wechat weixin browser desktop plugin openid unionid appid payment "
    "native python javascript miniprogram developer".split()
)


def account_name(one: Candidate) -> bool:
    """What a person is called there, not a word about the program."""
    it = one.it.lower()
    if it in _NO_NAMES or it.startswith(("http", "www")):
        return False
    named = one.text[max(0, one.start - 6) : one.start]
    told = any(mark in named for mark in ("号", "是", ":", "：", "id", "ID"))
    return any(c.isdigit() or c in "_-" for c in it) or (told and not it.isupper())


def is_hotline(it: str) -> bool:
    """400 and 800 are numbers of companies."""
    plain = "".join(filter(str.isdigit, it))
    return len(plain) == 10 and plain.startswith(("400", "800"))


def north_american(one: Candidate) -> bool:
    return alone(one) and not is_hotline(one.it)


def british(one: Candidate) -> bool:
    """Ten or eleven digits, the nought included."""
    return alone(one) and len(one.digits) in (10, 11)


def phone_said(one: Candidate) -> bool:
    """A number that is called one: enough digits, no date and no amount."""
    it = one.digits
    if not 7 <= len(it) <= 15 or not alone(one) or len(set(it)) < 3 or is_hotline(it):
        return False
    groups = one.it.replace(".", "-").replace(" ", "-").split("-")
    is_date = len(groups) == 3 and {len(groups[0]), len(groups[2])} & {4} and len(it) == 8
    return not is_date and one.after not in ("%", "元", "年", "°") and one.before not in "$€£¥"


_FILES = frozenset(
    "png jpg jpeg gif svg webp ico css js ts html json py md txt mp4 mp3 pdf".split()
)
_NOBODY = frozenset("noreply no-reply donotreply do-not-reply git mailer-daemon postmaster".split())


def mail(one: Candidate) -> bool:
    """Somebody's address, not that of a program, a package or a picture."""
    name, _, host = one.it.lower().partition("@")
    if _is_part(one.before) or one.before in tuple("/@._%+-") or _is_part(one.after):
        return False
    if host.rpartition(".")[2] in _FILES:
        return False
    return name not in _NOBODY and not name.startswith(".") and one.after != "@"


_AFTER_HOUSE = frozenset("线出口机日球选手电池公车文令子期码线")
_LEADS = (
    "住在",
    "搬到",
    "搬去",
    "寄到",
    "送到",
    "地址",
    "位于",
    "家在",
    "公司在",
    "就在",
    "是在",
    "住",
    "在",
    "到",
    "去",
    "是",
    "于",
    "往",
    "从",
    "为",
    "叫",
    "和",
    "与",
    "及",
    "了",
    "的",
)


def chinese_address(one: Candidate) -> bool:
    """A house on a road or in an estate; not a line, an exit or a day of the month."""
    if one.after in _AFTER_HOUSE and one.it[-1] in "号號":
        return False
    head = one.it[: len(one.it) - len(one.it.lstrip("一二三四五六七八九十"))]
    return not head and not _is_part(one.after)


def address_start(it: str) -> int:
    """Where an address begins in the characters that stand right before a house."""
    road = next((n for n, c in enumerate(it) if c.isdigit()), len(it))
    start = 0
    for lead in _LEADS:
        at = it.rfind(lead, 0, max(0, road - 2))
        if at >= 0:
            start = max(start, at + len(lead))
    return start


_SHORT_STREETS = frozenset(
    "way place drive court square close row circle trail grove gardens st dr ct pl ter cir "
    "terrace lane road mews alley highway".split()
)
_STREET_WORDS = frozenset(
    "street avenue road boulevard lane drive court place terrace square parkway highway close "
    "crescent gardens grove mews way trail circle alley row st ave rd blvd ln dr ct pl ter pkwy "
    "hwy cres cir".split()
)
_NO_STREET = frozenset(
    "a an the of to in on at from for with and or my our your his her their this that these those "
    "is are was were be been by as it its i we you he she they me us him them not no so if but "
    "minutes minute hours hour days day weeks week months month years year miles mile km meters "
    "feet blocks block times more less people friends percent dollars star stars lane-wide per am "
    "pm who which what when where how all any each every another other same down up out off over "
    "into onto about around along across than then there here very too also just only still".split()
)


def english_address(one: Candidate) -> bool:
    """A number, a name and a kind of street; short kinds of street only with capitals."""
    words = one.it.replace(",", " ").split()
    at = next((n for n, word in enumerate(words[1:], 1) if _is_street(word, n)), 0)
    names = words[1:at]
    if not names or any(name.lower().strip(".") in _NO_STREET for name in names):
        return False
    if not alone(one) or one.before in ("$", "€", "£", ":"):
        return False
    capital = all(word[0].isupper() or word[0].isdigit() for word in (*names, words[at]))
    return capital or (words[at].lower().strip(".") not in _SHORT_STREETS and len(names) <= 2)


def _is_street(word: str, place: int) -> bool:
    return place > 1 and word.strip(".").lower() in _STREET_WORDS


def plate(one: Candidate) -> bool:
    tail = one.it[2:]
    return not _is_part(one.after) and any(c.isdigit() for c in tail)


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        alone,
        chinese_id,
        company_code,
        luhn,
        card,
        digits,
        iban,
        ssn,
        hong_kong_id,
        taiwan_id,
        nino,
        korean_id,
        cpf,
        aadhaar,
        chinese_mobile,
        landline,
        international,
        in_pairs,
        british,
        phone_said,
        mail,
        chinese_address,
        english_address,
        plate,
        account_name,
        north_american,
    )
}
