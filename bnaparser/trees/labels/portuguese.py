"""The labels and tags of Floresta Sintá(c)tica: Freitas and Afonso 2008, Bíblia Florestal."""

from __future__ import annotations

PHRASES = """\
acl clause verbless clause
advp adverb-phrase adverb phrase
ap adjective-phrase adjective phrase
cu coordination coordination (compound unit)
fcl clause finite clause
icl clause non-finite clause
np noun-phrase noun phrase
pp prepositional-phrase prepositional phrase
sq other sequence: side by side, as a speaker's name and the speech
vp verb-phrase verb group: a verb with its auxiliaries
x other unit of an unknown form, as a part of a coordination with ellipsis
"""

TAGS = """\
PU punctuation punctuation
adj adjective adjective
adv adverb adverb
art determiner article
conj conjunction conjunction
conj-c conjunction coordinating conjunction
conj-s conjunction subordinating conjunction
ec other prefix, as in “ex-”
in interjection interjection
intj interjection interjection
n noun noun
num number number
pp adverb fixed prepositional phrase, as in “por vezes”
pron pronoun pronoun or determiner
pron-det determiner determiner pronoun
pron-indp pronoun independent pronoun
pron-pers pronoun personal pronoun
prop proper-noun proper noun
prp adposition preposition
v verb verb
v-fin verb finite verb
v-ger verb gerund
v-inf verb infinitive
v-pcp verb participle
vp verb verb group in one word
x other word of an unknown form
"""

FUNCTIONS = ""
