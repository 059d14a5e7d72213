"""Secrets that are known by the form around them: addresses, headers, assignments, and named values."""

from __future__ import annotations

from loxodon.trust.guard import wallets
from loxodon.trust.guard.rules import Rule

LINK = r"(?:=>|:=|==?|:|：|->|→)"
_IS = (
    r"(?:is|was|are|were|to|as|equals|being|becomes|became|remains|stays|reads|says|"
    r"(?:should|must|will|would|can|could|has to|needs to|used to|going to|ought to) be|"
    r"(?:set|changed|switched|updated|reset|rotated) (?:to|as))"
)
QUOTE = r"[\"'`“”‘’「『*]{0,2}"
VALUE = r"[^\s\"'`,，;；。、<>“”‘’「」『』]"

_NAMED = (
    r"(?i)(?P<name>[A-Za-z0-9_.\-]{0,40}(?:secret[ _\-.]?key|secret|token|api[ _\-.]?key|access[ _\-.]?key|"
    r"private[ _\-.]?key|auth[ _\-.]?key|encryption[ _\-.]?key|signing[ _\-.]?key|master[ _\-.]?key|"
    r"session[ _\-.]?key|license[ _\-.]?key|account[ _\-.]?key|secret[ _\-.]?id|webhook[ _\-.]?key|"
    r"credential|密钥|秘钥|令牌|授权码|凭证|私钥)s?[A-Za-z0-9_\-]{0,30})"
)
_NAMED_SIGNS = (
    "secret",
    "token",
    "api key",
    "api_key",
    "api-key",
    "api.key",
    "apikey",
    "access key",
    "access_key",
    "access-key",
    "accesskey",
    "private key",
    "private_key",
    "private-key",
    "privatekey",
    "auth key",
    "auth_key",
    "auth-key",
    "authkey",
    "encryption key",
    "encryption_key",
    "signing key",
    "signing_key",
    "master key",
    "master_key",
    "session key",
    "session_key",
    "license key",
    "license_key",
    "account key",
    "account_key",
    "credential",
    "webhook",
    "密钥",
    "秘钥",
    "令牌",
    "授权码",
    "凭证",
    "私钥",
)
ZH_IS = (
    r"(?:就?是|为|為|叫|改成了?|改为了?|换成了?|换为|设成了?|设为了?|设置成了?|设置为|设定为|变成了?"
    r"|更新为|重置为|重置成了?|[:：=]|->|→)"
)
ZH_TOLD = r"(?:我?(?:[念报发说讲]给?|告诉)[你您]了?)"
_KEY = r"[A-Za-z0-9+/=_.\-]"
_ROOTS = r"(?:root|admin|administrator|sa|postgres|ubuntu|oracle|deploy|sysadmin)"
_HOSTS = (
    r"(?:服务器|主机|机器|后台|账号|帐号|账户|登录|登陆|数据库|路由器?|面板|虚拟机|跳板机|堡垒机|端口|\b(?i:server|host|box|panel|login|"
    r"creds?|credentials|ssh|vm|console|router|nas|switch|printer|camera)\b)"
)

CONTEXT: tuple[Rule, ...] = (
    Rule(
        "connection-string",
        r"(?i)\b[a-z][a-z0-9+._\-]{1,40}://(?P<user>[^\s:/@\"'`<>]{0,120}):"
        r"(?P<it>[^\s/\"'`<>]{1,200})@[^\s@\"'`<>]+",
        ("://",),
        check="url_password",
    ),
    Rule(
        "connection-string",
        r"(?i)\b[a-z][a-z0-9+._\-]{1,40}://(?P<it>[A-Za-z0-9_\-]{20,200})@"
        r"[^\s@\"'`<>]+",
        ("://",),
        check="random",
    ),
    Rule(
        "authorization",
        r"(?i)\b(?:authorization|proxy-authorization|x-[a-z0-9\-]{0,40}(?:key|token|auth|secret|session)"
        r"[a-z0-9\-]{0,16}|private-token|api-key)[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?(?:basic |bearer |token |apikey )?"
        r"\s?(?P<it>[A-Za-z0-9+/=_.~\-]{8,})",
        (
            "authorization",
            "api-key",
            "-token",
            "~x-[a-z0-9-]{0,40}(?:key|token|auth|secret|session)",
        ),
        check="header",
    ),
    Rule(
        "authorization",
        r"(?i)\bbearer\s+(?P<it>[A-Za-z0-9+/=_.~\-]{16,})",
        ("bearer",),
        check="assigned",
    ),
    Rule(
        "cookie",
        r"(?i)\b(?:set-cookie|cookie)\s{0,2}:\s{0,2}(?P<it>[^\s=;]{1,60}="
        r"[^\s;]{8,}(?:;\s?[^\s=;]+=[^\s;]+)*)",
        ("~cookie ?:",),
        check="given",
    ),
    Rule(
        "command-line-password",
        r"(?i)(?:^|[^A-Za-z0-9_./\-])(?:--?(?:password|passwd|pass|token|secret|"
        r"api-key|pw)[= ]|-u\s{1,2}[\w.@-]{1,60}:|sshpass -p ?|mysql(?:dump)?(?: .{0,80}?)? -p)[\"']?"
        r"(?P<it>[^\s\"']{4,})",
        (
            "sshpass",
            "mysql",
            "--pass",
            "-pass",
            "--token",
            "--secret",
            "--api-key",
            "-pw",
            "-u ",
            "--pw",
        ),
        check="password",
    ),
    Rule(
        "one-time-secret",
        r"(?i)otpauth://[^\s]*?[?&]secret=(?P<it>[A-Z2-7]{8,})",
        ("otpauth",),
        check="given",
    ),
    Rule(
        "wifi-password",
        r"(?i)\bWIFI:[^\n]{0,80}?P:(?P<it>[^;\n]{1,63});",
        ("wifi:",),
        check="given",
    ),
    Rule(
        "password",
        r"(?i)\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<it>\S{1,200})",
        (r"~machine\s+\S+\s+login",),
        check="given",
    ),
    Rule(
        "password",
        rf"(?i)(?P<name>[A-Za-z0-9_.\-]{{0,40}}(?:password|passwd|passphrase|pwd|_pass))"
        rf"[\"'`\])]{{0,2}}\s{{0,3}}{LINK}\s{{0,3}}{QUOTE}(?P<it>{VALUE}{{3,}})",
        ("password", "passwd", "passphrase", "pwd", "_pass"),
        check="password",
    ),
    Rule(
        "password",
        r"(?i)\bname:\s{0,2}[\"']?[A-Z0-9_]{0,40}(?:pass|password|secret|token|key)[\"']?\s{1,20}value:\s{0,2}[\"']?(?P<it>[^\s\"']{6,})",
        (r"~name:[^\n]{1,60}\n\s{0,12}value:",),
        check="password",
    ),
    Rule(
        "password",
        r"(?i)\bapp(?:lication)?[ -]password[^\n]{0,30}?(?P<it>[a-z]{4}(?: [a-z]{4}){3})\b",
        ("password",),
        check="given",
    ),
    Rule(
        "one-time-code",
        r"(?i)\b(?P<it>(?:[A-Z]{1,2}-)?[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}) is your "
        r"[^\n.]{0,40}?(?:code|pin|otp)\b",
        (r"~[0-9] is your",),
        check="code",
    ),
    Rule(
        "one-time-code",
        r"(?:^|[^0-9A-Za-z])(?P<it>[0-9]{4,8})\s?[（(]?[，,]?\s?"
        r"(?:是|为|，是)?(?:您|你|我)?的?[^0-9\n。；]{0,14}?(?:验证码|校验码|动态码|动态密码|动态口令|驗證碼|认证码|确认码|激活码|一次性密码)",
        ("验证码", "校验码", "动态", "驗證碼", "认证码", "确认码", "激活码", "一次性"),
        check="code",
    ),
    Rule(
        "password",
        rf"{_HOSTS}[^\n]{{0,24}}?(?:^|[^A-Za-z0-9/])(?i:{_ROOTS})\s?[/:]\s?(?P<it>{VALUE}{{6,64}})",
        (rf"~{_ROOTS} ?[/:]",),
        check="paired",
    ),
    Rule(
        "door-code",
        r"(?:门禁|门锁|密码锁|单元门|大门)\s?(?P<it>[#*][0-9]{3,8}[#*]?|[0-9]{3,8}[#*])(?:[^0-9A-Za-z]|$)",
        ("~(?:门禁|门锁|密码锁|单元门|大门) ?[#*0-9]",),
        check="door",
    ),
    Rule(
        "command-line-password",
        r"(?i)\bredis-cli\b[^\n]{0,80}? -a [\"']?(?P<it>[^\s\"']{4,})",
        ("redis-cli",),
        check="password",
    ),
    Rule(
        "share-code",
        r"(?:提取|访问|分享)(?:码|碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[A-Za-z0-9]{4,8})(?:[^A-Za-z0-9]|$)",
        ("~(?:提取|访问|分享)(?:码|碼)",),
        check="share",
    ),
    Rule(
        "recovery-code",
        r"(?i)(?:(?:recovery|backup|rescue) (?:codes?|keys?)(?: (?:for|of|to|on) [^\n:：0-9]{1,30})?|(?:恢复代|备用代|恢复|备用|"
        rf"备份|救援)(?:码|验证码|密钥){ZH_TOLD}?)\s?(?:is|are|就?是|为)?\s?[:：=]?\s{{0,2}}"
        r"(?P<it>[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,10}){0,15}(?:-[A-Za-z0-9]{2,3})?)"
        r"(?:[^A-Za-z0-9\-]|$)",
        ("recovery", "backup", "rescue", "恢复", "备用", "备份", "救援"),
        check="recovery",
    ),
    # Words of a wallet
    Rule("seed-phrase", wallets.RUN, (), check="seed_phrase"),
    Rule(
        "seed-phrase",
        r"(?:助记词|助記詞|恢复短语|恢复词|注记词)[^\n]{0,12}?\s{0,2}(?P<it>\p{Han}(?:[ ,，、\n]{1,2}\p{Han}){11,23})",
        ("助记词", "助記詞", "恢复", "注记词"),
    ),
    # Codes that are given once
    Rule(
        "pickup-code",
        r"(?:取件|取货|提货|取餐|取票|开柜|开箱)(?:码|碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[0-9]{4,10}|"
        r"[0-9A-Z]{1,3}(?:-[0-9A-Z]{1,5}){1,2})(?:[^0-9A-Za-z\-]|$)",
        ("~(?:取件|取货|提货|取餐|取票|开柜|开箱)(?:码|碼)",),
        check="code",
    ),
    # Values under a name that says they are secret
    Rule(
        "secret-value",
        rf"{_NAMED}[\"'`\])]{{0,2}}(?: (?:for|of|to|on|in) [^\n:=：]{{1,40}}?)?"
        rf"\s{{0,3}}(?:{LINK}|是|为)\s{{0,3}}{QUOTE}"
        rf"(?P<it>{VALUE}{{8,}})",
        _NAMED_SIGNS,
        check="assigned",
    ),
    Rule(
        "secret-value",
        rf"{_NAMED}(?: (?:for|of|to|on) [A-Za-z0-9 ._\-]{{1,40}}?)? "
        rf"{_IS} (?:now |still |just )?{QUOTE}(?P<it>{VALUE}{{8,}})",
        _NAMED_SIGNS,
        check="assigned",
    ),
    Rule(
        "secret-value", rf"{_NAMED} {QUOTE}(?P<it>{VALUE}{{16,}})", _NAMED_SIGNS, check="assigned"
    ),
    Rule(
        "secret-value",
        rf"(?:密钥|秘钥|令牌|授权码|私钥|[Aa]pp\s?[Ss]ecret|[Aa]ccess\s?[Kk]ey)"
        rf"[^\n。！？!?=:：A-Za-z0-9]{{0,10}}?{ZH_IS}?(?:了)?\s{{0,3}}{QUOTE}"
        r"(?P<it>[A-Za-z0-9+/=_.\-]{8,})",
        _NAMED_SIGNS,
        check="assigned",
    ),
    # What it is is said behind it
    Rule(
        "secret-value",
        rf"(?P<it>{_KEY}{{20,}})[\"'`”]?,? (?:as|is|was|for|=) (?:the |my |our |your |an? )?"
        r"(?:[A-Za-z0-9]{1,20} ){0,3}(?i:secret|token|(?:api|access|private|secret) key|password)",
        ("secret", "token", r"~(?:api|access|private) key", "password"),
        check="assigned",
    ),
    Rule(
        "secret-value",
        rf"(?P<it>{_KEY}{{20,}})\s?(?:就?是|作为|当)(?:我|你|咱|他|她)?们?的?\p{{Han}}{{0,8}}"
        r"(?i:密钥|秘钥|令牌|私钥|token|key)",
        ("密钥", "秘钥", "令牌", "私钥", "token", "key"),
        check="assigned",
    ),
    # Keys that are only called keys
    Rule(
        "secret-value",
        r"授权(?:码|碼)\s?(?:就?是|为|[:：=])?\s{0,2}(?P<it>[A-Za-z]{16}|[a-z]{4}(?: [a-z]{4}){3})"
        r"(?:[^A-Za-z0-9]|$)",
        ("~授权(?:码|碼)",),
        check="given",
    ),
    Rule(
        "secret-value",
        rf"(?P<name>\p{{Han}}{{1,8}}(?:\s?(?i:api|app|web|sdk))?\s?[Kk](?:ey|EY))\s?{ZH_IS}?\s{{0,2}}{QUOTE}"
        rf"(?P<it>{_KEY}{{20,}})",
        (r"~\p{Han} ?(?:api|app|web|sdk)? ?key",),
        check="key_said",
    ),
    Rule(
        "secret-value",
        rf"(?i)\b(?P<name>(?:[a-z0-9.]{{1,20}} ){{1,4}}key) "
        rf"(?:is|was|:)\s?{QUOTE}(?P<it>{_KEY}{{20,}})",
        (r"~\bkey (?:is|was|:)",),
        check="key_said",
    ),
    Rule(
        "secret-value",
        rf"(?i)\b(?P<name>[A-Za-z_]{{0,20}}(?:send|push|bot|robot|server|client|admin|secret|aes|des|hmac|sign)[ _-]?key)"
        rf"[\"'`]?\s{{0,2}}(?:{LINK}|是|为|is)?\s{{0,2}}{QUOTE}(?P<it>{_KEY}{{16,}})",
        (r"~(?:send|push|bot|robot|server|client|admin|secret|aes|des|hmac|sign)[ _-]?key",),
        check="assigned",
    ),
    Rule(
        "secret-value",
        r"(?:^|[^A-Za-z0-9_\-])[AS]K\s{0,2}(?:[:：=]|是|为)?\s{0,2}(?P<it>[A-Za-z0-9_\-]{20,})",
        (r"~(?:^|[^a-z0-9_])[as]k ?(?:[:：=]|是|为)? ?[a-z0-9_-]{20}",),
        check="mixed",
    ),
    Rule("secret-value", r"\bSCT[0-9]{3,8}T[A-Za-z0-9]{20,}", ("~sct[0-9]{3,8}t",), check="varied"),
    Rule("newrelic-key", r"\b(?P<it>[0-9a-f]{36}NRAL)\b", ("nral",), check="varied"),
    Rule(
        "cookie",
        r"(?i)\b(?:sessdata|phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|sessionid|bili_jct|li_at|"
        r"laravel_session|auth_token|z_c0)=(?P<it>[^\s;,\"']{16,})",
        (
            "sessdata",
            "sessid",
            "sessionid",
            "connect.sid",
            "bili_jct",
            "li_at",
            "laravel_session",
            "auth_token",
            "z_c0",
        ),
        check="given",
    ),
    Rule(
        "cookie",
        r"(?i)\b(?P<name>[a-z0-9_.\-]{0,30}(?:sess|sid|key|token|ticket|auth|jwt|csrf|login)[a-z0-9_]{0,12})="
        r"(?P<it>[^\s;,\"'&<>]{20,})",
        ("~(?:sess|sid|key|token|ticket|auth|jwt|csrf|login)[a-z0-9_]{0,12}=",),
        check="key_said",
    ),
    Rule(
        "connection-string",
        r"\bhttps?://(?P<it>[0-9a-f]{32})@",
        (r"~https?://[0-9a-f]{32}@",),
        check="varied",
    ),
    Rule(
        "license-key",
        r"\b(?P<it>[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4})\b",
        ("~-[a-z0-9]{5}-[a-z0-9]{5}-",),
        check="product_key",
    ),
    Rule(
        "one-time-secret",
        r"(?i:totp|\b2fa|\botp|\bmfa|authenticator|验证器|两步验证)[^\n]{0,24}?(?i:secret|key|seed|密钥|秘钥)[^\nA-Za-z0-9]{0,6}"
        r"(?:is |是)?\s?(?P<it>[A-Z2-7]{16,64})\b",
        (r"~totp|\b2fa|\botp|\bmfa|authenticator|验证器|两步验证",),
        check="varied",
    ),
    Rule(
        "secret-value",
        rf"(?P<name>(?i:secret|token|key)\s?\p{{Han}}{{1,8}})\s?{LINK}?\s{{0,2}}{QUOTE}(?P<it>[A-Za-z0-9+/=_.\-]{{20,}})",
        (r"~(?:secret|token|key) ?\p{Han}",),
        check="key_said",
    ),
)
"""Secrets that are known by the words and signs right before them."""
