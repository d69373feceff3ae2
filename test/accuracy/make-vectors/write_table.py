"""Writes the table that the embedded engine reads. Usage: write_table.py <tokenizer.json> <work folder> <table>

Leaves out pieces that are special, that no text uses, or that have letters of another script than Latin. Each number has 4 bits. The
factor of a vector is the one of 14 with the smallest squared error. `lib/service/engines/embedded/vector-table.ts` describes the file.
"""

import re
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

tokenizer_file, work_folder, table_file = sys.argv[1:4]
# The characters before are those of Latin letters.
first_other_letter = 0x250


def is_kept(piece: str) -> bool:
    if re.fullmatch(r"\[.+\]", piece):
        return False
    text = piece[2:] if piece.startswith("##") and len(piece) > 2 else piece
    return "\n" not in text and all(
        ord(letter) < first_other_letter or unicodedata.category(letter)[0] in "PS" for letter in text
    )


all_vectors = np.load(Path(work_folder) / "vectors.npy").astype(np.float32)
vocabulary = Tokenizer.from_file(tokenizer_file).get_vocab()
kept = sorted((row, piece) for piece, row in vocabulary.items() if is_kept(piece) and np.abs(all_vectors[row]).max() > 0)
vectors = all_vectors[[row for row, _ in kept]]

best_error = np.full((len(vectors), 1), np.inf, np.float32)
numbers = np.zeros_like(vectors)
factors = np.zeros((len(vectors), 1), np.float32)
for clip in np.linspace(0.35, 1, 14):
    factor = clip * np.abs(vectors).max(1, keepdims=True) / 7
    rounded = np.clip(np.round(vectors / factor), -7, 7)
    error = ((rounded * factor - vectors) ** 2).sum(1, keepdims=True)
    is_better = error < best_error
    best_error = np.where(is_better, error, best_error)
    numbers = np.where(is_better, rounded, numbers)
    factors = np.where(is_better, factor, factors)

halves = (numbers + 8).astype(np.uint8)
packed = (halves[:, ::2] << 4) | halves[:, 1::2]
scales = np.round(factors.ravel() / factors.max() * 65535).astype("<u2")
pieces = "\n".join(piece for _, piece in kept).encode("utf-8")
header = b"SVCV" + struct.pack("<III", len(vectors), vectors.shape[1], len(pieces))
Path(table_file).write_bytes(header + scales.tobytes() + packed.tobytes() + pieces)
print(len(vectors), "pieces, squared error", float(best_error.sum() / (vectors**2).sum()))
