"""Fits a vector for each word piece to the embeddings of two models. Usage: fit_vectors.py <tokenizer.json> <work folder>

The sum of the vectors of a text's pieces shall point where the embeddings of the text point. A piece that occurs n times counts the
square root of n. The start is the embedding of each piece by itself, times ln(1 + its rank), because the vocabulary is roughly sorted
by frequency. Writes vectors.npy.
"""

import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from tokenizers import Tokenizer

tokenizer_file, work_folder = sys.argv[1:3]
work = Path(work_folder)
dimensions = 192
epochs = 3
batch_size = 2048
learning_rate = 0.003
pull_to_start = 0.03
held_out = 2048
# The pieces before are special, unused or single characters.
first_ranked_piece = 995
first_word = 1996

tokenizer = Tokenizer.from_file(tokenizer_file)
tokenizer.no_padding()
tokenizer.no_truncation()
vocabulary = tokenizer.get_vocab()
size = max(vocabulary.values()) + 1
texts = (work / "corpus.txt").read_text("utf-8").split("\n")


def read_embeddings(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Reads the embeddings of the texts and of the pieces by themselves, centred, and scaled to a mean square length of 1."""
    files = sorted(work.glob(f"{name}-[0-9][0-9][0-9].npy"))
    of_texts = np.vstack([np.load(file).astype(np.float32) for file in files])
    of_texts -= of_texts[::4].mean(0)
    of_texts /= np.sqrt((of_texts[::4] ** 2).sum(1).mean())
    of_pieces = np.load(work / f"{name}-vocabulary.npy")
    of_pieces /= np.linalg.norm(of_pieces, axis=1, keepdims=True)
    of_pieces -= of_pieces[first_word:].mean(0)
    of_pieces /= np.sqrt((of_pieces[first_word:] ** 2).sum(1).mean())
    return of_texts, of_pieces.astype(np.float32)


def count_pieces() -> sparse.csr_matrix:
    """Returns the square root of the number of each piece in each text."""
    rows, columns, values = [], [], []
    for row, encoding in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        pieces, counts = np.unique(encoding.ids, return_counts=True)
        rows += [row] * len(pieces)
        columns += list(pieces)
        values += list(np.sqrt(counts))
    return sparse.csr_matrix((np.array(values, np.float32), (rows, columns)), shape=(len(texts), size))


bge_texts, bge_pieces = read_embeddings("bge")
mini_texts, mini_pieces = read_embeddings("mini")
targets = np.hstack([bge_texts, mini_texts])
components = np.linalg.eigh(targets[::4].T @ targets[::4])[1][:, ::-1][:, :dimensions].astype(np.float32)
targets = targets @ components
targets /= np.linalg.norm(targets, axis=1, keepdims=True)

rank = np.maximum(1, np.arange(size) - first_ranked_piece)
start = np.hstack([bge_pieces, mini_pieces]) @ components * np.log(1 + rank)[:, None].astype(np.float32)
start[[vocabulary[piece] for piece in ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")]] = 0
start /= np.sqrt((start**2).sum(1).mean())

counts = count_pieces()
train = np.arange(len(texts) - held_out)
test = np.arange(len(texts) - held_out, len(texts))
vectors = start.copy()


def mean_cosine(rows: np.ndarray) -> float:
    sums = counts[rows] @ vectors
    lengths = np.maximum(1e-9, np.linalg.norm(sums, axis=1))
    return float(((sums * targets[rows]).sum(1) / lengths).mean())


# Adam, with a learning rate that falls to 0.
random = np.random.RandomState(0)
mean_gradient = np.zeros_like(vectors)
mean_square = np.zeros_like(vectors)
step = 0
steps = epochs * (len(train) // batch_size)
print("held-out cosine at the start", round(mean_cosine(test), 3))
for epoch in range(epochs):
    random.shuffle(train)
    for first in range(0, len(train) - batch_size + 1, batch_size):
        rows = train[first : first + batch_size]
        sums = counts[rows] @ vectors
        lengths = np.maximum(1e-6, np.linalg.norm(sums, axis=1, keepdims=True))
        units = sums / lengths
        cosines = (units * targets[rows]).sum(1, keepdims=True)
        gradient = counts[rows].T @ ((cosines * units - targets[rows]) / lengths)
        gradient += pull_to_start * (vectors - start)
        step += 1
        mean_gradient = 0.9 * mean_gradient + 0.1 * gradient
        mean_square = 0.99 * mean_square + 0.01 * gradient**2
        rate = learning_rate * (1 - step / (steps + 1))
        vectors -= rate * (mean_gradient / (1 - 0.9**step)) / (np.sqrt(mean_square / (1 - 0.99**step)) + 1e-5)
    print("epoch", epoch, "held-out cosine", round(mean_cosine(test), 3), flush=True)
np.save(work / "vectors.npy", vectors)
