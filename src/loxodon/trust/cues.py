"""The words by which people tell secrets: what a secret is called, and what is said around it.

Data for `clauses.py`, which reads the clause around a cue. Nothing here is imported but names, so
that a cold command may look at the stems (`signs.py`).
"""

from __future__ import annotations

from loxodon.trust.rules import Rule

MAYBE = "possible-secret"
"""What a clause gives that may be a secret or not: kept as it was said, and masked when shown."""


ASKED = ("words", "phrase", "digits", "code", "answer")
"""What cues take that people ask each other for."""


def _cue(kind: str, pattern: str, takes: str, *signs: str) -> Rule:
    return Rule(kind, pattern, signs, takes=takes, action="mask" if kind == MAYBE else "")


LOCKED = (
    r"(?:doors?|gates?|garage|alarm|keypad|safe|lockers?|locks?|padlock|lock ?box|key ?box|shed|building|lobby|"
    r"entrance|entry|elevator|lift|vault|suitcase|luggage|bike|cabin|gym|storage|intercom|house|home|flat|apartment|"
    r"office|room|airbnb|cottage|fence|pool|barn|mailbox|phone|tablet|ipad|iphone|laptop|computer|screen|sim|"
    r"voicemail|card|debit|credit|bank|atm|tv|parental|parking|bathroom|restroom|toilet|studio|warehouse|stairwell)"
)
_NEAR = r"[^\n.]{0,24}[0-9]"
ZH_LOCKED = (
    r"(?:门禁|门锁|密码锁|智能锁|指纹锁|车锁|挂锁|锁|保险柜|保险箱|密码箱|行李箱|拉杆箱|储物柜|更衣柜|快递柜|柜子?|车库|单元门?|大门|房门|院门|"
    r"楼道门?|入户|进门|闸机|电梯|手机|平板|电脑|锁屏|屏幕|开机|报警器|警报|撤防|布防|存折|取钱|取款|开门|解锁|开锁|门)"
)


_ZH_LEAD = r"[^\n。！？]{0,14}[0-9#*零〇一幺二两三四五六七八九]"

CUES: tuple[Rule, ...] = (
    _cue("password", r"(?i)(?:\bpass[ _-]?phrases?\b|口令|暗号|暗號)", "phrase", "phrase", "口令", "暗号", "暗號"),
    _cue("password", r"(?i)(?:\bpass[ _-]?(?:words?|wrds?|codes?)\b|\bpas+w(?:o?r?d|rod|ort)s?\b|\bpa?s+wd\b|\bpwds?\b|\bpws?\b|"
         r"\bpsw\b|\bpsswd\b|\bkennwort\b|contraseña|\bmdp\b|mot de passe|\bsenha\b|парол[ьяе]|パスワード|パスコード|비밀번호|비번|"
         r"\b(?:wi-?fi|wlan|wpa2?|wep|network|hotspot|router) (?:key|code)\b|\b(?:wi-?fi|ssid)\b[^\n.]{0,40}?\bkey\b|[密蜜秘]\s?[码碼马])", "words",
         "passw", "pass ", "pass_", "pass-", "passcode", "mot de passe", "pasw", "pwd", r"~\bpws?\b", "psw", "psswd", "kennwort", "contraseña", r"~\bmdp\b", "senha", "парол", "パス",
         "비밀번호", "비번", "~(?:wi-?fi|wlan|wpa2?|wep|network|hotspot|router|ssid)[^\\n.]{0,40}? (?:key|code)", r"~[密蜜秘]\s?[码碼马]"),
    _cue("password", r"(?i)\bpass\b", "firm", r"~\bpass\b[^\n.]{0,24}[0-9!@#$]"),
    _cue("security-answer", r"(?i)(?:\b(?:security|secret|recovery|challenge) (?:question|answer)s?(?: answer)?\b|密保(?:问题|答案)?|安全问题)", "answer",
         "~(?:security|secret|recovery|challenge) (?:question|answer)", "密保", "安全问题"),
    _cue("pin", r"(?i)(?:\bpins?(?: ?code| number| no\.|\s?码)?\b|\bpin码|\bpuk2?(?: ?code|\s?码)?)", "digits", r"~\bpins?(?:\b|码)", r"~\bpuk2?\b"),
    _cue("card-code", r"(?i)(?:\b(?:cvv2?|cvc2?|cvn2?)(?:码|\b)|card verification|安全码|安全碼|背面三位|[后末]三位数?)", "digits",
         "cvv", "cvc", "cvn", "verification", "安全码", "安全碼", "三位"),
    _cue("door-code", rf"(?i)(?:\b{LOCKED}(?:'s|’s)?(?: lock| door| gate| room| access| entry| unlock)? ?(?:codes?|combo|combination)\b|"
         rf"\b(?:codes?|combo|combination) (?:for|to|on|of|at|into) (?:[a-z'’]{{1,12}} ){{0,3}}{LOCKED}\b|\bkeypad\b|"
         r"\b(?:combo|combination)\b|\b(?:access|entry|unlock|unlocking|callbox|buzzer) ?codes?\b)",
         "digits", r"~\b(?:codes?|combo|combination|keypad)\b"),
    _cue("door-code", rf"(?:{ZH_LOCKED}\p{{Han}}{{0,4}}?(?:密码|密碼|码|碼|代码|数字)(?:锁|箱|柜)?|撤防|布防|密码(?:锁|箱|柜))",
         "digits", rf"~(?:码|碼|防|锁|箱|柜){_ZH_LEAD}"),
    _cue("one-time-code", r"(?i)(?:\b(?:verification|security|confirmation|authentication|authenticator|auth|login|log-in|sign-?in|one[ -]?time|"
         r"2fa|mfa|otp|two[ -]factor|2[ -]?step|sms|texted|activation|whatsapp)[ -]?(?:pass)?(?:codes?|pin|number)\b|\botp\b|\b2fa\b|"
         r"验证码|校验码|动态码|驗證碼|认证码|确认码|激活码|短信码)", "digits",
         r"~(?:pass|\b)codes?\b", r"~\botp\b", "2fa", "mfa", "验证码", "校验码", "动态码", "驗證碼", "认证码", "确认码", "激活码", "短信码"),
    _cue("password", r"(?i)\b(?:log(?:ged|ging|s)?[ -]?(?:in|on|into)|sign(?:ed|ing|s)?[ -]?(?:in|on|into)|logins?|credentials?|creds)\b|登录|登陆|登入|登上|账号|帐号|账户",
         "pair", r"~\b(?:log|sign)[a-z]{0,4}[ -]?(?:in|on)", "credential", "creds", "登录", "登陆", "登入", "登上", "账号", "帐号", "账户"),
    _cue("door-code", r"(?i)\b(?:opens?|unlocks?|disarms?|(?:gets?|lets?|buzz(?:es)?) (?:(?:you|me|us|him|her|them|people|everyone|anyone|guests?) )?"
         r"(?:in|inside|on|onto|into|past|through|online))\b", "entry", rf"~\b(?:open|unlock|disarm)s?\b{_NEAR}",
         r"~[0-9a-z][0-9#*] (?:open|unlock|disarm|get|let|buzz)", rf"~\b(?:get|let|buzz)[es]{{0,2}} (?:[a-z]+ )?(?:in|on|past|through){_NEAR}"),
    _cue("door-code", r"(?i)(?:\b(?:punch|key|tap)(?:ing)? in\b|\b(?:punch(?:ing)?|dial(?:ling|ing)?|typ(?:e|ing)|enter(?:ing)?|press(?:ing)?|input|us(?:e|ing))\b|[输摁按拨敲填]|(?P<it>用)\s?[#*]?[0-9]{3,8}[#*]?\s?\p{Han}{0,3}[开解进])",
         "typed", r"~用 ?[0-9]{3,8}\p{Han}{0,3}[开解进]", rf"~\b(?:punch|dial|type|typing|enter|press|input|use|using|key in|tap in|keying in)[a-z]{{0,3}}{_NEAR}", r"~[输摁按拨敲填]\p{Han}{0,3} ?[#*0-9]{3}"),
    _cue(MAYBE, r"(?i)(?:\b(?:screen lock|padlock|lock ?box|lock|safe)\b|锁屏|挂锁|密码锁|门锁|门禁|保险柜|保险箱)", "digits",
         r"~\b(?:lock|padlock|lock ?box|safe)\b[^\n.]{0,30}[0-9]{2}", "~(?:锁|禁|柜|箱)[^\\n]{0,8}[0-9]{3}"),
    _cue("access-code", r"(?i)\bcodes?\b", "code", r"~\bcodes?\b[^\n.]{0,24}[0-9]", r"~[0-9] [^\n.]{0,16}code"),
)  # fmt: skip
"""What a secret is called or done with, the surest first."""
