"""Personal data: who somebody is, and how they are reached."""

from __future__ import annotations

from loxodon.trust.guard.rules import Rule

_LONG = "~[0-9][0-9 .()-]{5,}[0-9]"
"""Digits enough for a number of anything."""
_CAPS = "~[a-z]{1,2}[0-9]{6}"
_IS = r"(?:\s?(?:is|was|number|no\.?|num|#|=|:|：|是|为|為|号码?|號碼?)\s?){0,3}[\"'“「]?"
_SEP = r"[ \-]?"


_DIGIT = r"(?:zero|oh|o|one|two|three|four|five|six|seven|eight|nine|double|triple|treble|hundred)"
_SPELLED = rf"{_DIGIT}(?:[ ,\-]{{1,3}}{_DIGIT}){{5,15}}"
_SPELLED_SIGN = rf"~\b{_DIGIT}(?:[ ,-]{{1,3}}{_DIGIT}){{4}}"
_ZH_DIGIT = "[零〇一幺二两三四五六七八九]"
_ZH_SPELLED_SIGN = rf"~{_ZH_DIGIT}{{3}}[ -]?{_ZH_DIGIT}{{4}}"


def _identity(kind: str, pattern: str, check: str = "", *signs: str) -> Rule:
    return Rule(kind, pattern, signs or (_LONG,), "identity", check)


def _contact(kind: str, pattern: str, check: str = "", *signs: str) -> Rule:
    return Rule(kind, pattern, signs or (_LONG,), "contact", check)


def _private(kind: str, pattern: str) -> Rule:
    return Rule(kind, f"(?i){pattern}", (f"~{pattern}",), "private")


_IDENTITY = (
    _identity(
        "chinese-id",
        rf"[1-9][0-9]{{5}}{_SEP}[0-9]{{4}}{_SEP}[0-9]{{2}}{_SEP}[0-9]{{2}}"
        rf"{_SEP}[0-9]{{3}}[0-9Xx]",
        "chinese_id",
    ),
    _identity(
        "chinese-id",
        r"(?:身份证|身份證|证件)[^0-9\n]{0,12}(?P<it>[1-9][0-9]{14}|"
        r"[1-9][0-9]{16}[0-9Xx])",
        "digits",
    ),
    _identity(
        "company-code",
        r"[0-9A-HJ-NPQRTUWXY]{2}[0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}",
        "company_code",
        "~[0-9]{6}[0-9a-z]",
    ),
    _identity(
        "iban",
        r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
        "iban",
        "~[a-z]{2}[0-9]{2} ?[a-z0-9]",
    ),
    _identity("bank-card", r"[0-9](?:[ \-]?[0-9]){12,18}", "card"),
    _identity(
        "bank-card",
        r"(?i)(?:银行卡|信用卡|储蓄卡|借记卡|卡号|credit card|debit card|card number"
        r"|card no\.?)[^0-9\n]{0,12}(?P<it>[0-9](?:[ \-]?[0-9]){14,18})",
        "alone",
    ),
    _identity(
        "bank-account",
        r"(?i)(?:银行账号|银行账户|银行帐号|对公账户|收款账号|汇款账号|开户账号|"
        r"bank account|account number|account no\.?|acct\.?(?: no\.?| number)?|routing number|"
        rf"sort code|aba number){_IS}\s?(?P<it>[0-9](?:[ \-]?[0-9]){{5,20}})",
        "alone",
    ),
    _identity(
        "bank-account",
        r"(?i)sort code[^\n]{0,24}?\bacc(?:oun)?t\b[^0-9\n]{0,12}(?P<it>[0-9]{7,8})\b",
        "alone",
        "sort code",
    ),
    _identity(
        "passport",
        r"(?i)(?:护照|護照|通行证|passport|travel document)(?:[^0-9A-Za-z\n]{0,6}|"
        rf"[^\n.]{{0,24}}?){_IS}\s?(?P<it>[A-Z]{{1,2}}[0-9]{{6,8}}|[0-9]{{8,9}}|[A-Z0-9]{{2}}"
        r"[0-9]{5}[A-Z0-9]{2})(?:[^0-9A-Za-z]|$)",
        "given",
        "护照",
        "護照",
        "通行证",
        "passport",
        "travel document",
    ),
    _identity("social-security-number", r"[0-9]{3}[ \-][0-9]{2}[ \-][0-9]{4}", "ssn"),
    _identity(
        "social-security-number",
        r"(?i)(?:\bssn\b|\bsocial security(?: number| no\.?)?)"
        r"[^0-9\n]{0,16}(?P<it>[0-9]{9})\b",
        "ssn",
    ),
    _identity("hong-kong-id", r"\b[A-Z]{1,2}[0-9]{6} ?[(（]?[0-9A][)）]?", "hong_kong_id", _CAPS),
    _identity("taiwan-id", r"\b[A-Z][1289][0-9]{8}\b", "taiwan_id", _CAPS),
    _identity(
        "macau-id",
        r"(?i)(?:澳门|澳門|macau|macao|\bbir\b)[^0-9\n]{0,24}(?P<it>[1578][0-9]{6}"
        r" ?[(（][0-9][)）]|[1578]/[0-9]{6}/[0-9])",
        "given",
        _LONG,
        "~[1578]/[0-9]{6}/",
    ),
    _identity(
        "national-insurance-number",
        r"\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?"
        r"[0-9]{2} ?[0-9]{2} ?[A-D]\b",
        "nino",
        "~[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2}",
    ),
    _identity("korean-id", r"[0-9]{6}-[1-8][0-9]{6}", "korean_id"),
    _identity("brazilian-id", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", "cpf"),
    _identity("aadhaar", r"[2-9][0-9]{3}[ \-][0-9]{4}[ \-][0-9]{4}", "aadhaar"),
    _identity(
        "aadhaar",
        r"(?i)(?:aadhaar|aadhar)[^0-9\n]{0,20}(?P<it>[2-9][0-9]{3}[ \-]?[0-9]{4}[ \-]?[0-9]{4})",
        "alone",
    ),
    _identity(
        "social-insurance-number",
        r"(?i)(?:\bsin\b|social insurance)[^0-9\n]{0,16}"
        r"(?P<it>[0-9]{3}[ \-]?[0-9]{3}[ \-]?[0-9]{3})\b",
        "luhn",
    ),
    _identity(
        "tax-number",
        r"(?i)\b(?:itin|ein|tin|tax(?:payer)?(?: identification)? (?:id|no\.?|number)|vat (?:id|no\.?|"
        rf"number)|steuer-?id){_IS}\s?(?P<it>[A-Z]{{0,3}}[0-9][0-9 \-]{{6,13}}[0-9])",
        "alone",
    ),
    _identity(
        "national-insurance-number",
        r"(?i)(?:national insurance|\bni\b|\bnino\b)[^0-9\n.]{0,16}?(?P<it>[A-Z]{2} ?"
        r"[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D])\b",
        "",
        "~[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2}",
    ),
    _identity(
        "driving-licence",
        r"\b[A-Z9]{5}[0-9][0156][0-9][0-3][0-9]{2}[A-Z9]{2}[0-9][A-Z]{2}\b",
        "",
        "~[0-9]{6}[a-z9]{2}[0-9][a-z]",
    ),
    _identity(
        "permit-number",
        r"(?i)(?:台胞证|台湾居民|回乡证|返乡证|港澳台居住证|居留证|军官证|士兵证|警官证|学生签证)(?:号码?|編號|编号)?"
        r"\s?(?:是|为|[:：])?\s?(?P<it>[A-Z]?[0-9]{7,10}|\p{Han}字第[0-9]{5,9}号?)",
        "",
        "证",
    ),
    _identity(
        "japanese-id",
        r"(?:マイナンバー|個人番号|[Mm]y [Nn]umber)[^0-9\n]{0,10}"
        r"(?P<it>[0-9]{4}[ \-]?[0-9]{4}[ \-]?[0-9]{4})",
        "digits",
    ),
    _identity(
        "social-security-number",
        rf"(?i)(?:\bssn\b|\bsocial security(?: number)?)[^\n.]{{0,16}}?\b(?P<it>{_SPELLED})\b",
        "",
        _SPELLED_SIGN,
    ),
    _identity(
        "chinese-id",
        r"身份证\p{Han}{0,6}?[后末尾]\p{Han}?[四六46]位[^0-9\n]{0,4}(?P<it>[0-9]{3,5}[0-9Xx])",
        "",
        "身份证",
    ),
    _identity(
        "driving-licence",
        r"(?i)(?:驾驶证|驾照|driver'?s? licen[cs]e|driving licen[cs]e|licen[cs]e (?:number|no\.?))"
        rf"(?:[^0-9A-Za-z\n]{{0,6}}){_IS}\s?(?P<it>[A-Z]{{0,5}}[0-9][A-Z0-9\-]{{5,17}})",
        "given",
        "驾驶证",
        "驾照",
        "licen",
    ),
)

_PHONE_WORD = (
    r"(?:\b(?:(?:my|his|her|our|their|your) number|ring(?: me| him| her| us| them)|reach (?:me|him|her|us|them)|phone|telephone|mobile|cell(?:phone)?|tel\.?|call(?: me| him| her| us| them)?|"
    r"calling|text(?: me)?|whatsapp|fax|landline)|手机号?|电话号?|手機號?|電話號?|联系方式|联系电话|座机|固话|热线|传真"
    r"|微信同号|来电|致电|拨打)"
)

_ROAD = r"(?:路|街|大道|道|巷|弄|胡同|里弄|马路|公路|环路|大街|支路|村|屯|庄)"
_ESTATE = r"(?:小区|[一二三四五六七八九十]区|花园|花苑|苑|新村|公寓|大厦|家园|广场|中心|大楼|名都|豪庭|华府|公馆|山庄|雅居|庭|府|城|湾|园)"
_HOUSE = r"\s?[0-9]{1,5}(?:[\-－之][0-9]{1,4})?\s?(?:号|號|弄|幢|栋|棟|座|单元|室|楼|层|巷)"
_WITHIN = (
    r"(?:[\p{Han}A-Za-z0-9]{0,12}?\s?[A-Za-z]?[0-9]{1,5}(?:[\-－][0-9]{1,4})?\s?"
    r"(?:号楼|号院|号|號|弄|幢|栋|棟|座|单元|室|楼|层|房)){0,5}"
    r"(?:[A-Za-z](?:座|栋|幢|区|塔)[0-9]{0,4}|\s?[0-9]{3,4})?"
)
_ADDRESS_SIGNS = (
    "~(?:路|街|道|巷|弄|胡同|村|屯|庄)[东西南北中一二三四五六七八九十0-9号弄 ]{0,6}[0-9]",
    "~[0-9](?:室|单元|栋|幢|号楼|棟|座|楼[0-9])",
)
_STREET = (
    r"(?:Street|Avenue|Road|Boulevard|Lane|Drive|Court|Place|Terrace|Square|Parkway|Highway|Close|"
    r"Crescent|Gardens|Grove|Mews|Way|Trail|Circle|Alley|Row|St|Ave|Rd|Blvd|Ln|Dr|Ct|Pl|Ter|Pkwy|"
    r"Hwy|Cres|Cir)"
)

_CONTACT = (
    _contact(
        "mail",
        r"[A-Za-z0-9._%+\-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"
        r"\.){1,6}[A-Za-z]{2,24}",
        "mail",
        "@",
    ),
    _contact(
        "mail",
        r"(?i)[a-z0-9._%+\-]{1,64} ?[\[(] ?at ?[\])] ?[a-z0-9\-]{1,63}(?: ?[\[(] ?dot ?"
        r"[\])] ?|\.)[a-z]{2,24}",
        "",
        "(at)",
        "[at]",
        "( at )",
        "[ at ]",
    ),
    _contact(
        "phone", r"(?:(?:\+|00)?86[ \-]?)?1[3-9][0-9][ \-]?[0-9]{4}[ \-]?[0-9]{4}", "chinese_mobile"
    ),
    _contact(
        "phone",
        r"(?:(?:\+|00)86[ \-]?)?[(（]?0(?:10|2[0-9]|[3-9][0-9]{2})[)） \-]{1,2}"
        r"[2-9][0-9]{2,3}[ \-]?[0-9]{4}(?:[ \-转]{1,2}[0-9]{1,6})?",
        "landline",
    ),
    _contact(
        "phone",
        r"\+[1-9][0-9]{0,2}[ \-.]?(?:\(0?[0-9]{1,4}\)[ \-.]?)?[0-9](?:[ \-.]{0,2}"
        r"[0-9]){5,12}",
        "international",
    ),
    _contact(
        "phone",
        r"(?:\+?1[ \-.])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ \-.])[2-9][0-9]{2}"
        r"[ \-.][0-9]{4}(?: ?(?:x|ext\.?) ?[0-9]{1,6})?",
        "north_american",
    ),
    _contact(
        "phone",
        r"\(?0(?:7[0-9]{3}|1[0-9]{2,4}|2[0-9]{1,3})\)?[ \-][0-9]{3,4}[ \-]?"
        r"[0-9]{3,4}",
        "british",
    ),
    _contact("phone", r"0[789]0-[0-9]{4}-[0-9]{4}|0[1-79](?:[ .][0-9]{2}){4}", "in_pairs"),
    _contact(
        "phone",
        rf"(?i){_PHONE_WORD}(?: (?:number|no\.?|at|me|is|on))*[^0-9+\n]{{0,12}}?"
        r"(?P<it>\+?[(]?[0-9][0-9 ().\-]{5,18}[0-9])",
        "phone_said",
    ),
    _contact(
        "phone", rf"(?i){_PHONE_WORD}[^\n.]{{0,16}}?\b(?P<it>{_SPELLED})\b", "", _SPELLED_SIGN
    ),
    _contact(
        "phone",
        rf"{_PHONE_WORD}[^\n。]{{0,8}}?(?P<it>{_ZH_DIGIT}(?:[ \-]?{_ZH_DIGIT}){{6,12}})",
        "",
        _ZH_SPELLED_SIGN,
    ),
    _contact(
        "phone", rf"(?P<it>[一幺][三四五六七八九](?:[ \-]?{_ZH_DIGIT}){{9}})", "", _ZH_SPELLED_SIGN
    ),
    _contact(
        "mail",
        r"(?i)\b(?P<it>[a-z0-9][a-z0-9._\-]{0,40}(?: at |_at_|\s?艾特\s?)[a-z0-9\-]{2,40}(?: dot |_dot_|\s?点\s?)[a-z]{2,6})\b",
        "",
        r"~(?: at |_at_|艾特) ?[a-z0-9-]{2,40} ?(?:dot |_dot_|点)",
    ),
    _contact("mail", r"[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}[。．][A-Za-z]{2,6}", "", "@"),
    _contact(
        "address",
        r"\p{Lu}[\p{L}\-]{2,30}(?:straße|strasse|str\.|weg|gasse|platz|allee) [0-9]{1,4}[a-z]?(?:, ?[0-9]{5} \p{Lu}\p{L}+)?",
        "",
        r"~(?:straße|strasse|str\.|weg|gasse|platz|allee) [0-9]",
    ),
    _contact(
        "address",
        r"\b[0-9]{1,4},? (?:bis |ter )?(?:rue|avenue|boulevard|place|chemin|impasse|via|calle|plaza) (?:de |du |des |de la |del |della |d'|l')?"
        r"\p{Lu}[\p{L}'\-]+(?: \p{Lu}\p{L}+){0,2}",
        "",
        "~[0-9],? (?:bis |ter )?(?:rue|avenue|boulevard|place|chemin|impasse|via|calle|plaza) ",
    ),
    _contact(
        "address",
        rf"\b\p{{Lu}}[a-z']+ {_STREET},? (?:number|no\.?|nr\.?|#) ?[0-9]{{1,5}}[a-z]?\b",
        "",
        r"~(?:number|no\.?|nr\.?|#) ?[0-9]{1,5}",
    ),
    _contact(
        "address",
        r"(?:住|家|寄到?|送到?|地址)[^\n0-9，。]{0,6}(?P<it>[0-9]{1,3}(?:栋|幢|号楼|座)\s?(?:[0-9]{1,2}单元)?\s?[0-9]{3,4})",
        "",
        "~[0-9](?:栋|幢|号楼|座)",
    ),
    _contact(
        "address",
        rf"\p{{Han}}{{0,24}}{_ROAD}(?:[东西南北中]|[一二三四五六七八九十]段|[0-9]+段)"
        rf"{{0,2}}{_HOUSE}{_WITHIN}",
        "chinese_address",
        *_ADDRESS_SIGNS,
    ),
    _contact(
        "address",
        rf"\p{{Han}}{{1,20}}{_ESTATE}[A-Za-z]?[0-9]{{1,4}}(?:(?:号楼|栋|幢|棟|座|号)"
        rf"{_WITHIN}|楼[0-9]{{2,5}}室?)",
        "chinese_address",
        *_ADDRESS_SIGNS,
    ),
    _contact(
        "address",
        r"(?i)\b[0-9]{1,6}[a-d]?(?:-[0-9]{1,5})? (?:[NSEW]\.? |North |South |East |"
        rf"West )?(?:[a-z0-9'.\-]+ ){{1,4}}{_STREET}\b\.?(?:,? (?:Apt|Apartment|Suite|"
        r"Ste|Unit|Flat|Floor|Fl|Room|#)\.? ?[A-Za-z0-9\-]{1,6})?(?:, [a-z.]{3,}(?: [a-z.]{3,})?)?(?:,? [A-Z]{2}\b)?(?:,? (?:[0-9]{5}(?:-[0-9]{4})?|[A-Z]{1,2}"
        r"[0-9][A-Z0-9]? ?[0-9][A-Z]{2}))?",
        "english_address",
        r"~[0-9][a-d]? (?:[a-z0-9'.-]+ ){1,5}(?:st|ave|rd|blvd|ln|dr|ct|pl|ter|pkwy|hwy|cres|cir|"
        r"street|avenue|road|boulevard|lane|drive|court|place|terrace|square|parkway|highway|"
        r"close|crescent|gardens|grove|mews|way|trail|circle|alley|row)\b",
    ),
    _contact("address", r"(?i)\bP\.? ?O\.? Box [0-9]{1,6}\b", "", r"~\bbox [0-9]"),
    _contact(
        "address",
        r"\b(?:Flat|Apt|Apartment|Unit|Suite) [0-9]{1,5}[A-Za-z]?, [0-9]{1,5}"
        r"[A-Za-z]? [A-Z][A-Za-z' ]+",
        "",
        "~(?:flat|apt|apartment|unit|suite) [0-9]",
    ),
    _contact(
        "account-name",
        r"(?i)(?:^|[^A-Za-z0-9])qq(?:号码?|賬號|账号)?\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[1-9][0-9]{5,10})"
        r"(?:[^0-9A-Za-z]|$)",
        "",
        "~qq(?:号码?|账号)? ?(?:就?是|为|[:：=])? {0,2}[1-9][0-9]{5}",
    ),
    _contact(
        "account-name",
        r"(?:微信号?|微信\s?[Ii][Dd]|[Vv]信|薇信|威信|加[Vv]|wechat(?: id)?)\s?(?:就?是|为|[:：=])?\s{0,2}"
        r"(?P<it>[A-Za-z][A-Za-z0-9_\-]{5,19})(?:[^A-Za-z0-9_\-./@]|$)",
        "account_name",
        "微信",
        "v信",
        "薇信",
        "威信",
        "加v",
        "wechat",
    ),
    _contact(
        "account-name",
        r"(?i)\b(?:telegram|instagram|insta|snapchat|discord|skype|signal|tg)(?: (?:is|handle|id|name|me))*\s?[:：]?\s?"
        r"(?P<it>@[a-z0-9_.]{3,30})",
        "",
        "@",
    ),
    _contact("account-name", r"\bwxid_[a-z0-9]{10,22}\b", "", "wxid_"),
    _contact(
        "licence-plate",
        r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]"
        r"[A-HJ-NP-Z] ?[·•・.]? ?(?:[A-HJ-NP-Z0-9]{5,6}|[A-HJ-NP-Z0-9]{4}[学警港澳挂])",
        "plate",
        "~[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][a-z]",
    ),
)

_PRIVATE = (
    _private(
        "health",
        r"\b(?:diagnos(?:ed|is)|hiv|cancer|tumou?rs?|chemo(?:therapy)?|diabet(?:es|ic)|depression|bipolar|schizophreni[ac]|panic attacks?|"
        r"epilep(?:sy|tic)|asthma|pregnan(?:t|cy)|miscarriage|abortion|antidepressants?|insulin|psychiatrist|rehab|alcoholic|biopsy|dementia|"
        r"alzheimer'?s|parkinson'?s|autis(?:m|tic)|adhd|heart attack|hepatitis|herpes|ivf|suicidal|self-harm|eating disorder|anorexi[ac]|bulimi[ac]|"
        r"dialysis|my (?:therapist|medication|meds|surgery|prescription|blood pressure)|allergic to)\b",
    ),
    _private(
        "health",
        r"确诊|糖尿病|高血压|癌|肿瘤|抑郁|焦虑症|双相|精神分裂|癫痫|哮喘|过敏|怀孕|流产|化疗|做手术|住院|艾滋|乙肝|心脏病|中风|痴呆|"
        r"自闭症|多动症|透析|病历|处方药",
    ),
    _private(
        "income",
        r"\b(?:salary|wages|paycheck|net worth|my (?:income|debts?|mortgage|savings|bonus)|in debt|(?:i|we|she|he|they) (?:earns?|makes?) "
        r"(?:about |around )?[$€£¥]?[0-9][0-9,.]{0,12}k?)\b|工资|月薪|年薪|薪水|薪资|年收入|月收入|存款|房贷|负债|欠债|年终奖",
    ),
)

PERSONAL: tuple[Rule, ...] = (*_IDENTITY, *_CONTACT, *_PRIVATE)
"""What is personal, the more telling first."""
