"""Writes logistic.json: seeded rows, and the probabilities that scikit-learn's LogisticRegression gives them.

Usage: pip install scikit-learn==1.9.1 && python make-logistic.py > logistic.json
"""
import json

import numpy
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

random = numpy.random.default_rng(7)


def make_case(rows, dimensions, terms, classes, strength, weighted):
    vectors = random.normal(size=(rows, dimensions)).round(3)
    counts = (random.random((rows, terms)) < 0.2) * random.random((rows, terms)).round(3)
    signal = vectors[:, :classes] + counts[:, :classes] + random.gumbel(size=(rows, classes))
    truth = signal.argmax(axis=1)
    weights = random.integers(1, 5, rows).astype(float) if weighted else numpy.ones(rows)
    features = hstack([csr_matrix(vectors), csr_matrix(counts)]).tocsr()
    model = LogisticRegression(C=1 / strength, tol=1e-12, max_iter=100_000)
    model.fit(features, truth, sample_weight=weights)
    return {
        "strength": strength,
        "classes": classes,
        "vectors": vectors.tolist(),
        "terms": [[[int(t), float(row[t])] for t in numpy.flatnonzero(row)] for row in counts],
        "termCount": terms,
        "truth": truth.tolist(),
        "weights": weights.tolist(),
        "probabilities": model.predict_proba(features).round(8).tolist(),
    }


cases = [
    make_case(40, 4, 6, 2, 1, False),
    make_case(40, 4, 6, 2, 0.01, True),
    make_case(50, 5, 8, 4, 0.3, False),
    make_case(50, 5, 8, 4, 0.03, True),
]
print(json.dumps(cases, separators=(",", ":")))
