"""Writes corpus.txt with one text a line, in a fixed random order: entries and example sentences of WordNet.

Usage: write_corpus.py <folder dict of WordNet> <work folder>
"""

import random
import re
import sys
from pathlib import Path


def read_texts(line: str) -> list[str]:
    """Reads the texts of a line such as `00001740 03 n 01 entity 0 003 … | definition; "example"`."""
    # The first lines of each file are the licence, and begin with two spaces.
    if line.startswith("  ") or " | " not in line:
        return []
    head, gloss = line.rstrip().split(" | ", 1)
    fields = head.split(" ")
    lemma_count = int(fields[3], 16)
    # An adjective may end with a mark for its position, such as `(a)`.
    lemmas = [re.sub(r"\((a|p|ip)\)$", "", fields[4 + 2 * i]).replace("_", " ") for i in range(lemma_count)]
    examples = [text for text in re.findall(r'"([^"]+)"', gloss) if len(text.split()) >= 3]
    definition = re.sub(r'[;\s]*"[^"]*"', "", gloss).strip(" ;")
    return [f"{', '.join(lemmas[:4])}: {definition}", *examples]


def main() -> None:
    dictionary, work = map(Path, sys.argv[1:3])
    texts: set[str] = set()
    for part in ("noun", "verb", "adj", "adv"):
        for line in (dictionary / f"data.{part}").read_text("utf-8").split("\n"):
            texts.update(read_texts(line))
    ordered = sorted(texts)
    random.Random(7).shuffle(ordered)
    work.mkdir(parents=True, exist_ok=True)
    (work / "corpus.txt").write_text("\n".join(ordered), "utf-8")
    print(len(ordered), "texts")


main()
