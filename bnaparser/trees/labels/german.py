"""The labels of TIGER (Albert and others 2003) and the tags of STTS (Schiller and others 1999)."""

from __future__ import annotations

PHRASES = """\
AA adjective-phrase superlative with “am”
AP adjective-phrase adjective phrase
AVP adverb-phrase adverb phrase
CAC prepositional-phrase coordination of prepositions
CAP adjective-phrase coordination of adjective phrases
CAVP adverb-phrase coordination of adverb phrases
CCP conjunction-phrase coordination of complementizers
CH other chunk: foreign words or quoted text
CNP noun-phrase coordination of noun phrases
CO coordination coordination of unlike phrases
CPP prepositional-phrase coordination of prepositional phrases
CS clause coordination of clauses
CVP verb-phrase coordination of verb phrases
CVZ verb-phrase coordination of infinitives with “zu”
DL clause discourse-level constituent: parts of a text side by side
ISU other idiom
MPN noun-phrase multi-word proper noun
MTA adjective-phrase adjective of several words
NM quantifier-phrase multi-token number
NP noun-phrase noun phrase
PN noun-phrase proper noun of several words
PP prepositional-phrase prepositional phrase
S clause clause
VP verb-phrase verb phrase
VROOT root root of the tree
VZ verb-phrase infinitive with “zu”
"""

TAGS = """\
$( punctuation sentence-internal punctuation: bracket, quotation mark, dash
$, punctuation comma
$. punctuation sentence-final punctuation
$LRB punctuation sentence-internal punctuation: bracket, quotation mark, dash
ADJA adjective attributive adjective
ADJD adjective predicative or adverbial adjective
ADV adverb adverb
APPO adposition postposition
APPR adposition preposition
APPRART adposition preposition with an article, as in “zum”
APZR adposition right part of a circumposition
ART determiner article
CARD number number
FM other foreign word
ITJ interjection interjection
KOKOM conjunction comparative conjunction, as in “als”, “wie”
KON conjunction coordinating conjunction
KOUI conjunction subordinating conjunction before an infinitive, as in “um”
KOUS conjunction subordinating conjunction
NE proper-noun proper noun
NN noun common noun
NNE proper-noun common noun and proper noun in one word, as in “Schwedendamm”
PAV adverb pronominal adverb, as in “dafür”
PDAT determiner attributive demonstrative pronoun
PDS pronoun demonstrative pronoun
PIAT determiner attributive indefinite pronoun
PIDAT determiner attributive indefinite pronoun with a determiner
PIS pronoun indefinite pronoun
PPER pronoun personal pronoun
PPOSAT determiner attributive possessive pronoun
PPOSS pronoun possessive pronoun
PRELAT determiner attributive relative pronoun
PRELS pronoun relative pronoun
PRF pronoun reflexive pronoun
PROAV adverb pronominal adverb, as in “dafür”
PTKA particle particle before an adjective or adverb, as in “zu schnell”
PTKANT particle answer particle, as in “ja”
PTKNEG particle negative particle: “nicht”
PTKVZ particle separated verb particle
PTKZU particle “zu” before an infinitive
PWAT determiner interrogative pronoun before a noun
PWAV adverb interrogative or relative adverb
PWS pronoun interrogative pronoun
TRUNC noun truncated first part of a compound, as in “Ein- und Ausgang”
VAFIN verb finite auxiliary
VAIMP verb imperative of an auxiliary
VAINF verb infinitive of an auxiliary
VAPP verb participle of an auxiliary
VMFIN verb finite modal verb
VMINF verb infinitive of a modal verb
VMPP verb participle of a modal verb
VVFIN verb finite verb
VVIMP verb imperative
VVINF verb infinitive
VVIZU verb infinitive with “zu” within the word
VVPP verb participle
XY other non-word: symbols, formulas
"""

FUNCTIONS = """\
AC adpositional case marker
AG genitive attribute
AMS measure argument of an adjective
APP apposition
AVC adverbial component
CC comparative complement
CD coordinating conjunction
CJ conjunct
CM comparative conjunction
CP complementizer
DA dative object
DH discourse-level head
DM discourse marker
EP expletive
HD head
JU junctor
MNR modifier of a noun, after it
MO modifier
NG negation
NK noun kernel
NMC numerical component
OA accusative object
OA2 second accusative object
OC clausal object
OG genitive object
OP prepositional object
PAR parenthetical
PD predicate
PG genitive as a prepositional phrase
PH placeholder
PM morphological particle
PNC component of a proper noun
RC relative clause
RE repeated element
RS reported speech
SB subject
SBP logical subject of a passive
SP subject or predicate
SVP separable verb prefix
UC unit component
VO vocative
"""
