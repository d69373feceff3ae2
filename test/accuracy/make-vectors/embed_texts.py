"""Embeds each text of corpus.txt, and each piece of the vocabulary by itself, with a model.

Usage: embed_texts.py <name> <model.onnx> <tokenizer.json> cls|mean <work folder>

Writes <name>-vocabulary.npy and <name>-000.npy and so on. To continue after an interruption, run it again. `cls` takes the vector of
the first token as the text's, `mean` the mean of all tokens.
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

name, model, tokenizer_file, pooling, work_folder = sys.argv[1:6]
work = Path(work_folder)
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
input_names = [tensor.name for tensor in session.get_inputs()]
tokenizer = Tokenizer.from_file(tokenizer_file)
tokenizer.no_padding()
tokenizer.enable_truncation(64)

texts_per_file = 4096
texts_per_batch = 64
dimensions = 384


def embed(token_lists: list[list[int]]) -> np.ndarray:
    """Embeds lists of tokens. Returns a vector for each."""
    length = max(map(len, token_lists))
    ids = np.zeros((len(token_lists), length), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(token_lists):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    output = session.run(None, {key: inputs[key] for key in input_names})[0]
    if pooling == "cls":
        return output[:, 0]
    return (output * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)


def embed_vocabulary() -> None:
    vocabulary = tokenizer.get_vocab()
    first, last = vocabulary["[CLS]"], vocabulary["[SEP]"]
    vectors = np.zeros((max(vocabulary.values()) + 1, dimensions), np.float32)
    for start in range(0, len(vectors), 256):
        pieces = range(start, min(len(vectors), start + 256))
        vectors[start : start + 256] = embed([[first, piece, last] for piece in pieces])
    np.save(work / f"{name}-vocabulary.npy", vectors)


def embed_corpus() -> None:
    texts = (work / "corpus.txt").read_text("utf-8").split("\n")
    for number, start in enumerate(range(0, len(texts), texts_per_file)):
        file = work / f"{name}-{number:03d}.npy"
        if file.exists():
            continue
        token_lists = [encoding.ids for encoding in tokenizer.encode_batch(texts[start : start + texts_per_file])]
        # Texts of about the same length waste little time on padding.
        order = np.argsort([len(tokens) for tokens in token_lists])
        vectors = np.zeros((len(token_lists), dimensions), np.float16)
        for batch in range(0, len(token_lists), texts_per_batch):
            rows = order[batch : batch + texts_per_batch]
            embedded = embed([token_lists[row] for row in rows])
            vectors[rows] = embedded / np.linalg.norm(embedded, axis=1, keepdims=True)
        np.save(file, vectors)
        print(file.name, flush=True)


embed_vocabulary()
embed_corpus()
