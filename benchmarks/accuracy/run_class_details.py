"""Where a model of classes errs: recall, precision and F1 of each class, and accuracy by length, as a model's card has them.

    python -m benchmarks.accuracy.run_class_details sst2 TASKS/sst2/dev.tsv.xz [--labels 0=negative,1=positive]

``--labels`` says what the file's labels are called by the model. The accuracy of who always gives the most frequent class
stands beside the model's. By length go the words of all sentences of a text, marks too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.accuracy.run_details import LENGTHS, length_names
from benchmarks.machine import listed, now, processor, versions
from bnaparser.tasks.classifier import Classifier
from bnaparser.tasks.data import read_examples
from bnaparser.tasks.examples import TaskFile

PACKAGES = ("bnaparser", "torch", "transformers", "scikit-learn")


def as_text(text: str | Sequence[str]) -> str:
    """Return running text, or words with blanks between."""
    return text if isinstance(text, str) else " ".join(text)


def by_class(labels: Sequence[str], gold: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return the lines of a table with a row for each class."""
    from sklearn.metrics import precision_recall_fscore_support

    scores = precision_recall_fscore_support(gold, said, labels=labels, zero_division=0)
    lines = ["| class | examples | recall | precision | F1 |", "|---|---|---|---|---|"]
    for label, precision, recall, f1, examples in zip(labels, *scores, strict=True):
        lines.append(
            f"| {label} | {examples:,} | {100 * recall:.2f} | {100 * precision:.2f} | {100 * f1:.2f} |"
        )
    return lines


def by_length(words: Sequence[int], gold: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return the lines of a table with a row for each range of lengths that occurs."""
    lines = ["| words | examples | accuracy | most frequent class |", "|---|---|---|---|"]
    rows = [sum(length > limit for limit in LENGTHS) for length in words]
    for row, name in enumerate(length_names()):
        pairs = zip(rows, gold, said, strict=True)
        chosen = [(wanted, given) for number, wanted, given in pairs if number == row]
        if not chosen:
            continue
        most = Counter(wanted for wanted, _ in chosen).most_common(1)[0][1]
        right = sum(wanted == given for wanted, given in chosen)
        lines.append(
            f"| {name} | {len(chosen):,} | {100 * right / len(chosen):.2f} | {100 * most / len(chosen):.2f} |"
        )
    return lines


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("model")
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--labels", default="", metavar="OLD=NEW,...")
    options = arguments.parse_args()
    renamed = dict(pair.split("=") for pair in options.labels.split(",") if pair)
    classifier = Classifier.load(options.model)
    task = classifier.model.settings.task
    examples = read_examples([TaskFile(path=str(options.file), labels=renamed)], task)
    texts = [as_text(example.texts[0]) for example in examples]
    found = classifier.classify_many(texts)
    said = [one.label or "" for one in found]
    gold = [str(example.gold) for example in examples]
    words = [sum(len(parse.words) for parse in one.parses) for one in found]
    print(
        f"{now()} UTC, {processor()}, {listed(versions(PACKAGES))}, {options.model}, {options.file.name}\n"
    )
    print("\n".join([*by_class(classifier.labels, gold, said), "", *by_length(words, gold, said)]))


if __name__ == "__main__":
    main()
