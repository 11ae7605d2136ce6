"""The labels and tags of the French Treebank and of Sequoia: Abeillé and others 2003; Crabbé and Candito 2008, tags."""

from __future__ import annotations

PHRASES = """\
AP adjective-phrase adjective phrase
AdP adverb-phrase adverb phrase
COORD coordination conjunct, with the conjunction before it
NP noun-phrase noun phrase
PP prepositional-phrase prepositional phrase
SENT clause sentence
Sint clause inserted or quoted clause, or a clause within a sentence without a subordinator
Srel relative-clause relative clause
Ssub clause subordinate clause with a conjunction
VN verb-phrase verbal nucleus: a verb with its auxiliaries, clitics and negation
VP verb-phrase verb phrase
VPinf verb-phrase infinitive clause
VPpart verb-phrase participle clause
"""

TAGS = """\
A adjective adjective
ADJ adjective adjective
ADJWH adjective interrogative adjective
ADV adverb adverb
ADVWH adverb interrogative adverb
C conjunction conjunction
CC conjunction coordinating conjunction
CL pronoun clitic pronoun
CLO pronoun clitic pronoun as an object
CLR pronoun reflexive clitic pronoun
CLS pronoun clitic pronoun as a subject
CS conjunction subordinating conjunction
D determiner determiner
DET determiner determiner
DETWH determiner interrogative determiner
ET other foreign word
I interjection interjection
N noun noun
NC noun common noun
NPP proper-noun proper noun
P adposition preposition
P+D adposition preposition with an article, as in “du”
P+PRO adposition preposition with a relative pronoun, as in “duquel”
PONCT punctuation punctuation
PREF other prefix, as in “ex-”
PRO pronoun pronoun
PROREL pronoun relative pronoun
PROWH pronoun interrogative pronoun
V verb finite verb, indicative
VIMP verb verb, imperative
VINF verb verb, infinitive
VPP verb verb, past participle
VPR verb verb, present participle
VS verb finite verb, subjunctive
"""

FUNCTIONS = """\
ATO predicative complement of the object
ATS predicative complement of the subject
AUX auxiliary
A_OBJ object with “à”
DE_OBJ object with “de”
MOD modifier
OBJ direct object
P_OBJ prepositional object
SUJ subject
"""
