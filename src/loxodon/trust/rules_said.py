"""Secrets as people say them in passing: pairs of a login, names that follow, codes of lockers and shares."""

from __future__ import annotations

from loxodon.trust.rules import Rule
from loxodon.trust.rules_context import CALLED, CALLED_SIGNS, LINK, QUOTE, VALUE, ZH_IS

_KEY = r"[A-Za-z0-9+/=_.\-]"
_LOGIN = r"(?:log-?ins?|log in|sign-?in|credentials?|creds|access)"
_ACCOUNT = r"(?:账号|帐号|账户|用户名?|邮箱|用户|user ?name|user|login|e?-?mail|account|id)"
_AND = r"\s?(?:和|与|及|跟|、|/|&|and|\+)\s?"

SAID: tuple[Rule, ...] = (
    # What it is is said behind it
    Rule("secret-value", rf"(?P<it>{_KEY}{{20,}})[\"'`”]?,? (?:as|is|was|for|=) (?:the |my |our |your |an? )?"
         r"(?:[A-Za-z0-9]{1,20} ){0,3}(?i:secret|token|(?:api|access|private|secret) key|password)",
         ("secret", "token", r"~(?:api|access|private) key", "password"), check="assigned"),
    Rule("secret-value", rf"(?P<it>{_KEY}{{20,}})\s?(?:就?是|作为|当)(?:我|你|咱|他|她)?们?的?\p{{Han}}{{0,8}}"
         r"(?i:密钥|秘钥|令牌|私钥|token|key)", ("密钥", "秘钥", "令牌", "私钥", "token", "key"),
         check="assigned"),

    # Pairs
    Rule("password", rf"(?i)\b{_LOGIN}\b[^\n.:=/]{{0,40}}?(?:\bis\b|\bare\b|[:=：])\s{{0,2}}[\w.@+\-]{{1,60}}?"
         rf"(?:\s?[/|]\s?|:|\s){QUOTE}(?P<it>{VALUE}{{5,64}})",
         (r"~\blog-?in", "log in", "sign-in", "signin", "credential", "creds", "access"), check="strong"),
    Rule("password", rf"(?i){_ACCOUNT}{_AND}{CALLED}\s?(?:分别)?(?:是|为|[:：=]|is|are)\s{{0,2}}[^\s/，,、]{{1,80}}"
         rf"\s?[/，,、:\s]\s?{QUOTE}(?P<it>{VALUE}{{4,64}})", CALLED_SIGNS, check="password"),
    Rule("password", rf"(?:登录|登陆|登入)\p{{Han}}{{0,6}}\s?[:：]?\s?[A-Za-z][\w.@\-]{{1,40}}\s?/\s?(?P<it>{VALUE}{{5,64}})",
         ("登录", "登陆", "登入"), check="strong"),
    Rule("password", rf"(?i)\bpass\s{{0,2}}{LINK}\s{{0,2}}{QUOTE}(?P<it>{VALUE}{{6,64}})",
         (r"~\bpass ?[:=：]",), check="strong"),

    # Passwords with more words between
    Rule("password", rf"(?i)\b{CALLED}s? (?:for|of|on|to|at|in) [a-z0-9 .'\-]{{1,40}}?\s?{LINK}\s{{0,2}}{QUOTE}"
         rf"(?P<it>{VALUE}{{6,64}})", CALLED_SIGNS, check="strong"),
    Rule("password", rf"(?i)\b{CALLED}[^\n.!]{{0,40}}?\b(?:(?:new|old|current|other|right|real|temporary) one"
         r"(?: is|'s|:)|(?:i think|maybe|probably|perhaps|i believe)(?: it)?(?:'s| is| was)?|try|it's|it is|now it's)"
         rf" {QUOTE}(?P<it>{VALUE}{{6,64}})", CALLED_SIGNS, check="strong"),
    Rule("password", rf"(?i)\b{CALLED}['’]s {QUOTE}(?P<it>{VALUE}{{6,64}})", CALLED_SIGNS, check="strong"),
    Rule("password", rf"(?i)\b(?:type|enter|use|try) (?:in )?{QUOTE}(?P<it>{VALUE}{{6,64}}) (?:as|for|when|if|at|on)"
         rf"[^\n.]{{0,40}}?{CALLED}", CALLED_SIGNS, check="strong"),
    Rule("password", rf"(?i)\b(?P<name>(?:master |main |new )?{CALLED})[^\n.!?]{{0,40}}?(?:\bis|\bto|\bwas|[:=：])"
         r"\s{1,2}[\"'“]?(?P<it>[a-z]{3,12}(?:[ -][a-z]{3,12}){3,7})[\"'”.!]?\s*(?:\n|$)", CALLED_SIGNS,
         check="passphrase"),
    Rule("password", r"(?i)\bapp(?:lication)?[ -]password[^\n]{0,30}?(?P<it>[a-z]{4}(?: [a-z]{4}){3})\b",
         ("password",), check="given"),
    Rule("password", r"(?P<name>(?:密\s?码|密碼|口令)[^\n。！？!?=:：]{0,12}?)[，,]?\s?(?:现在|好像|应该|可能|大概|估计|"
         r"记得|貌似|似乎|新的|旧的|原来的?)(?:就?是|叫|为)\s?(?P<it>[\x21\x23-\x26\x28-\x2b\x2d-\x3a\x3c-\x5f\x61-\x7e]"
         r"{4,64})", CALLED_SIGNS, check="password_zh"),
    Rule("password", r"(?:密\s?码|密碼|口令)\s?[:：]?\s?[【（「『](?P<it>[\x21-\x7e]{4,64})[】）」』]", CALLED_SIGNS,
         check="strong_zh"),

    # Codes
    Rule("one-time-code", r"(?i)\b(?:use|enter|type|input) (?P<it>[0-9]{3}[ -][0-9]{3}|[0-9]{4,8}) (?:to|for) (?:sign|"
         r"log|verify|confirm|authenticat|access|your (?:login|account)|finish|complete|reset)",
         (r"~(?:use|enter|type|input) [0-9]{3}",), check="code"),
    Rule("one-time-code", r"(?i)\bcode:? (?P<it>[0-9]{3}-[0-9]{3})(?:[^0-9\-]|$)", (r"~\bcode:? [0-9]{3}-",), check="code"),
    Rule("door-code", r"(?i)\b(?:safe|lock|padlock|door|gate|vault|locker|phone|garage|case|bike)\b[^\n.]{0,30}?\b(?:opens|unlocks)"
         r" with (?:the code )?(?P<it>[0-9#*]{4,10}|[0-9]{1,2}(?:-[0-9]{1,2}){2,3})(?:[^0-9]|$)",
         ("opens with", "unlocks with"), check="code"),
    Rule("command-line-password", r"(?i)\bredis-cli\b[^\n]{0,80}? -a [\"']?(?P<it>[^\s\"']{4,})", ("redis-cli",),
         check="password"),
    Rule("door-code", r"(?:箱|锁|柜|门|闸|桩)\p{Han}{0,4}?(?:密码|密碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[0-9]{3}|[0-9]{1,2}"
         r"(?:-[0-9]{1,2}){2,3})(?:[^0-9A-Za-z\-]|$)", ("密码", "密碼"), check="code"),
    Rule("pickup-code", r"(?:取件|取货|提货|取餐|取票|开柜|开箱)(?:码|碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[0-9]{4,10}|"
         r"[0-9A-Z]{1,3}(?:-[0-9A-Z]{1,5}){1,2})(?:[^0-9A-Za-z\-]|$)", ("~(?:取件|取货|提货|取餐|取票|开柜|开箱)(?:码|碼)",),
         check="code"),
    Rule("share-code", r"(?:提取|访问|分享)(?:码|碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[A-Za-z0-9]{4,8})(?:[^A-Za-z0-9]|$)",
         ("~(?:提取|访问|分享)(?:码|碼)",), check="share"),

    # Keys that are only called keys
    Rule("secret-value", r"授权(?:码|碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[A-Za-z]{16}|[a-z]{4}(?: [a-z]{4}){3})"
         r"(?:[^A-Za-z0-9]|$)", ("~授权(?:码|碼)",), check="given"),
    Rule("secret-value", rf"(?P<name>\p{{Han}}{{1,8}}(?:\s?(?i:api|app|web|sdk))?\s?[Kk](?:ey|EY))\s?{ZH_IS}?\s{{0,2}}{QUOTE}"
         rf"(?P<it>{_KEY}{{20,}})", (r"~\p{Han} ?(?:api|app|web|sdk)? ?key",), check="key_said"),
    Rule("secret-value", rf"(?i)\b(?P<name>(?:my|our|the|this|that) (?:[a-z0-9]{{1,20}} ){{0,3}}key) "
         rf"(?:is|was|:)\s?{QUOTE}(?P<it>{_KEY}{{20,}})", (r"~\bkey (?:is|was|:)",), check="key_said"),
    Rule("secret-value", rf"(?i)\b(?P<name>[A-Za-z_]{{0,20}}(?:send|push|bot|robot|server|client|admin|secret|aes|des|hmac|sign)[ _-]?key)"
         rf"[\"'`]?\s{{0,2}}(?:{LINK}|是|为|is)?\s{{0,2}}{QUOTE}(?P<it>{_KEY}{{16,}})",
         (r"~(?:send|push|bot|robot|server|client|admin|secret|aes|des|hmac|sign)[ _-]?key",), check="assigned"),
    Rule("secret-value", r"(?:^|[^A-Za-z0-9_\-])[AS]K\s{0,2}(?:[:：=]|是|为)?\s{0,2}(?P<it>[A-Za-z0-9_\-]{20,})",
         (r"~(?:^|[^a-z0-9_])[as]k ?(?:[:：=]|是|为)? ?[a-z0-9_-]{20}",), check="mixed"),
    Rule("secret-value", r"\bSCT[0-9]{3,8}T[A-Za-z0-9]{20,}", ("~sct[0-9]{3,8}t",), check="varied"),
    Rule("newrelic-key", r"\b(?P<it>[0-9a-f]{36}NRAL)\b", ("nral",), check="varied"),
    Rule("cookie", r"(?i)\b(?:sessdata|phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sessionid|bili_jct|li_at|"
         r"laravel_session|auth_token|z_c0)=(?P<it>[^\s;,\"']{16,})",
         ("sessdata", "sessid", "sessionid", "connect.sid", "bili_jct", "li_at", "laravel_session", "auth_token",
          "z_c0"), check="given"),
    Rule("connection-string", r"\bhttps?://(?P<it>[0-9a-f]{32})@", (r"~https?://[0-9a-f]{32}@",), check="varied"),
)  # fmt: skip
"""What the words around it say, beyond the forms of rules_context."""
