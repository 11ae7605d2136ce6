"""Direct speech that has no phrase of its own: "Not now," he said, as "(`` Not (ADVP now) '' (NP he) (VP said))"."""

from __future__ import annotations

from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads import english
from bnaparser.trees.heads.clauses import CLAUSES, NOUN_PHRASES
from bnaparser.trees.heads.english import is_form_of
from bnaparser.trees.tree import Tree, assemble, flatten

_DEPTH = 16  # a verb is sought no deeper, so that nested verb phrases take linear time
_NO_PHRASES = frozenset({"ADJP", "INTJ"})
"""Phrases that are put in a phrase for speech even if they are all of it."""


def with_spoken_phrases(tree: Tree) -> Tree:
    """Return the tree with a phrase ``SPOKEN`` around direct speech of several children of a clause with a verb of saying."""
    if "``" not in tree.tags:
        return tree
    nodes = list(tree.nodes())
    numbers = {id(node): number for number, node in enumerate(nodes)}
    found: list[tuple[int, int, int]] = []
    for number, node in enumerate(nodes):
        if core_label(node.label) in ("S", "SINV", "VP"):
            speech = _speech(node)
            if speech is not None:
                found.append((number, *speech))
    if not found:
        return tree
    labels, arities, words = flatten(tree)
    inserted: list[tuple[int, int]] = []
    for number, start, end in found:
        arities[number] -= end - start - 1
        inserted.append((numbers[id(nodes[number].subtrees[start])], end - start))
    for place, count in sorted(inserted, reverse=True):
        labels.insert(place, "SPOKEN")
        arities.insert(place, count)
    return assemble(labels, arities, words, tree.start)


def _speech(node: Tree) -> tuple[int, int] | None:
    """Return the children of a clause or verb phrase, half-open, that are direct speech without a phrase."""
    below = node.subtrees
    labels = [core_label(child.label) for child in below]
    if "``" not in labels:
        return None
    start = labels.index("``") + 1
    end = labels.index("''", start) if "''" in labels[start:] else len(labels)
    outside = [*below[: start - 1], *below[end:]]
    verbs = [child for child in outside if core_label(child.label)[:2] in ("VP", "VB")]
    if not verbs or not is_form_of(_main_verb(verbs[-1]), english.SAYING):
        return None
    is_in_verb_phrase = core_label(node.label) == "VP"
    has_speaker = any(core_label(child.label) in NOUN_PHRASES for child in outside)
    if not is_in_verb_phrase and (end == len(labels) or not has_speaker):
        return None  # without another noun phrase the speech is the subject: "Hamlet" says so
    while end > start and not labels[end - 1][:1].isalpha():
        end -= 1
    inside = [label for label in labels[start:end] if label[:1].isalpha()]
    if not inside or not (CLAUSES | {"VP"}).isdisjoint(inside):
        return None
    if len(inside) == 1 and (is_in_verb_phrase or inside[0] not in _NO_PHRASES):
        return None
    return start, end


def _main_verb(node: Tree) -> str:
    """Return the last verb of a verb phrase in lower case; empty if there is none."""
    for _ in range(_DEPTH):
        if node.word is not None:
            return node.word.lower() if node.label[:2] == "VB" else ""
        inner = next((child for child in node.subtrees if core_label(child.label) == "VP"), None)
        first = next((child for child in node.subtrees if child.label[:2] == "VB"), None)
        following = inner or first
        if following is None:
            return ""
        node = following
    return ""
