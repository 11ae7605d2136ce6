"""The labels and tags of the Keyaki Treebank: Butler, Horn, Yoshimoto, Nagasaki and Kubota, its manual, chapter 2."""

from __future__ import annotations

PHRASES = """\
ADJP adjective-phrase adjective phrase
ADVP adverb-phrase adverb phrase
CONJP coordination conjunct, with its conjunction or particle
CP clause clause with a complementizer or a sentence-final particle
EDITOR other text by an editor
FRAG fragment fragment: words that are not a complete clause
FS fragment false start
INTJP interjection interjection phrase
IP clause clause
LST other list marker, or an item of a list
MENTION other words that are mentioned, not used
META other metadata or markup
NML noun-phrase part of a noun phrase, around its head
NP noun-phrase noun phrase
NUMCLP quantifier-phrase number with a classifier
PNLP adjective-phrase prenominal phrase
PP prepositional-phrase postpositional phrase
PRN parenthetical parenthetical
VP verb-phrase verb phrase
multi other several sentences in one
"""

TAGS = """\
-LRB- punctuation opening bracket or quotation mark
-RRB- punctuation closing bracket or quotation mark
ADJI adjective i-adjective
ADJN adjective na-adjective
ADJN3 adjective na-adjective in an expression of modality, after ても
ADV adverb adverb
AX verb auxiliary verb, also the copula
AXD verb auxiliary of the past tense: た
CL noun classifier
CONJ conjunction coordinating conjunction
D determiner determiner
FN noun formal noun, as in の, こと
FS other false start
FW other foreign word
INTJ interjection interjection
LS other list marker
MD verb modal element, as in だろう
N noun noun
NEG verb negation
NEG3 verb negation in an expression of modality, as in なければならない
NPR proper-noun proper noun
NUM number number
P adposition particle, or postposition
PASS verb passive: れる, られる
PNL adjective prenominal word, as in 大きな
PRO pronoun pronoun
PU punctuation punctuation
Q determiner quantifier
QN noun noun with a quantifier, as in 毎日
QUOT punctuation quotation mark
SYM symbol symbol
VB verb verb, or the stem of a verb
VB0 verb light verb, as in する after a noun
VB2 verb secondary verb after the て form of a verb, as in いる
VB3 verb verb in an expression of modality, as in なければならない
WADV adverb interrogative adverb
WD determiner interrogative determiner
WNUM number interrogative number
WPRO pronoun interrogative pronoun
"""

FUNCTIONS = """\
ADV adverbial
CNT continuative
DOB1 derived object
EMB complement
FINAL with a sentence-final particle
IMP imperative
INF infinitive
LGS logical subject
LOC place
MAT main clause
NML nominalized
OB1 direct object
OB2 indirect object
PRD predicate
QUE question
REL relative
SBJ subject
SMC small clause
SUB subordinate
THT complement clause
TMP time
VOC vocative
sentence sentence
"""
