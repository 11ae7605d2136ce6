"""The clauses of a tree with the labels of the Penn Treebank, and their kinds.

A clause is an S, SBAR, SBARQ, SINV, SQ with a verb or a subordinating word, a verb phrase that a conjunction joins
to another one, or a verb phrase after a noun. The S of an SBAR, and the first of several conjuncts, are no clauses of
their own. A preposition before a clause belongs to the clause: "(without saying a word)".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.clauses.partition import Kind, Nodes, Opening, Part, is_mark
from bnaparser.trees.cleaning import core_label
from bnaparser.trees.heads.dependencies import CONJUNCTIONS, headed_phrases
from bnaparser.trees.heads.english import AUXILIARIES, BE
from bnaparser.trees.heads.rules import UD
from bnaparser.trees.heads.universal import UniversalArc, universal_arcs

_SENTENCES = frozenset({"S", "SBAR", "SBARQ", "SINV", "SQ", "RRC"})
_CLAUSES = _SENTENCES | {"VP"}
_AROUND = _CLAUSES | ROOT_LABELS | {"FRAG", "PRN", "INTJ", "UCP", "X"}
"""Labels of nodes whose head child goes on with their clause."""

_NOUN_PHRASES = frozenset({"NP", "WHNP", "NML", "NX", "PRN"})
_PREPOSITIONAL = frozenset({"PP", "WHPP"})
_CLASSES = dict.fromkeys(("S", "SBARQ", "SINV", "SQ"), "S")
"""Labels of clauses that can be joined to each other; any other label to its like."""

_BESIDE_BE = frozenset({"VB", "VBD", "VBP", "VBZ", "RB", "ADVP", "``"})
_ASIDE = 3  # words of the longest "he said" between commas
_FINITE = frozenset({"MD", "VBD", "VBP", "VBZ"})
_NONFINITE = frozenset({"TO", "VBG", "VBN"})
_COMPLEMENTS = frozenset({"acl", "ccomp", "csubj", "csubj:outer", "csubj:pass", "xcomp"})
_RELATIVES = frozenset({"acl:relcl", "advcl:relcl"})
_APART = frozenset({"conj", "parataxis", "root"})

_core = lru_cache(4096)(core_label)


class PennClauses:
    """The clauses of one tree, as arguments of `partition`, and the properties of each.

    Args:
        nodes: The nodes of the tree, which has part-of-speech tags.
    """

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.labels = [_core(node.label) for node in nodes.nodes]
        self._spelling, self._tags = nodes.tree.words, nodes.tree.tags
        self.punctuation = list(map(is_mark, self._tags, nodes.tree.words))
        self._heads = {
            phrase.number: nodes.children[phrase.number][chosen]
            for phrase, chosen, _ in headed_phrases(nodes.tree, UD)
        }
        self._forms = [""] * len(self.labels)  # the tag of a clause's first verb, TO or MD
        self._verbs: list[int | None] = [None] * len(self.labels)  # the node of its main verb
        for number in range(len(self.labels) - 1, -1, -1):
            self._correct_head(number)
            self._read_verb(number)
        self._inner: dict[int, int] = {}  # the clause in a prepositional phrase that opens one
        self._wrapped: set[int] = set()  # the nodes from such a phrase down to its clause
        self._parents: dict[int, int] = {}  # of each node that opens a clause
        self.openings = {0: Opening(nodes.nodes[self._below(ROOT_LABELS)].label)}
        self._enter_fragment()
        self._find_openings()

    @cached_property
    def _arcs(self) -> list[UniversalArc]:
        return universal_arcs(self.nodes.tree)

    # What opens a clause

    def _head(self, number: int) -> int:
        below = self.nodes.children[number]
        return below[0] if len(below) == 1 else self._heads[number]

    def _correct_head(self, number: int) -> None:
        """Take another head child than the rules where it is the wrong one for clauses.

        "(VP (VB do) (NP deals) (VP purchasing gas))": the verb. "(S (S That said) (S we left))": the finite clause.
        """
        below = self.nodes.children[number]
        if len(below) < 2:
            return
        head = self._heads[number]
        copulas = [one for one in below[: below.index(head)] if self._is_be(one)]
        if copulas and self.labels[head] in _SENTENCES and self.labels[number] in ("VP", "SQ"):
            self._heads[number] = copulas[0]  # "(VP is (SBAR that he lied))"
        elif self.labels[number] == "SBAR" and self.labels[head][:2] == "WH":
            inner = [one for one in below if self.labels[one] in _SENTENCES]
            self._heads[number] = inner[0] if inner else head  # "(SBAR (WHNP what) (S he said))"
        elif self.labels[number] == "VP" and self.labels[head] == "VP":
            before = below[: below.index(head)]
            verbs = [one for one in before if self.labels[one][:2] == "VB"]
            if verbs and any(self.labels[one] == "NP" for one in before if one > verbs[-1]):
                self._heads[number] = verbs[-1]
        elif self._class(number) == "S" and (self._is_weak(head) or self._class(head) == "S"):
            finite = [one for one in below if self._class(one) == "S" and not self._is_weak(one)]
            if finite:
                self._heads[number] = finite[0]

    def _is_be(self, number: int) -> bool:
        word = self.nodes.nodes[number].word
        return word is not None and word.lower() in BE and self.labels[number][:2] == "VB"

    def _is_weak(self, number: int) -> bool:
        """Return whether a child of a clause is no verb phrase and no finite clause."""
        is_clause = self.labels[number] in _CLAUSES and self._forms[number] not in ("", *_NONFINITE)
        return not (
            is_clause or self.labels[number] == "VP" or self.labels[number][:2] in ("VB", "MD")
        )

    def _read_verb(self, number: int) -> None:
        below = self.nodes.children[number]
        if not below and self.labels[number][:2] == "VB":
            self._forms[number], self._verbs[number] = self.labels[number], number
        if not below or self.labels[number] not in _AROUND:
            return
        tags = [child for child in below if not self.nodes.children[child]]
        first = [child for child in tags if self.labels[child][:2] in ("VB", "MD", "TO")]
        verbs = [child for child in first if self.labels[child][:2] == "VB"]
        modals = [child for child in first if self.labels[child] == "MD"]
        head = self._head(number)
        self._forms[number] = self.labels[first[0]] if first else self._forms[head]
        self._verbs[number] = self._verbs[head]
        if self._verbs[head] is None:
            self._verbs[number] = next(iter(verbs or modals), None)

    def _below(self, labels: frozenset[str]) -> int:
        """Return the first node on the way from the top to its head that has none of these labels."""
        number = 0
        while self.labels[number] in labels and self.nodes.children[number]:
            number = self._head(number)
        return number

    def _enter_fragment(self) -> None:
        """Take a fragment as one clause where it is a preposition before a clause: "By going there"."""
        number = self._below(ROOT_LABELS | _PREPOSITIONAL | {"FRAG"})
        if self._forms[0] == "" and self.labels[number] in _CLAUSES:
            self._wrapped.add(number)
            self._forms[0], self._verbs[0] = self._forms[number], self._verbs[number]

    def _find_openings(self) -> None:
        waiting = [(0, True)]
        while waiting:
            number, goes_on = waiting.pop()
            below = self.nodes.children[number]
            if not below:
                continue
            head = self._head(number)
            joins = self._joins(number) if len(below) > 1 else {}
            for place, child in enumerate(below):
                on = goes_on and child == head and self._continues(number, child)
                if not on and self._is_clause(number, child, place in joins):
                    on = True
                    self._open(number, below, place, joins, goes_on)
                waiting.append((child, on))

    def _continues(self, number: int, child: int) -> bool:
        """Return whether a head child of a node on the way to the verb is on this way, too."""
        if self.labels[child] not in _CLAUSES or self.labels[number] in _AROUND:
            return True
        return child in self._wrapped

    def _innermost(self, number: int) -> int:
        """Return the clause that a preposition stands before, or the node itself."""
        inner = number
        while self.labels[inner] in _PREPOSITIONAL and self.nodes.children[inner]:
            inner = self._head(inner)
        return inner if self.labels[inner] in _CLAUSES else number

    def _is_clause(self, parent: int, number: int, is_joined: bool) -> bool:
        inner = self._innermost(number)
        label, form = self.labels[inner], self._forms[inner]
        if label not in _CLAUSES:
            return is_joined and self._class(number) == "VP"
        if is_joined and inner == number:
            return True
        if label == "VP" and form in _FINITE and self.labels[parent] in _CLAUSES:
            return False  # "(VP Attached) (VP is) (NP the paper)"
        return bool(form) or (label == "SBAR" and bool(self._introducers(inner)))

    def _open(
        self, number: int, below: Sequence[int], place: int, joins: dict[int, int], goes_on: bool
    ) -> None:
        child = below[place]
        inner = self._innermost(child)
        if inner != child:
            self._inner[child] = inner
            below_it = self._head(child)
            while below_it != inner:
                self._wrapped.add(below_it)
                below_it = self._head(below_it)
            self._wrapped.add(inner)
        opening = Opening(self.nodes.nodes[inner].label)
        self._parents[child] = number
        self.openings[child] = opening
        if place in joins:
            conjunction = joins[place]
            opening.since = below[conjunction] if conjunction < place else None
            kind = self._class(child)
            first = next(one for one in below if self._class(one) == kind or one == child)
            # "(S (S Having eaten) , (NP he) (VP left) , (CC and) (S she slept))": joined to what stands around it.
            around = kind != "VP" and any(self.labels[one] == "VP" for one in below[:place])
            if first in self.openings and first != child and not around:
                opening.beside = first
            opening.joined = around or opening.beside is not None or goes_on
            if not self.nodes.children[child]:  # "(VP (VB buy) (CC and) (VB sell) (NP shares))"
                ends = [
                    one for one in range(place + 1, len(below)) if self._begins(below, one, joins)
                ]
                opening.until = below[ends[0] - 1] if ends else below[-1]
        elif place and self.labels[below[place - 1]] == "LST":
            opening.since = below[place - 1]

    def _begins(self, below: Sequence[int], place: int, joins: dict[int, int]) -> bool:
        """Return whether a child is a conjunction or is joined to another one."""
        return place in joins or self._is_conjunction(below, place)

    def _class(self, number: int) -> str:
        label = self.labels[number]
        if label[:2] == "VB" and not self.nodes.children[number]:
            return "VP"
        return _CLASSES.get(label, label)

    def _joins(self, number: int) -> dict[int, int]:
        """Return the place of each child that is joined to one before it, with that of the conjunction.

        In "A, B and C" that is the conjunction for B, too. Without a conjunction it is the place of the child.
        """
        below = self.nodes.children[number]
        labels = [self.labels[child] for child in below]
        kinds = [self._class(child) for child in below]
        clauses = [self._can_join(number, child) for child in below]
        places = [place for place in range(len(below)) if self._is_conjunction(below, place)]
        found: dict[int, int] = {}
        for place, end in pairwise([*places, len(below)]):
            after = [one for one in range(place + 1, end) if clauses[one]]
            chosen = next((one for one in after if kinds[one] in kinds[:place]), None)
            if chosen is None and after and self._can_be_joined(number, below[:place]):
                chosen = after[0]
            if chosen is not None:
                found[chosen] = place
                alike = [
                    one for one in range(place) if kinds[one] == kinds[chosen] and clauses[one]
                ]
                for one in alike[1:]:
                    found.setdefault(one, place)
        if self.labels[number] == "VP":  # "(VP stay here), (VP visit Rome)"
            alike = [one for one, label in enumerate(labels) if label == "VP"]
            for one in alike[1:]:
                if self._forms[below[one]] == self._forms[below[alike[0]]]:
                    found.setdefault(one, one)
        return found

    def _can_join(self, parent: int, number: int) -> bool:
        """Return whether a conjunction can join a child to another one: a clause, or one of several verbs of a phrase."""
        if self.nodes.children[number] or self.labels[parent] != "VP":
            return self.labels[self._innermost(number)] in _CLAUSES
        word = self._spelling[self.nodes.word(number)].lower()
        head = self._head(parent)
        is_helping = word in AUXILIARIES and number < head and self.labels[head] == "VP"
        return self.labels[number][:2] == "VB" and not is_helping

    def _is_conjunction(self, below: Sequence[int], place: int) -> bool:
        """Return whether a child is a conjunction; "so" between two clauses is one."""
        if self.labels[below[place]] in CONJUNCTIONS:
            return True
        if not 0 < place < len(below) - 1 or self.nodes.children[below[place]]:
            return False
        kinds = [self._class(child) for child in below]
        is_so = self._spelling[self.nodes.word(below[place])].lower() == "so"
        return is_so and kinds[place + 1] == "S" in kinds[:place]

    def _can_be_joined(self, number: int, before: Sequence[int]) -> bool:
        """Return whether a clause can be joined to children that are no clauses: not to "can" of "can either (VP leave)"."""
        if self.labels[number] == "PRN":
            return True
        words = self._spelling
        return any(
            self.nodes.children[one]
            or (
                self.labels[one][:2] == "VB"
                and words[self.nodes.word(one)].lower() not in AUXILIARIES
            )
            for one in before
        )

    # Properties of a clause

    def verb(self, part: Part) -> tuple[int, int] | None:
        """Return the words of the main verb of a clause, half-open."""
        verb = self._verbs[self._inner.get(part.number, part.number)]
        return None if verb is None else (self.nodes.word(verb), self.nodes.word(verb) + 1)

    def marker(self, part: Part) -> tuple[int, int] | None:
        """Return the words that introduce a clause, half-open: a subordinator, a relative word, a conjunction, "to"."""
        if part.head is None:
            return None
        found: list[int] = []
        number = part.number
        while not found and number in self._inner and self.labels[number] in _PREPOSITIONAL:
            found = self._introducers(number)
            number = self._head(number)
        number = self._inner.get(part.number, part.number)
        inside = self._introducers(number)
        if inside and (not found or inside[0] == found[-1] + 1):
            found += inside
        since = self.openings[part.number].since
        if not found and since is not None and self.labels[since] != "LST":
            found = list(self._words(since))
        if not found and self._forms[number] == "TO":
            found = self._to(number)
        if not found:
            return None
        end = found[0] + 1
        while end in found:
            end += 1
        return found[0], end

    def _words(self, number: int) -> range:
        """Return the words of a node, from 0."""
        node = self.nodes.nodes[number]
        start = self.nodes.word(number)
        return range(start, start + node.end - node.start)

    def _introducers(self, number: int) -> list[int]:
        """Return the words that stand in an SBAR or prepositional phrase before the clause proper, and introduce it."""
        found: list[int] = []
        tags = self._tags
        for _ in range(2):  # (SBAR (IN so) (SBAR (IN that) (S ...)))
            below = self.nodes.children[number]
            if self.labels[number] not in ("SBAR", *_PREPOSITIONAL) or len(below) < 2:
                break
            head = self._head(number)
            for child in below[: below.index(head)]:
                words = self._words(child)
                asks = next((word for word in words if tags[word][:1] == "W"), None)
                if asks is not None or self.labels[child][:2] == "WH":
                    found += range(words[0], (words[-1] if asks is None else asks) + 1)
                elif (
                    self.labels[child] in ("ADVP", "CONJP", "PP") or not self.nodes.children[child]
                ):
                    found += [word for word in words if not self.punctuation[word]]
            number = head
        return found

    def _to(self, number: int) -> list[int]:
        while below := self.nodes.children[number]:
            if to := [child for child in below if self.labels[child] == "TO"]:
                return list(self._words(to[0]))
            number = self._head(number)
        return []

    def kind(self, part: Part) -> Kind:
        """Return the kind of a clause."""
        if part.head is None:
            return "main"
        number = self._inner.get(part.number, part.number)
        if self.openings[part.number].joined:
            return "coordinate"
        if self._is_nonfinite(part, number):
            return "non-finite"
        by_place = self._kind_by_place(part.number, number)
        if by_place is not None:
            return by_place
        relation = self._relation(part)
        if relation in _RELATIVES:
            return "relative"
        if relation in _COMPLEMENTS:
            return "complement"
        if relation[:5] == "advcl":
            return "adverbial"
        if self.labels[number] != "SBAR":
            return "coordinate" if relation in _APART else "complement"
        return "adverbial" if self._introducers(number) else "complement"

    def _is_nonfinite(self, part: Part, number: int) -> bool:
        form = self._forms[number]
        if form != "VB":
            return form in _NONFINITE
        parent = self._parents[part.number]
        if self.labels[parent] != "VP" or self.labels[number] not in ("S", "VP"):
            return False
        return not self._follows_mark(part.number)  # "say: (S go away)"

    def _follows_mark(self, number: int) -> bool:
        """Return whether a punctuation mark stands before a node."""
        start = self.nodes.word(number)
        return start > 0 and self.punctuation[start - 1]

    def _kind_by_place(self, opened: int, number: int) -> Kind | None:
        """Return the kind of a finite clause where its place and its first words tell it."""
        parent = self._parents[opened]
        if self.labels[number] != "SBAR":
            if self._is_predicate(parent, opened):
                return "complement"
            head = self._head(parent)
            kind = self._class(number)
            is_beside = head != opened and self._class(head) == kind and kind in ("S", "VP")
            return "coordinate" if is_beside or self._is_aside(parent, opened) else None
        words, tags = self._spelling, self._tags
        found = self._introducers(number)
        first = words[found[0]].lower() if found else ""
        asks = bool(found) and tags[found[-1]][:1] == "W"
        if number != opened and asks:
            return "complement"  # "about (what he said)"
        if self.labels[parent] in _NOUN_PHRASES:
            if asks and self.openings[opened].since is not None:
                return "complement"  # "(NP the plan) and (SBAR what it means)"
            if asks and len(self.nodes.children[parent]) > 1:
                return "relative"
        elif asks and len(found) == 1 and first in ("that", "which") and tags[found[0]] == "WDT":
            before = [one for one in self.nodes.children[parent] if one < opened]
            if first == "that" or any(self.labels[one] in ("NP", "PP") for one in before):
                return "relative"
        elif asks and self._is_predicate(parent, opened):
            return "complement"  # "that is (where he lives)"
        if len(found) == 1 and first == "so" and tags[found[0]] == "RB":
            return "coordinate"
        if len(found) == 1 and first == "that" and not asks and self.labels[parent] == "VP":
            beside = words[self.nodes.word(parent) : self.nodes.word(opened)]
            is_result = any(word.lower() in ("so", "such") for word in beside)
            return "adverbial" if is_result else "complement"
        if self._is_predicate(parent, opened):
            return "complement" if first in ("", "that", "whether") else "adverbial"
        return None

    def _is_aside(self, parent: int, number: int) -> bool:
        """Return whether a few words between punctuation marks in a verb phrase are an aside: "he said"."""
        words = self._words(number)
        is_apart = self._follows_mark(number) and any(self.punctuation[words[-1] + 1 :][:1])
        return self.labels[parent] == "VP" and is_apart and len(words) <= _ASIDE

    def _is_predicate(self, parent: int, number: int) -> bool:
        """Return whether a clause is all that a form of "be" says."""
        before = [one for one in self.nodes.children[parent] if one < number]
        words = [self._spelling[self.nodes.word(one)].lower() for one in before]
        labels = {self.labels[one] for one in before}
        is_after_be = self.labels[parent] == "VP" and bool(words) and words[0] in BE
        return is_after_be and labels <= _BESIDE_BE

    def _relation(self, part: Part) -> str:
        """Return the relation of the clause's head word to the words outside of the clause."""
        inside = self._words(part.number)
        own = set(part.words)
        # The second look finds the head word of "which is" in "which is (because he lied)".
        looked_at: list[int] = [*part.words, *inside]
        for word in looked_at:
            head = self._arcs[word].head - 1
            if not (head in inside or head in own or self.punctuation[word]):
                return self._arcs[word].relation
        return "dep"
