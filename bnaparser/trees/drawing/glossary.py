"""What the labels and tags of the Penn Treebank, and of the German TIGER, mean, in plain words, and which family each belongs to.

The families are those that a drawing colours alike: clause, nominal, verbal, prepositional,
modifier; everything else is ``other``.
"""

from __future__ import annotations

import re

PHRASES = {
    "AA": ("modifier", "superlative with “am”"),
    "ADJP": ("modifier", "adjective phrase"),
    "ADVP": ("modifier", "adverb phrase"),
    "AP": ("modifier", "adjective phrase"),
    "AVP": ("modifier", "adverb phrase"),
    "CAC": ("prepositional", "coordination of prepositions"),
    "CAP": ("modifier", "coordination of adjective phrases"),
    "CAVP": ("modifier", "coordination of adverb phrases"),
    "CCP": ("other", "coordination of words that introduce clauses"),
    "CH": ("other", "chunk: words of another language, or a text in quotation marks"),
    "CNP": ("nominal", "coordination of noun phrases"),
    "CO": ("other", "coordination of unlike phrases"),
    "CONJP": ("other", "conjunction phrase: several words that join, as in “as well as”"),
    "CPP": ("prepositional", "coordination of prepositional phrases"),
    "CS": ("clause", "coordination of clauses"),
    "CVP": ("verbal", "coordination of verb phrases"),
    "CVZ": ("verbal", "coordination of infinitives with “zu”"),
    "DL": ("clause", "text whose parts stand side by side"),
    "EDITED": ("other", "words that the speaker took back"),
    "EMBED": ("other", "speech embedded in another's turn"),
    "FRAG": ("other", "fragment: words that make no whole clause"),
    "INTJ": ("other", "interjection"),
    "ISU": ("other", "idiom"),
    "LST": ("other", "list marker, with its punctuation"),
    "META": ("other", "markup, no language"),
    "MPN": ("nominal", "name of several words"),
    "NAC": ("nominal", "not a constituent: part of a name or term that is no phrase of its own"),
    "NM": ("nominal", "number of several words"),
    "NML": ("nominal", "part of a noun phrase, before its head"),
    "NP": ("nominal", "noun phrase"),
    "NX": ("nominal", "part of a noun phrase, around a head that is shared"),
    "PN": ("nominal", "name"),
    "PP": ("prepositional", "prepositional phrase"),
    "PRN": ("other", "parenthetical: an aside"),
    "PRT": ("prepositional", "particle of a verb, as in “give up”"),
    "QP": ("nominal", "quantity phrase: several words that make a number"),
    "ROOT": ("other", "root of the tree"),
    "RRC": ("clause", "reduced relative clause"),
    "S": ("clause", "clause"),
    "S1": ("other", "root of the tree"),
    "SBAR": ("clause", "clause with the word that introduces it, as in “that …”, “who …”"),
    "SBARQ": ("clause", "question with a question word"),
    "SINV": ("clause", "inverted clause: the verb before its subject"),
    "SQ": ("clause", "yes-or-no question, or what follows the question word"),
    "TOP": ("other", "root of the tree"),
    "TYPO": ("other", "words with a slip"),
    "UCP": ("other", "coordination of unlike phrases"),
    "VP": ("verbal", "verb phrase"),
    "VROOT": ("other", "root of the tree"),
    "VZ": ("verbal", "infinitive with “zu”"),
    "WHADJP": ("modifier", "adjective phrase that asks or relates, as in “how old”"),
    "WHADVP": ("modifier", "adverb phrase that asks or relates, as in “when”, “why”"),
    "WHNP": ("nominal", "noun phrase that asks or relates, as in “who”, “which book”"),
    "WHPP": ("prepositional", "prepositional phrase that asks or relates, as in “of which”"),
    "X": ("other", "constituent of unknown kind"),
}

TAGS = {
    "#": ("other", "pound or number sign"),
    "$": ("other", "currency sign"),
    "''": ("other", "closing quotation mark"),
    ",": ("other", "comma"),
    "-LRB-": ("other", "opening bracket"),
    "-RRB-": ("other", "closing bracket"),
    ".": ("other", "punctuation that ends a sentence"),
    ":": ("other", "colon, semicolon, dash or dots"),
    "``": ("other", "opening quotation mark"),
    "ADD": ("other", "web or e-mail address"),
    "AFX": ("other", "affix that stands alone"),
    "CC": ("other", "coordinating conjunction"),
    "CD": ("nominal", "number"),
    "DT": ("nominal", "determiner"),
    "EX": ("nominal", "“there” as in “there is”"),
    "FW": ("other", "foreign word"),
    "GW": ("other", "part of a word that was split by mistake"),
    "HYPH": ("other", "hyphen"),
    "IN": ("prepositional", "preposition or subordinating conjunction"),
    "JJ": ("modifier", "adjective"),
    "JJR": ("modifier", "adjective, comparative"),
    "JJS": ("modifier", "adjective, superlative"),
    "LS": ("other", "list marker"),
    "MD": ("verbal", "modal verb"),
    "NFP": ("other", "punctuation used for show"),
    "NN": ("nominal", "noun, singular or mass"),
    "NNP": ("nominal", "proper noun, singular"),
    "NNPS": ("nominal", "proper noun, plural"),
    "NNS": ("nominal", "noun, plural"),
    "PDT": ("nominal", "word before a determiner, as “all” in “all the”"),
    "POS": ("nominal", "possessive ending"),
    "PRP": ("nominal", "personal pronoun"),
    "PRP$": ("nominal", "possessive pronoun"),
    "RB": ("modifier", "adverb"),
    "RBR": ("modifier", "adverb, comparative"),
    "RBS": ("modifier", "adverb, superlative"),
    "RP": ("prepositional", "particle"),
    "SYM": ("other", "symbol"),
    "TO": ("prepositional", "the word “to”"),
    "UH": ("other", "interjection"),
    "VB": ("verbal", "verb, base form"),
    "VBD": ("verbal", "verb, past tense"),
    "VBG": ("verbal", "verb, -ing form"),
    "VBN": ("verbal", "verb, past participle"),
    "VBP": ("verbal", "verb, present tense, not third person singular"),
    "VBZ": ("verbal", "verb, present tense, third person singular"),
    "WDT": ("nominal", "determiner that asks or relates"),
    "WP": ("nominal", "pronoun that asks or relates"),
    "WP$": ("nominal", "possessive pronoun that asks or relates: “whose”"),
    "WRB": ("modifier", "adverb that asks or relates"),
    "XX": ("other", "word without a known part of speech"),
}
TAGS |= {  # of STTS, German
    "$(": ("other", "mark within a sentence: bracket, quotation mark, dash"),
    "$,": ("other", "comma"),
    "$.": ("other", "punctuation that ends a sentence"),
    "$LRB": ("other", "mark within a sentence: bracket, quotation mark, dash"),
    "ADJA": ("modifier", "adjective before a noun"),
    "ADJD": ("modifier", "adjective as a predicate or adverb"),
    "ADV": ("modifier", "adverb"),
    "APPO": ("prepositional", "postposition"),
    "APPR": ("prepositional", "preposition"),
    "APPRART": ("prepositional", "preposition with an article, as in “zum”"),
    "APZR": ("prepositional", "second part of a preposition around its noun"),
    "ART": ("nominal", "article"),
    "CARD": ("nominal", "number"),
    "FM": ("other", "word of another language"),
    "ITJ": ("other", "interjection"),
    "KOKOM": ("other", "word that compares, as in “als”, “wie”"),
    "KON": ("other", "conjunction that coordinates"),
    "KOUI": ("other", "conjunction before an infinitive, as in “um”"),
    "KOUS": ("other", "conjunction that introduces a clause"),
    "NE": ("nominal", "name"),
    "PAV": ("modifier", "adverb of a pronoun and a preposition, as in “dafür”"),
    "PDAT": ("nominal", "demonstrative before a noun"),
    "PDS": ("nominal", "demonstrative pronoun"),
    "PIAT": ("nominal", "indefinite pronoun before a noun"),
    "PIDAT": ("nominal", "indefinite pronoun before a noun, with an article"),
    "PIS": ("nominal", "indefinite pronoun"),
    "PPER": ("nominal", "personal pronoun"),
    "PPOSAT": ("nominal", "possessive pronoun before a noun"),
    "PPOSS": ("nominal", "possessive pronoun"),
    "PRELAT": ("nominal", "relative pronoun before a noun"),
    "PRELS": ("nominal", "relative pronoun"),
    "PRF": ("nominal", "reflexive pronoun"),
    "PROAV": ("modifier", "adverb of a pronoun and a preposition, as in “dafür”"),
    "PTKA": ("modifier", "particle before an adjective or adverb, as in “zu schnell”"),
    "PTKANT": ("other", "answer, as in “ja”"),
    "PTKNEG": ("modifier", "negation: “nicht”"),
    "PTKVZ": ("verbal", "particle of a verb that stands apart"),
    "PTKZU": ("verbal", "“zu” before an infinitive"),
    "PWAT": ("nominal", "question pronoun before a noun"),
    "PWAV": ("modifier", "adverb that asks or relates"),
    "PWS": ("nominal", "question pronoun"),
    "TRUNC": ("nominal", "first part of a word, as in “Ein- und Ausgang”"),
    "VAFIN": ("verbal", "finite auxiliary"),
    "VAIMP": ("verbal", "imperative of an auxiliary"),
    "VAINF": ("verbal", "infinitive of an auxiliary"),
    "VAPP": ("verbal", "participle of an auxiliary"),
    "VMFIN": ("verbal", "finite modal verb"),
    "VMINF": ("verbal", "infinitive of a modal verb"),
    "VMPP": ("verbal", "participle of a modal verb"),
    "VVFIN": ("verbal", "finite verb"),
    "VVIMP": ("verbal", "imperative"),
    "VVINF": ("verbal", "infinitive"),
    "VVIZU": ("verbal", "infinitive with “zu” within the word"),
    "VVPP": ("verbal", "participle"),
    "XY": ("other", "no word: signs, formulas"),
}

FUNCTIONS = {
    "ADV": "adverbial",
    "BNF": "for whom it is done",
    "CLF": "cleft sentence",
    "CLR": "closely related to its verb",
    "DIR": "direction",
    "DTV": "indirect object after a preposition",
    "ETC": "and so on",
    "EXT": "extent",
    "HLN": "headline",
    "IMP": "imperative",
    "LGS": "logical subject of a passive",
    "LOC": "place",
    "MNR": "manner",
    "NOM": "used as a noun",
    "PRD": "predicate",
    "PRP": "purpose or reason",
    "PUT": "place where something is put",
    "SBJ": "subject",
    "SEZ": "reported speech",
    "TMP": "time",
    "TPC": "moved to the front",
    "TTL": "title",
    "UNF": "unfinished",
    "VOC": "person spoken to",
}

OTHER = "other"
_PART = re.compile(r"[-=|]")


def family(label: str, is_tag: bool = False) -> str:
    """Return the family that a phrase label, or a tag, is coloured as."""
    known = TAGS if is_tag else PHRASES
    return known.get(_base(label, is_tag), (OTHER, ""))[0]


def explain(label: str, is_tag: bool = False) -> str:
    """Return what a label says, in plain words: ``noun phrase, subject`` for ``NP-SBJ-1``.

    Function tags that follow a label are explained too; an unknown label gives ``""``.
    """
    known = TAGS if is_tag else PHRASES
    base = _base(label, is_tag)
    if base not in known:
        return ""
    parts = _PART.split(label[len(base) :])
    return ", ".join([known[base][1], *(FUNCTIONS[part] for part in parts if part in FUNCTIONS)])


def _base(label: str, is_tag: bool) -> str:
    """The label without function tags and indices; ``-LRB-`` and the like stay whole."""
    if label in (TAGS if is_tag else PHRASES):
        return label
    return _PART.split(label, maxsplit=1)[0]
