"""What the assistant says it did or settled with the user, from its own message."""

from __future__ import annotations

from loxodon.text import sentences
from loxodon.write.zh.clean import Script, plain
from loxodon.write.zh.words import pattern

_DID = (
    r"(?:改|更新|更正|取消|删除|删|添加|加|设置|设|设定|安排|预订|预定|订|发送|发"
    r"|创建|建|保存|存|记录|记|备份|提交|部署|修复|修改|调整|移|移动|挪|推迟|提前"
    r"|完成|生成|上传|下载|整理|归档|重启|安装|合并|发布|预约|登记|下单|退订|开通"
    r"|关闭|撤销|回滚|迁移|转|关|开|重命名|合)"
)

MOST = 5
"""A message that tells of more deeds is a report, not a deed."""


def deeds(text: str) -> list[str]:
    """What the assistant did, in the third person; advice, offers and information are none."""
    if len(text) > 20_000:
        text = text[:20_000]
    script = Script(text)
    clauses = (
        clause.strip(" 。！!.…")
        for sentence in sentences.split(plain(text))
        for clause in pattern(r"[，,；;\n]").split(sentence)
    )
    return [script.restore(deed) for clause in clauses if (deed := _deed(clause))][:MOST]


def _deed(clause: str) -> str:
    clause = pattern(r"^(?:好的|好|收到|明白|没问题|当然|嗯|ok|OK|行)+[，,！! ]*").sub("", clause)
    if pattern(
        r"[?？]|如果|可以|建议|需要我|要不要|应该|会(?!议|员|计)|将|吗$|请你|请您|你已经|您已经|一般|通常"
    ).search(clause):
        return ""
    done = pattern(
        rf"^(?:我)?(?:已经|已|刚刚?)(?:帮|为|给|替)?(?:你|您)?(?:把)?(?P<x>.*{_DID}.*)$"
    ).match(clause) or pattern(
        rf"^我(?:帮|为|给|替|把)(?:你|您)?(?P<x>.*{_DID}(?:好|完|成|掉|到|了).*)$"
    ).match(clause)
    settled = pattern(
        r"^(?:那)?(?:我们|咱们)(?:就)?(?:说好|约好|定|商定|决定|敲定)(?P<x>.+)$"
    ).match(clause)
    if not done and not settled:
        return ""
    body = pattern("^我").sub("", clause)
    body = pattern("[你您]的?").sub(lambda one: "用户的" if one[0].endswith("的") else "用户", body)
    body = body.replace("我们", "").replace("咱们", "")
    if len(body) < 5 or pattern("我").search(body):
        return ""
    return f"助手{'和用户' if settled else ''}{body}"
