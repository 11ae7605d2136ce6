"""Relations of clauses: subject, complement of a verb, adverbial clause, aside."""

from __future__ import annotations

from bnaparser.trees.heads import english
from bnaparser.trees.heads.arcs import Arc
from bnaparser.trees.heads.clauses import NONFINITE, NOUN_PHRASES, Clause, read_clause
from bnaparser.trees.heads.english import is_form_of

_ADVERBIAL = frozenset({"ADV", "TMP", "LOC", "MNR", "PRP", "DIR", "EXT"})


def clause_relation(arc: Arc) -> str:
    """Return the relation of a clause or verb phrase whose head is no noun.

    A function in the label decides (SBAR-ADV, S-SBJ), then what begins the clause, then its head.
    """
    clause = read_clause(arc.node)
    if _is_subject_clause(arc, clause):
        return "csubj"
    if arc.functions & _ADVERBIAL:
        return "advcl"
    if "TPC" in arc.functions:
        return "ccomp"
    is_introduced = bool(clause.question or clause.introducers)
    if arc.child == "SBAR" and (is_introduced or clause.form not in ("TO", "VBG")):
        return _of_a_subordinate_clause(arc, clause)
    if arc.parent == "PP":
        return "advcl"
    if arc.parent == "VP" and not arc.before:
        return _after_a_verb(arc, clause)
    if arc.parent in ("ADJP", "ADVP"):
        return _after_an_adjective(arc, clause)
    return _beside_a_clause(arc, clause)


def _is_subject_clause(arc: Arc, clause: Clause) -> bool:
    """Whether a clause stands where the subject would: "That he lied is obvious"."""
    if "SBJ" in arc.functions:
        return True
    if not arc.before or arc.parent not in ("S", "SQ", "SINV") or arc.head_child != "VP":
        return False
    between = arc.phrase.labels[arc.place + 1 : arc.chosen]
    if "NP" in between or "," in between or "NP" in arc.phrase.labels[: arc.place]:
        return False
    if arc.child == "SBAR":
        first = (*clause.introducers, clause.question_word)[0]
        if first in ("when", "where"):  # "when you leave, (call me)" is no subject
            return read_clause(arc.phrase.node.subtrees[arc.chosen]).form not in NONFINITE
        return clause.question == "WHNP" or first in ("that", "whether", "for", "how", "why")
    return clause.form in ("VBG", "TO")


def _of_a_subordinate_clause(arc: Arc, clause: Clause) -> str:
    """Return the relation of "that he left", "if he left", "what he said"."""
    introducers, asks = clause.introducers, is_form_of(arc.head_word, english.ASKING)
    first = introducers[0] if introducers else clause.question_word
    is_after_head = not arc.before and arc.parent in ("VP", "ADJP", "S", "SQ")
    if (
        clause.question == "WHNP"
        and arc.is_after_comma
        and clause.question_word in ("which", "who")
    ):
        return "advcl:relcl"
    if not is_after_head:
        return "advcl"
    if clause.question and not introducers:
        if clause.question in ("WHNP", "WHADJP", "WHPP"):
            return "ccomp"
        is_indirect = first in english.QUESTION_ADVERBS or (asks and first in ("when", "where"))
        return "ccomp" if is_indirect and arc.parent != "S" else "advcl"
    if introducers == ("that",) or not introducers:
        is_of_degree = arc.parent == "ADJP" and arc.has_before(("so", "such"))
        return "advcl" if is_of_degree or clause.is_inverted else "ccomp"
    if first == "whether":
        return "ccomp"
    if introducers == ("if",):
        return "ccomp" if asks and not arc.is_after_comma else "advcl"
    return "advcl"


def _after_a_verb(arc: Arc, clause: Clause) -> str:
    form = clause.form
    if arc.child == "VP" and arc.is_after_comma:
        return "conj" if arc.phrase.labels.count("VP") > 2 else "parataxis"
    if arc.label_before == "IN":
        return "advcl"  # "left after (he came)"
    if form not in NONFINITE:
        return _of_a_finite_clause(arc)
    if arc.is_after_comma:
        return "advcl" if form in ("TO", "VBG", "VBN") or clause.subject else "parataxis"
    if clause.subject is not None or form in ("VB", ""):
        return "xcomp"
    if form == "TO":
        return "xcomp" if _is_completed(arc) else "advcl"
    if form == "VBG":
        return "xcomp" if is_form_of(arc.head_word, english.ENJOYING) else "advcl"
    return "xcomp"


def _is_completed(arc: Arc) -> bool:
    """Whether an infinitive completes a verb, "want to go", or says what for, "left to go"."""
    verb, between = arc.head_word, arc.phrase.labels[arc.chosen + 1 : arc.place]
    if arc.head_tag == "VBN":
        verbs = english.WANTING | english.ORDERING
        return verb not in ("used", "needed") and is_form_of(verb, verbs)
    if not NOUN_PHRASES.isdisjoint(between):
        return is_form_of(verb, english.ORDERING)
    if is_form_of(verb, english.GOING):
        return (verb == "going" and not between) or "PRT" in between
    return is_form_of(verb, english.WANTING)


def _of_a_finite_clause(arc: Arc) -> str:
    """The relation of a clause without a conjunction after a verb: direct speech, or an aside."""
    is_aside = arc.is_after_comma and arc.node.end - arc.node.start < 4
    says = is_form_of(arc.head_word, english.SAYING | english.ASKING)
    return "parataxis" if is_aside or (arc.is_after_comma and not says) else "ccomp"


def _after_an_adjective(arc: Arc, clause: Clause) -> str:
    if clause.form in ("TO", "VBG") and clause.subject is None:
        if arc.head_word in english.TOUGH and clause.form == "TO":
            return "ccomp"
        return "xcomp" if arc.head_word in english.ABLE else "advcl"
    return "advcl" if clause.form in ("TO", "VBG", "VBN") else "ccomp"


def _beside_a_clause(arc: Arc, clause: Clause) -> str:
    """The relation of a clause within a clause: direct speech, a participle, another clause."""
    is_quoted = "''" in arc.phrase.labels[arc.place + 1 : arc.chosen]
    says = is_quoted or is_form_of(arc.head_word, english.SAYING)
    if arc.before and says and clause.form not in ("VBG", "TO", "VBN"):
        return "ccomp"
    if clause.subject is None and (arc.before or clause.form in ("TO", "VBG", "VBN")):
        return "advcl"
    return "parataxis"
