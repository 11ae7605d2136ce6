"""Dependencies from trees: of every phrase one child is the head, and the others depend on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from bnaparser.errors import SentenceError, SettingsError
from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads.clauses import (
    CLAUSES,
    first_word,
    functions,
    is_free_relative,
    joined_auxiliaries,
    own_subject,
    predicate_clause,
    read_clause,
)
from bnaparser.trees.heads.english import AUXILIARIES, BE, NOMINATIVES
from bnaparser.trees.heads.fixed import join_fixed_expressions
from bnaparser.trees.heads.rules import COLLINS, TREGEX, UD, HeadRules, Search
from bnaparser.trees.tree import Tree

_PREDICATES = Search("left", ("ADJP", "NP", "NML", "QP", "UCP", "WHNP", "PP"))
_ADVERBS = Search("left", ("ADVP",))
_QUESTION_WORDS = Search("left", ("WHNP", "WHADJP", "WHADVP"))
BEFORE_NOUNS = frozenset(
    ["DT", "PDT", "PRP$", "WP$", "JJ", "JJR", "JJS", "CD", "NN", "NNS", "NNP", "NNPS"]
)
"""Labels of what stands before a noun in one phrase."""

CONJUNCTIONS = frozenset({"CC", "CONJP"})
"""Labels of what joins conjuncts."""

_PUNCTUATION_TAGS = frozenset(
    {"-LRB-", "-RRB-", "HYPH", "NFP", "PONCT", "PU", "PUN", "PUNC", "PUNCT", "QUOT"}
)
_PENN_PUNCTUATION = frozenset({"''", "``", "-LRB-", "-RRB-", ".", ":", ","})
# Fc, Fpa of CESS, PERIODCATEGORY of the Sinica Treebank.
_PUNCTUATION_TAG = re.compile("F[a-z]{1,3}|[A-Z]+CATEGORY")


def head_rules(name: str) -> HeadRules:
    """Return the rules called ``collins``, ``tregex`` or ``ud``; raises SettingsError for any other name."""
    known = {rules.name: rules for rules in (COLLINS, TREGEX, UD)}
    if name not in known:
        *names, last = map(repr, known)
        raise SettingsError(f"unknown head rules {name!r}: choose {', '.join(names)} or {last}")
    return known[name]


def is_punctuation(tag: str) -> bool:
    """Return whether a part-of-speech tag is a punctuation mark's, in whichever treebank; ``$`` and ``#`` are words."""
    if tag in _PUNCTUATION_TAGS or _PUNCTUATION_TAG.fullmatch(tag):
        return True
    return tag not in ("$", "#") and not any(character.isalnum() for character in tag)


def dependencies(tree: Tree, rules: HeadRules = COLLINS) -> tuple[int, ...]:
    """Return the head of each word, counted from 1; the head of the root is 0.

    Functions and indices in labels (``NP-SBJ-1``) are passed over. Traces are words like others:
    take them out first (`bnaparser.trees.cleaning.clean`).
    """
    heads = dependencies_in_phrases(tree, rules)
    if rules.content_heads:
        join_fixed_expressions(heads, [word.lower() for word in tree.words], tree.tags)
    return tuple(heads)


def dependencies_in_phrases(tree: Tree, rules: HeadRules) -> list[int]:
    """Return the head of each word, counted from 1, with no regard to fixed expressions."""
    heads = [0] * (tree.end - tree.start)
    below: list[list[int]] = [[] for _ in heads]  # what depends on each word

    def hang(words: Sequence[int], on: int) -> None:
        below[on] += words
        for word in words:
            heads[word] = on + 1

    forms = [word.lower() for word in tree.words]
    for phrase, head, asks in headed_phrases(tree, rules):
        words = phrase.head_words
        chosen = head if asks is None else asks
        governors = [chosen] * len(words)
        if rules.content_heads:
            governors = _governors(phrase, chosen, forms)
        copulas = [head] if asks is not None else []
        copulas += _copulas_of_questions(phrase.labels, governors, chosen)
        for copula in copulas:
            moved, below[words[copula]] = below[words[copula]], []
            hang(moved, words[governors[copula]])
        for place, word in enumerate(words):
            if place != chosen:
                hang([word], words[governors[place]])
            if rules.content_heads and phrase.labels[place] == "CONJP":  # "also" of "but also"
                adverbs = [one for one in below[word] if tree.tags[one] == "RB"]
                below[word] = [one for one in below[word] if one not in adverbs]
                hang(adverbs, words[governors[place]])
        if rules.content_heads and phrase.label == "VP":
            for place in range(chosen + 1, len(words)):
                subject = _raised_subject(phrase, place, tree, below[words[place]])
                if subject is not None:
                    below[words[place]].remove(subject)
                    hang([subject], words[chosen])
    return heads


def _raised_subject(
    phrase: HeadedPhrase, place: int, tree: Tree, dependents: Sequence[int]
) -> int | None:
    """Return the subject of a clause without a finite verb, object of the verb before: "made *him* leave"."""
    child = phrase.node.subtrees[place]
    if phrase.labels[place] != "S" or is_punctuation(phrase.labels[place - 1]):
        return None
    subject = read_clause(child).small_subject
    if subject is None or first_word(subject) in NOMINATIVES:
        return None
    start, end = subject.start - tree.start, subject.end - tree.start
    return next((word for word in dependents if start <= word < end), None)


def head_children(tree: Tree, rules: HeadRules = COLLINS) -> dict[int, int]:
    """Return which child is the head, from 0, of each node that has several.

    Nodes are identified by their numbers in pre-order, from 0, words not counted.
    """
    found = headed_phrases(tree, rules)
    return {phrase.number: head if asks is None else asks for phrase, head, asks in found}


class HeadedPhrase(NamedTuple):
    """A node and its number; of each child its label, its head word, the word that it ends before.

    Labels are without functions and indices, words are counted from 0.
    """

    number: int
    node: Tree
    label: str
    labels: list[str]
    head_words: list[int]
    ends: list[int]


def headed_phrases(tree: Tree, rules: HeadRules) -> Iterator[tuple[HeadedPhrase, int, int | None]]:
    """Yield each node with several children, after what is below it, and its head child.

    The last value is the question word that takes the head's place, where one does.
    """
    words = tree.words
    cores = {label: core_label(label) for label in {node.label for node in tree.nodes()}}
    built: list[int] = []  # head words, from 0, of the nodes that wait for their parent
    nodes = list(_with_contexts(tree))
    for number in range(len(nodes) - 1, -1, -1):
        node, context = nodes[number]
        below = node.subtrees
        if len(below) < 2:
            if not below:
                built.append(node.start - tree.start)
            continue
        phrase = HeadedPhrase(
            number,
            node,
            cores[node.label],
            [cores[child.label] for child in below],
            [built.pop() for _ in below],
            [child.end - tree.start for child in below],
        )
        head = _head_child(phrase, words, rules, context)
        asks = _question_word(phrase, words, head) if rules.content_heads else None
        if rules.content_heads and context.is_free_relative and asks is None:
            question_word = _QUESTION_WORDS.find(phrase.labels)
            head = head if question_word is None else question_word
        yield phrase, head, asks
        built.append(phrase.head_words[head if asks is None else asks])


class _Context(NamedTuple):
    """What the phrases above a phrase say of it.

    Args:
        has_there: Whether its clause has an existential "there".
        subject: The subject of its clause.
        is_free_relative: Whether it is a relative clause without a noun, as predicate: "this is (what he said)".
    """

    has_there: bool = False
    subject: Tree | None = None
    is_free_relative: bool = False


def _with_contexts(tree: Tree) -> Iterator[tuple[Tree, _Context]]:
    """Yield the nodes in pre-order, each with what the phrases above it say of it."""
    is_there: dict[int, bool] = {}  # by id: whether a node is "there" and nothing else
    for node in reversed(list(tree.nodes())):
        below = node.subtrees
        is_there[id(node)] = is_there[id(below[0])] if len(below) == 1 else node.label == "EX"
    stack = [(tree, _Context())]
    while stack:
        node, context = stack.pop()
        below = node.subtrees
        subject = own_subject(node)
        if subject is not None:
            context = _Context(False, subject, context.is_free_relative)
        if any(is_there[id(child)] for child in below):
            context = _Context(has_there=True)
        yield node, context
        inner = context._replace(is_free_relative=False)
        # "there is (no need) (to be sad)", "he gave (it) (to be kind)"
        keeps = not any(child.label[:2] == "NP" for child in below) or node.label[:1] == "S"
        predicate = predicate_clause(node) if node.label[:2] in ("VP", "SQ") else None
        for place in range(len(below) - 1, -1, -1):
            label = core_label(below[place].label)
            child_context = _Context()
            if label in ("VP", "SQ") or (label in ("S", "ADJP") and keeps):
                child_context = inner
            elif place == predicate:
                is_free = is_free_relative(below[place], context.subject)
                child_context = _Context(is_free_relative=is_free)
            stack.append((below[place], child_context))


def _head_child(
    phrase: HeadedPhrase, words: Sequence[str], rules: HeadRules, context: _Context
) -> int:
    labels = phrase.labels
    if rules.content_heads:
        nouns = nouns_of_a_list(labels, phrase.label)
        if nouns:
            return nouns[0]
        joined = joined_auxiliaries(phrase.node) if phrase.label == "VP" else None
        if joined is not None:
            return joined.main
        finders = _predicate, _verb_before_verb_phrase, _adjective_of_a_small_clause
        for finder in (_clause_as_predicate,) if context.has_there else finders:
            predicate = finder(phrase, words)
            if predicate is not None:
                return predicate
    searches = rules.table.get(phrase.label, ())
    for search in searches:
        found = search.find(labels)
        if found is not None:
            break
    else:
        side = searches[-1].side if searches else "left"
        places = range(len(labels)) if side == "left" else range(len(labels) - 1, -1, -1)
        if rules.punctuation_heads:
            return places[0]
        found = next((i for i in places if not is_punctuation(labels[i])), places[0])
    return _first_conjunct(labels, found, rules)


def _first_conjunct(labels: Sequence[str], head: int, rules: HeadRules) -> int:
    """Move the head from after a conjunction to the conjunct before it (Collins, appendix A).

    With content heads continue to the first conjunct of a longer row, "red , white and blue".
    """
    if head < 2 or labels[head - 1] not in CONJUNCTIONS:
        return head
    first = head - 2
    if rules.punctuation_heads:  # Tregex: a mark before the conjunction keeps the head where it is
        return head if labels[first] in _PENN_PUNCTUATION else first
    skips_genitive = rules.content_heads  # "Bob 's and Ann 's dogs"
    while first > 0 and (
        is_punctuation(labels[first]) or (skips_genitive and labels[first] == "POS")
    ):
        first -= 1
    if is_punctuation(labels[first]):
        return head
    joins = {",", ":"} | CONJUNCTIONS
    while rules.content_heads and first >= 2 and labels[first - 1] in joins:
        if labels[first - 2][:2] != labels[first][:2]:
            break
        first -= 2
    return first


def _predicate(phrase: HeadedPhrase, words: Sequence[str]) -> int | None:
    """Return the child that a form of "be" beside it serves: "is *happy*", "was he *there*"."""
    label, labels, head_words = phrase.label, phrase.labels, phrase.head_words
    if label not in ("VP", "SQ", "SINV") or "VP" in labels:
        return None
    verbs = (
        place
        for place, tag in enumerate(labels)
        if tag[:2] == "VB" and words[head_words[place]].lower() in BE
    )
    copula = next(verbs, None)
    if copula is None:
        return None
    start, end = copula + 1, len(labels)
    if label == "SQ" and "NP" in labels[start:]:  # the subject
        start = labels.index("NP", start) + 1
    elif label == "SINV":
        start, end = 0, copula
    for place in range(start, end):
        if "PRD" in functions(phrase.node.subtrees[place].label) and labels[place] not in CLAUSES:
            return place
    clause = predicate_clause(phrase.node) if label != "SINV" else None
    if clause is not None:
        return clause
    found = _PREDICATES.find(labels[start:end])
    if found is None:
        found = _ADVERBS.find(labels[start:end])
    return None if found is None else start + found


def _clause_as_predicate(phrase: HeadedPhrase, words: Sequence[str]) -> int | None:
    """Return what stands beside "be" in a clause with "there": "there is (to be a vote)", "is (likely to be a vote)"."""
    if phrase.label == "VP" and "ADJP" in phrase.labels and "NP" not in phrase.labels:
        adjective = phrase.labels.index("ADJP")
        below = phrase.node.subtrees[adjective].subtrees
        return adjective if below and core_label(below[-1].label) == "S" else None
    clause = predicate_clause(phrase.node) if phrase.label in ("VP", "SQ") else None
    if clause is None or phrase.labels[clause] != "S":
        return None
    read = read_clause(phrase.node.subtrees[clause])
    return clause if read.form == "TO" and read.subject is None else None


def _verb_before_verb_phrase(phrase: HeadedPhrase, words: Sequence[str]) -> int | None:
    """Return a verb that is no auxiliary of the verb phrase after it: "*came*, saw and conquered"."""
    labels = phrase.labels
    if phrase.label != "VP" or "VP" not in labels:
        return None
    for place in range(labels.index("VP")):
        is_verb = labels[place][:2] == "VB" and phrase.node.subtrees[place].word is not None
        if is_verb and words[phrase.head_words[place]].lower() not in AUXILIARIES:
            return place
    return None


def _adjective_of_a_small_clause(phrase: HeadedPhrase, words: Sequence[str]) -> int | None:
    """Return the adjective after the subject of a clause without a verb: "made (it *possible* to win)"."""
    labels = phrase.labels
    is_small = phrase.label == "S" and labels[:2] == ["NP", "ADJP"] and "VP" not in labels
    return 1 if is_small else None


def _question_word(phrase: HeadedPhrase, words: Sequence[str], head: int) -> int | None:
    """Return the question word that a "be" with no other predicate serves: "*who* is she".

    ``head`` is the child that the table chose; the "be" must be its head, and its last word where
    it is no question in itself: "*what* it is".
    """
    if phrase.label not in ("SBAR", "SBARQ") or phrase.labels[head] not in ("S", "SQ"):
        return None
    copula = phrase.head_words[head]
    around = [word.lower() for word in words[copula - 1 : copula + 2]]
    if words[copula].lower() not in BE or "there" in around:
        return None
    if phrase.labels[head] == "S" and phrase.ends[head] != copula + 1:
        return None
    return _QUESTION_WORDS.find(phrase.labels[:head])


def _governors(phrase: HeadedPhrase, head: int, words: Sequence[str]) -> list[int]:
    """Return the child that each child depends on: the head, but

    - a conjunction after the head, and an adverb after that, depend on the next conjunct,
    - a question phrase beside its question on that: "*Why* did he leave?", she asked,
    - a word before a noun without a phrase of its own on that noun.
    """
    label, labels, heads = phrase.label, phrase.labels, phrase.head_words
    found = [head] * len(labels)
    for place in range(len(labels) - 1):
        here, behind = labels[place], labels[place + 1]
        if here[:2] == "WH" and behind in ("SQ", "S") and head not in (place, place + 1):
            if behind == "SQ" and words[heads[place + 1]] in BE:
                found[place + 1] = place
            else:
                found[place] = place + 1
    nouns = nouns_of_a_list(labels, phrase.label)
    for part, end in pairwise(nouns):
        for place in range(part + 1, end):
            found[place] = end
    if phrase.label in ("VP", "S"):
        _hang_on_bare_nouns(labels, head, found)
    _hang_genitives(phrase, head, found)
    joined = joined_auxiliaries(phrase.node) if label == "VP" else None
    if joined is not None and joined.main == head:
        _join_auxiliaries(labels, joined.auxiliaries, found)
    conjunct = head
    for place in range(len(labels) - 1, head, -1):
        if labels[place] == "POS":
            continue
        if labels[place] in CONJUNCTIONS:
            found[place] = conjunct
        if conjunct != head and _is_adverb_after_conjunction(labels, place):
            found[place] = conjunct
            continue
        if labels[place] != "CC" and not is_punctuation(labels[place]):
            conjunct = place
    return found


def _join_auxiliaries(labels: Sequence[str], auxiliaries: Sequence[int], found: list[int]) -> None:
    """Hang "must" and "and" of "can and must win" on "can" and "must"."""
    for before, place in pairwise(auxiliaries):
        found[place] = auxiliaries[0]
        for between in range(before + 1, place):
            if not is_punctuation(labels[between]):
                found[between] = place


def _hang_genitives(phrase: HeadedPhrase, head: int, found: list[int]) -> None:
    """Hang each "'s" of "Bob 's and Ann 's" on its own noun, and "Ann" on "Bob" before the noun "dogs"."""
    labels = phrase.labels
    if phrase.label not in ("NP", "NML", "NX") or not CONJUNCTIONS & set(labels):
        return
    possessives = [
        place for place in range(len(labels)) if is_possessive(phrase.node.subtrees[place])
    ]
    genitives = [place for place, label in enumerate(labels) if label == "POS" and place]
    if len(genitives) + len(possessives) > 1:
        for place in genitives:
            found[place] = place - 1
    before = [place for place in possessives if place < head]
    for second in before[1:]:
        join = second - 1
        if labels[join] in CONJUNCTIONS:
            found[second], found[join] = before[0], second
        elif labels[join] == "," and CONJUNCTIONS & set(labels[second:head]):
            found[second] = before[0]


def is_possessive(node: Tree) -> bool:
    """Return whether a noun phrase ends with "'s"."""
    for _ in range(2):  # "(NP (NP Bob 's) and (NP Ann 's))"
        if node.subtrees and core_label(node.subtrees[-1].label) == "NP":
            node = node.subtrees[-1]
    return bool(node.subtrees) and node.subtrees[-1].label == "POS"


def nouns_of_a_list(labels: Sequence[str], label: str) -> list[int]:
    """Return the last noun of each part of a list without a conjunction, "apples, ripe pears, plums"; none for others.

    Args:
        labels: The labels of the children of a phrase.
        label: The label of the phrase.
    """
    if label not in ("NP", "NML", "NX", "WHNP") or labels.count(",") < _COMMAS_OF_A_LIST:
        return []
    parts: list[list[int]] = [[]]
    for place, child in enumerate(labels):
        if child == ",":
            parts.append([])
        elif child not in BEFORE_NOUNS and child not in _NOUNS_OF_LISTS:
            return []
        else:
            parts[-1].append(place)
    if not all(part and labels[part[-1]] in _NOUNS_OF_LISTS for part in parts):
        return []
    # not "the oil, gas, coal industry"
    counts = [sum(labels[place] in ("NN", "NNS") for place in part) for part in parts]
    return [] if counts[-1] > max(counts[:-1]) else [part[-1] for part in parts]


_COMMAS_OF_A_LIST = 2
_NOUNS_OF_LISTS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})


def _is_adverb_after_conjunction(labels: Sequence[str], place: int) -> bool:
    """Whether a child is an adverb right after a conjunction, or after another such adverb: "but *not* Bob"."""
    first = place
    while first and place - first < _ADVERBS_IN_A_ROW and labels[first] in ("RB", "ADVP"):
        first -= 1
    return first < place and labels[first] in CONJUNCTIONS


_ADVERBS_IN_A_ROW = 3


def _hang_on_bare_nouns(labels: Sequence[str], head: int, found: list[int]) -> None:
    """Hang "the" and "red" of "(VP saw the red dog)" on the noun, where they have no phrase of their own."""
    noun = -1
    for place in range(len(labels) - 1, -1, -1):
        if noun >= 0 and labels[place] in BEFORE_NOUNS and place != head:
            found[place] = noun
        else:
            noun = place if labels[place] in ("NN", "NNS", "NNP", "NNPS") and place != head else -1


def _copulas_of_questions(
    labels: Sequence[str], governors: Sequence[int], chosen: int
) -> Iterator[int]:
    """Yield the questions whose verb is a copula that serves the question phrase: "*Who is* she?", he said."""
    for place, label in enumerate(labels):
        if label == "SQ" and place - 1 == governors[place] != chosen:
            yield place


Heads = Sequence[int]
"""The head of each word, counted from 1 in the whole text; 0 for a root. Roots may be several."""


def parents_first(heads: Heads) -> list[int]:
    """Return the words, from 0, by depth: roots first, then their dependents, and so on.

    Raises SentenceError, naming the word, where heads are no forest: one lies outside the text, or
    following them from a word leads round in a circle.
    """
    count = len(heads)
    below: list[list[int]] = [[] for _ in range(count + 1)]
    for place, head in enumerate(heads):
        if not 0 <= head <= count:
            raise SentenceError(
                f"the head of word {place + 1} is {head}, but the sentence has {count} words"
            )
        below[head].append(place)
    order = below[0]
    for place in order:  # grows as it is read
        order.extend(below[place + 1])
    if len(order) < count:
        lost = min(set(range(count)) - set(order))
        raise SentenceError(f"following heads up from word {lost + 1} leads into a cycle")
    return order
