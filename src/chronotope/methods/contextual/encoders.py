"""Encoders: texts and the span of one word in each → (N, D) vectors. Any callable with these arguments can be used.

The vector of a word is the mean of its subtokens. Equal texts in a call are encoded once.
"""

import hashlib
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.config import ContextualSettings
from chronotope.corpus.sentences import Span
from chronotope.errors import InputError, SettingsError, first_line, import_extra, number_of
from chronotope.io.provenance import checksum_of, quick_checksum
from chronotope.methods.base import FitOptions, Floats
from chronotope.methods.device import torch_device

HASHING = "hashing"
WEIGHTS = ("*.json", "*.safetensors", "*.bin", "*.onnx", "*.txt")
BATCH = 32  # texts
MOST_SUBTOKENS = 512


class HashingEncoder:
    """Encode a word as the sum of random vectors of the words around it: no network, the same on every machine."""

    name = HASHING

    def __init__(self, dimensions: int, window: int, seed: int) -> None:
        self._dimensions, self._window, self._seed = dimensions, window, seed
        self._known: dict[str, Floats] = {}

    def __call__(self, texts: list[str], spans: list[Span]) -> Floats:
        """Return the (N, D) sums."""
        found = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text, span in zip(found, texts, spans, strict=True):
            before = re.findall(r"\w+", text[: span.start].lower())[-self._window :]
            after = re.findall(r"\w+", text[span.end :].lower())[: self._window]
            for word in before + after:
                row += self._vector(word)
        return found

    def _vector(self, word: str) -> Floats:
        if word not in self._known:
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            random = np.random.Generator(np.random.PCG64([self._seed, int.from_bytes(digest, "little")]))
            self._known[word] = random.standard_normal(self._dimensions, dtype=np.float32)
        return self._known[word]


class SubtokenEncoder:
    """Base of encoders with subtokens: a subclass defines `name` and `_hidden`."""

    name: str

    def __call__(self, texts: list[str], spans: list[Span]) -> Floats:
        """Return the (N, D) means; texts are encoded in batches of similar length."""
        rows: dict[str, list[int]] = {}
        for row, text in enumerate(texts):
            rows.setdefault(text, []).append(row)
        unique = sorted(rows, key=lambda text: (len(text), text))
        found: dict[int, Floats] = {}
        lost = 0
        for first in range(0, len(unique), BATCH):
            batch = unique[first : first + BATCH]
            hidden, offsets = self._hidden(batch)
            for text, states, (start, end) in zip(batch, hidden, offsets.transpose(0, 2, 1), strict=True):
                for row in rows[text]:
                    inside = (start < spans[row].end) & (end > spans[row].start)
                    lost += not inside.any()
                    found[row] = states[inside if inside.any() else end > start].mean(axis=0)
        if lost:
            words = number_of(lost, "words")
            warnings.warn(f"{words} without a subtoken: the mean of the text is used instead", stacklevel=2)
        return np.array([found[row] for row in range(len(texts))])

    def _hidden(self, texts: list[str]) -> tuple[Floats, NDArray[np.int64]]:
        """Return (B, T, D) hidden states, and the (B, T, 2) range of characters of each subtoken; 0, 0 for none."""
        raise NotImplementedError


class TransformersEncoder(SubtokenEncoder):
    """A model of Hugging Face `transformers`: a local folder or a name; on the GPU if there is one."""

    def __init__(self, source: str, layer: int, options: FitOptions) -> None:
        torch, transformers = (import_extra(name, "contextual", "contextual") for name in ("torch", "transformers"))
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(source, use_fast=True)
            self._model = transformers.AutoModel.from_pretrained(source).eval()
        except (OSError, ValueError) as error:
            raise InputError(f"cannot open the encoder {source}: {first_line(error)}") from None
        layers = int(self._model.config.num_hidden_layers)
        if not -layers - 1 <= layer <= layers:
            raise SettingsError(f"{source} has {layers} layers; there is no layer {layer}")
        self.device = torch_device(torch, options.device)
        options.on_device(f"encoding on the {'GPU' if self.device == 'cuda' else 'CPU'}")
        torch.set_num_threads(options.threads)
        self._torch, self._layer, self._model = torch, layer, self._model.to(self.device)
        revision = getattr(self._model.config, "_commit_hash", None)
        self.name = _fingerprint(Path(source)) if Path(source).is_dir() else f"{source}@{revision}"
        self.packages = {package.__name__: package.__version__ for package in (torch, transformers)}

    def _hidden(self, texts: list[str]) -> tuple[Floats, NDArray[np.int64]]:
        options = {"padding": True, "truncation": True, "max_length": MOST_SUBTOKENS, "return_tensors": "pt"}
        inputs = self._tokenizer(texts, return_offsets_mapping=True, **options)
        offsets = inputs.pop("offset_mapping").numpy()
        with self._torch.inference_mode():
            hidden = self._model(**inputs.to(self.device), output_hidden_states=True).hidden_states[self._layer]
        return hidden.float().cpu().numpy(), offsets


class OnnxEncoder(SubtokenEncoder):
    """A folder with `model.onnx` and `tokenizer.json` for ONNX Runtime; the first output is the last hidden states."""

    def __init__(self, folder: Path, options: FitOptions) -> None:
        runtime, tokenizers = (import_extra(name, "contextual", "onnx") for name in ("onnxruntime", "tokenizers"))
        settings = runtime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        try:
            providers = ["CPUExecutionProvider"]
            self._session = runtime.InferenceSession(folder / "model.onnx", settings, providers=providers)
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the libraries raise their own exceptions
            raise InputError(f"cannot open the encoder in {folder}: {first_line(error)}") from None
        self._tokenizer.enable_padding()
        self._tokenizer.enable_truncation(MOST_SUBTOKENS)
        self._inputs = {one.name for one in self._session.get_inputs()}
        self.name, self.packages = _fingerprint(folder), {"onnxruntime": runtime.__version__}

    def _hidden(self, texts: list[str]) -> tuple[Floats, NDArray[np.int64]]:
        found = self._tokenizer.encode_batch(texts)
        parts = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        inputs = {name: np.array([getattr(one, part) for one in found]) for name, part in parts.items()}
        hidden = self._session.run(None, {name: value for name, value in inputs.items() if name in self._inputs})[0]
        return hidden.astype(np.float32), np.array([one.offsets for one in found])


def open_encoder(settings: ContextualSettings, window: int, options: FitOptions) -> Any:
    """Return the encoder that the settings name: a callable, hashing, a folder, or a name for `transformers`."""
    chosen = settings.encoder
    if not isinstance(chosen, str):
        return chosen
    if chosen == HASHING:
        if options.device == "cuda":
            raise SettingsError("the hashing encoder runs only on the CPU; leave out --device cuda")
        return HashingEncoder(settings.dimensions or 200, window, settings.seed)
    if settings.dimensions is not None:
        raise SettingsError(f"dimensions are for the hashing encoder; {chosen} has its own")
    if not (Path(chosen) / "model.onnx").is_file():
        return TransformersEncoder(chosen, settings.layer, options)
    if settings.layer != -1:
        raise SettingsError("an ONNX model returns only its last layer; leave the layer out")
    return OnnxEncoder(Path(chosen), options)


def _fingerprint(folder: Path) -> str:
    """Return the name of a folder, without its path, and a checksum of its files."""
    files = sorted({file for pattern in WEIGHTS for file in folder.glob(pattern)})
    return f"{folder.resolve().name}@{checksum_of({file.name: quick_checksum(file) for file in files})[:8]}"
