"""Whether a number is what it looks like: checksums (python-stdnum), dates, and the words around."""

from __future__ import annotations

import re
from datetime import date
from importlib import import_module

from loxodon.guard.policy import CHECKS, Candidate, Spans, Test, add_checks, alone, is_part, words

_PROVINCES = frozenset(words("provinces"))
_DOUBLED = {str(n): sum(divmod(2 * n, 10)) for n in range(10)}
_DATE = re.compile(
    r"(?:19|20)\d\d[-./ ]?\d\d?(?:[-./ ]?\d\d?)?|\d\d?[-./ ]\d\d?[-./ ](?:19|20)\d\d"
)
_AFTER_HOUSE = frozenset("线出口机日球选手电池公车文令子期码线")


def _stdnum(module: str, **how: bool) -> Test:
    """A number that stdnum accepts; the module is imported when such a number is first met."""

    def test(one: Candidate) -> bool:
        it = "".join(filter(str.isalnum, one.it))
        known = import_module(f"stdnum.{module}")
        return alone(one) and len(set(it)) > 1 and known.is_valid(it, **how)

    return test


def _passes_luhn(digits: str) -> bool:
    # Not by stdnum: it takes five times as long, and a table may have thousands of numbers.
    doubled = sum(_DOUBLED[digit] for digit in digits[-2::-2])
    return (doubled + sum(map(int, digits[::-2]))) % 10 == 0


def _is_hotline(digits: str) -> bool:
    """400 and 800 are numbers of companies."""
    return len(digits) == 10 and digits.startswith(("400", "800"))


def chinese_id(one: Candidate) -> bool:
    """GB 11643: a province, a date of birth and a check digit."""
    from stdnum.cn import ric

    it = one.it.replace(" ", "").replace("-", "").upper()
    try:
        born = date(int(it[6:10]), int(it[10:12]), int(it[12:14]))
    except ValueError:
        return False
    is_one = it[:2] in _PROVINCES and it[17:] == ric.calc_check_digit(it)
    return alone(one) and is_one and 1850 <= born.year <= 2100


def company_code(one: Candidate) -> bool:
    """GB 32100, the unified social credit code."""
    from stdnum.cn import uscc

    it = one.it
    return alone(one) and it[2:4] in _PROVINCES and uscc.calc_check_digit(it[:17]) == it[17]


def bank_card(one: Candidate) -> bool:
    """A length and a beginning that a card network gives out, and Luhn."""
    groups = re.split("[ .-]", one.it)
    digits = "".join(groups)
    if (
        not re.fullmatch("|".join(words("issued")), digits)
        or not _passes_luhn(digits)
        or not alone(one)
    ):
        return False
    # One number in ten passes by chance: the words before may say that it numbers something else.
    before = one.lead(14).lower()
    is_other = any(word in before for word in words("numbered"))
    is_card = not is_other or "卡" in before or "card" in before
    is_grouped = len(groups) == 1 or min(map(len, groups[:-1])) >= 3
    return len(set(digits)) > 1 and is_grouped and is_card


def hong_kong_id(one: Candidate) -> bool:
    """Letters from ten, a space for a missing first one, weights from nine, mod 11."""
    it = "".join(filter(str.isalnum, one.it))
    values = [36 if c == " " else int(c, 36) for c in it[:-1].rjust(8)]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return alone(one) and (total + int(it[-1], 16)) % 11 == 0


def taiwan_id(one: Candidate) -> bool:
    """A letter as two digits, then weights eight down to one, mod 10."""
    tens, ones = divmod("ABCDEFGHJKLMNPQRSTUVXYWZIO".index(one.it[0]) + 10, 10)
    values = (tens, ones, *map(int, one.it[1:]))
    weights = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)
    total = sum(value * weight for value, weight in zip(values, weights, strict=True))
    return alone(one) and total % 10 == 0


def labelled(one: Candidate) -> bool:
    """Any number behind words that say what it is; no date, and no amount."""
    it = one.digits
    is_date = any(map(_DATE.fullmatch, (one.it, "" if re.search(r"[^\W\d]", one.it) else it)))
    is_counted = one.after in tuple("元天年月日次%人块") or one.before in tuple("$€£¥")
    is_mixed = re.search("[0-9][A-Z]+[0-9]", one.it)  # as in passports with few digits
    is_long = len(it) >= (2 if is_mixed else 5) and sum(map(str.isalnum, one.it)) >= 6
    return alone(one) and is_long and len(set(one.it)) > 2 and not (is_date or is_counted)


def landline(one: Candidate) -> bool:
    return alone(one) and len(set(one.digits)) > 2


def five_pairs(one: Candidate) -> bool:
    """No more: six of them are drawn numbers or a measurement."""
    text, start, end = one.text, one.start, one.end
    more = text[end : end + 1] in (" ", ".") and text[end + 1 : end + 2].isdigit()
    return alone(one) and not more and not (start > 1 and text[start - 2].isdigit())


def named_phone(one: Candidate) -> bool:
    """A number that is called one: enough digits, no date and no amount."""
    it = one.digits
    if not 7 <= len(it) <= 15 or not alone(one) or len(set(it)) < 3 or _is_hotline(it):
        return False
    return (
        not _DATE.fullmatch(one.it)
        and one.after not in ("%", "元", "年", "°")
        and one.before not in "$€£¥"
    )


def account_name(one: Candidate) -> bool:
    """What a person is called there, not a word about the program."""
    it = one.it.lower()
    if it in words("no_account_names") or it.startswith(("http", "www")):
        return False
    told = any(mark in one.lead(6) for mark in ("号", "是", ":", "：", "id", "ID"))
    return any(c.isdigit() or c in "_-" for c in it) or (told and not it.isupper())


def mail(one: Candidate) -> bool:
    """Somebody's address, not that of a program, a package or a picture."""
    name, _, host = one.it.lower().partition("@")
    if is_part(one.before) or one.before in tuple("/@._%+-") or is_part(one.after):
        return False
    is_file = host.rpartition(".")[2] in words("file_types")
    return not is_file and name not in words("nobody") and name[0] != "." and one.after != "@"


def chinese_address(one: Candidate) -> Spans:
    """A house on a road or in an estate, without the words that lead to it."""
    it = one.it
    is_other = one.after in _AFTER_HOUSE and it[-1] in "号號"
    if is_other or it[0] in "一二三四五六七八九十" or is_part(one.after):
        return ()
    road = max(0, next((n for n, c in enumerate(it) if c.isdigit()), len(it)) - 2)
    found = ((it.rfind(lead, 0, road), len(lead)) for lead in words("address_leads"))
    start = max((at + size for at, size in found if at >= 0), default=0)
    return [(one.start + start, one.end)]


def english_address(one: Candidate) -> bool:
    """A number, a name and a kind of street; short kinds of street only with capitals."""
    parts = one.it.replace(",", " ").split()
    low = [part.lower().strip(".") for part in parts]
    at = next((n for n, word in enumerate(low) if n > 1 and word in words("streets")), 0)
    if at < 2 or any(name in words("no_streets") for name in low[1:at]):
        return False
    if not alone(one) or one.before in ("$", "€", "£", ":"):
        return False
    capital = all(part[0].isupper() or part[0].isdigit() for part in parts[1 : at + 1])
    return capital or (low[at] not in words("short_streets") and at <= 3)


CHECKS["chinese_address"] = chinese_address
add_checks(
    *(labelled, chinese_id, company_code, bank_card, hong_kong_id, taiwan_id),
    *(landline, five_pairs, named_phone, account_name, mail, english_address),
    iban=_stdnum("iban", check_country=False),
    social_security=lambda one: one.digits != "123456789" and _stdnum("us.ssn")(one),
    cpf=_stdnum("br.cpf"),
    italian_tax_code=_stdnum("it.codicefiscale"),
    spanish_id=_stdnum("es.nif"),
    aadhaar=_stdnum("verhoeff"),
    # National insurance, United Kingdom: a prefix that is given out
    insurance_number=lambda one: (
        alone(one) and one.it[:2] not in ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")
    ),
    chinese_mobile=lambda one: landline(one) and one.it.count(" ") + one.it.count("-") <= 3,
    # E.164: eight to fifteen digits behind a plus that adds nothing
    international=lambda one: (
        8 <= len(one.digits) <= 15 and not is_part(one.before) and not is_part(one.after)
    ),
    north_american=lambda one: alone(one) and not _is_hotline(one.digits),
    british=lambda one: alone(one) and len(one.digits) in (10, 11),  # the nought included
    licence_plate=lambda one: not is_part(one.after) and any(c.isdigit() for c in one.it[2:]),
)
