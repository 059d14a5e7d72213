"""The estimate against the tokenizer it stands in for, on passages written for this test."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.errors import ConfigError
from loxodon.tokens import Counter, counter, cut, estimate
from tests.each import each

ENGLISH = {
    "chat": (
        "Hey, are you still up for Saturday? I was thinking we could take the early train "
        "and have breakfast by the harbour. Tom says he'll join us later, but you know Tom, "
        "he'll probably oversleep again. Oh, and don't forget the umbrella, it's supposed to "
        "rain in the afternoon."
    ),
    "preferences": (
        "I don't eat meat or fish, but eggs and cheese are fine. I'm allergic to walnuts, so "
        "please never suggest a recipe with them. In the morning I drink black tea without "
        "sugar, and I really can't stand coffee. When we order in, Thai or Indian is usually "
        "a safe choice."
    ),
    "diary": (
        "Woke up before six and couldn't fall asleep again. Walked along the canal while the "
        "city was still quiet; two swans followed me for a while. Work was slow. In the "
        "evening I finally called my sister and we talked for more than an hour about Dad's "
        "garden and what to do with it."
    ),
    "work": (
        "In today's planning meeting we agreed to move the release to the second week of "
        "March. Priya takes over the billing migration, and Daniel will write the "
        "announcement. The biggest risk is still the payment provider, because their sandbox "
        "has been unreliable since the update."
    ),
    "technical": (
        "The service keeps its data in a single SQLite file. Writers take turns, readers "
        "never wait, and a checkpoint runs once the log has grown past four megabytes. If "
        "the process is killed in the middle of a transaction, the next start rolls it back "
        "without any help."
    ),
    "names and dates": (
        "Born on 14 July 1987 in Rotterdam, Anneke de Vries studied chemistry at Leiden from "
        "2005 to 2010. She married Marcus Oyelaran on 3 September 2016; their twins, Femi "
        "and Lotte, were born on 22 February 2019. They moved to Lagos in 2021 and came back "
        "in May 2024."
    ),
    "list": (
        "Packing list:\n"
        "- passport and boarding passes\n"
        "- two pairs of trousers, five shirts, warm jacket\n"
        "- phone charger, power bank, headphones\n"
        "- medicine: ibuprofen, allergy tablets, plasters\n"
        "- the blue notebook and a pen"
    ),
    "markdown": (
        "## Setup\n"
        "\n"
        "1. **Install** the package with `pip install loxodon`.\n"
        "2. Run `loxodon init ~/notes` and answer the questions.\n"
        "3. Add this to your settings: `memory.enabled = true`.\n"
        "\n"
        "> **Note:** the first import may take a minute, because every session is read once."
    ),
    "code mixed": (
        "The bug was in `parse_date()`: it returned `None` when the offset was missing, so "
        "`entry.created_at.isoformat()` raised an AttributeError. I added a check and a "
        "test:\n"
        "\n"
        "    def parse_date(text: str) -> datetime:\n"
        '        if not text.endswith("Z"):\n'
        '            text += "Z"\n'
        "        return datetime.fromisoformat(text)"
    ),
    "json": (
        '{"id": "m_4821", "kind": "fact", "content": "Prefers window seats on long flights", '
        '"tags": ["travel", "preference"], "confidence": 0.92, "created_at": '
        '"2026-01-18T09:30:00+01:00", "sources": [{"session": "2026-01-18", "turn": 12}], '
        '"state": "active"}'
    ),
    "news": (
        "The city council voted on Tuesday to close the old bridge to cars from next summer, "
        "after engineers warned that the steel had weakened faster than expected. Cyclists "
        "and pedestrians will still be allowed to cross. Shop owners on the north bank fear "
        "losing customers and have asked the mayor for a meeting before the decision becomes "
        "final."
    ),
    "instructions": (
        "From now on, answer me in English unless I write in Chinese. Keep it short: at most "
        "three sentences for simple questions. When you are not sure, say so and tell me how "
        "I could check it. Never delete files without asking me first, not even temporary "
        "ones."
    ),
    "story": (
        "The lighthouse keeper had a habit of naming the storms after people he had once "
        "owed money. That night it was Mrs. Abernathy who came howling over the rocks, "
        "rattling the shutters and spitting salt at the lamp. He poured himself a second cup "
        "of tea and promised, as he did every year, to pay her back in spring."
    ),
    "support": (
        "Customer wrote again: the invoice from November (no. 20931) was charged twice, "
        "48.50 euros each time. Refund issued on 2 December, reference RF-77120. She asked "
        "to be called after 5 pm on +31 20 555 0147, and said she'd otherwise been happy "
        "with the service."
    ),
    "health": (
        "Blood pressure this week: Monday 128/82, Wednesday 131/85, Friday 125/80. Dr. "
        "Hansen wants me to keep taking the tablets until the check-up in April and to walk "
        "at least half an hour a day. Knee is better, but stairs still hurt when I carry "
        "something heavy."
    ),
}

CHINESE = {
    "聊天": (
        "周六的事你还去吗？我想着咱们坐早班车，到了海边先吃个早饭再说。小陈说他晚点过来，不过"
        "你也知道他，八成又要睡过头。对了，记得带把伞，天气预报说下午有雨，上次淋成那样我可不"
        "想再来一回了。"
    ),
    "偏好": (
        "我不吃肉也不吃鱼，鸡蛋和奶酪可以。我对核桃过敏，所以千万别给我推荐带核桃的菜。早上习"
        "惯喝一杯不加糖的红茶，咖啡是真的喝不惯。平时点外卖，云南菜或者素面一般都不会错。"
    ),
    "日记": (
        "今天五点多就醒了，再也睡不着，干脆沿着河边走了一圈。街上还没什么人，有个大爷在桥头打"
        "太极。上午的工作拖拖拉拉，下午倒是挺顺。晚上给姐姐打了个电话，聊了一个多小时，说的都"
        "是老家院子的事。"
    ),
    "工作": (
        "今天的例会决定把发布日期推到三月第二周。账单迁移由林悦接手，公告由周航来写。目前最大"
        "的风险还是支付渠道，他们的测试环境自从上次升级之后一直不稳定，需要提前准备好备用方案"
        "。"
    ),
    "技术": (
        "服务把所有数据放在一个 SQLite 文件里，写操作排队执行，读操作不会被阻塞。日志超过四兆"
        "之后会自动做一次检查点。如果进程在事务中间被杀掉，下次启动时会自动回滚，不需要人工处"
        "理。"
    ),
    "人名日期": (
        "沈嘉禾，1987年7月14日生于宁波，2005年考入南京大学化学系，2010年硕士毕业。2016年9月3"
        "日与马骏结婚，2019年2月22日生下一对双胞胎，哥哥叫马亦辰，妹妹叫马亦晴。2021年全家搬"
        "到成都，去年五月才回来。"
    ),
    "清单": (
        "出差要带的东西：\n"
        "- 身份证、护照和登机牌\n"
        "- 两条裤子、五件衬衫、一件厚外套\n"
        "- 充电器、充电宝、耳机\n"
        "- 常用药：布洛芬、抗过敏药、创可贴\n"
        "- 蓝色笔记本和一支笔"
    ),
    "文档": (
        "## 安装\n"
        "\n"
        "1. 先用 `pip install loxodon` **安装**软件包。\n"
        "2. 运行 `loxodon init ~/notes`，按提示回答几个问题。\n"
        "3. 在配置文件里加上 `memory.enabled = true`。\n"
        "\n"
        "> **注意**：第一次导入可能要等一分钟，因为每个会话都会读一遍。"
    ),
    "代码夹杂": (
        "问题出在 `parse_date()` 这个函数：时区缺失的时候它会返回 `None`，后面调用 "
        "`entry.created_at.isoformat()` 就抛了 AttributeError。我加了一个判断，又补了一条单元"
        "测试，现在 CI 已经全绿了，等 review 通过就可以合并到 main 分支。"
    ),
    "数据": (
        '{"id": "m_4821", "kind": "fact", "content": "长途飞行喜欢靠窗的座位", "tags": ["出行'
        '", "偏好"], "confidence": 0.92, "created_at": "2026-01-18T09:30:00+08:00", '
        '"sources": [{"session": "2026-01-18", "turn": 12}], "state": "active"}'
    ),
    "新闻": (
        "市议会周二投票决定，从明年夏天起禁止机动车通行老桥。工程师此前警告说，钢梁老化的速度"
        "比预计的快得多。行人和自行车仍然可以通过。北岸的商户担心客流减少，要求在决定正式生效"
        "之前与市长见面商谈。"
    ),
    "要求": (
        "以后除非我用英文提问，否则都用中文回答。简单的问题最多三句话，不要啰嗦。拿不准的时候"
        "要直接告诉我，并且说明怎么去核实。没有我的同意不要删除任何文件，临时文件也不行。"
    ),
    "故事": (
        "守灯塔的老人有个习惯，喜欢用从前债主的名字给暴风雨起名。那天夜里来的是“王寡妇”，呼"
        "啸着翻过礁石，把窗板拍得噼啪作响，咸腥的海水一直溅到灯上。他给自己又倒了一杯热茶，照"
        "例许诺：等开春，一定还钱。"
    ),
    "客服": (
        "客户又来信了：十一月的发票（编号 20931）被扣了两次款，每次 48.50 元。已于 12 月 2 日"
        "退款，单号 RF-77120。她希望下午五点以后再给她回电话，号码是 021-5550147，还说除了这"
        "件事，对我们的服务一直很满意。"
    ),
    "健康": (
        "这周血压：周一 128/82，周三 131/85，周五 125/80。韩医生说降压药要一直吃到四月份复查"
        "，每天至少散步半小时。膝盖好多了，不过提着重东西上楼梯的时候还是会疼，暂时不要跑步。"
    ),
}

SHORT = [
    "ok",
    "Yes, please!",
    "Call me Sam.",
    "My birthday is on 3 May.",
    "She lives in Gothenburg.",
    "Password hint: first pet",
    "See https://example.org/a?b=1",
    "👍",
    "Meeting moved to 15:30 :)",
    "He's Anna's brother-in-law.",
    "error: ENOENT",
    "TODO(kim): fix",
    "a_b_c",
    "…",
    "\n\n",
    "¿Qué?",
    "好",
    "好的，谢谢！",
    "我叫小满。",
    "她住在哥德堡。",
    "生日是五月三日",
    "会议改到下午三点半",
    "我对青霉素过敏",
    "密码提示：第一只宠物",
    "用 Python 写的",
    "😂😂",
    "饕餮",
    "魑魅魍魉",
    "價錢太貴了",
    "東京タワー",
    "안녕하세요",
    "Привет, мир",
    "ＡＢＣ１２３",
    "１９９８年",
]


@pytest.fixture(scope="module")
def real() -> Counter:
    return counter("o200k")


def joined(passages: dict[str, str]) -> Iterator[str]:
    """Each four neighbouring passages in one: 200 tokens and more."""
    texts = list(passages.values())
    for start in range(len(texts)):
        yield "\n\n".join((texts + texts)[start : start + 4])


@pytest.mark.parametrize("passages", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_long_texts_are_estimated_within_ten_percent_and_seldom_too_low(
    passages: dict[str, str], real: Counter
) -> None:
    errors = [estimate(text) / real(text) - 1 for text in joined(passages)]
    assert all(real(text) >= 200 for text in joined(passages))
    assert max(map(abs, errors)) <= 0.10
    assert sum(error < 0 for error in errors) <= 0.05 * len(errors)
    assert 0.02 <= sum(errors) / len(errors) <= 0.06


@each(
    ("language", "genre"),
    [(language, genre) for language in (ENGLISH, CHINESE) for genre in language],
)
def test_each_passage_is_estimated_within_ten_percent(
    language: dict[str, str], genre: str, real: Counter
) -> None:
    counted = real(language[genre])
    assert 0.97 * counted <= estimate(language[genre]) <= 1.1 * counted + 1


def test_passages_are_seldom_estimated_too_low(real: Counter) -> None:
    passages = [*ENGLISH.values(), *CHINESE.values()]
    assert sum(estimate(text) < real(text) for text in passages) <= 0.1 * len(passages)


@each("text", SHORT)
def test_short_texts_are_never_two_tokens_too_low(text: str, real: Counter) -> None:
    assert real(text) - 2 <= estimate(text) <= 1.5 * real(text) + 3


@pytest.mark.parametrize("passages", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_lines_add_up_to_what_their_text_takes(passages: dict[str, str], real: Counter) -> None:
    for text in joined(passages):
        added = sum(map(estimate, text.splitlines()))
        assert real(text) <= added <= 1.15 * real(text)


def test_nothing_takes_nothing() -> None:
    assert estimate("") == 0


def test_a_long_rule_or_blank_space_is_cheap(real: Counter) -> None:
    for text in ("-" * 60, " " * 60, "\n" * 20, "=" * 60 + "\n", "─" * 40):
        assert real(text) <= estimate(text) + 1 <= 8


anything = st.text(st.characters(), max_size=200)
written = st.text(
    st.sampled_from(
        "abcd EIO'’-_./012\n\t，。！“”的一是我们今天天气不错饕餮かな한ж😀👍\u200d\ufe0f"
    ),
    max_size=200,
)


@given(anything | written)
def test_any_text_can_be_counted(text: str) -> None:
    assert estimate(text) >= bool(text)
    assert counter("o200k")(text) >= bool(text)


@given(st.lists(written, max_size=12))
def test_parts_add_up_to_about_the_whole(parts: list[str]) -> None:
    added, whole = sum(map(estimate, parts)), estimate("\n".join(parts))
    assert added + len(parts) >= 0.85 * whole - 2


@given(anything | written, st.integers(-2, 60), st.sampled_from(["estimate", "o200k"]))
def test_a_cut_text_is_never_over_its_budget(text: str, budget: int, name: str) -> None:
    count = counter(name)
    kept = cut(text, budget, count)
    assert count(kept) <= max(budget, 0)
    if count(text) <= budget:
        assert kept == text
    elif kept:
        assert kept.endswith("…")
        assert text.startswith(kept[:-1].rstrip())


@each(
    ("text", "budget", "kept"),
    [
        ("She moved to Berlin. She has a dog and two cats.", 12, "She moved to Berlin. …"),
        ("她搬到了柏林。她养了一条狗，叫雷克斯，还有两只猫。", 13, "她搬到了柏林。…"),
        ("A very long sentence that never comes to an end", 7, "A very long sentence that…"),
        ("No. But a sentence that goes on and on and on", 9, "No. But a sentence that goes…"),
        ("https://example.org/" + "x" * 300, 12, None),
        ("Hello", 0, ""),
        ("Hello there", 1, ""),
    ],
)
def test_a_text_is_cut_where_it_hurts_least(text: str, budget: int, kept: str | None) -> None:
    found = cut(text, budget)
    assert found == kept if kept is not None else found.startswith("https://")


def test_a_character_is_not_cut_in_two() -> None:
    family = "👨\u200d👩\u200d👧"
    for budget in range(40):
        kept = cut(family * 3, budget).removesuffix("…")
        assert kept == family * (len(kept) // len(family))


def test_a_budget_is_used_up(real: Counter) -> None:
    for text in joined(ENGLISH | CHINESE):
        for budget in (20, 60, 120):
            assert budget / 2 <= real(cut(text, budget, real)) <= budget


def test_counters_are_known_by_name() -> None:
    assert counter("estimate") is estimate
    assert counter("o200k")("hello world") == 2
    assert counter("o200k")("<|endoftext|>") == 7, "a special token in a text is plain text"


def test_an_unknown_counter_is_refused_with_the_choices() -> None:
    with pytest.raises(ConfigError, match="'gpt-9'") as caught:
        counter("gpt-9")
    assert "estimate" in caught.value.hint
    assert "o200k" in caught.value.hint


def test_a_missing_extra_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)
    counter.cache_clear()
    with pytest.raises(ConfigError, match="not installed") as caught:
        counter("o200k")
    assert '[tokenizer]"' in caught.value.hint
    monkeypatch.undo()
    assert counter("o200k")("hello world") == 2
