"""Secrets that are told with more between the name and the thing: `密码还是老样子，…`, `the code for the shed is …`."""

from __future__ import annotations

from loxodon.trust.rules import Rule
from loxodon.trust.rules_context import CALLED, CALLED_SIGNS, LINK, QUOTE, VALUE

_ZH_CALLED = r"(?:密\s?码|密碼|口令)"
_ZH_SIGNS = ("密码", "密 码", "密碼", "口令")
_ZH_VALUE = r"[\x21\x23-\x26\x28-\x2b\x2d-\x3a\x3c-\x5f\x61-\x7e]{3,64}"
_ZH_TOLD = (
    r"(?:还是|仍是|仍然是|依旧是|依然是|一直是|一直用|一直都是|都是|统一是|统一用|统一成|都用|默认是|默认用|默认|老样子|老规矩"
    r"|没变|没改|没换|没动|不变|照旧|一样|换成|换了|换回|改成|改回|改了|改到|设成|设的|设了|变成|用的是?|用|写的是?|填的?是?|输入?"
    r"|原来那个|以前那个|之前那个|那个|[0-9一二三四五六七八九十]位(?:数字?)?的?)"
)
_ZH_LOCK = r"(?:门禁|门锁|密码锁|智能锁|指纹锁|车锁|挂锁|锁|保险柜|保险箱|密码箱|行李箱|储物柜|柜子?|车库|单元门|大门|房门|院门|闸机)"
_ZH_TURN = r"(?:拨到|拨成|拨|转到|转成|调到|对到|对准|输入?)"
_ZH_NOW = r"(?:[一二三四五两]圈|改成|换成|设成|改为|还是|就?是|为|[:：=])"
_OPENS = (
    r"(?:doors?|gates?|garage|alarm|keypad|safe|lockers?|locks?|padlock|lock ?box|key ?box|shed|building|lobby|entrance|"
    r"elevator|lift|vault|suitcase|luggage|bike|cabin|gym|storage|intercom|front desk)"
)
_CODE = r"(?:codes?|combo|combination|keypad|passcode|pin)"
_DIGITS = r"(?P<it>[#*]?[0-9]{4,8}[#*]?|[0-9]{1,2}(?:-[0-9]{1,2}){2,3})(?:[^0-9A-Za-z\-]|$)"
_ROOTS = r"(?:root|admin|administrator|sa|postgres|ubuntu|oracle|deploy|sysadmin)"
_HOSTS = (
    r"(?:服务器|主机|机器|后台|账号|帐号|账户|登录|登陆|数据库|路由器?|面板|虚拟机|跳板机|堡垒机|端口|\b(?i:server|host|box|panel|login|"
    r"creds?|credentials|ssh|vm|console|router|nas|switch|printer|camera)\b)"
)

TOLD: tuple[Rule, ...] = (
    # Passwords
    Rule("password", rf"(?P<name>{_ZH_CALLED}[^\n。！？!?；;A-Za-z0-9]{{0,14}}?){_ZH_TOLD}(?:的|了|老样子|老规矩|那个|以前的|原来的|这个)?"
         rf"[，,：:、\s]{{0,2}}{QUOTE}(?P<it>{_ZH_VALUE})", _ZH_SIGNS, check="told_zh"),
    Rule("password", rf"(?i){CALLED}[^\n.!?]{{0,40}}?(?:as (?:always|usual|before|ever)|the (?:usual|same|old one)|same old|same one|"
         rf"unchanged|(?:never|not|hasn't|haven't|didn't) changed?(?: it)?)\s?[,:;(–-]{{0,2}}\s?{QUOTE}(?P<it>{VALUE}{{6,64}})",
         CALLED_SIGNS, check="told"),
    Rule("password", rf"(?i)\b{CALLED}s? (?:for|of|on|to|at|in) [a-z0-9 .'\-]{{1,40}}?\s?{LINK}\s{{0,2}}{QUOTE}(?P<it>{VALUE}{{6,64}})",
         CALLED_SIGNS, check="told"),
    Rule("password", rf"(?i)\b(?:the|my|our|its|and|wifi|wi-fi|hotspot|login) pass(?:'s|’s| is| was) {QUOTE}(?P<it>[a-z]{VALUE}{{5,64}})",
         ("pass is", "pass was", "pass's", "pass’s"), check="told"),
    Rule("password", rf"{_HOSTS}[^\n]{{0,24}}?(?:^|[^A-Za-z0-9/])(?i:{_ROOTS})\s?[/:]\s?(?P<it>{VALUE}{{6,64}})",
         (rf"~{_ROOTS} ?[/:]",), check="paired"),

    # Codes of doors, cards and phones
    Rule("door-code", r"(?:开门|门禁|解锁|开锁|大门|单元门?|车库|房门|入户|进门|撤防|布防|电梯|门锁)(?:码|碼|代码)[^0-9\n。；]{0,8}?"
         r"(?P<it>[#*]?[0-9]{3,10}[#*]?)(?:[^0-9A-Za-z]|$)", ("~(?:门|锁|单元|车库|入户|防|电梯)(?:码|碼|代码)",), check="door"),
    Rule("door-code", rf"{_ZH_LOCK}\p{{Han}}{{0,6}}?(?:{_ZH_TURN}|(?:密码|密碼)\p{{Han}}{{0,6}}?(?:{_ZH_TURN}|{_ZH_NOW}))了?\s?(?P<it>[#*]?[0-9]{{3,8}}[#*]?|"
         r"[0-9]{1,2}(?:-[0-9]{1,2}){2,3})(?:[^0-9A-Za-z\-.:：]|$)",
         ("~(?:密码|密碼|锁|门禁|保险[柜箱])[^0-9\\n]{0,12}[#*]?[0-9]{2,}",), check="lock_zh"),
    Rule("door-code", r"(?:门禁|门锁|密码锁|单元门|大门)\s?(?P<it>[#*][0-9]{3,8}[#*]?|[0-9]{3,8}[#*])(?:[^0-9A-Za-z]|$)",
         ("~(?:门禁|门锁|密码锁|单元门|大门) ?[#*0-9]",), check="door"),
    Rule("door-code", rf"(?i)\b{_OPENS}\b[^\n.0-9]{{0,20}}?\b{_CODE}\b[^\n.0-9]{{0,20}}?{_DIGITS}",
         (rf"~\b{_CODE}\b[^\n.0-9]{{0,20}}[0-9]",), check="door"),
    Rule("door-code", rf"(?i)\b{_CODE} (?:for|to|on|of|at|into) [^\n.0-9]{{0,24}}?\b{_OPENS}\b[^\n.0-9]{{0,10}}?(?:\bis|\bwas|'s|[=:,])\s{{0,2}}"
         rf"{_DIGITS}", (rf"~\b{_CODE} (?:for|to|on|of|at|into) ",), check="door"),
    Rule("pin", r"(?:\bPIN|\b(?i:my|debit|card|credit|atm|bank|voicemail|phone|sim|account|tablet|ipad) (?i:pin))(?:['’]s)?"
         r"(?i: code| number)?[\s:=]{1,3}(?P<it>[0-9]{4,8})(?:[^0-9A-Za-z\-.]|$)", (r"~\bpin",), check="door"),
    Rule("pin", r"(?i)\bpin\s?码\s?(?P<it>[0-9]{4,8})(?:[^0-9A-Za-z]|$)", ("~pin ?码",), check="door"),
    Rule("pin", r"(?i)\bPUK2?(?:\s?码| codes?)?\s?(?:就?是|为|is|was|[:：=])?\s{0,2}(?P<it>[0-9]{8})(?:[^0-9A-Za-z]|$)", (r"~\bpuk",),
         check="code"),
    Rule("recovery-code", r"(?i)(?:(?:recovery|backup|rescue) codes?(?: (?:for|of|to|on) [^\n:：0-9]{1,30})?|(?:恢复|备用|备份|救援)"
         r"(?:代码|码|验证码))\s?(?:is|are|就?是|为)?\s?[:：=]?\s{0,2}(?P<it>[A-Za-z0-9]{5,12}(?:[- ][A-Za-z0-9]{4,10}){0,15})"
         r"(?:[^A-Za-z0-9\-]|$)", ("recovery", "backup", "rescue", "恢复", "备用", "备份", "救援"), check="recovery"),

    # Keys
    Rule("license-key", r"\b(?P<it>[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4})\b", ("~[a-z0-9]{5}(?:-[a-z0-9]{5}){4}",), check="product_key"),
    Rule("one-time-secret", r"(?i:totp|\b2fa|\botp|\bmfa|authenticator|验证器|两步验证)[^\n]{0,24}?(?i:secret|key|seed|密钥|秘钥)[^\nA-Za-z0-9]{0,6}"
         r"(?:is |是)?\s?(?P<it>[A-Z2-7]{16,64})\b", (r"~totp|\b2fa|\botp|\bmfa|authenticator|验证器|两步验证",), check="varied"),
    Rule("secret-value", rf"(?P<name>(?i:secret|token|key)\s?\p{{Han}}{{1,8}})\s?{LINK}?\s{{0,2}}{QUOTE}(?P<it>[A-Za-z0-9+/=_.\-]{{20,}})",
         (r"~(?:secret|token|key) ?\p{Han}",), check="key_said"),
)  # fmt: skip
"""What is told in passing, beyond the forms of rules_said."""
