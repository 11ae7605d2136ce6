"""The labels and tags of CESS-ECE: M. A. Martí and others 2007, the guidelines of CESS-ECE; EAGLES tags.

The model reads the first two letters of a tag, ``vm`` of ``vmip3s0``.
"""

from __future__ import annotations

PHRASES = """\
INC parenthetical inserted clause or phrase
S clause clause
S.F clause finite clause
S.F.A clause finite adverbial clause
S.F.AComp clause finite comparative clause, as in “más que …”
S.F.AConc clause finite concessive clause, as in “aunque …”
S.F.ACond clause finite conditional clause, as in “si …”
S.F.ACons clause finite consecutive clause, as in “tanto que …”
S.F.C clause finite complement clause
S.F.R relative-clause finite relative clause
S.NF clause non-finite clause
S.NF.A clause non-finite adverbial clause
S.NF.C clause non-finite complement clause, with an infinitive
S.NF.P clause participle clause
S.NF.PA clause absolute participle clause
S.NF.R relative-clause non-finite relative clause
conj.subord conjunction-phrase subordinating conjunction
coord conjunction-phrase coordinating conjunction
espec determiner-phrase specifier of a noun phrase: determiners and quantifiers
gerundi verb-phrase gerund
grup.a adjective-phrase adjective group: an adjective with its modifiers
grup.adv adverb-phrase adverb group: an adverb with its modifiers
grup.nom noun-phrase noun group: a noun phrase without its specifier
grup.verb verb-phrase verb group: a verb with its auxiliaries
infinitiu verb-phrase infinitive
interjeccio interjection interjection
morf.pron particle-phrase pronominal morpheme: “se” as a part of the verb
morfema.verbal particle-phrase verbal morpheme: “se” of a passive or an impersonal
neg adverb-phrase negation
numero quantifier-phrase number
participi verb-phrase participle
prep prepositional-phrase preposition, or several words that make one
relatiu noun-phrase relative pronoun, with its modifiers
s.a adjective-phrase adjective phrase within a noun phrase
sa adjective-phrase adjective phrase as an argument or predicate
sadv adverb-phrase adverb phrase
sn noun-phrase noun phrase
snd noun-phrase noun phrase
sp prepositional-phrase prepositional phrase
"""

TAGS = """\
F punctuation punctuation
Fa punctuation exclamation mark
Faa punctuation opening exclamation mark
Fat punctuation closing exclamation mark
Fc punctuation comma
Fd punctuation colon
Fe punctuation quotation mark
Fg punctuation hyphen or dash
Fh punctuation slash
Fia punctuation opening question mark
Fit punctuation closing question mark
Fp punctuation full stop
Fpa punctuation opening parenthesis
Fpt punctuation closing parenthesis
Fs punctuation suspension points
Fx punctuation semicolon
Fz punctuation other mark, or a letter or number of a list
I interjection interjection
W noun date, day or time
X other foreign words
Y noun abbreviation
Z number number
Zm noun currency, with or without an amount
Zp number percentage
ao adjective ordinal adjective
aq adjective qualifying adjective
cc conjunction coordinating conjunction
cs conjunction subordinating conjunction
da determiner article
dd determiner demonstrative determiner
de determiner exclamative determiner
di determiner indefinite determiner
dn determiner numeral determiner
dp determiner possessive determiner
dt determiner interrogative determiner
i interjection interjection
nc noun common noun
np proper-noun proper noun
p0 pronoun clitic “se”, “me”, “te” as a part of the verb, or of a passive or impersonal
pd pronoun demonstrative pronoun
pe pronoun exclamative pronoun
pi pronoun indefinite pronoun
pn pronoun numeral pronoun
pp pronoun personal pronoun
pr pronoun relative pronoun
pt pronoun interrogative pronoun
px pronoun possessive pronoun
rg adverb adverb
rn adverb negation
sp adposition preposition
va verb auxiliary verb
vm verb main verb
vs verb the verb “ser”
zm noun currency, with or without an amount
zp number percentage
"""

FUNCTIONS = """\
ATR attribute of a copula
CAG agent of a passive
CC adverbial
CCL adverbial of place
CCT adverbial of time
CD direct object
CI indirect object
CPRED predicative complement
CREG prepositional object
ET textual element
IMPERS impersonal
MOD modifier of the verb
NEG negation
PASS passive
SUJ subject
VOC vocative
co coordinated
"""
