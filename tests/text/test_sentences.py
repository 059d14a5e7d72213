"""Sentences: a table of texts cut by hand, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loxodon.text.sentences import spans, split
from tests.each import each
from tests.growth import linear
from tests.long import count

# Each text with ‖ where one sentence ends and the next begins; \\n is a line break.
CUT_BY_HAND = (
    r"今天天气很好。‖我们去爬山吧！‖你觉得呢？",
    r"你好！‖ How are you? ‖I'm fine.",
    r"Mr. Smith met Dr. Jones at 5 p.m. on Jan. 5. ‖They talked, e.g. about U.S. policy.",
    r"It costs 3.14 dollars. ‖Use v2.3.0 of main.py, see https://example.com/a.b?c=d. ‖Thanks!",
    r"Write to bob@x.co.uk. ‖Thanks!",
    r"J. K. Rowling wrote it. ‖I read it in No. 10 Downing St. yesterday.",
    r"I live in the U.S. ‖The weather is nice. ‖We like the U.S. Army.",
    r"Acme Inc. announced it. ‖We left Acme Inc. ‖Then we slept.",
    r"1. Buy milk ‖2. Call mum ‖3. Sleep",
    r"1. Buy milk.\n‖2. Call mum\n‖- a bullet\n‖* another. ‖Yes.",
    r"1.买牛奶\n‖2.买鸡蛋",
    r"“今天很累。‖我想休息。”他说。‖然后走了。",
    r"“你好吗？”他问。‖“很好。”小明说。",
    r"他说：“好吧。”‖然后就走了。",
    r"「真的嗎？」‖我不信。",
    r'"Really?" she said. ‖"Yes." ‖He left.',
    r'He said "no." ‖Then he left.',
    r"我觉得……‖还是算了吧…‖好吧",
    r"well... i think so. ‖So... ‖Maybe not. ‖Hmm… ok",
    r"好呀～‖明天见",
    r"周一～周五都可以。‖3～5天就好～",
    r"好的😊‖明天见！😊‖到时候说👍",
    r"我爱吃🍎和🍌。",
    r"Great job! 🎉",
    r"Great! ‖Let's go 😊 ‖See you",
    r"我看了《怎么办？》这本书，《你好，李焕英！》也不错。",
    r"什么？！‖你再说一遍！！！‖好吧。",
    r"用Python写的.‖然后部署到v2.3.0版本，配置在main.py里。",
    r"圆周率是3.14，价格是9.9元。‖版本１．２也行．‖对吧",
    r"i like it. ‖it is good. ‖ok",
    r"# Title\n‖Some text here. ‖More text.\n\n‖Another paragraph",
    r"The quick brown fox jumps over the lazy dog and\nruns away. ‖Then it sleeps.",
    r"We moved it to\nanother server.",
    r"hi\n‖how are you",
    r"buy milk\n‖call mum",
    r"Before:\n‖```python\nx = 1. \ny = 2\n```\n‖After. ‖Done.",
    r"**Done.** ‖Next one. ‖**Bold text.** ‖End",
    r"你好。‖**重点**是这个。",
    r'他走了。‖"为什么？"她问。',
    r"第一；‖第二；‖第三。",
    r"vitamin C. ‖It helps. ‖Plan B is better.",
    r"a.m. and p.m. are fine. ‖Meet at 5 p.m. ‖Bring cake. ‖At 6 p.m. EST we stop.",
    r"I said no. ‖Then I left. ‖See fig. 3 and p. 12.",
    r"Smith et al. 2020 found this. ‖They won.",
    r"(See above.) ‖Then go. ‖He left (really!) and came back.",
    r"我去了（真的！）然后回家。",
    r"Is it ok?‖明天见",
    r"真的?‖OK",
    r"Use Node.js and .NET with C#. ‖Yes!",
    r"……好吧。",
    r"We met on Mon. and Tue. last week. ‖In Sept. ‖We moved.",
    r"He paid $5.50. ‖She paid 3. ‖They left in 2024. ‖Then 5 came.",
    r"老板说：“明天必须交。”‖我说：“好的！”‖然后就下班了。",
    r"他问我：“你去不去？”‖“不去。”我说。",
    r"收到，谢谢～‖辛苦啦！‖明天10:30见哈",
    r"价格￥3.5/斤，共2.5kg；‖约合￥8.75。",
    r"Visit www.example.com. ‖It's great. ‖See README.md. ‖Also .env!",
    r"He has a Ph.D. ‖He is smart. ‖Ph.D. students came. ‖M.I.T. is a school.",
    r"Wait... what?! ‖No way!!! ‖Are you sure??",
    r"1. First item. ‖It has two sentences.\n‖2. Second\n   continues here, indented\n‖3) Third",
    r"3) Third\n‖(a) sub\n‖• bullet",
    r"| a | b |\n‖|---|---|\n‖| 1. x | 2. y |",
    r"> quoted text. ‖More.\n‖> second line\n\n‖reply",
    r"""He said: "I'm done." ‖Then "Why?" I asked. ‖'OK.' she said.""",
    r"哈哈哈哈😂😂‖太好笑了😂",
    r"爬山🏔️看海🌊都可以",
    r"version 2.0. ‖Released in Jan. 2024. ‖Next: no. 6.",
    r"這是繁體。‖你好嗎？‖「當然！」她說。",
    r"アニメが好きです。‖はい！‖そうです。",
    r"《三体》（刘慈欣著）很好看。‖（完。）‖下一章。",
    r"Buy: milk, eggs, etc. ‖Then go home. ‖I met Mr. and Mrs. Smith, Jr. yesterday.",
    r"...and then he left.",
    r"好。。。。‖算了。。。",
    r"A. Option one\n‖B. Option two",
    r"我用的是iOS 17.4.1.‖升级后很卡",
    r"Let's meet Mon. 5 May. ‖Sat. is fine too. ‖The cat sat. ‖It slept.",
    r"Done\n‖next",
    r"Us vs. them. ‖Yes. ‖Total: 1,234.56 USD. ‖OK",
    r"~~~\ncode. More code!\n\nstill code\n~~~\n‖Text.",
    r"```\nunclosed. Still code.",
)


@each("marked", CUT_BY_HAND)
def test_cuts_as_a_person_would(marked: str) -> None:
    marked = marked.replace("\\n", "\n")
    assert split(marked.replace("‖", "")) == [piece.strip() for piece in marked.split("‖")]


def test_no_text_has_no_sentences() -> None:
    assert split("") == []
    assert split(" \n\t\u3000\n") == []


def test_short_chat_lines_are_not_joined() -> None:
    assert split("hi\nare you there\nok") == ["hi", "are you there", "ok"]


def test_wrapped_paragraph_is_one_sentence() -> None:
    text = "This is a paragraph that somebody's editor has wrapped\nat some column, as they do."
    assert split(text) == [text]


def test_heading_does_not_swallow_the_line_below() -> None:
    text = "# A heading that is longer than forty characters, too\nthen some text"
    assert split(text) == text.split("\n")


def test_fenced_code_is_one_unit() -> None:
    text = "Run this. Then wait.\n```sh\necho one. echo two!\n\nls?\n```\nDone. Good."
    code = "```sh\necho one. echo two!\n\nls?\n```"
    assert split(text) == ["Run this.", "Then wait.", code, "Done.", "Good."]


_PIECES = st.sampled_from(
    [
        *"aAbI12 .\n。！？!?…；\"'”“「」（）()*`~～😊👍🏔，,:《》-#>|\t好的说他呀．",
        "U.S.",
        "```",
        "\r\n",
        "1. ",
    ]
)
_TEXTS = st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=80)


@given(_TEXTS)
@settings(max_examples=count(150, 500))
def test_nothing_is_lost_but_white_space(text: str) -> None:
    position = 0
    for start, end in spans(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()
    assert split(text) == [text[start:end] for start, end in spans(text)]


@pytest.mark.parametrize("unit", [".", "。", '"', "“", "\n", "…", "😊", "`", "(", " ", "\u2028"])
def test_a_megabyte_of_one_mark_takes_no_longer_than_its_length(unit: str) -> None:
    linear(split, lambda n: unit * n, 1_000_000)


@pytest.mark.parametrize(
    "unit",
    [
        "a. ",
        "U.S. ",
        '."',
        '?" ',
        "。”",
        "。“",
        "好～",
        "1. ",
        "《？》",
        ". 😊",
        "```\n",
        "the\n",
        "*.",
        ".)",
        ".\n",
    ],
)
def test_time_grows_with_length_only(unit: str) -> None:
    linear(split, lambda n: unit * n, count(48_000, 150_000) // len(unit))
