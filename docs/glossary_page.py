"""Write docs/glossary.md: terms, and the labels of every language, from `bnaparser.trees.labels`.

    python docs/glossary_page.py

tests/docs/test_glossary_page.py checks that the page is up to date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bnaparser.trees.labels import LANGUAGES, PHRASES, TAGS, Meaning, explain, table

TARGET = Path(__file__).parent / "glossary.md"
NAMES = {
    "en": "English",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "id": "Indonesian",
    "is": "Icelandic",
    "ja": "Japanese",
    "pt": "Portuguese",
    "zh-Hant": "Chinese",
}
HEAD = """\
# Glossary

After this page you know the meaning of terms, labels and tags, and the class of each label. With classes you can
[search](search.md#nodes) trees of any language.

    bnaparser models describe multi --labels     # the labels of a model

```python
from bnaparser.trees.labels import explain, label_class

explain("sn", language="es")  # noun phrase
label_class("vmip3s0", is_tag=True, language="es")  # verb
```

## Terms

| term | meaning |
|---|---|
| constituent | a group of words that belong together: a phrase or a clause; a node of the tree |
| head | the word that a phrase is built around: "cat" in "the cat" |
| subword | a part of a word, as an encoder reads it; rare words have several |
| span | consecutive words, from a start to an end, end-exclusive: (0, 2) is words 0 and 1 |
| gold | annotated or checked by people, and used as the correct answer: gold trees, gold tags |
| precision | fraction of the predicted constituents that are in the gold trees |
| recall | fraction of the constituents of the gold trees that are predicted |
| F1 | harmonic mean of precision and recall, at most 100; two constituents are equal if their labels and spans are equal |

## Classes

Every label and every tag has a class, which is the same in all languages.

| | classes |
|---|---|
| of constituents | {phrases} |
| of tags | {tags} |

## Composite labels

A label that no table below lists is explained by its parts.

| label | language | meaning |
|---|---|---|
{composite}

"Coordinated words" are a constituent that is labelled with the tag of its words.
"""
COMPOSITE = (
    ("NP-SBJ-1", False, "en", "a label with a function and an index"),
    ("S::VP", False, "en", "a chain of constituents over the same words"),
    ("HVDI", True, "is", "a verb, a tense and a mood"),
    ("N-D", True, "is", "a word and its case"),
    ("Q+N", True, "is", "a compound, or two words in one"),
    ("ADV21", True, "is", "a part of a word that is written apart"),
    ("VBPI", False, "is", "coordinated words"),
    ("vmip3s0", True, "es", "a tag with features"),
    ("VP‧的", False, "zh-Hant", "a phrase with a particle"),
    ("得‧VP", False, "zh-Hant", "a complement"),
)


def page() -> str:
    """Return the page."""
    composite = "\n".join(
        f"| `{label}`: {what} | {language} | {explain(label, is_tag, language)} |"
        for label, is_tag, language, what in COMPOSITE
    )
    head = HEAD.format(
        phrases=", ".join(f"`{name}`" for name in PHRASES),
        tags=", ".join(f"`{name}`" for name in TAGS),
        composite=composite,
    )
    return "\n".join([head, *(line for code in LANGUAGES for line in _language(code))])


def _language(code: str) -> Iterator[str]:
    known, name = table(code), NAMES[code]
    yield f"## {name} (`{code}`)\n"
    yield f"{known.source}\n"
    yield f"### {name} labels\n"
    yield from _rows("label", known.phrases)
    yield f"### {name} part-of-speech tags\n"
    yield from _rows("tag", known.tags)
    if known.functions:
        yield f"### {name} functions\n"
        yield "Functions follow a label, as in `NP-SBJ`. The models that ship do not predict functions.\n"
        yield "| function | meaning |\n|---|---|"
        yield from (f"| `{label}` | {words} |" for label, words in known.functions.items())
        yield ""


def _rows(kind: str, meanings: dict[str, Meaning]) -> Iterator[str]:
    yield f"| {kind} | class | meaning |\n|---|---|---|"
    for label, meaning in meanings.items():
        code = f"`` {label} ``" if "`" in label else f"`{label}`"
        yield f"| {code} | {meaning.label_class} | {meaning.words} |"
    yield ""


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
