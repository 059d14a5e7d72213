"""Who speaks in a chat log: what is a name, and whose."""

from __future__ import annotations

from loxodon.types import Role

MAX_SPEAKER = 30
"""Characters of a name."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OWNERS = _words("me myself 我 本人 自己")
USERS = _words("user human you 用户 人类 你 you-said 你说")
ASSISTANTS = _words("assistant ai bot model 助手 机器人 小助手 ai助手 智能助手")
MODELS = _words(
    "chatgpt gpt gpt-4 gpt-4o gpt-5 claude gemini deepseek kimi copilot qwen grok llama openclaw"
    " 豆包 通义千问 文心一言 智谱清言 chatgpt-said claude-said gemini-said chatgpt说"
)
_SYSTEM = _words("system 系统")
_TOOL = _words("tool function 工具")

_NOT_NAMES = _words(
    "note notes ps p.s nb todo fixme warning caution important tip tips hint hints info example"
    " examples e.g i.e eg ie summary date time subject from to cc bcc re fw fwd url link links"
    " source see update edit error usage title step steps question answer reason result results"
    " conclusion ingredients method directions requirements features pros cons overview option"
    " options day part phase chapter section item items output input default version http https"
    " ftp file mailto tel"
    " 注 注意 备注 提示 说明 例如 比如 例 结论 总结 标题 时间 地点 日期 问题 原因 答案 附 附注"
    " 另外 步骤 方法 结果 链接 来源 参考 主题 目标 背景 建议 优点 缺点 示例 更新 警告 第一 第二"
    " 第三 首先 其次 最后 一 二 三"
)
"""Words that stand before a colon in prose."""
_PROSE = frozenset("的是了说在有这那就都和与及请把被让给吗呢吧如下你他她它们要会很也还但因所")
"""Characters that a Chinese sentence has and a name has not."""
_NOT_IN_NAMES = frozenset('，。；！？、…“”‘’《》,;!?"<>{}|\\/=`*#$%^&')


def key_of(name: str) -> str:
    """What two spellings of one name have in common; `You said` is how ChatGPT is copied."""
    key = name.casefold().strip(" *@~")
    return key.replace(" said", "-said").replace(" 说", "说")


def shown_name(name: str) -> str:
    """The name by itself, without the `said` and the marks that stood around it."""
    return name.strip(" *~").removesuffix(" said").removesuffix("说").rstrip()


def role_of(key: str) -> Role | None:
    """The role that a name stands for; None for the name of a person."""
    if key in OWNERS or key in USERS:
        return "user"
    if key in ASSISTANTS or key in MODELS:
        return "assistant"
    if key in _SYSTEM:
        return "system"
    return "tool" if key in _TOOL else None


def is_name(name: str) -> bool:
    """Whether this may be a name, where nothing but a colon after it says so."""
    key = key_of(name)
    if role_of(key) is not None:
        return True
    if not 0 < len(name) <= MAX_SPEAKER or key.rstrip(" 0123456789") in _NOT_NAMES:
        return False
    if not (name[0].isalpha() or name[0] in "@~+_"):
        return False
    return _is_latin_name(name) if name.isascii() else _is_other_name(name)


def _is_latin_name(name: str) -> bool:
    words = name.split()
    if any(not (c.isalnum() or c in " -_'.@~+()") for c in name) or len(words) > 4:
        return False
    if name.endswith(".") or ("." in words[0] and len(words[0]) > 4):
        return False
    # A name of several words has capitals; `the plan is: …` has not.
    return len(words) == 1 or not any(word[0].islower() for word in words)


def _is_other_name(name: str) -> bool:
    if any(c in _NOT_IN_NAMES for c in name):
        return False
    if all(ord(c) < 0x2E80 for c in name):  # Zoë, Иван: as long as a Latin name
        return len(name.split()) <= 4 and not any(w[0].islower() for w in name.split()[1:])
    return len(name) <= 12 and not any(c in _PROSE for c in name)
