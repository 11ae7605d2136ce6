"""The labels and tags of ICON: Lim and others 2023, Building a Large-Scale Benchmark Constituency Treebank."""

from __future__ import annotations

PHRASES = """\
ADJP adjective-phrase adjective phrase
ADVP adverb-phrase adverb phrase
CONJP conjunction-phrase conjunction phrase: a conjunction of several words
CP clause clause with a complementizer or another subordinating conjunction
FRAG fragment fragment: words that are not a complete clause
INTJ interjection interjection phrase
NP noun-phrase noun phrase
PP prepositional-phrase prepositional phrase
PRN parenthetical parenthetical
QP quantifier-phrase quantifier phrase
RPN relative-clause relative clause, with “yang”
S clause clause
SBAR clause clause with a subordinating conjunction
SBARQ clause direct question with a question word
SINV clause inverted clause: the predicate precedes the subject
SQ clause yes-no question
UCP coordination coordination of unlike phrases
VP verb-phrase verb phrase
WHADJP adjective-phrase wh-adjective phrase
WHADVP adverb-phrase wh-adverb phrase
WHNP noun-phrase wh-noun phrase
WHPP prepositional-phrase wh-prepositional phrase
"""

TAGS = """\
ADJ adjective adjective
ADV adverb adverb
ART determiner article or demonstrative, as in “itu”
CCN conjunction coordinating conjunction
CSN conjunction subordinating conjunction
INT interjection interjection
KUA determiner quantifier
NEG adverb negation
NNO noun common noun
NNP proper-noun proper noun
NUM number number, also with a classifier, as in “sebuah”
PAR particle particle, as in “pun”
PPO adposition preposition
PRI pronoun interrogative pronoun
PRK pronoun clitic pronoun, as in “nya”
PRN pronoun pronoun
PRR pronoun relative pronoun: “yang”
PUN punctuation punctuation
SYM symbol symbol
TAME verb auxiliary of tense, aspect, modality or evidentiality, as in “sudah”
VBI verb intransitive verb
VBL verb linking verb, as in “adalah”
VBP verb passive verb
VBT verb transitive verb
"""

FUNCTIONS = ""
