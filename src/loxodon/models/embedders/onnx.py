"""A sentence model in a folder: `model.onnx` and `tokenizer.json`, run on the processor.

The folder is one as model hubs have it. What the model says of each token is averaged, unless the
model itself gives one vector for a text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from loxodon.errors import ConfigError
from loxodon.models.embedders import need

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_TOKENS = 512
_TOGETHER = 8  # texts in one run of the model: all are padded to the longest
_SAMPLES = 16  # of the model's file, by which it is named
_SAMPLE_BYTES = 65_536


class OnnxEmbedder:
    """A model that is read from a folder when it is first used."""

    def __init__(self, path: str) -> None:
        # It sends events to its makers unless it is told not to before it is loaded.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        need("onnxruntime", "onnx")
        need("tokenizers", "onnx")
        self._model_path = _model_in(path)
        self._tokenizer_path = _beside(self._model_path, "tokenizer.json")
        self.name = _name_of(self._model_path, self._tokenizer_path)
        self._loaded: tuple[Any, Any] | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        import numpy as np

        session, tokenizer = self._loaded or self._load()
        tokens = tokenizer.encode_batch(list(texts))
        # Alike in length together, so that little is spent on padding.
        order = sorted(range(len(tokens)), key=lambda n: len(tokens[n].ids))
        found: list[NDArray[Any] | None] = [None] * len(tokens)
        for start in range(0, len(order), _TOGETHER):
            places = order[start : start + _TOGETHER]
            vectors = _run(session, [tokens[n] for n in places])
            for place, vector in zip(places, vectors, strict=True):
                found[place] = vector
        return np.stack(found)  # type: ignore[arg-type]

    def _load(self) -> tuple[Any, Any]:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        # One thread, as others work on this machine too: where all cores are busy, two take twice
        # as long as one, and while they wait for each other they keep a core from everybody.
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4  # what goes wrong is raised as well
        try:
            tokenizer = Tokenizer.from_file(self._tokenizer_path)
            session = onnxruntime.InferenceSession(
                self._model_path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both raise what they like, some of it plain Exception
            raise ConfigError(
                "cannot load the model in {path}: {reason}",
                hint="check that the download is complete, and that model.onnx and "
                "tokenizer.json belong to the same model",
                path=os.path.dirname(self._model_path),
                reason=str(error)[:200],
            ) from None
        try:
            with open(_beside(self._model_path, "config.json"), encoding="utf-8") as file:
                most = json.load(file).get("max_position_embeddings")
        except (ConfigError, OSError, ValueError, AttributeError):
            most = None
        good = isinstance(most, int) and most > 0
        tokenizer.no_padding()
        tokenizer.enable_truncation(min(most, _MOST_TOKENS) if good else _MOST_TOKENS)
        self._loaded = (session, tokenizer)
        return self._loaded


def _run(session: Any, tokens: Sequence[Any]) -> NDArray[Any]:
    """The vectors of some texts: what the model gives, averaged over the tokens of each."""
    import numpy as np

    width = max(1, *(len(one.ids) for one in tokens))
    ids = np.zeros((len(tokens), width), np.int64)
    mask = np.zeros((len(tokens), width), np.int64)
    for row, one in enumerate(tokens):
        ids[row, : len(one.ids)] = one.ids
        mask[row, : len(one.ids)] = 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    wanted = {one.name: given[one.name] for one in session.get_inputs() if one.name in given}
    output: NDArray[Any] = session.run(None, wanted)[0]
    if output.ndim == 2:
        return output
    weights = mask[:, :, None].astype(np.float32)
    pooled: NDArray[Any] = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return pooled


def _model_in(path: str) -> str:
    """The model file that a setting names: the file itself, or the one in a folder."""
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isfile(path):
        return path
    for folder in (path, os.path.join(path, "onnx")):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        models = [one for one in names if one.startswith("model") and one.endswith(".onnx")]
        if models:
            return os.path.join(folder, "model.onnx" if "model.onnx" in models else models[0])
    raise ConfigError(
        "no model.onnx found in {path}",
        hint="give the folder of an ONNX model, or the file itself",
        path=path,
    )


def _beside(model: str, name: str) -> str:
    """A file that belongs to a model: in its folder, or in the one above."""
    folder = os.path.dirname(model)
    for one in (folder, os.path.dirname(folder)):
        if os.path.isfile(os.path.join(one, name)):
            return os.path.join(one, name)
    raise ConfigError(
        "no {name} found next to {path}",
        hint="copy it there from the source of the model",
        name=name,
        path=model,
    )


def _name_of(model: str, tokenizer: str) -> str:
    """A name that changes with the model, not with the folder it lies in.

    Reading all of a large model would slow down every start; samples from all over it tell as much.
    """
    size = os.path.getsize(model)
    digest = hashlib.sha256(str(size).encode())
    with open(model, "rb") as file:
        for n in range(_SAMPLES):
            file.seek(max(0, size - _SAMPLE_BYTES) * n // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE_BYTES))
    with open(tokenizer, "rb") as file:
        digest.update(file.read())
    return f"onnx {digest.hexdigest()[:24]}"
