"""The labels and tags of IcePaHC: Wallenberg and others 2011, after the Penn historical corpora (Santorini 2010)."""

from __future__ import annotations

PHRASES = """\
ADJP adjective-phrase adjective phrase
ADJX adjective-phrase part of a coordinated adjective phrase
ADVP adverb-phrase adverb phrase
ADVX adverb-phrase part of a coordinated adverb phrase
CONJP coordination conjunct, with the conjunction before it
CP clause clause with a complementizer, a wh-phrase or a relative particle
DUTCH other Dutch words
ENGLISH other English words
FRAG fragment fragment: words that are not a complete clause
FRENCH other French words
FS fragment false start
INTJP interjection interjection phrase
IP clause clause
LATIN other Latin words
META other heading, stage direction or other text about the text
NP noun-phrase noun phrase
NUMP quantifier-phrase number phrase
NX noun-phrase part of a coordinated noun phrase
PP prepositional-phrase prepositional phrase, also a subordinating conjunction with its clause
PRN parenthetical parenthetical
QP quantifier-phrase quantifier phrase
QTP fragment quotation that is not a clause
REP other repeated words
RRC relative-clause reduced relative clause
VP verb-phrase verb phrase
WADJP adjective-phrase wh-adjective phrase
WADJX adjective-phrase part of a coordinated wh-adjective phrase
WADVP adverb-phrase wh-adverb phrase
WNP noun-phrase wh-noun phrase
WPP prepositional-phrase wh-prepositional phrase
WQP quantifier-phrase wh-quantifier phrase
X other constituent of an unknown category
"""

_WORDS = """\
" punctuation quotation mark
, punctuation comma or other mark within a sentence
- punctuation hyphen or dash
. punctuation sentence-final punctuation
: punctuation colon
ADJ adjective adjective
ADJR adjective adjective, comparative
ADJS adjective adjective, superlative
ADV adverb adverb
ADVR adverb adverb, comparative
ADVS adverb adverb, superlative
ALSO adverb “also”: líka, einnig
C conjunction complementizer or relative particle: að, sem
CONJ conjunction coordinating conjunction
D determiner determiner, also the suffixed article: $inn
ES pronoun expletive: það
FP particle focus particle, as in “bara”
FW other foreign word
INTJ interjection interjection
LS other list marker
MAN pronoun indefinite pronoun: maður
MANS pronoun indefinite pronoun, plural: menn
N noun noun, singular
NEG adverb negation
NPR proper-noun proper noun, singular
NPRS proper-noun proper noun, plural
NS noun noun, plural
NUM number number
ONE number “one”: einn
OTHER adjective “other”: annar
OTHERS noun “others” without a noun
P adposition preposition or subordinating conjunction
PRO pronoun pronoun
Q determiner quantifier
QR determiner quantifier, comparative
QS determiner quantifier, superlative
RP particle adverbial particle of a verb
RPX particle particle before an adjective or apart from its verb
SUCH determiner “such”: slíkur
TO particle infinitive marker: að
TP particle infinitive marker, mistyped for TO
VDDI other not documented
WADV adverb wh-adverb
WD determiner wh-determiner
WPRO pronoun wh-pronoun
WQ conjunction “whether”: hvort
X other word of an unknown category
as other abbreviation, as in “m.a.”
"""

_VERBS = (
    ("VB", "verb"),
    ("BE", "the verb “be”: vera"),
    ("DO", "the verb “do”: gera"),
    ("HV", "the verb “have”: hafa"),
    ("MD", "modal verb"),
    ("RD", "the verb “become”: verða"),
)
_FORMS = (
    ("", "infinitive"),
    ("DI", "past indicative"),
    ("DS", "past subjunctive"),
    ("I", "imperative"),
    ("N", "perfect participle"),
    ("PI", "present indicative"),
    ("PS", "present subjunctive"),
)
_PARTICIPLES = (("AG", "present participle"), ("AN", "passive participle"))

TAGS = _WORDS + "".join(
    [f"{verb}{form} verb {word}, {means}\n" for verb, word in _VERBS for form, means in _FORMS]
    + [
        f"{verb[0]}{form} verb {word}, {means}\n"
        for verb, word in _VERBS
        for form, means in _PARTICIPLES
        if verb[0] + form != "MAN"
    ]
)

FUNCTIONS = """\
1 first of two parts
2 second of two parts
3 third part
A accusative
ABS absolute
ADT adjunct
ADV adverbial
CAR relative, of a clause
CLF cleft
CMP comparative
D dative
DEG complement of a degree word
DIR direction
EOP empty operator
EXL exclamative
FRL free relative
G genitive
IMP imperative
INF infinitive
LFD left-dislocated
MAT main clause
MSR measure
N nominative
OB1 direct object
OB2 indirect object
OB3 third object
POS possessive
PPL participle
PRD predicate
PRN parenthetical or appositive
PRP purpose
QUE question
REL relative
RSP resumptive
SBJ subject
SMC small clause
SPE direct speech
SUB subordinate
THT complement clause
TMC “tough” complement
TMP time
TTL title
VOC vocative
"""
