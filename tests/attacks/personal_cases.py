"""Personal data and what only looks like it, with checksums that are right, or wrong on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.attacks.secret_cases import ALNUM, DIGITS, UPPER, Case, Make, some, uuid

_PROVINCES = ("110101", "310115", "440305", "330106", "510104", "420111", "610113", "320102")
_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")


def _date(rng: Random) -> str:
    return f"{rng.randrange(1945, 2015)}{rng.randrange(1, 13):02d}{rng.randrange(1, 29):02d}"


def chinese_id(rng: Random) -> str:
    body = rng.choice(_PROVINCES) + _date(rng) + f"{rng.randrange(1, 999):03d}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(c) * weight for c, weight in zip(body, weights, strict=True))
    return body + "10X98765432"[total % 11]


def not_chinese_id(rng: Random) -> str:
    it = chinese_id(rng)
    return it[:-1] + rng.choice([c for c in "0123456789" if c != it[-1]])


def company_code(rng: Random) -> str:
    letters = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    body = "91" + rng.choice(_PROVINCES) + "MA" + some(letters, 7)(rng)
    total = sum(letters.index(c) * pow(3, n, 31) for n, c in enumerate(body))
    return body + letters[(31 - total % 31) % 31]


def _luhn(body: str) -> str:
    digits = [int(c) for c in reversed(body)]
    total = sum(digits[1::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[::2])
    return body + str(-total % 10)


def card(rng: Random) -> str:
    prefix, size = rng.choice(
        (
            ("4", 16),
            ("52", 16),
            ("37", 15),
            ("622202", 19),
            ("6011", 16),
            ("2221", 16),
            ("3528", 16),
            ("621700", 19),
        )
    )
    it = _luhn(prefix + some(DIGITS, size - len(prefix) - 1)(rng))
    gap = rng.choice(("", "", " ", "-"))
    return gap.join(it[n : n + 4] for n in range(0, len(it), 4)) if gap else it


def not_card(rng: Random) -> str:
    it = card(rng).replace(" ", "").replace("-", "")
    return it[:-1] + str((int(it[-1]) + rng.randrange(1, 10)) % 10)


def iban(rng: Random) -> str:
    country, size = rng.choice((("DE", 18), ("GB", 18), ("FR", 23), ("ES", 20), ("NL", 14)))
    body = some(DIGITS, size)(rng)
    if country in ("GB", "NL"):
        body = some(UPPER, 4)(rng) + body[4:]
    number = int("".join(str(int(c, 36)) for c in body + country + "00"))
    it = f"{country}{98 - number % 97:02d}{body}"
    return " ".join(it[n : n + 4] for n in range(0, len(it), 4)) if rng.random() < 0.5 else it


def ssn(rng: Random) -> str:
    area = rng.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03d}-{rng.randrange(1, 100):02d}-{rng.randrange(1, 10000):04d}"


def hong_kong_id(rng: Random) -> str:
    body = rng.choice(UPPER) + some(DIGITS, 6)(rng)
    values = [36, *(int(c, 36) for c in body)]
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    check = -total % 11
    return f"{body}({'A' if check == 10 else check})"


def taiwan_id(rng: Random) -> str:
    letters = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
    body = rng.choice(letters) + rng.choice("12") + some(DIGITS, 7)(rng)
    first = letters.index(body[0]) + 10
    values = [first // 10, first % 10, *map(int, body[1:])]
    total = sum(v * w for v, w in zip(values, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1), strict=True))
    return body + str(-total % 10)


def mobile(rng: Random) -> str:
    it = "1" + rng.choice("3456789") + some(DIGITS, 9)(rng)
    return rng.choice(
        (
            it,
            it,
            f"+86 {it}",
            f"+86{it}",
            f"{it[:3]} {it[3:7]} {it[7:]}",
            f"{it[:3]}-{it[3:7]}-{it[7:]}",
            it.translate(_WIDE),
            f"86-{it}",
        )
    )


def landline(rng: Random) -> str:
    area = rng.choice(("010", "021", "0755", "0571", "028", "0512"))
    number = rng.choice("2345678") + some(DIGITS, 7)(rng)
    return rng.choice((f"{area}-{number}", f"({area}){number}", f"{area} {number}"))


def american_phone(rng: Random) -> str:
    a, b, c = rng.randrange(201, 990), rng.randrange(200, 999), some(DIGITS, 4)(rng)
    return rng.choice(
        (
            f"({a}) {b}-{c}",
            f"{a}-{b}-{c}",
            f"{a}.{b}.{c}",
            f"+1 {a} {b} {c}",
            f"+1-{a}-{b}-{c}",
            f"1-{a}-{b}-{c}",
        )
    )


def british_phone(rng: Random) -> str:
    return rng.choice(
        (
            f"+44 7{some(DIGITS, 3)(rng)} {some(DIGITS, 6)(rng)}",
            f"07{some(DIGITS, 3)(rng)} {some(DIGITS, 6)(rng)}",
            f"020 7{some(DIGITS, 3)(rng)} {some(DIGITS, 4)(rng)}",
        )
    )


def mail(rng: Random) -> str:
    name = rng.choice(("anna.lee", "zhang_wei88", "bob+news", "j.o.smith", "wangfang", "lin-x"))
    host = rng.choice(
        (
            "gmail.com",
            "qq.com",
            "163.com",
            "outlook.com",
            "mail.corp.co.uk",
            "example.org",
            "foxmail.com",
            "tsinghua.edu.cn",
        )
    )
    return f"{name}{rng.randrange(100)}@{host}"


def chinese_address(rng: Random) -> str:
    city = rng.choice(
        ("北京市朝阳区", "上海市浦东新区", "广东省深圳市南山区", "杭州市西湖区", "成都市武侯区", "")
    )
    road = rng.choice(
        ("建国路", "世纪大道", "科技南路", "文三路", "人民南路", "中山北路", "解放街")
    )
    tail = rng.choice(("", "3单元502室", "5号楼1203室", "B座801室", "2栋"))
    return f"{city}{road}{rng.randrange(1, 999)}号{tail}"


def english_address(rng: Random) -> str:
    street = rng.choice(
        (
            "Main Street",
            "Oak Avenue",
            "Elm St",
            "Baker Street",
            "Sunset Blvd",
            "King's Road",
            "Maple Drive",
            "N. Lincoln Ave",
        )
    )
    tail = rng.choice(("", ", Springfield, IL 62704", ", Apt 4B", ", London NW1 6XE", ", Seattle"))
    return f"{rng.randrange(1, 9999)} {street}{tail}"


def passport(rng: Random) -> str:
    return rng.choice(
        ("E" + some(DIGITS, 8)(rng), "G" + some(DIGITS, 8)(rng), "EA" + some(DIGITS, 7)(rng))
    )


def plate(rng: Random) -> str:
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    head = rng.choice("京沪粤浙苏川") + rng.choice(letters)
    return head + rng.choice(("", "·")) + rng.choice(DIGITS) + some(letters + DIGITS, 4)(rng)


_ANY = (
    ("en", "my number is {}"),
    ("en", "{}"),
    ("en", "please note {} for later"),
    ("en", "It's {}."),
    ("en", "Ann gave me {}, I think"),
    ("en", "({})"),
    ("zh", "我的是{}"),
    ("zh", "请记住{}，谢谢"),
    ("zh", "{}是我妈妈的"),
    ("zh", "他给了我{}。"),
    ("zh", "号码：{}"),
    ("zh", "（{}）"),
)

PERSONAL: dict[str, tuple[Make, tuple[tuple[str, str], ...]]] = {
    "chinese-id": (chinese_id, (*_ANY, ("zh", "身份证号是{}"), ("zh", "身份证{}办签证"))),
    "company-code": (
        company_code,
        (*_ANY, ("zh", "统一社会信用代码{}"), ("zh", "税号：{}，开票用")),
    ),
    "bank-card": (card, (*_ANY, ("zh", "卡号{}，招商银行"), ("en", "my card is {}, exp 09/28"))),
    "iban": (iban, tuple(one for one in _ANY if one[0] == "en")),
    "social-security-number": (ssn, (("en", "my SSN is {}"), ("en", "{}"), ("en", "SSN: {}"))),
    "hong-kong-id": (hong_kong_id, _ANY),
    "taiwan-id": (taiwan_id, _ANY),
    "passport": (
        passport,
        (
            ("en", "my passport number is {}"),
            ("en", "Passport: {}"),
            ("zh", "护照号{}"),
            ("zh", "我的护照是{}，明年到期"),
        ),
    ),
    "mobile": (
        mobile,
        (*_ANY, ("zh", "我的手机号是{}"), ("zh", "打{}找我"), ("zh", "电话{}转李总")),
    ),
    "landline": (landline, (*_ANY, ("zh", "公司电话{}"), ("zh", "座机是{}"))),
    "american-phone": (american_phone, (*_ANY, ("en", "call me at {}"), ("en", "Cell: {}"))),
    "british-phone": (british_phone, (("en", "ring me on {}"), ("en", "{}"), ("en", "Tel: {}"))),
    "mail": (mail, (*_ANY, ("zh", "我的邮箱是{}"), ("en", "write to {} please"))),
    "chinese-address": (
        chinese_address,
        (
            ("zh", "我住在{}"),
            ("zh", "寄到{}，谢谢"),
            ("zh", "地址：{}"),
            ("zh", "公司搬到{}了"),
            ("zh", "{}"),
        ),
    ),
    "english-address": (
        english_address,
        (
            ("en", "I live at {}"),
            ("en", "ship it to {}."),
            ("en", "Address: {}"),
            ("zh", "国外的地址是{}"),
        ),
    ),
    "licence-plate": (plate, (("zh", "我的车牌是{}"), ("zh", "{}是谁的车"), ("zh", "车牌号：{}"))),
}
"""By kind, what makes one and the sentences it may stand in."""


def _number(low: int, high: int) -> Make:
    return lambda rng: str(rng.randrange(low, high))


def _plain(rng: Random) -> str:
    return ""


ALIKE: tuple[tuple[str, str, Make], ...] = (
    ("zh", "订单编号{}", not_chinese_id),
    ("en", "tracking id {}", not_chinese_id),
    ("zh", "流水号{}已入账", not_card),
    ("en", "reference {} was rejected", not_card),
    ("en", "the build took {} ms", _number(10**4, 10**7)),
    ("en", "timestamp {}", _number(1_600_000_000_000, 1_700_000_000_000)),
    ("en", "unix time {}", _number(1_500_000_000, 1_700_000_000)),
    ("zh", "时间戳{}", _number(1_600_000_000_000, 1_700_000_000_000)),
    ("en", "request {}", uuid),
    ("en", "sku {}", some(ALNUM, 10)),
    ("en", "v{}.2.1", _number(1, 99)),
    ("en", "the score was {}-3", _number(10, 99)),
    ("en", "population {}", _number(10**5, 10**8)),
    ("zh", "人口{}", _number(10**5, 10**8)),
    ("zh", "共{}元", _number(100, 10**6)),
    ("en", "on 2026-0{}-14 we met", _number(1, 9)),
    ("en", "at 192.168.1.{}", _number(1, 254)),
    ("en", "flight CA{} to Paris", _number(100, 9999)),
    ("zh", "航班MU{}", _number(1000, 9999)),
    ("zh", "快递单号SF{}", _number(10**12, 10**13)),
    ("en", "ISBN 978-7-{}-3", _number(10**5, 10**6)),
    ("en", "QQ group {}", _number(10**5, 10**6)),
    ("en", "it costs ${}", _number(10, 10**6)),
    ("zh", "地铁{}号线", _number(1, 18)),
    ("zh", "高铁G{}次", _number(10, 9999)),
    ("en", "room {}", _number(100, 999)),
    ("en", "chapter {}", _number(1, 40)),
    ("en", "3.14159{}", _number(10**6, 10**9)),
    ("en", "0x{}", some("0123456789abcdef", 8)),
    ("en", "lat 39.{} lon 116.3", _number(10**5, 10**6)),
    ("en", "issue #{}", _number(100, 99999)),
    ("en", "https://acme.example/p/{}", _number(10**9, 10**11)),
    ("en", "order_id={}", _number(10**14, 10**15)),
    ("en", "commit {}", some("0123456789abcdef", 40)),
    *(
        ("en", text, _plain)
        for text in (
            "react@18.2.0 is out",
            "meet @anna at noon",
            "icon@2x.png",
            "I ran 5 miles down the road",
            "a 20 minute drive",
            "he lives on my street",
            "10 Downing is famous",
            "5 star place",
            "the 1990s were great",
            "12345",
            "call me tomorrow",
            "add 2 cups of flour",
            "1,234,567.89",
            "the ratio is 16:9",
            "2024-01-01 12:00:00",
            "10 out of 10",
            "3 ways to do it",
            "text me when you land",
            "my phone is an iPhone 15",
            "git@github.com:acme/app.git",
            "Route 66 is a long way",
            "I have 3 friends in the same court",
            "MP3 player",
            "100% sure",
            "Python 3.11.4",
            "the passport office",
            "card games",
            "an 8 lane highway",
            "from 9 to 5 every day",
            "take exit 12",
            "windows 11 pro",
            "call 911",
            "2 large close calls",
        )
    ),
    *(
        ("zh", text, _plain)
        for text in (
            "3月5号见",
            "走这条路5分钟",
            "地铁10号线",
            "一路顺风",
            "我今年35岁",
            "2024年1月1日",
            "第15届",
            "这条街上有3家店",
            "一共5号人",
            "出口在B2",
            "他住5楼",
            "身份证丢了",
            "护照过期了",
            "打电话给我",
            "银行卡丢了",
            "我的车是京牌",
            "手机没电了",
            "邮箱满了",
            "三里屯很热闹",
            "苏州街站换乘",
            "新A股",
            "川菜馆",
            "门牌号是多少",
            "房间号301",
            "学号20210315",
            "第3中学",
            "5号出口见",
            "12306买票",
            "10086客服",
            "买了3斤苹果",
            "云南6日游",
            "路上堵了20分钟",
            "大道至简",
            "晋级8强",
            "宁可5点走",
        )
    ),
)
"""What looks personal and is not."""


def positives(rng: Random, number: int) -> Iterator[Case]:
    kinds = sorted(PERSONAL)
    for n in range(number):
        kind = kinds[n % len(kinds)]
        make, frames = PERSONAL[kind]
        language, frame = rng.choice(frames)
        it = make(rng)
        yield Case(kind, frame.format(it), it, language)


def look_alikes(rng: Random, number: int) -> Iterator[Case]:
    for n in range(number):
        language, frame, make = ALIKE[n % len(ALIKE)]
        text = frame.format(make(rng)) if "{}" in frame else frame
        yield Case("look-alike", text, "", language)
