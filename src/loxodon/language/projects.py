"""The project that a message names, in either language.

A name stands beside the word: "project Lumen", "the Acme Dashboard project", 星链项目, 项目叫竹林.
What only says what kind of project it is ("a school project", 体育项目) names none.
"""

from __future__ import annotations

import re
from functools import cache

from loxodon.text.wordlists import words_of

_READ = 1_000
_KINDS = words_of("project_kinds")
_NAME = r"[A-Z][\w+#.-]{0,30}(?: [A-Z0-9][\w+#.-]{0,30}){0,2}"
_ENGLISH = (
    rf"\b[Pp]roject(?:(?: is| was)? (?:called|named|code-?named))? [\"“']?({_NAME})",
    r"\b(?:[Ii]n|[Oo]n|[Ff]or) project ([a-z][\w+#.-]{2,30})",
    rf"({_NAME})[\"”']? project\b",
)
_QUOTED = r"[“「『《\"]([^”」』》\"]{1,20})[”」』》\"]"
_CHINESE = (
    rf"项目(?:的名字)?(?:叫做?|名叫|名为|名字叫)(?:{_QUOTED}|([\w+#.-]{{2,12}}))",
    rf"{_QUOTED}(?:这个|那个)?项目",
    r"(?:^|[，。！？；、,.!?;:：\s在给为对把是的我们跟和])([A-Za-z0-9+#.-]{1,20}\s?|[\u4e00-\u9fff]{2,8})项目",
    r"(?<![个的该本多新老])项目\s?([A-Za-z][\w+#.-]{1,20})",
    rf"(?:核心|主要|当前|我的)项目是(?!.{{0,12}}项目)(?:{_QUOTED}|([\w+#.-]{{2,12}}))",
)
_CUT = re.compile(r"^.*(?:在|给|为了?|对|把|是|的|我们|跟|和|做|个|了|关于|决定)")


def named_project(text: str) -> str:
    """The name of the project that `text` speaks of; empty where it names none, or several."""
    found: dict[str, None] = {}
    text = text[:_READ]
    if "roject" in text:
        for pattern in _ENGLISH:
            for match in _re(pattern).finditer(text):
                # Without the words before it that say which; none where only its place is capital
                start = match.start(1)
                words = match[1].rstrip(".-").split()
                first = start == 0 or text[:start].rstrip()[-1:] in ".!?"
                while words and words[0].lower() in _KINDS:
                    words, first = words[1:], False
                if not first or len(words) != 1 or text.startswith("Project"):
                    found |= _kept(" ".join(words))
    if "项目" in text:
        for pattern in _CHINESE:
            for match in _re(pattern).finditer(text):
                found |= _kept(_CUT.sub("", next(filter(None, match.groups())).strip()))
    names = [name for name in found if not any(name != other and name in other for other in found)]
    return names[0] if len(names) == 1 else ""


def _kept(name: str) -> dict[str, None]:
    kind = name.lower() in _KINDS or (name[-2:] in _KINDS and not name.isascii())  # 毕业设计
    return {name: None} if len(name) > 1 and not kind and not _DOING.search(name) else {}


_DOING = re.compile("[不没要会想能了]|透露|讨论|开发|参加|负责|完成|启动|推进")  # 不要透露项目细节
_re = cache(re.compile)
