"""The project that a message names, in either language.

A name stands beside the word: "project Lumen", "the Acme Dashboard project", 星链项目, 项目叫竹林.
What only says what kind of project it is ("a school project", 体育项目) names none.
"""

from __future__ import annotations

import re
from functools import cache

_READ = 1_000
# What stands before the word and says which or what kind, not what it is called
_KINDS = frozenset(
    """
    the this that my our your his her their its a an one new old next last first big small side
    main whole other another each every same current personal group team class school art science
    research home work pet hobby weekend summer craft diy design software open source
    体育 运动 健身 比赛 娱乐 游乐 合作 投资 科研 研究 创业 开源 公司 个人 工作 学校 课程
    毕业 实习 装修 志愿 公益 培训 检查 体检 收费 服务 重点 主要 其他 所有 治疗 美容 旅游
    活跃 核心 当前 业余 副业 重要 长期 短期 management manager plan planning lead work team
    交流 团队 小组 部门 客户 政府 国家 国际 海外 软件 硬件 网站 前端 后端 设计 建筑 新
    老 大 小 这个 那个 该 本 每个 几个 上个 下个 一个 两个 三个 手头 现在 目前 之前 最近
    """.split()  # noqa: SIM905  a block of words is easier to read and to keep than a list
)
_NAME = r"[A-Z][\w+#.-]{0,30}(?: [A-Z0-9][\w+#.-]{0,30}){0,2}"
_ENGLISH = (
    rf"\b[Pp]roject(?: is| was)? (?:called|named|codenamed|code-named) [\"“']?({_NAME})",
    rf"\b[Pp]roject [\"“']?({_NAME})",
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
_CUT = re.compile(r"^.*(?:在|给|为了?|对|把|是|的|我们|跟|和|做|个|了|关于)")


def named_project(text: str) -> str:
    """The name of the project that `text` speaks of; empty where it names none, or several."""
    found: dict[str, None] = {}
    text = text[:_READ]
    if "roject" in text:
        for pattern in _ENGLISH:
            for match in _re(pattern).finditer(text):
                # A name without the words before it that say which; none where only its place is
                # capital
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
