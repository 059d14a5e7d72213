"""Whether a text may have anything in it that is masked, told without loading the rules.

A recall from the shell shows a few lines, which mostly have nothing, and should not wait for the
rules to be compiled. The patterns here are bounded and have no choices to go back on, so that they
take time in proportion to the text. Where in doubt, the answer is yes.
"""

from __future__ import annotations

import re

_DIGIT = (
    r"\b(?:zero|oh?|one|two|three|four|five|six|seven|eight|nine|double|triple|treble|hundred)\b"
)
_WORDS = re.compile(
    r"(?i)@|\bat ?[\])]|_at_| at [a-z0-9-]{2,40} ?(?:dot|点)|艾特"
    r"|微信|薇信|威信|v信|加v|wechat|wxid"
    rf"|(?:{_DIGIT}[ ,-]{{1,3}}){{4}}|[零〇一幺二两三四五六七八九]{{3}}"
)
_DATES = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d)?|(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBERS = re.compile(
    r"\d{3}|\d\d?[ .-]\d\d|\d(?:号|號|室|栋|幢|棟|单元|弄|座|楼|层|房|巷)"
    r"|[\u200b-\u200f\u2060\ufeff\u00ad]"
    r"|[A-HJ-NP-Z] ?[·•・.]? ?[A-HJ-NP-Z0-9]{4}|[A-Za-z]\d[A-Za-z]|\d[A-Za-z]\d"
    r"|\d[A-Da-d]?,? [A-Za-z0-9]"
    r"|(?i:straße|strasse|str\.|weg|gasse|platz|allee|box|flat|apt|apartment|unit|suite) ?\d"
    r"|(?i:number|no\.?|nr\.?|#) ?\d"
)


def has_sign(text: str) -> bool:
    """Whether something may be masked in `text`; False only where nothing is."""
    if _WORDS.search(text):
        return True
    rest = _DATES.sub(" ", text)
    return any(map(str.isdigit, rest)) and _NUMBERS.search(rest) is not None
