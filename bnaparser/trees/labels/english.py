"""The labels of the Penn Treebank: Bies and others 1995, Bracketing Guidelines; Santorini 1990, tags."""

from __future__ import annotations

PHRASES = """\
ADJP adjective-phrase adjective phrase
ADVP adverb-phrase adverb phrase
CONJP conjunction-phrase conjunction phrase: a conjunction of several words, as in “as well as”
EDITED other disfluency: words that the speaker repeats or corrects
EMBED other speech embedded in another speaker's turn
FRAG fragment fragment: words that are not a complete clause
INTJ interjection interjection
LST other list marker, with its punctuation
META other metadata or markup
NAC noun-phrase part of a name or term that is not a phrase (“not a constituent”)
NML noun-phrase nominal modifier: part of a noun phrase before its head
NP noun-phrase noun phrase
NX noun-phrase part of a coordinated noun phrase with a shared modifier
PP prepositional-phrase prepositional phrase
PRN parenthetical parenthetical
PRT particle-phrase particle of a verb, as in “give up”
QP quantifier-phrase quantifier phrase: a number of several words, as in “more than two”
ROOT root root of the tree
RRC relative-clause reduced relative clause
S clause clause
S1 root root of the tree
SBAR clause clause with a subordinator or wh-phrase, as in “that …”, “who …”
SBARQ clause direct question with a wh-phrase
SINV clause inverted clause: the verb precedes the subject
SQ clause yes-no question, or the part of a wh-question after the wh-phrase
TOP root root of the tree
TYPO other words with a spelling error
UCP coordination coordination of unlike phrases
VP verb-phrase verb phrase
VROOT root root of the tree
WHADJP adjective-phrase wh-adjective phrase, as in “how old”
WHADVP adverb-phrase wh-adverb phrase, as in “when”, “why”
WHNP noun-phrase wh-noun phrase, as in “who”, “which book”
WHPP prepositional-phrase wh-prepositional phrase, as in “of which”
X other constituent of an unknown category
"""

TAGS = """\
# symbol pound or number sign
$ symbol currency sign
'' punctuation closing quotation mark
, punctuation comma
-LRB- punctuation opening bracket
-RRB- punctuation closing bracket
. punctuation sentence-final punctuation
: punctuation colon, semicolon, dash or dots
ADD other web or e-mail address
AFX other affix as a separate word
CC conjunction coordinating conjunction
CD number number
DT determiner determiner
EX pronoun existential “there”
FW other foreign word
GW other “goes with”: part of a word that was split by mistake
HYPH punctuation hyphen
IN adposition preposition or subordinating conjunction
JJ adjective adjective
JJR adjective adjective, comparative
JJS adjective adjective, superlative
LS other list marker
MD verb modal verb
NFP punctuation superfluous punctuation
NN noun noun, singular or mass
NNP proper-noun proper noun, singular
NNPS proper-noun proper noun, plural
NNS noun noun, plural
PDT determiner predeterminer, as “all” in “all the”
POS particle possessive ending
PRP pronoun personal pronoun
PRP$ determiner possessive pronoun
RB adverb adverb
RBR adverb adverb, comparative
RBS adverb adverb, superlative
RP particle particle
SYM symbol symbol
TO particle the word “to”
UH interjection interjection
VB verb verb, base form
VBD verb verb, past tense
VBG verb verb, -ing form
VBN verb verb, past participle
VBP verb verb, present tense, not third person singular
VBZ verb verb, present tense, third person singular
WDT determiner wh-determiner
WP pronoun wh-pronoun
WP$ determiner possessive wh-pronoun: “whose”
WRB adverb wh-adverb
XX other word without a known part of speech
`` punctuation opening quotation mark
"""

FUNCTIONS = """\
ADV adverbial
BNF beneficiary
CLF cleft sentence
CLR closely related to the verb
DIR direction
DTV dative: indirect object with a preposition
ETC and so on
EXT extent
HLN headline
IMP imperative
LGS logical subject of a passive
LOC place
MNR manner
NOM nominal: used as a noun phrase
PRD predicate
PRP purpose or reason
PUT location of “put”
SBJ subject
SEZ reported speech
TMP time
TPC topicalized
TTL title
UNF unfinished
VOC vocative
"""
