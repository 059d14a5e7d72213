"""Teach our encoder to read two texts together, and to know a request when it sees one.

python tools/train_reader.py FOLDER [--test]      Needs a GPU, about two minutes.

FOLDER has worth.jsonl, en.txt and zh.txt, as for tools/train_encoder.py: real talk, in which hardly
anything is asked of whoever remembers.

Adds to src/loxodon/models/encoder/weights.bin, which tools/train_encoder.py makes: small changes
(of rank 8) of its four layers, and what stands on them:

    changes   of something known and something said later: whether the later one replaces the
              earlier, says the same, or neither (data/changes: pairs, and whole lives)
    intents   whether a message asks to forget something, or says how it wants to be answered
              from now on (data/intents)

The last author of each, and every tenth conversation of real talk, is never learned from: with
--test the figures on them are printed.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
import weights_file
from torch import Tensor, nn

from loxodon.models.encoder import LONGEST, SEPARATOR, Tokenizer

ROOT = Path(__file__).parent.parent
WIDTH, HEADS, LAYERS, RANK = 384, 12, 4, 8
STEPS, RATE, SEED = 2_000, 1e-3, 2
CHANGES, INTENTS = ("both", "same", "replaces"), ("none", "forget", "wish")
HELD = {"changes": "f", "intents": "i"}  # the authors of the tests
CUDA = "cuda"

PLAIN, SHORT = 20, 32  # pairs of short statements, and short messages, in a step
LIVES = 96  # pairs of one life, a third of them replaced
HELD_LIVES = 2  # the last of each language, which are never learned from
TALK, SAME_TALK, EVERYDAY = 48, 16, 64  # stretches of real talk, pairs of it, everyday lines
FORGETTING = re.compile(r"(?i)forget\b|erase|delete|忘|删|抹")
PEOPLE = {
    "en": ("Tom", "Dana", "Eve", "Marta", "Raj"),
    "zh": ("小李", "阿强", "王姐", "老赵", "晓梅"),
}

tokens = Tokenizer().tokens
choice, sample = random.choice, random.sample


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
    random.seed(SEED)
    torch.manual_seed(SEED)
    parts = {  # that are not made here
        name: part
        for name, part in weights_file.read().items()
        if not name.removeprefix("q:").removeprefix("s:").startswith("reader.")
    }
    model = Reader(parts).to(CUDA)
    folder = Path(sys.argv[1])
    talk, everyday = conversations(folder), lines(folder)
    learn(model, list(pairs(held=False)), list(messages(held=False)), talk[False], everyday)
    model.eval()
    if "--test" in sys.argv:
        test(model, talk[True])
    pack(parts, model)


# --- The data -----------------------------------------------------------------------------------


def rows(kind: str, held: bool) -> Iterator[tuple[str, list[str]]]:
    for file in sorted((ROOT / "data" / kind).glob("*.tsv")):
        language, _, author = file.stem.partition("_")
        if (author == HELD[kind]) == held:
            for line in file.read_text("utf-8").splitlines():
                yield language, line.split("\t")


def pairs(held: bool) -> Iterator[Pair]:
    for language, (_, label, known, later, _) in rows("changes", held):
        yield Pair(language, known, later, CHANGES.index(label))


def lives(held: bool) -> list[list[list[Pair]]]:
    """Of each life, all pairs of something told and something told later, by their label."""
    found = []
    for file in sorted((ROOT / "data/changes").glob("lives_??.jsonl")):
        each = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for life in each[-HELD_LIVES:] if held else each[:-HELD_LIVES]:
            pairs: list[list[Pair]] = [[] for _ in CHANGES]
            lines = life["lines"]
            gone: set[int] = set()
            for number, later in enumerate(lines):
                for earlier in lines[:number]:
                    n = earlier["n"]
                    label = 2 if n in later["replaces"] else 1 if n in later["same"] else 0
                    if label or n not in gone:  # what is over already is neither
                        pair = Pair(life["lang"], earlier["text"], later["text"], label)
                        pairs[label].append(pair)
                gone |= {*later["replaces"]}
            found.append(pairs)
    return found


def of_a_life(life: list[list[Pair]]) -> tuple[str, str, int]:
    """A pair of one life, in any of its forms."""
    often = [6, 1 if life[1] else 0, 3]
    label = random.choices(range(3), often)[0]  # noqa: S311
    one = choice(life[label])
    return one.known, one.later, one.label


def plain(table: dict[str, Any]) -> tuple[str, str, int]:
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
    return first.format(v=value), later, label


def messages(held: bool) -> Iterator[Message]:
    for language, (label, text) in rows("intents", held):
        yield Message(language, text, INTENTS.index(label))


def short(table: dict[str, Any]) -> Message:
    """A short message that asks for something, or only looks like it."""
    language = choice(("en", "zh"))
    words = table[language]
    kind, label = choice((("forget", 1), ("none", 0), ("wish", 2), ("once", 0)))
    text = choice(words[kind]).format(x=choice(words["things"]), w=choice(words["ways"]))
    return Message(language, text, label)


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


# --- The model ----------------------------------------------------------------------------------


class Adapted(nn.Module):
    """A linear map that stays as it is, and a small change of it."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        self.a = nn.Parameter(torch.randn(RANK, weight.shape[1]) * 0.02)
        self.b = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias) + 2 * F.linear(F.linear(x, self.a), self.b)


class Layer(nn.Module):
    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        self.maps = nn.ModuleDict(
            {one: Adapted(weights[f"{one}.weight"], weights[f"{one}.bias"]) for one in MAPS}
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
    def __init__(self, parts: weights_file.Parts) -> None:
        super().__init__()
        whole = weights_file.restored(parts)
        weights = {name: torch.tensor(value) for name, value in whole.items()}
        for name in ("tokens", "p", "n0.weight", "n0.bias"):
            self.register_buffer(name.replace(".", "_"), weights[name], persistent=False)
        own = [f"l.{number}." for number in range(LAYERS)]
        self.l = nn.ModuleList(
            Layer({k.removeprefix(one): v for k, v in weights.items() if k.startswith(one)})
            for one in own
        )
        self.segment = nn.Parameter(torch.zeros(2, WIDTH))
        self.change, self.changes = nn.Linear(4 * WIDTH, 64), nn.Linear(64, len(CHANGES))
        self.intent, self.intents = nn.Linear(2 * WIDTH, 32), nn.Linear(32, len(INTENTS))

    def hidden(self, numbers: Tensor, segments: Tensor | None) -> Tensor:
        x = F.embedding(numbers, self.tokens) + self.p[: numbers.shape[1]]
        if segments is not None:
            x = x + self.segment[segments]
        x = F.layer_norm(x, (WIDTH,), self.n0_weight, self.n0_bias, 1e-12)
        for layer in self.l:
            x = layer(x, numbers != 0)
        return x

    def compared(self, texts: Sequence[tuple[str, str]]) -> Tensor:
        known = [[*self.some(one, 60), SEPARATOR] for one, _ in texts]
        later = [self.some(one, LONGEST - 64) for _, one in texts]
        numbers = padded([a + b for a, b in zip(known, later, strict=True)])
        lengths = torch.tensor([len(one) for one in known], device=CUDA)
        segments = (torch.arange(numbers.shape[1], device=CUDA) >= lengths[:, None]).long()
        x, mask = self.hidden(numbers, segments), numbers != 0
        one, other = mean(x, mask & (segments == 0)), mean(x, mask & (segments == 1))
        pooled = torch.cat([one, other, (one - other).abs(), one * other], -1)
        return self.changes(F.gelu(self.change(self.dropped(pooled)), approximate="tanh"))

    def judged(self, texts: Sequence[str]) -> Tensor:
        numbers = padded([self.some(one, LONGEST) for one in texts])
        x, mask = self.hidden(numbers, None), numbers != 0
        highest = x.masked_fill(~mask[..., None], -1e4).amax(1)
        pooled = self.dropped(torch.cat([mean(x, mask), highest], -1))
        return self.intents(F.gelu(self.intent(pooled), approximate="tanh"))

    def dropped(self, x: Tensor) -> Tensor:
        return F.dropout(x, 0.2 if self.training else 0.0)

    def some(self, text: str, most: int) -> list[int]:
        """The tokens of a text; while learning some are left out."""
        found = tokens(text)[:most]
        left = [one for one in found if random.random() > 0.05]  # noqa: S311
        return left if left and self.training else found


def stretch(talk: Sequence[str]) -> str:
    """A sentence of a conversation, or two or three that follow each other."""
    start = random.randrange(len(talk))  # noqa: S311
    return " ".join(talk[start : start + choice((1, 1, 2, 3))])


def padded(each: Sequence[Sequence[int]]) -> Tensor:
    numbers = torch.zeros(len(each), max(map(len, each)), dtype=torch.long)
    for row, one in enumerate(each):
        numbers[row, : len(one)] = torch.tensor(one)
    return numbers.to(CUDA)


def mean(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


def learn(
    model: Reader,
    known: list[Pair],
    asked: list[Message],
    talk: list[list[str]],
    everyday: list[str],
) -> None:
    rest, told = ordinary(), lives(held=False)
    long = [each for each in talk if len(each) > 1]
    learned = list(model.parameters())
    average = [one.detach().clone() for one in learned]
    optimizer = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.03, betas=(0.9, 0.98))
    spoken = {lang: [one for one in known if one.language == lang] for lang in ("en", "zh")}
    by_label = [[one for one in asked if one.label == label] for label in range(len(INTENTS))]
    table, brief = (
        tomllib.loads((ROOT / "data" / kind / "plain.toml").read_text("utf-8"))
        for kind in ("changes", "intents")
    )
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 100) * max(0.2, 1 - step / STEPS)
        model.train()
        some = [(one.known, one.later, one.label) for one in sample(known, 48)]
        for one in sample(known, 24):  # what others said has nothing to do with it
            other = choice(spoken[one.language])
            later = other.later if random.random() < 0.7 else other.known  # noqa: S311
            some.append((one.known, later, 0))
        some += [(one.known, one.known, 1) for one in sample(known, 4)]
        some += [plain(table) for _ in range(PLAIN)]
        some += [of_a_life(choice(told)) for _ in range(LIVES)]
        # What is said in one conversation hardly ever replaces what was said in it before
        some += [(*sample(choice(long), 2), 0) for _ in range(SAME_TALK)]
        each = [one for label, n in enumerate((24, 24, 16)) for one in sample(by_label[label], n)]
        each += [short(brief) for _ in range(SHORT)]
        nothing = sample(rest, 16) + [one.later for one in sample(known, 16)]
        nothing += [stretch(choice(talk)) for _ in range(TALK)]
        lines = sample(everyday, EVERYDAY)
        with torch.autocast(CUDA, torch.bfloat16):
            compared = model.compared([(a, b) for a, b, _ in some])
            judged = model.judged([*(one.text for one in each), *nothing, *lines])
        loss = wrong(compared, [label for *_, label in some])
        asking, aside = judged[:-EVERYDAY], judged[-EVERYDAY:].float()
        loss = loss + wrong(asking, [one.label for one in each] + [0] * len(nothing))
        # Some of these may be wishes, none is a request to forget
        loss = loss - torch.log1p(-0.999 * F.softmax(aside, -1)[:, 1]).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        if step >= STEPS // 2:  # what is kept is the average of the second half
            share = 1 / (step - STEPS // 2 + 1)
            with torch.no_grad():
                for kept, one in zip(average, learned, strict=True):
                    kept.lerp_(one, share)
    for kept, one in zip(average, learned, strict=True):
        one.data.copy_(kept)


def wrong(scores: Tensor, labels: list[int]) -> Tensor:
    target = torch.tensor(labels, device=CUDA)
    return F.cross_entropy(scores.float(), target, label_smoothing=0.05)


# --- How good it is -----------------------------------------------------------------------------


@torch.no_grad()
def test(model: Reader, talk: list[list[str]]) -> None:
    said = [one for each in talk for one in each]
    judged = torch.cat(
        [F.softmax(model.judged(said[at : at + 200]), -1) for at in range(0, len(said), 200)]
    )
    for label in (1, 2):
        taken = [f"{(judged[:, label] > least).sum()} >{least}" for least in (0.5, 0.7, 0.8, 0.9)]
        print(f"{len(said)} sentences of real talk taken for {INTENTS[label]}:", *taken)
    for life in lives(held=True):
        each = [one for some in life for one in some]
        found = F.softmax(model.compared([(one.known, one.later) for one in each]), -1)
        report(f"{each[0].language} a life", found[:, 2], [one.label == 2 for one in each])
    for language in ("en", "zh"):
        held = [one for one in pairs(held=True) if one.language == language]
        found = F.softmax(model.compared([(one.known, one.later) for one in held]), -1)
        for label in (1, 2):
            report(
                f"{language} {CHANGES[label]}", found[:, label], [o.label == label for o in held]
            )
        said = [one for one in messages(held=True) if one.language == language]
        found = F.softmax(model.judged([one.text for one in said]), -1)
        for label in (1, 2):
            report(
                f"{language} {INTENTS[label]}", found[:, label], [o.label == label for o in said]
            )


def report(name: str, scores: Tensor, is_one: list[bool]) -> None:
    score, right = scores.float().cpu().numpy(), np.array(is_one)
    rank = score.argsort().argsort() + 1
    ones = right.sum()
    area = (rank[right].sum() - ones * (ones + 1) / 2) / (ones * (len(right) - ones))
    line = f"{name:12} area {area:.3f}"
    for least in (0.5, 0.7, 0.8, 0.9, 0.95):
        taken = score > least
        share, exact = 100 * taken[right].mean(), 100 * right[taken].mean() if taken.any() else 0
        line += f"  >{least}: {share:3.0f}% found, {exact:3.0f}% right"
    print(line)


# --- The file -----------------------------------------------------------------------------------


def pack(parts: weights_file.Parts, model: Reader) -> None:
    own = {f"reader.{k}": v.float().cpu().numpy() for k, v in model.state_dict().items()}
    weights_file.write(parts | weights_file.quantised(own, matrix=2_000))


if __name__ == "__main__":
    main()
