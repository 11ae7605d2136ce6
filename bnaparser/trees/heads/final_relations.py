"""Relations that depend on what else hangs on the same head: passives, "there is", "it is clear that"."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.trees.heads import english
from bnaparser.trees.heads.arcs import Arc
from bnaparser.trees.heads.clauses import NOUN_PHRASES, read_clause
from bnaparser.trees.heads.english import is_form_of


def settle_relations(arcs: Sequence[Arc | None], relations: Sequence[str]) -> list[str]:
    """Return the relations, changed where other dependents of the head say so.

    Args:
        arcs: The arc of each word, None for the root.
        relations: The relation of each word, as its own place in the tree tells it.
    """
    settled = list(relations)
    dependents: dict[int, list[int]] = {}
    for place, arc in enumerate(arcs):
        if arc is not None:
            dependents.setdefault(arc.head, []).append(place)
    for head, places in dependents.items():
        known = [arc for arc in map(arcs.__getitem__, places) if arc is not None]
        _Dependents(head, places, known, settled).settle()
    for place, arc in enumerate(arcs):
        if arc is not None and settled[place] == "obl" and arc.head_tag == "VBN":
            _settle_agent(arc, place, arcs, settled, dependents)
    return settled


class _Dependents:
    """The dependents of one word, in order."""

    def __init__(
        self, head: int, places: Sequence[int], arcs: Sequence[Arc], relations: list[str]
    ) -> None:
        self.head, self.places, self.arcs, self.relations = head, places, arcs, relations

    def settle(self) -> None:
        if self.has("expl") and not self.has("nsubj"):
            self.rename("obj", "nsubj")  # "there is a man"
        self.settle_it()
        self.settle_question()
        self.settle_objects()
        if self.has("aux:pass"):
            self.settle_auxiliaries()
            self.rename("nsubj", "nsubj:pass")
            self.rename("csubj", "csubj:pass")
        self.settle_subjects()

    def has(self, relation: str) -> bool:
        return any(self.relations[place] == relation for place in self.places)

    def rename(self, old: str, new: str) -> None:
        for place in self.places:
            if self.relations[place] == old:
                self.relations[place] = new

    def settle_question(self) -> None:
        """Tell the subject of "who did this?": with an object before the verb it would be "who did this see?"."""
        asked = self._place("obj", child="WHNP")
        other = self._place("nsubj", parent="SQ")
        if asked is None or other is None or other < self.head or self.has("aux"):
            return
        self.relations[asked], self.relations[other] = "nsubj", "obj"

    def _place(self, relation: str, child: str = "", parent: str = "") -> int | None:
        """Return the first dependent with a relation whose phrase, or the phrase above, has the label."""
        for place, arc in zip(self.places, self.arcs, strict=True):
            if self.relations[place] == relation and (arc.child == child or arc.parent == parent):
                return place
        return None

    def settle_auxiliaries(self) -> None:
        """Keep the last auxiliary as that of the passive: "is *being* seen"."""
        passives = [place for place in self.places if self.relations[place] == "aux:pass"]
        for place in passives[:-1]:
            self.relations[place] = "aux"

    def settle_subjects(self) -> None:
        """Of several subjects, keep the one that is nearest to the verb."""
        subjects = [
            place for place in self.places if self.relations[place] in ("nsubj", "nsubj:pass")
        ]
        nearest = min(subjects, key=lambda place: abs(place + 1 - self.head), default=None)
        for place in subjects:
            if place != nearest:
                self.relations[place] = "dislocated"

    def settle_objects(self) -> None:
        """Tell objects apart on both sides of the verb: "what did he give *her*", "was elected *president*"."""
        objects = [place for place in self.places if self.relations[place] == "obj"]
        verb = self.arcs[0].head_word
        if len(objects) == 2 and is_form_of(verb, english.GIVING | english.TELLING):
            self.relations[objects[-1]] = "iobj"
        if objects and self.has("aux:pass") and is_form_of(verb, english.NAMING):
            self.relations[objects[-1]] = "xcomp"

    def settle_it(self) -> None:
        """Tell "it" that stands for a clause: "*it* is clear that he lied"."""
        subject = next((place for place in self.places if self.relations[place] == "nsubj"), None)
        if subject is None or self.arcs[self.places.index(subject)].word != "it":
            return
        for place, arc in zip(reversed(self.places), reversed(self.arcs), strict=True):
            relation = None if self.relations[place] == "conj" else self._of_it(arc)
            if relation is not None:
                self.relations[subject], self.relations[place] = "expl", relation
                return

    def _of_it(self, arc: Arc) -> str | None:
        """Return the relation of the clause that "it" stands for; None if the dependent is no such clause."""
        if arc.before or arc.is_after_comma or arc.child not in ("SBAR", "S"):
            return None
        if arc.parent not in ("VP", "ADJP", "SQ", "SINV"):
            return None
        clause = read_clause(arc.node)
        is_that = clause.introducers == ("that",)
        if self.has("cop"):
            if clause.question:
                is_cleft = arc.head_child in NOUN_PHRASES and clause.question != "WHADJP"
                return "advcl:relcl" if is_cleft else None  # "it was Bob who left"
            degrees = ("too", "enough") if clause.form == "TO" else ("so", "such")
            stands_for = clause.introducers in ((), ("that",), ("whether",), ("for",))
            is_meant = stands_for and clause.form != "VBN" and arc.head_tag != "RB"
            return "csubj" if is_meant and not arc.has_before(degrees) else None
        if is_form_of(arc.head_word, english.SEEMING) and arc.child == "SBAR":
            return "ccomp" if is_that or not (clause.introducers or clause.question) else None
        if arc.head_tag == "VBN" and is_that:
            return "csubj" if is_form_of(arc.head_word, english.SAYING | english.FINDING) else None
        takes = clause.form in ("TO", "VBG") and is_form_of(arc.head_word, english.TAKING)
        affects = is_form_of(arc.head_word, english.AFFECTING)
        is_fact = is_that or clause.introducers == ("whether",) or clause.form == "TO"
        return "csubj" if takes or (affects and is_fact) else None


def _settle_agent(
    arc: Arc,
    place: int,
    arcs: Sequence[Arc | None],
    relations: list[str],
    dependents: dict[int, list[int]],
) -> None:
    """Tell the agent of a passive: "was seen *by the cat*", "a cake eaten *by mice*"."""
    has_perfect = any(
        relations[one] == "aux" and one_arc is not None and one_arc.word in english.HAVE
        for one in dependents[arc.head]
        if (one_arc := arcs[one]) is not None
    )
    is_passive = any(relations[one] == "aux:pass" for one in dependents[arc.head])
    below = dependents.get(place + 1, [])
    first = arcs[below[0]] if below else None
    is_by = first is not None and first.word == "by" and arc.word not in english.TIMES
    if is_by and (is_passive or not has_perfect):
        relations[place] = "obl:agent"
