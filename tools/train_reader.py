"""Teach our encoder to read texts together, and to know a request when it sees one.

python tools/train_reader.py FOLDER [--test] [NAME …]      Needs a GPU, about four minutes.

FOLDER has worth.jsonl, en.txt and zh.txt, as for tools/train_encoder.py: real talk, in which hardly
anything is asked of whoever remembers.

Adds readers to src/loxodon/models/encoder/weights.bin, which tools/train_encoder.py makes. Each is
a small change (of rank 8) of its four layers, and what stands on them:

    changes   of something known and something said later: whether the later one replaces the
              earlier, or a part of it, says the same, or neither (data/changes: pairs, whole
              lives, and what people wrote to an assistant over months)
    intents   whether a message asks to forget something, or says how it wants to be answered
              from now on (data/intents)
    meant     whether a request to forget something is about a message, where another one that it
              is about may be known (data/forget: requests, and what was said before them)
    near      no question but a change of the last layer (of rank 32) for how near two texts are:
              what is asked or told comes nearer to what was said that answers it, and everything
              else stays where it is (data/asked: something said, and what would need it later)

The last author of each, and every tenth conversation of real talk, is never learned from: with
--test the figures on them are printed.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
import weights_file
from torch import Tensor, nn

from loxodon.models.encoder import LONGEST, SEPARATOR, SHARES, SHARES_OF_THREE, Encoder, Tokenizer
from loxodon.text.sentences import split

ROOT = Path(__file__).parent.parent
WIDTH, HEADS, LAYERS = 384, 12, 4
RANK = {"meant": 4, "near": 32}  # of the changes, else 8
INNER = {"meant": 16}  # of what stands on them, else 32
STEPS = {"changes": 3_000, "intents": 2_000, "meant": 2_000, "near": 600}
RATE, SEED = 1e-3, 2
CHANGES, INTENTS = ("both", "same", "replaces", "part"), ("none", "forget", "wish")
READERS = {"changes": len(CHANGES), "intents": len(INTENTS), "meant": 2, "near": 0}
HELD = {"changes": "f", "intents": "i"}  # the authors of the tests
CUDA = "cuda"

PLAIN, SHORT = 20, 32  # pairs of short statements, and short messages, in a step
LIVES = 120  # pairs of one life, a third of them replaced
TALKS = 160  # pairs of one person's messages, in which life changes in passing
HELD_LIVES = 2  # the last of each author, which are never learned from; nor is any of author t
TALK, SAME_TALK, EVERYDAY = 48, 16, 64  # stretches of real talk, pairs of it, everyday lines
MEANT = 192  # requests with something said before them
ASKED, KEPT, STAYING = 96, 128, 80.0  # what is asked of each language, lines that stay, how much
SHARPNESS = 0.05
NEEDING = ("asked", "situation", "other", "talk")
FORGETTING = re.compile(r"(?i)forget\b|erase|delete|忘|删|抹")
PEOPLE = {
    "en": ("Tom", "Dana", "Eve", "Marta", "Raj"),
    "zh": ("小李", "阿强", "王姐", "老赵", "晓梅"),
}

tokens, encoder = Tokenizer().tokens, Encoder()
choice, sample = random.choice, random.sample

Texts = tuple[str, ...]
Example = tuple[Texts, int]


class Pair(NamedTuple):
    language: str
    known: str
    later: str
    label: int


class Message(NamedTuple):
    language: str
    text: str
    label: int


def main() -> None:
    folder = Path(sys.argv[1])
    names = [one for one in sys.argv[2:] if one in READERS] or [*READERS]
    parts = {  # that are not made here
        name: part
        for name, part in weights_file.read().items()
        if name.removeprefix("q:").removeprefix("s:").partition(".")[0] not in names
    }
    talk = conversations(folder)
    for name in names:
        random.seed(SEED)
        torch.manual_seed(SEED)
        model = Reader(parts, name).to(CUDA)
        lesson, test = {
            "changes": (Changes, how_changes),
            "intents": (Intents, how_intents),
            "meant": (Meant, how_meant),
            "near": (Near, how_near),
        }[name]
        learn(model, STEPS[name], lesson(folder, talk))
        model.eval()
        if "--test" in sys.argv:
            with torch.no_grad():
                test(model, talk[True])
        own = {f"{name}.{k}": v.float().cpu().numpy() for k, v in model.kept().items()}
        parts |= weights_file.quantised(own, matrix=2_000)
    weights_file.write(parts)


# --- The data -----------------------------------------------------------------------------------


def rows(kind: str, held: bool) -> Iterator[tuple[str, list[str]]]:
    for file in sorted((ROOT / "data" / kind).glob("*.tsv")):
        language, _, author = file.stem.partition("_")
        if (author == HELD[kind]) == held:
            for line in file.read_text("utf-8").splitlines():
                yield language, line.split("\t")


def pairs(held: bool) -> list[Pair]:
    return [
        Pair(language, known, later, CHANGES.index(label))
        for language, (_, label, known, later, _) in rows("changes", held)
    ]


def lives(held: bool) -> list[list[list[Pair]]]:
    """Of each life, all pairs of something told and something told later, by their label."""
    found = []
    for file in sorted((ROOT / "data/changes").glob("lives_*.jsonl")):
        each = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        start = 0 if file.stem.endswith("_t") else -HELD_LIVES
        for life in each[start:] if held else each[:start]:
            pairs: list[list[Pair]] = [[] for _ in CHANGES]
            lines = life["lines"]
            gone: set[int] = set()
            for number, later in enumerate(lines):
                for earlier in lines[:number]:
                    n = earlier["n"]
                    named = [n in later.get(kind, ()) for kind in ("same", "replaces", "part")]
                    label = named.index(True) + 1 if any(named) else 0
                    if label or n not in gone:  # what is over already is neither
                        pair = Pair(life["lang"], earlier["text"], later["text"], label)
                        pairs[label].append(pair)
                gone |= {*later["replaces"]}
            pairs[0].sort(key=lambda one: -nearness(one.known, one.later))
            found.append(pairs)
    return found


def nearness(one: str, other: str) -> float:
    return float(vector(one) @ vector(other))


@cache
def vector(text: str) -> Any:
    return encoder.embed([text])[0]


def of_a_life(life: list[list[Pair]]) -> Example:
    """A pair of one life; of those that have nothing to do with each other half are near."""
    often = [share * bool(each) for share, each in zip((6, 1, 3, 1), life, strict=True)]
    label = random.choices(range(len(CHANGES)), often)[0]  # noqa: S311
    each = life[label]
    one = choice(each[: len(each) // 6] if label == 0 and random.random() < 0.5 else each)  # noqa: S311
    return (one.known, one.later), one.label


def talks(held: bool) -> list[dict[str, Any]]:
    """What people wrote over months, with the pairs of messages of which one overtakes the other,
    says the same or only looks so. Those of author t are never learned from."""
    files = sorted((ROOT / "data/changes").glob("talk_*.jsonl"))
    some = [one for one in files if one.stem.endswith("_t") == held]
    return [json.loads(line) for one in some for line in one.read_text("utf-8").splitlines()]


def of_a_talk(talk: dict[str, Any]) -> Example:
    """A pair of one person's messages, or of sentences of them."""
    lines, known = talk["lines"], {(one[0], one[1]) for one in talk["pairs"] if one[2] != "no"}
    if random.random() < 0.4:  # noqa: S311
        later = random.randrange(1, len(lines))  # noqa: S311
        earlier = random.randrange(later)  # noqa: S311
        if (earlier + 1, later + 1) not in known:
            return (part_of(lines[earlier]), part_of(lines[later])), 0
    earlier, later, kind, was, now = choice(talk["pairs"])
    first, second = choice((was, lines[earlier - 1])), choice((now, lines[later - 1]))
    if kind == "same":
        return (was, second), 1
    label = {"no": 0, "all": 2, "part": 2 if first == was else 3}[kind]
    return (first, second), label


def part_of(text: str) -> str:
    """A text, or a sentence of it."""
    return choice((text, choice(split(text) or [text])))


def plain(table: dict[str, Any]) -> Example:
    """A pair made of short statements (data/changes/plain.toml)."""
    language = choice(("en", "zh"))
    kind, other = sample([*table[language].values()], 2)
    person = choice(PEOPLE[language])
    value, another = sample(kind["values"], 2)

    def said(words: Sequence[str], new: str, old: str = "") -> str:
        return choice(words).format(v=new, w=old, p=person)

    first = choice(kind["says"])
    own = [one for one in kind["says"] if not one.startswith(("The user", "用户"))]
    own = [first] if kind.get("several") else own
    replaced = 2 if kind["one"] else 0
    ways = [
        (said(kind["now"], another, value), replaced, 5),
        (said(own, another), replaced, 3),
        (said(own, value), 1, 2),
        (said(kind["ends"] or kind["now"], value if kind["ends"] else another, value), 2, 4),
        (said(kind["ends"] or kind["asks"], another), 0, 2),
        (said(kind["other"], choice((value, another))), 0, 4),
        (said(kind["asks"], choice((value, another))), 0, 4),
        (said(other["now"], *sample(other["values"], 2)), 0, 2),
    ]
    later, label, _ = random.choices(ways, [often for *_, often in ways])[0]  # noqa: S311
    return (first.format(v=value), later), label


def messages(held: bool) -> list[Message]:
    return [
        Message(language, text, INTENTS.index(label))
        for language, (label, text) in rows("intents", held)
    ]


def short(table: dict[str, Any]) -> Message:
    """A short message that asks for something, or only looks like it."""
    language = choice(("en", "zh"))
    words = table[language]
    kind, label = choice((("forget", 1), ("none", 0), ("wish", 2), ("once", 0)))
    text = choice(words[kind]).format(x=choice(words["things"]), w=choice(words["ways"]))
    return Message(language, text, label)


class Request(NamedTuple):
    """Ways to ask that one thing be forgotten, what was said about it, and what else."""

    language: str
    asked: list[str]
    meant: list[str]
    other: list[str]
    behind: dict[str, str]  # what each of the others was said right behind, if that is meant


def forgotten(held: bool) -> list[Request]:
    """Requests to forget something; those of author t are never learned from."""
    found = []
    for file in sorted((ROOT / "data/forget").glob("*.jsonl")):
        lines = file.read_text("utf-8").splitlines() if file.stem.endswith("_t") == held else ()
        for case in map(json.loads, lines):
            turns = [(text, bool(label)) for _, text, label in case["turns"]]
            meant, other = ([text for text, is_meant in turns if is_meant == x] for x in (1, 0))
            behind = {b: a for (a, first), (b, second) in pairwise(turns) if first and not second}
            if meant and other:
                found.append(Request(file.stem[:2], case["requests"], meant, other, behind))
    return found


class Needed(NamedTuple):
    """Something that was said, and what would need it later."""

    who: str  # said it, if not the user
    text: str
    needing: dict[str, str]


def needed(held: bool) -> dict[str, list[Needed]]:
    """The same by language; what author f wrote is never learned from."""
    found: dict[str, list[Needed]] = {language: [] for language in PEOPLE}
    for file in sorted((ROOT / "data/asked").glob("*.jsonl")):
        lines = file.read_text("utf-8").splitlines() if file.stem.endswith("_f") == held else ()
        for one in map(json.loads, lines):
            needing = {kind: one[kind] for kind in NEEDING if kind in one}
            said = f"{one['who']}: {one['text']}" if one["who"] else one["text"]
            found[file.stem[:2]].append(Needed(one["who"], said, needing))
    return found


def named(one: Needed, language: str) -> tuple[str, str]:
    """What is asked, and what was said; often as by somebody with a name."""
    kind = choice([*one.needing])
    asked, said = one.needing[kind], one.text
    if not one.who and random.random() < 0.6:  # noqa: S311
        name = choice(PEOPLE[language])
        said = f"{name}: {said}"
        if kind == "other":
            asked = re.sub("[Tt]he user|用户", name, asked)
    return asked, said


def conversations(folder: Path) -> dict[bool, list[list[str]]]:
    """What people said in each conversation, asking for nothing: held back, and to learn from."""
    found: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}
    for line in (folder / "worth.jsonl").read_text("utf-8").splitlines():
        said = json.loads(line)
        name = f"{said['source']} {said['conversation']}"
        found[crc32(name.encode()) % 10 == 0].setdefault(name, []).append(said["text"])
    return {held: [*each.values()] for held, each in found.items()}


def lines(folder: Path) -> list[str]:
    """What people say to each other; those who may ask that something be forgotten left out."""
    each = [(folder / f"{language}.txt").read_text("utf-8").splitlines() for language in PEOPLE]
    return [one for said in each for one in said if not FORGETTING.search(one)]


def ordinary() -> list[str]:
    """Sentences of talk that nobody needs to keep: they ask for nothing."""
    found = []
    for file in sorted((ROOT / "data/worth").glob("*.txt")):
        lines = [one.split("\t") for one in file.read_text("utf-8").splitlines()]
        found += [one[2] for one in lines if len(one) > 2 and one[0] == "0"]
    return found


def stretch(talk: Sequence[str]) -> str:
    """A sentence of a conversation, or two or three that follow each other."""
    start = random.randrange(len(talk))  # noqa: S311
    return " ".join(talk[start : start + choice((1, 1, 2, 3))])


# --- What is learned in a step ------------------------------------------------------------------


class Changes:
    def __init__(self, _: Path, talk: dict[bool, list[list[str]]]) -> None:
        self.pairs, self.lives, self.talks = pairs(False), lives(False), talks(False)
        self.said: dict[str, list[str]] = {language: [] for language in PEOPLE}
        for one in self.talks:
            sentences = [part for text in one["lines"] for part in split(text)]
            self.said[one["lang"]] += [part for part in sentences if len(part) < 90]
        self.spoken = {x: [one for one in self.pairs if one.language == x] for x in PEOPLE}
        self.long = [each for each in talk[False] if len(each) > 1]
        self.table = tomllib.loads((ROOT / "data/changes/plain.toml").read_text("utf-8"))

    def __call__(self, model: Reader) -> Tensor:
        some: list[Example] = [((o.known, o.later), o.label) for o in sample(self.pairs, 48)]
        for one in sample(self.pairs, 24):  # what others said has nothing to do with it
            other = choice(self.spoken[one.language])
            later = other.later if random.random() < 0.7 else other.known  # noqa: S311
            some.append(((one.known, later), 0))
        some += [((one.known, one.known), 1) for one in sample(self.pairs, 4)]
        some += [plain(self.table) for _ in range(PLAIN)]
        some += [self.beside(of_a_life(choice(self.lives))) for _ in range(LIVES)]
        some += [of_a_talk(choice(self.talks)) for _ in range(TALKS)]
        # What is said in one conversation hardly ever replaces what was said in it before
        some += [((*sample(choice(self.long), 2),), 0) for _ in range(SAME_TALK)]
        return wrong(model, some)

    def beside(self, example: Example) -> Example:
        """The same with something else said in the same breath, now and then."""
        (first, second), label = example
        said = self.said["en" if first.isascii() else "zh"]
        if random.random() < 0.3:  # noqa: S311
            second = " ".join(sample((second, choice(said)), 2))
        if random.random() < 0.3:  # noqa: S311
            first = " ".join(sample((first, choice(said)), 2))
            label = 3 if label == 2 else label
        return (first, second), label


class Intents:
    def __init__(self, folder: Path, talk: dict[bool, list[list[str]]]) -> None:
        asked = messages(held=False)
        self.by_label = [[o for o in asked if o.label == n] for n in range(len(INTENTS))]
        self.rest, self.talk, self.everyday = ordinary(), talk[False], lines(folder)
        for one in forgotten(held=False):
            self.by_label[1] += [Message(one.language, text, 1) for text in one.asked]
            self.rest += one.meant + one.other
        self.later = [one.later for one in pairs(held=False)]
        self.table = tomllib.loads((ROOT / "data/intents/plain.toml").read_text("utf-8"))

    def __call__(self, model: Reader) -> Tensor:
        each = [o for label, n in enumerate((24, 24, 16)) for o in sample(self.by_label[label], n)]
        each += [short(self.table) for _ in range(SHORT)]
        nothing = sample(self.rest, 16) + sample(self.later, 16)
        nothing += [stretch(choice(self.talk)) for _ in range(TALK)]
        some = [((one.text,), one.label) for one in each] + [((one,), 0) for one in nothing]
        # Some of these may be wishes, none is a request to forget
        aside = F.softmax(model([(one,) for one in sample(self.everyday, EVERYDAY)]).float(), -1)
        return wrong(model, some) - torch.log1p(-0.999 * aside[:, 1]).mean()


class Meant:
    def __init__(self, _: Path, talk: dict[bool, list[list[str]]]) -> None:
        self.requests = forgotten(held=False)
        self.real: dict[str, list[str]] = {language: [] for language in PEOPLE}
        for text in (one for each in talk[False] for one in each):
            self.real["en" if text.isascii() else "zh"].append(text)

    def __call__(self, model: Reader) -> Tensor:
        return wrong(model, [self.example(choice(self.requests)) for _ in range(MEANT)])

    def example(self, one: Request) -> Example:
        """A request, something that is known to be meant or nothing, and something said."""
        asked, chance = choice(one.asked), random.random()  # noqa: S311
        if chance < 0.4:
            text = choice(one.meant)
            known = choice([each for each in one.meant if each != text] or [""])
            parts = split(text)
            if len(parts) > 1 and random.random() < 0.3:  # noqa: S311
                text = choice(parts)
                return (asked, " ".join(each for each in parts if each != text), text), 1
            return (asked, known if random.random() < 0.6 else "", text), 1  # noqa: S311
        known = choice(("", choice(one.meant)))
        if chance < 0.68:
            text = choice(one.other)
            if known and one.behind and random.random() < 0.3:  # noqa: S311
                text, known = choice([*one.behind.items()])
            return (asked, known, part_of(text)), 0
        if chance < 0.92:
            another = choice([each for each in self.requests if each.language == one.language])
            text = choice(another.meant)
        else:
            text = choice(self.real[one.language])
        return (asked, known, text), int(text in one.meant)


class Near:
    def __init__(self, _: Path, talk: dict[bool, list[list[str]]]) -> None:
        self.known = needed(held=False)
        said = [one for each in talk[False] for one in each]
        self.lines = sample(said, min(len(said), 10_000))
        self.places: dict[str, Tensor] = {}

    def __call__(self, model: Reader) -> Tensor:
        if not self.places:  # as they lie before anything is learned
            texts = {language: [one.text for one in each] for language, each in self.known.items()}
            with torch.no_grad():
                self.places = {language: placed(model, each) for language, each in texts.items()}
                self.staying = placed(model, self.lines)
            model.train()
        loss = torch.zeros((), device=CUDA)
        for language, known in self.known.items():
            rows = sample(range(len(known)), ASKED)
            asked, said = zip(*(named(known[row], language) for row in rows), strict=True)
            places = self.places[language].clone()
            places[rows] = model.places(said)
            middle = self.places[language].mean(0)
            scores = F.normalize(model.places(asked) - middle, dim=-1)
            scores = scores @ F.normalize(places - middle, dim=-1).T / SHARPNESS
            target = torch.tensor(rows, device=CUDA)
            loss = loss + F.cross_entropy(scores, target, label_smoothing=0.05)
        rows = sample(range(len(self.lines)), KEPT)
        there = model.places([self.lines[row] for row in rows])
        return loss + STAYING * (1 - (there * self.staying[rows]).sum(-1)).mean()


# --- The model ----------------------------------------------------------------------------------


class Adapted(nn.Module):
    """A linear map that stays as it is, and a small change of it."""

    def __init__(self, weight: Tensor, bias: Tensor, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) * 0.02)
        self.b = nn.Parameter(torch.zeros(rank, weight.shape[0]))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias) + 2 * F.linear(x, self.a) @ self.b


class Layer(nn.Module):
    def __init__(self, weights: dict[str, Tensor], rank: int) -> None:
        super().__init__()
        self.maps = nn.ModuleDict(
            {one: Adapted(weights[f"{one}.weight"], weights[f"{one}.bias"], rank) for one in MAPS}
        )
        for name in ("n1", "n2"):
            for kind in ("weight", "bias"):
                self.register_buffer(f"{name}_{kind}", weights[f"{name}.{kind}"], persistent=False)

    def normalized(self, x: Tensor, name: str) -> Tensor:
        weight, bias = getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias")
        return F.layer_norm(x, (WIDTH,), weight, bias, 1e-12)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        count, length, _ = x.shape
        drop = 0.1 if self.training else 0.0
        three = self.maps["qkv"](x).view(count, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*three, attn_mask=mask[:, None, None, :])
        mixed = self.maps["o"](mixed.transpose(1, 2).reshape(x.shape))
        x = self.normalized(x + F.dropout(mixed, drop), "n1")
        inner = self.maps["f2"](F.gelu(self.maps["f1"](x), approximate="tanh"))
        return self.normalized(x + F.dropout(inner, drop), "n2")


MAPS = ("qkv", "o", "f1", "f2")


class Reader(nn.Module):
    """The layers with their changes, and what they say of one text, or of two together."""

    def __init__(self, parts: weights_file.Parts, name: str) -> None:
        super().__init__()
        whole = weights_file.restored(parts)
        weights = {name: torch.tensor(value) for name, value in whole.items()}
        for one in ("tokens", "p", "n0.weight", "n0.bias"):
            self.register_buffer(one.replace(".", "_"), weights[one], persistent=False)
        ranks = (
            [RANK.get(name, 8)] * LAYERS if name != "near" else [0] * (LAYERS - 1) + [RANK[name]]
        )
        self.l = nn.ModuleList(
            Layer({k.removeprefix(o): v for k, v in weights.items() if k.startswith(o)}, rank)
            for o, rank in zip([f"l.{n}." for n in range(LAYERS)], ranks, strict=True)
        )
        self.segment = nn.Parameter(torch.zeros(2, WIDTH))
        inner = INNER.get(name, 32)
        self.inner = nn.Linear((2 if name == "intents" else 4) * WIDTH, inner)
        self.out = nn.Linear(inner, READERS[name])
        if name == "meant":  # which is also how one text bears on another
            self.start_from("changes", weights)

    @torch.no_grad()
    def start_from(self, reader: str, weights: dict[str, Tensor]) -> None:
        """Begin with as much of another reader's changes as these can hold."""
        self.segment.copy_(weights[f"{reader}.segment"])
        for number, layer in enumerate(self.l):
            for name, one in layer.maps.items():
                a, b = (weights[f"{reader}.l.{number}.maps.{name}.{x}"] for x in "ab")
                left, size, right = torch.linalg.svd(a.T @ b, full_matrices=False)
                root = size[: len(one.a)].sqrt()
                one.a.copy_((left[:, : len(root)] * root).T)
                one.b.copy_(root[:, None] * right[: len(root)])

    def kept(self) -> dict[str, Tensor]:
        """What is written down."""
        each = self.state_dict()
        return (
            each if len(self.out.bias) else {k: v for k, v in each.items() if k.startswith("l.3.")}
        )

    def places(self, texts: Sequence[str]) -> Tensor:
        """Where texts lie, as unit vectors."""
        x, mask, _ = self.states([(one,) for one in texts])
        return F.normalize(mean(x, mask).float(), dim=-1)

    def states(self, texts: Sequence[Texts]) -> tuple[Tensor, Tensor, Tensor]:
        numbers = padded([self.cut(each) for each in texts])
        mask, ends = numbers != 0, numbers == SEPARATOR
        segments = ends.cumsum(1) - ends.long()
        x = F.embedding(numbers, self.tokens) + self.p[: numbers.shape[1]]
        x = x + self.segment[segments]
        x = F.layer_norm(x, (WIDTH,), self.n0_weight, self.n0_bias, 1e-12)
        for layer in self.l:
            x = layer(x, mask)
        return x, mask, segments

    def forward(self, texts: Sequence[Texts]) -> Tensor:
        x, mask, segments = self.states(texts)
        one = mean(x, mask & (segments == 0))
        if len(texts[0]) == 1:
            highest = x.masked_fill(~mask[..., None], -1e4).amax(1)
            pooled = torch.cat([one, highest], -1)
        else:
            other = mean(x, mask & (segments == 1))
            pooled = torch.cat([one, other, (one - other).abs(), one * other], -1)
        pooled = F.dropout(pooled, 0.2 if self.training else 0.0)
        return self.out(F.gelu(self.inner(pooled), approximate="tanh"))

    def cut(self, texts: Texts) -> list[int]:
        """The tokens of texts, with a separator between them; while learning some are left out."""
        shares = {1: (LONGEST,), 2: SHARES, 3: SHARES_OF_THREE}[len(texts)]
        each = [self.some(tokens(one)[:most]) for one, most in zip(texts, shares, strict=True)]
        if len(each) == 3:  # a request and what is known to be meant are read as one
            asked, known, text = each
            each = [asked + (tokens("/") + known if texts[1] else []), text]
        return [*each[0], *(one for text in each[1:] for one in (SEPARATOR, *text))]

    def some(self, of: list[int]) -> list[int]:
        left = [one for one in of if random.random() > 0.05]  # noqa: S311
        return left if left and self.training else of


def padded(each: Sequence[Sequence[int]]) -> Tensor:
    numbers = torch.zeros(len(each), max(map(len, each)), dtype=torch.long)
    for row, one in enumerate(each):
        numbers[row, : len(one)] = torch.tensor(one)
    return numbers.to(CUDA)


def mean(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


def wrong(model: Reader, some: Sequence[Example]) -> Tensor:
    target = torch.tensor([label for _, label in some], device=CUDA)
    scores = model([texts for texts, _ in some]).float()
    return F.cross_entropy(scores, target, label_smoothing=0.05)


def learn(model: Reader, steps: int, loss_of: Callable[[Reader], Tensor]) -> None:
    learned = list(model.parameters())
    average = [one.detach().clone() for one in learned]
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.03, betas=(0.9, 0.98))
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 100) * max(0.2, 1 - step / steps)
        model.train()
        with torch.autocast(CUDA, torch.bfloat16):
            loss = loss_of(model)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        if step >= steps // 2:  # what is kept is the average of the second half
            share = 1 / (step - steps // 2 + 1)
            with torch.no_grad():
                for kept, one in zip(average, learned, strict=True):
                    kept.lerp_(one, share)
    for kept, one in zip(average, learned, strict=True):
        one.data.copy_(kept)


# --- How good it is -----------------------------------------------------------------------------


def how_changes(model: Reader, _: list[list[str]]) -> None:
    for language in PEOPLE:
        some, right = [], []
        for talk in talks(held=True):
            over = {(one[0], one[1]) for one in talk["pairs"] if one[2] in ("all", "part")}
            lines = talk["lines"] if talk["lang"] == language else []
            for j in range(len(lines)):
                near = sorted(range(j), key=lambda i: -nearness(lines[i], lines[j]))[:8]
                some += [(lines[i], lines[j]) for i in near]
                right += [(i + 1, j + 1) in over for i in near]
        found = shares(model, some)
        report(f"{language} talks", found[:, 2] + found[:, 3], right)
        each = [one for life in lives(held=True) for some in life for one in some]
        near = [o for o in each if o.language == language and nearness(o.known, o.later) > 0.2]
        found = shares(model, [(one.known, one.later) for one in near])
        report(f"{language} lives", found[:, 2], [one.label == 2 for one in near])
        held = [one for one in pairs(held=True) if one.language == language]
        found = shares(model, [(one.known, one.later) for one in held])
        for label in (1, 2):
            report(
                f"{language} {CHANGES[label]}", found[:, label], [o.label == label for o in held]
            )


def how_intents(model: Reader, talk: list[list[str]]) -> None:
    said = [one for each in talk for one in each]
    judged = shares(model, [(one,) for one in said])
    for label in (1, 2):
        taken = [f"{(judged[:, label] > least).sum()} >{least}" for least in (0.5, 0.7, 0.8, 0.9)]
        print(f"{len(said)} sentences of real talk taken for {INTENTS[label]}:", *taken)
    for language in PEOPLE:
        held = [one for one in messages(held=True) if one.language == language]
        found = shares(model, [(one.text,) for one in held])
        for label in (1, 2):
            report(
                f"{language} {INTENTS[label]}", found[:, label], [o.label == label for o in held]
            )


def how_meant(model: Reader, _: list[list[str]]) -> None:
    for language in PEOPLE:
        held = [one for one in forgotten(held=True) if one.language == language]
        each = [(one, text) for one in held for text in (*one.meant, *one.other)]
        found = shares(model, [(one.asked[0], "", text) for one, text in each])
        report(f"{language} meant", found[:, 1], [text in one.meant for one, text in each])


def how_near(model: Reader, _: list[list[str]]) -> None:
    for language in PEOPLE:
        held, known = needed(held=True)[language], needed(held=False)[language]
        said = placed(model, [one.text for one in (*held, *known)])
        for kind in NEEDING:
            asked = placed(model, [one.needing.get(kind, "") for one in held])
            middle = said.mean(0)
            scores = F.normalize(asked - middle, dim=-1) @ F.normalize(said - middle, dim=-1).T
            best = scores.topk(10, 1).indices == torch.arange(len(held), device=CUDA)[:, None]
            print(f"{language} {kind}: {100 * best.any(1).float().mean():.1f}% in the first ten")


def placed(model: Reader, texts: Sequence[str]) -> Tensor:
    model.eval()
    return torch.cat([model.places(texts[at : at + 200]) for at in range(0, len(texts), 200)])


def shares(model: Reader, texts: Sequence[Texts]) -> Tensor:
    cuts = range(0, len(texts), 200)
    return torch.cat([F.softmax(model(texts[at : at + 200]).float(), -1) for at in cuts])


def report(name: str, scores: Tensor, is_one: list[bool]) -> None:
    score, right = scores.float().cpu().numpy(), np.array(is_one)
    rank = score.argsort().argsort() + 1
    ones = right.sum()
    area = (rank[right].sum() - ones * (ones + 1) / 2) / (ones * (len(right) - ones))
    line = f"{name:12} area {area:.3f}"
    for least in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95):
        taken = score > least
        share, exact = 100 * taken[right].mean(), 100 * right[taken].mean() if taken.any() else 0
        line += f"  >{least}: {share:3.0f}% found, {exact:3.0f}% right"
    print(line, flush=True)


if __name__ == "__main__":
    main()
