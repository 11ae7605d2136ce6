"""The clauses of trees whose labels name them: the treebanks of other languages than English.

A table for each treebank says which labels are clauses, and of which kind. Where a label does not tell the kind, the
first word does. docs/clauses.md has the treebanks with their languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.clauses.partition import Kind, Nodes, Opening, Part, is_mark, words_of
from bnaparser.trees.cleaning import core_label

_BY_PLACE: None = None  # the kind of a clause whose first word or place tells it
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, eq=False)
class Treebank:
    """The labels of one scheme. Patterns are of whole tags.

    Args:
        kinds: Labels of clauses, with their kinds where the label tells the kind.
        verbs: The tags of verbs.
        verb_phrases: Labels of what holds the verb of a clause.
        joints: Labels of coordinations: the first clause in one is the clause around it.
        joined: Labels of what is a clause where a conjunction joins it to its like.
        inner: Labels of clauses that are one with a clause of another label around them: the IP of a CP.
        wrappers: Labels of phrases of a word and a clause, which belong to the clause.
        nouns: Labels of noun phrases.
        predicates: The tags of other words that stand for a verb, such as a copula.
        finite: The tags of finite verbs, where a clause without one is non-finite and its label does not tell it.
        conjunctions: The tags, or labels, of conjunctions.
        coordinators: The conjunctions that join, in lower case, where the tag does not tell it.
        subordinators: The tags of subordinating conjunctions.
        relatives: The tags of words that begin relative clauses only.
        questions: The tags of words that begin questions, and relative clauses after a noun.
        question_words: The words that do so, in lower case, where the tag does not tell it.
        complementizers: Subordinators, in lower case, of complement clauses.
        conditionals: Those of them that mean "if" where their clause stands first.
        relativizers: Subordinators, in lower case, of relative clauses after a noun.
        unmarked: The kinds of clauses without any of these words: ``IP<NP`` is the IP of an NP. All others are
            complement clauses.
        infinitives: The tags of infinitives with their particle, which make a clause of a verb phrase.
    """

    kinds: Mapping[str, Kind | None]
    verbs: re.Pattern[str]
    verb_phrases: frozenset[str] = frozenset()
    joints: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset({"NP"})
    predicates: re.Pattern[str] = _NOTHING
    finite: re.Pattern[str] | None = None
    conjunctions: re.Pattern[str] = _NOTHING
    coordinators: frozenset[str] = frozenset()
    subordinators: re.Pattern[str] = _NOTHING
    relatives: re.Pattern[str] = _NOTHING
    questions: re.Pattern[str] = _NOTHING
    question_words: frozenset[str] = frozenset()
    complementizers: frozenset[str] = frozenset()
    conditionals: frozenset[str] = frozenset()
    relativizers: frozenset[str] = frozenset()
    unmarked: Mapping[str, Kind] = field(default_factory=dict)
    infinitives: re.Pattern[str] = _NOTHING


def _by_label(kinds: Mapping[Kind | None, str]) -> dict[str, Kind | None]:
    """Return the kind of each label, of the labels of each kind."""
    return {label: kind for kind, labels in kinds.items() for label in labels.split()}


TIGER = Treebank(
    kinds={"S": _BY_PLACE},
    verbs=re.compile(r"V[VAM](FIN|IMP|INF|IZU|PP)"),
    verb_phrases=words_of("VP VZ CVP CVZ"),
    joints=words_of("CS CVP CO DL"),
    joined=words_of("VP"),
    nouns=words_of("NP PP AP CNP PN"),
    conjunctions=re.compile(r"KON"),
    subordinators=re.compile(r"KOUS|KOUI"),
    relatives=re.compile(r"PREL(S|AT)"),
    questions=re.compile(r"PW(S|AT|AV)"),
    complementizers=words_of("dass daß ob"),
    infinitives=re.compile(r"VVIZU|PTKZU"),
)

SEQUOIA = Treebank(
    kinds=_by_label(
        {
            _BY_PLACE: "SENT Sint Ssub",
            "relative": "Srel",
            "non-finite": "VPinf VPpart",
        }
    ),
    verbs=re.compile(r"V|VS|VIMP|VINF|VPP|VPR"),
    verb_phrases=words_of("VN"),
    joined=words_of("COORD"),
    wrappers=words_of("PP COORD"),
    conjunctions=re.compile(r"CC"),
    subordinators=re.compile(r"CS"),
    relatives=re.compile(r"PROREL|P\+PRO"),
    questions=re.compile(r"PROWH|ADVWH|DETWH|ADJWH"),
    complementizers=words_of("que qu' si s'"),
    conditionals=words_of("si s'"),
)

CESS = Treebank(
    kinds=_by_label(
        {
            _BY_PLACE: "S",
            "coordinate": "INC",
            "complement": "S.F.C",
            "relative": "S.F.R",
            "adverbial": "S.F.A S.F.AConc S.F.ACond S.F.ACons S.F.AComp",
            "non-finite": "S.NF.C S.NF.P S.NF.PA S.NF.A S.NF.R",
        }
    ),
    verbs=re.compile(r"v[a-z]"),
    verb_phrases=words_of("grup.verb infinitiu gerundi participi"),
    inner=words_of("S"),
    wrappers=words_of("sp"),
    nouns=words_of("sn grup.nom"),
    conjunctions=re.compile(r"cc|coord"),
    subordinators=re.compile(r"cs"),
    relatives=re.compile(r"pr"),
    questions=re.compile(r"pt"),
    complementizers=words_of("que si"),
    conditionals=words_of("si"),
)

FLORESTA = Treebank(
    kinds={"fcl": _BY_PLACE, "icl": "non-finite"},
    verbs=re.compile(r"v(-(fin|inf|pcp|ger))?"),
    verb_phrases=words_of("vp"),
    joints=words_of("cu sq"),
    joined=words_of("x"),
    wrappers=words_of("pp"),
    nouns=words_of("np"),
    conjunctions=re.compile(r"conj(-c)?"),
    coordinators=words_of("e ou mas nem porém"),
    subordinators=re.compile(r"conj(-s)?"),
    questions=re.compile(r"pron(-indp)?"),
    question_words=words_of(
        "que quem o_que o_qual a_qual os_quais as_quais qual quais onde cujo cuja cujos cujas"
    ),
    complementizers=words_of("que se"),
    conditionals=words_of("se"),
)

_CLAUSES_OF_HELSINKI = _by_label(
    {
        "coordinate": "IP-MAT IP-IMP",
        _BY_PLACE: "IP-SUB CP-FINAL CP-EXL IP CP",
        "relative": "IP-REL CP-REL CP-CAR CP-CLF",
        "adverbial": "IP-ADV CP-ADV CP-CMP CP-DEG",
        "complement": "IP-EMB IP-NML IP-SMC CP-THT CP-QUE CP-FRL",
        "non-finite": "IP-INF IP-PPL IP-ABS CP-EOP CP-TMC",
    }
)
_INNER_OF_HELSINKI = words_of("IP-SUB IP-INF IP-MAT CP-QUE CP-FINAL IP CP")

ICEPAHC = Treebank(
    kinds=_CLAUSES_OF_HELSINKI,
    verbs=re.compile(r"(VB|BE|HV|DO|MD|RD|VA)[A-Z]*"),
    joints=words_of("QTP"),
    inner=_INNER_OF_HELSINKI,
    wrappers=words_of("CONJP PP"),
    finite=re.compile(r"(VB|BE|HV|DO|MD|RD)([DP][IS]|I)"),
    conjunctions=re.compile(r"CONJ"),
    subordinators=re.compile(r"C|P|TO"),
    questions=re.compile(r"W(PRO|ADV|D|Q)"),
    complementizers=words_of("að"),
    relativizers=words_of("sem er eð"),
    unmarked={"IP<IP": "coordinate", "IP<PP": "adverbial", "CP<PP": "adverbial"},
)

KEYAKI = Treebank(
    kinds=_CLAUSES_OF_HELSINKI,
    verbs=re.compile(r"VB0?|ADJ[IN]"),
    predicates=re.compile(r"AXD?|VB[23]|MD|NEG"),
    joints=words_of("multi-sentence multi"),
    inner=_INNER_OF_HELSINKI,
    wrappers=words_of("CONJP PP PRN"),
    unmarked={
        "IP<NP": "relative",
        "IP<NML": "relative",
        "IP<IP": "adverbial",
        "IP<PP": "adverbial",
        "IP<PRN": "coordinate",
    },
)

ICON = Treebank(
    kinds=_by_label({_BY_PLACE: "S SINV SBARQ CP", "relative": "RPN"}),
    verbs=re.compile(r"VB[ITPLE]"),
    verb_phrases=words_of("VP"),
    joined=words_of("VP"),
    inner=words_of("S SINV"),
    conjunctions=re.compile(r"CCN"),
    subordinators=re.compile(r"CSN"),
    relatives=re.compile(r"PRR"),
    questions=re.compile(r"PRI"),
    complementizers=words_of("bahwa apakah"),
)

SINICA = Treebank(
    kinds=_by_label(
        {
            _BY_PLACE: "S",
            "relative": "S\u2027的 VP\u2027的",
            "adverbial": "S\u2027地 VP\u2027地",
            "complement": "得\u2027S 得\u2027VP",
        }
    ),
    verbs=re.compile(r"V[A-L_]\d*"),
    verb_phrases=words_of("VP"),
    joined=words_of("VP"),
    inner=words_of("S"),
    wrappers=words_of("PP GP"),
    conjunctions=re.compile(r"Caa"),
    subordinators=re.compile(r"Cb[a-z]*|P\d\d"),
)

TREEBANKS = {
    "de": TIGER,
    "es": CESS,
    "fr": SEQUOIA,
    "id": ICON,
    "is": ICEPAHC,
    "ja": KEYAKI,
    "pt": FLORESTA,
    "zh-Hant": SINICA,
}


class TreebankClauses:
    """The clauses of one tree by the labels of its treebank, as arguments of `partition`.

    Args:
        nodes: The nodes of the tree.
        treebank: Its labels.
    """

    def __init__(self, nodes: Nodes, treebank: Treebank) -> None:
        self.nodes, self.treebank = nodes, treebank
        kinds = treebank.kinds
        self.labels = [
            node.label if node.label in kinds or not node.subtrees else core_label(node.label)
            for node in nodes.nodes
        ]
        self._tags = nodes.tree.tags
        self._spelling = [word.lower() for word in nodes.tree.words]
        self.punctuation = list(map(is_mark, self._tags, nodes.tree.words))
        self._above = [0] * len(self._tags)  # of each word the node that its tag is a child of
        for number, below in enumerate(nodes.children):
            for child in below:
                if not nodes.children[child]:
                    self._above[nodes.word(child)] = number
        # Of each node that opens a clause: its place among its siblings, its parent.
        self._places: dict[int, int] = {}
        self._parents: dict[int, int] = {}
        self._clauses: dict[int, int] = {}  # of such a node the clause: itself, or what it wraps
        top = 0
        while self.labels[top] in ROOT_LABELS and len(nodes.children[top]) == 1:
            top = nodes.children[top][0]
        self.openings = {0: Opening(nodes.nodes[top].label)}
        self._find_openings()

    def _find_openings(self) -> None:
        # Nodes, with whether they are on the way from a clause's node to its verb.
        waiting = [(0, True)]
        while waiting:
            number, is_of_clause = waiting.pop()
            below = self.nodes.children[number]
            continued = not is_of_clause or self._has_verb(number)
            first: int | None = (
                None  # of several clauses, unless it continues with that of the node
            )
            for place, child in enumerate(below):
                goes_on = False
                if child == self._clauses.get(number) or (
                    not continued and self._continues(number, child)
                ):
                    goes_on = continued = True
                elif self._is_clause(number, below, place):
                    goes_on = True
                    self._open(number, below, place, None if is_of_clause and continued else first)
                    first = first or child
                elif is_of_clause and self.labels[child] in self.treebank.verb_phrases:
                    goes_on = True
                waiting.append((child, goes_on))

    def _has_verb(self, number: int) -> bool:
        """Return whether a clause has a verb among its children."""
        return any(
            self._is_predicate(child)
            if not self.nodes.children[child]
            else self.labels[child] in self.treebank.verb_phrases
            for child in self.nodes.children[number]
        )

    def _is_predicate(self, number: int) -> bool:
        tag, bank = self.labels[number], self.treebank
        return bool(bank.verbs.fullmatch(tag) or bank.predicates.fullmatch(tag))

    def _continues(self, parent: int, child: int) -> bool:
        """Return whether a child of a node without a verb is the clause of the node."""
        label, above = self.labels[child], self.labels[parent]
        if not self.nodes.children[child]:
            return False
        if above in ROOT_LABELS:
            return len(self.nodes.children[parent]) == 1 or self._is_label_of_clause(label)
        if label in self.treebank.joints:
            return True
        if above in self.treebank.joints:
            return self._is_label_of_clause(label) or label in self.treebank.joined
        is_inner = label in self.treebank.inner or label == above
        return is_inner and self._is_label_of_clause(label) and self._is_label_of_clause(above)

    def _is_label_of_clause(self, label: str) -> bool:
        return label in self.treebank.kinds

    def _is_clause(self, parent: int, below: tuple[int, ...], place: int) -> bool:
        child = below[place]
        inner = self._innermost(child)
        label = self.labels[inner]
        if self._is_label_of_clause(label):
            return True
        can_be_joined = label in self.treebank.joined and self._has_verb(inner)
        if can_be_joined and self._is_joined(parent, below, place):
            return True
        return self._has_infinitive(child)

    def _has_infinitive(self, number: int) -> bool:
        """Return whether a verb phrase has an infinitive with its particle: "zu bieten"."""
        tags = [self.labels[one] for one in self.nodes.children[number]]
        for child in self.nodes.children[number]:
            if self.labels[child] == "VZ":
                tags += [self.labels[one] for one in self.nodes.children[child]]
        return self.labels[number] == "VP" and any(map(self.treebank.infinitives.fullmatch, tags))

    def _innermost(self, number: int) -> int:
        """Return the one phrase in a phrase of a word and a clause, or the node itself."""
        if self.labels[number] not in self.treebank.wrappers:
            return number
        below = self.nodes.children[number]
        clauses = [one for one in below if self._is_label_of_clause(self.labels[one])]
        nodes = [self.nodes.nodes[one] for one in below if one not in clauses]
        is_around = len(clauses) == 1 and all(one.end - one.start == 1 for one in nodes)
        return clauses[0] if is_around else number

    def _is_joined(self, parent: int, below: tuple[int, ...], place: int) -> bool:
        """Return whether a child is a conjunct, but not the first."""
        label, above = self.labels[below[place]], self.labels[parent]
        if above in ROOT_LABELS:
            return not all(map(self._is_mark, below[:place]))
        first = self.nodes.children[below[place]][0]
        if label in self.treebank.wrappers | self.treebank.joined and self._joins(first):
            return True
        before = [self.labels[one] for one in below[:place]]
        last = max((one for one in range(place) if self._joins(below[one])), default=0)
        if label in (before if above in self.treebank.joints else before[:last]):
            return True
        return label == above and not self._has_verb(parent)

    def _joins(self, number: int) -> bool:
        """Return whether a node is a conjunction that joins."""
        return self._is_coordinator(self.labels[number], self.nodes.word(number))

    def _is_coordinator(self, label: str, word: int) -> bool:
        words = self.treebank.coordinators
        is_known = not words or self._spelling[word] in words
        return is_known and self.treebank.conjunctions.fullmatch(label) is not None

    def _is_subordinator(self, word: int) -> bool:
        is_conjunction = self.treebank.subordinators.fullmatch(self._tags[word]) is not None
        return is_conjunction and self._spelling[word] not in self.treebank.coordinators

    def _is_question(self, word: int) -> bool:
        words = self.treebank.question_words
        is_known = not words or self._spelling[word] in words
        return is_known and self.treebank.questions.fullmatch(self._tags[word]) is not None

    def _is_relative(self, word: int) -> bool:
        return self.treebank.relatives.fullmatch(self._tags[word]) is not None

    def _open(self, parent: int, below: tuple[int, ...], place: int, first: int | None) -> None:
        child = below[place]
        inner = self._innermost(child)
        opening = Opening(self.nodes.nodes[inner].label)
        opening.joined = self._is_joined(parent, below, place)
        before = place - 1
        while before >= 0 and self._is_mark(below[before]):
            before -= 1
        if opening.joined and before >= 0:
            if self._joins(below[before]):
                opening.since = below[before]
            opening.beside = first
        self.openings[child] = opening
        self._parents[child], self._places[child] = parent, place
        self._clauses[child] = inner

    def _is_mark(self, number: int) -> bool:
        return not self.nodes.children[number] and self.punctuation[self.nodes.word(number)]

    def verb(self, part: Part) -> tuple[int, int] | None:
        """Return the words of the main verb of a clause, half-open: the last one of its first group of verbs."""
        verbs = [word for word in part.words if self.treebank.verbs.fullmatch(self._tags[word])]
        if not verbs:
            return None
        if self.treebank is TIGER:  # the auxiliary and the verb stand apart
            full = [word for word in verbs if self._tags[word][:2] == "VV"]
            verb = (full or verbs)[-1]
            return verb, verb + 1
        verb = max(word for word in verbs if self._above[word] == self._above[verbs[0]])
        return verb, verb + 1

    def marker(self, part: Part) -> tuple[int, int] | None:
        """Return the words that introduce a clause, half-open."""
        if part.head is None:
            return None
        words = self._beginning(part)
        marks = [self._is_marker(word) for word in words]
        if marks[1:] == [True] and (marks[0] or self._asks(words[1])) and words[1] == words[0] + 1:
            return words[0], words[1] + 1  # "so that", "with whom"
        return next(
            ((word, word + 1) for word, mark in zip(words, marks, strict=True) if mark), None
        )

    def _beginning(self, part: Part) -> list[int]:
        """Return the first words of a clause, which tell its kind."""
        return [word for word in part.words if not self.punctuation[word]][:_BEGINNING]

    def _asks(self, word: int) -> bool:
        return self._is_relative(word) or self._is_question(word)

    def _is_marker(self, word: int) -> bool:
        is_conjunction = self._is_coordinator(self._tags[word], word) or self._is_subordinator(word)
        return is_conjunction or self._asks(word)

    def kind(self, part: Part) -> Kind:
        """Return the kind of a clause."""
        if part.head is None:
            return "main"
        opening = self.openings[part.number]
        if opening.joined:
            return "coordinate"
        label = self.labels[self._clauses[part.number]]
        if label not in self.treebank.kinds:
            return "non-finite"
        return self.treebank.kinds[label] or self._kind_by_place(part)

    def _kind_by_place(self, part: Part) -> Kind:
        bank, words = self.treebank, self._beginning(part)
        opened, clause = part.number, self._clauses[part.number]
        parent = self.labels[self._parents[opened] if opened == clause else opened]
        if bank.finite is not None and self._is_without(bank.finite, part):
            return "non-finite"
        if any(map(self._is_relative, words)):
            return "relative"
        if any(map(self._is_question, words)):
            return "relative" if parent in bank.nouns else "complement"
        if words and self._is_subordinator(words[0]):
            word = self._spelling[words[0]]
            if word in bank.relativizers and parent in bank.nouns:
                return "relative"
            is_condition = word in bank.conditionals and self._places[opened] == 0
            is_completing = word in bank.complementizers and not is_condition
            return "complement" if is_completing else "adverbial"
        return bank.unmarked.get(f"{self.labels[clause]}<{parent}", "complement")

    def _is_without(self, finite: re.Pattern[str], part: Part) -> bool:
        """Return whether a clause has verbs, and none of them is finite."""
        tags = [self._tags[word] for word in part.words]
        verbs = [tag for tag in tags if self.treebank.verbs.fullmatch(tag)]
        return bool(verbs) and not any(map(finite.fullmatch, verbs))


_BEGINNING = 2  # words at the beginning of a clause that tell its kind: "with whom"
