"""Secrets that are known by what is said about them: passwords, codes, and named values."""

from __future__ import annotations

from loxodon.trust.rules import Rule

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
    "secret", "token", "api key", "api_key", "api-key", "api.key", "apikey", "access key",
    "access_key", "access-key", "accesskey", "private key", "private_key", "private-key",
    "privatekey", "auth key", "auth_key", "auth-key", "authkey", "encryption key",
    "encryption_key", "signing key", "signing_key", "master key", "master_key", "session key",
    "session_key", "license key", "license_key", "account key", "account_key", "credential",
    "webhook", "密钥", "秘钥", "令牌", "授权码", "凭证", "私钥",
)  # fmt: skip
CALLED = (
    r"(?:pass[ _-]?word|pass[ _-]?wd|pass[ _-]?phrase|pass[ _-]?code|pwd|\bpw\b|passwort|contraseña|"
    r"mot de passe|パスワード|비밀번호|密\s?码|密碼|口令)"
)
CALLED_SIGNS = (
    "password", "pass word", "pass_word", "passwd", "passphrase", "pass phrase", "passcode",
    "pass code", "pwd", r"~\bpw\b", "passwort", "contraseña", "mot de passe", "パスワード", "비밀번호",
    "密码", "密 码", "密碼", "口令",
)  # fmt: skip
_CODE = (
    r"(?:verification|security|confirmation|authentication|auth|login|log-in|sign-in|one[ -]?time|"
    r"2fa|mfa|otp|two[ -]factor|sms|access|activation)[ -]?(?:pass)?(?:code|pin|password)"
)
_CODE_SIGNS = ("code", r"~\botp\b", "2fa", "mfa", r"~\bpin")
_ZH_CODE = r"(?:验证码|校验码|动态码|动态密码|动态口令|驗證碼|认证码|确认码|激活码|一次性密码)"
_ZH_CODE_SIGNS = ("验证码", "校验码", "动态", "驗證碼", "认证码", "确认码", "激活码", "一次性")
ZH_IS = (
    r"(?:就?是|为|為|叫|改成了?|改为了?|换成了?|换为|设成了?|设为了?|设置成了?|设置为|设定为|变成了?"
    r"|更新为|重置为|重置成了?|[:：=]|->|→)"
)

CONTEXT: tuple[Rule, ...] = (
    Rule("connection-string", r"(?i)\b[a-z][a-z0-9+.\-]{1,30}://(?P<user>[^\s:/@\"'`<>]{0,120}):"
         r"(?P<it>[^\s/\"'`<>]{1,200})@[^\s@\"'`<>]+", ("://",), check="url_password"),
    Rule("connection-string", r"(?i)\b[a-z][a-z0-9+.\-]{1,30}://(?P<it>[A-Za-z0-9_\-]{20,200})@"
         r"[^\s@\"'`<>]+", ("://",), check="random"),
    Rule("authorization", r"(?i)\b(?:authorization|proxy-authorization|x-api-key|x-auth-token|"
         r"private-token|api-key)[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?(?:basic |bearer |token |apikey )?"
         r"\s?(?P<it>[A-Za-z0-9+/=_.~\-]{8,})", ("authorization", "api-key", "-token"),
         check="header"),
    Rule("authorization", r"(?i)\bbearer\s+(?P<it>[A-Za-z0-9+/=_.~\-]{16,})", ("bearer",),
         check="assigned"),
    Rule("cookie", r"(?i)\b(?:set-cookie|cookie)\s{0,2}:\s{0,2}(?P<it>[^\s=;]{1,60}="
         r"[^\s;]{8,}(?:;\s?[^\s=;]+=[^\s;]+)*)", ("~cookie ?:",), check="given"),
    Rule("command-line-password", r"(?i)(?:^|[^A-Za-z0-9_./\-])(?:--?(?:password|passwd|pass|token|secret|"
         r"api-key|pw)[= ]|-u\s{1,2}[\w.@-]{1,60}:|sshpass -p ?|mysql(?:dump)? .{0,80}?-p)[\"']?"
         r"(?P<it>[^\s\"']{4,})", ("sshpass", "mysql", "--pass", "-pass", "--token", "--secret", "--api-key", "-pw", "-u ", "--pw"),
         check="password"),
    Rule("one-time-secret", r"(?i)otpauth://[^\s]*?[?&]secret=(?P<it>[A-Z2-7]{8,})",
         ("otpauth",), check="given"),
    Rule("wifi-password", r"(?i)\bWIFI:[^\n]{0,80}?P:(?P<it>[^;\n]{1,63});", ("wifi:",),
         check="given"),
    Rule("password", r"(?i)\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<it>\S{1,200})",
         (r"~machine\s+\S+\s+login",), check="given"),

    # One-time codes
    Rule("one-time-code", rf"(?i)\b{_CODE}s?\b[^0-9\n.]{{0,40}}?\b(?P<it>[A-Z]{{0,2}}-?[0-9]{{4,8}}|"
         r"[0-9]{3}[ -][0-9]{3})\b", _CODE_SIGNS, check="code"),
    Rule("one-time-code", r"(?i)\b(?:otp|2fa|mfa)\b[^0-9\n.]{0,20}?\b(?P<it>[0-9]{4,8})\b",
         (r"~\botp\b", "2fa", "mfa"), check="code"),
    Rule("one-time-code", r"(?i)\b(?P<it>(?:[A-Z]{1,2}-)?[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}) is your "
         r"[^\n.]{0,40}?(?:code|pin|otp)\b", (r"~[0-9] is your",), check="code"),
    Rule("one-time-code", r"(?i)\bcode(?: is| was|:)? (?P<it>[0-9]{6})\b[^\n]{0,80}?"
         r"(?:expire|valid|do not share|don't share|never share)", ("code",), check="code"),
    Rule("one-time-code", r"(?i)\b(?:use|enter|type|input|submit|text|with) (?:the |this |your )?"
         r"(?:code|pin|passcode):? (?P<it>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\b", ("code", r"~\bpin"),
         check="code"),
    Rule("one-time-code", rf"{_ZH_CODE}(?:[^0-9\n。；率][^0-9\n。；]{{0,15}}?)?(?P<it>[0-9]{{4,8}}|[0-9]{{3}}[ -]"
         r"[0-9]{3}|[A-Z0-9]{6})(?:[^0-9A-Za-z]|$)", _ZH_CODE_SIGNS, check="code"),
    Rule("one-time-code", rf"(?:^|[^0-9A-Za-z])(?P<it>[0-9]{{4,8}})\s?[（(]?[，,]?\s?"
         rf"(?:是|为|，是)?(?:您|你|我)?的?[^0-9\n。；]{{0,14}}?{_ZH_CODE}", _ZH_CODE_SIGNS,
         check="code"),

    # Codes that open doors and cards
    Rule("door-code", r"(?i)\b(?:door|gate|alarm|entry|keypad|safe|locker|lock|garage|building|"
         r"security|vault|combination|unlock)(?: lock)?(?:'s)?[ -]?(?:access |entry )?(?:code|"
         r"combo|combination|pin|passcode)\b[^0-9\n.]{0,30}?(?P<it>[0-9#*]{4,10}|"
         r"[0-9]{1,2}(?:-[0-9]{1,2}){2,3})(?:[^0-9]|$)", ("code", "combo", "combination", r"~\bpin"),
         check="door"),
    Rule("door-code", r"(?i)\b(?:safe|vault|locker|lock) combination\b[^0-9\n.]{0,20}?"
         r"(?P<it>[0-9]{1,2}(?:[ -][0-9]{1,2}){2,3})", ("combination",), check="given"),
    Rule("pin", r"(?i)\bpin(?:[ -]?(?:code|number|no\.?))?\b(?: (?:for|of|on|to) [^\n.]{1,40}?)?"
         r"\s{0,2}(?:is|was|=|:|：|to|是|为)\s{0,2}[\"'“]?(?P<it>[0-9]{4,8})\b",
         (r"~\bpin",), check="code"),
    Rule("pin", rf"(?:PIN\s?码|pin\s?码|PIN|pin)\s?{ZH_IS}\s?(?P<it>[0-9]{{4,8}})",
         (r"~pin ?码? ?(?:就?是|为|為|叫|改|换|设|变|更|重|[:：=])",), check="code"),
    Rule("card-code", r"(?i)\b(?:cvv2?|cvc2?|cvn2?|card verification|security code)\b[^0-9\n]"
         r"{0,16}?(?P<it>[0-9]{3,4})\b", ("cvv", "cvc", "cvn", "verification", "security code"),
         check="code"),
    Rule("card-code", r"(?:安全码|安全碼|背面三位|后三位|末三位数?)[^0-9\n，。]{0,8}?"
         r"(?P<it>[0-9]{3,4})(?:[^0-9]|$)", ("安全码", "安全碼", "三位"), check="code"),

    # Passwords
    Rule("password", rf"(?i){CALLED}s?[^\n。.!?！？=:：]{{0,40}}?(?:\s(?:is|was|are|be|being|to|"
         rf"as)\s(?:now |still |just |called |set to |always )?|\s?(?:{LINK}|就?是|为|為|叫|改成了?"
         r"|改为了?|换成了?|设成了?|设为了?|设置成了?|设置为|设定为|变成了?|更新为|重置为|重置成了?"
         r"|はこれ|は|：)\s?)(?:了|这个|这串|下面这个)?\s{0,2}[\"“「『'‘`](?P<it>[^\n\"”」』'’`]{3,64})"
         r"[\"”」』'’`]", CALLED_SIGNS, check="quoted"),
    Rule("password", rf"(?i)\b(?P<name>{CALLED})s?[\"'`)\]]{{0,2}}\s{{0,3}}{LINK}\s{{0,3}}"
         rf"{QUOTE}(?P<it>{VALUE}{{3,}})", CALLED_SIGNS, check="password"),
    Rule("password", rf"(?i)(?P<name>[A-Za-z0-9_.\-]{{0,40}}(?:password|passwd|passphrase|pwd|_pass))"
         rf"[\"'`\])]{{0,2}}\s{{0,3}}{LINK}\s{{0,3}}{QUOTE}(?P<it>{VALUE}{{3,}})",
         (*CALLED_SIGNS, "_pass"), check="password"),
    Rule("password", rf"(?i)\b(?P<name>{CALLED}s?\b(?: (?:for|to|of|on|in|at|there|here|i|we|use|used|she|"
         r"he|they|my|our|the|her|his|their|new|old|current|wifi|account|login|that|which|[a-z0-9."
         rf"'\-]{{1,20}})){{0,7}}?)\s{{1,2}}{_IS}\s(?:now |still |just "
         rf"|actually |always |simply )?{QUOTE}(?P<it>{VALUE}{{4,}})", CALLED_SIGNS,
         check="password_said"),
    Rule("password", rf"(?i)\b(?:log ?in|sign ?in|ssh|connect|unlock)\b[^\n.]{{0,50}}?\b(?:with|using|"
         rf"and)\s(?:the )?{CALLED}\s{QUOTE}(?P<it>{VALUE}{{4,}})", CALLED_SIGNS,
         check="password_said"),
    Rule("password", rf"(?i)\b{CALLED}\s{{1,3}}{QUOTE}(?P<it>{VALUE}{{6,}})", CALLED_SIGNS,
         check="strong"),
    Rule("password", rf"(?P<name>(?:密\s?码|密碼|口令)[^\n。！？!?，,；;=:：]{{0,10}}?){ZH_IS}(?:了|这个|这串)?\s{{0,3}}"
         r"[\"“「『'‘`]?(?P<it>[\x21\x23-\x26\x28-\x2b\x2d-\x3a\x3c-\x5f\x61-\x7e]{4,64})",
         CALLED_SIGNS, check="password_zh"),
    Rule("password", r"(?:密\s?码|密碼|口令)\s{0,2}(?P<it>[\x21\x23-\x26\x28-\x2b\x2d-\x39\x3b\x3c"
         r"\x3e-\x5f\x61-\x7e]{4,64})", CALLED_SIGNS, check="strong_zh"),
    Rule("seed-phrase", r"(?i)\b(?:seed|recovery|mnemonic|backup|secret)[ -]?(?:phrase|words?|"
         r"mnemonic)?\b[^\n:：]{0,40}?(?:is|are|:|：|=)\s{0,3}[\"'“]?(?P<it>[a-z]{3,8}(?:[ ,]{1,2}"
         r"[a-z]{3,8}){11,23})\b", ("seed", "recovery", "mnemonic", "backup", "secret"),
         check="phrase"),
    Rule("seed-phrase", r"(?:助记词|助記詞|恢复短语|恢复词|注记词)[^\na-z]{0,20}?(?P<it>[a-z]{3,8}"
         r"(?:[ ,，]{1,2}[a-z]{3,8}){11,23})", ("助记词", "助記詞", "恢复", "注记词"), check="phrase"),
    Rule("recovery-code", r"(?i)(?:recovery|backup|rescue|恢复|备用|备份)[ -]?(?:codes?|keys?|代码|码|"
         r"验证码|密钥)[^\n0-9A-Za-z]{0,6}(?:(?:is|are|是)[^\n0-9A-Za-z]{0,4})?(?P<it>[A-Za-z0-9]{4,10}"
         r"(?:[- ][A-Za-z0-9]{4,10}){1,15})", ("recovery", "backup", "rescue", "恢复", "备用", "备份"),
         check="codes"),

    # Values under a name that says they are secret
    Rule("secret-value", rf"{_NAMED}[\"'`\])]{{0,2}}(?: (?:for|of|to|on|in) [^\n:=：]{{1,40}}?)?"
         rf"\s{{0,3}}(?:{LINK}|是|为)\s{{0,3}}{QUOTE}"
         rf"(?P<it>{VALUE}{{8,}})", _NAMED_SIGNS, check="assigned"),
    Rule("secret-value", rf"{_NAMED}(?: (?:for|of|to|on) [A-Za-z0-9 ._\-]{{1,40}}?)? "
         rf"{_IS} (?:now |still |just )?{QUOTE}(?P<it>{VALUE}{{8,}})",
         _NAMED_SIGNS, check="assigned"),
    Rule("secret-value", rf"{_NAMED} {QUOTE}(?P<it>{VALUE}{{16,}})", _NAMED_SIGNS,
         check="assigned"),
    Rule("secret-value", rf"(?:密钥|秘钥|令牌|授权码|私钥|[Aa]pp\s?[Ss]ecret|[Aa]ccess\s?[Kk]ey)"
         rf"[^\n。！？!?=:：A-Za-z0-9]{{0,10}}?{ZH_IS}?(?:了)?\s{{0,3}}{QUOTE}"
         r"(?P<it>[A-Za-z0-9+/=_.\-]{8,})", _NAMED_SIGNS, check="assigned"),
)  # fmt: skip
"""Secrets that are known by the words before them."""
