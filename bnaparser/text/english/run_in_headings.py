"""Words in capitals and a colon before a sentence: a heading, or who speaks.

A heading is a sentence of its own (``COPPER:`` before ``Prices rose.``). Who speaks (``HAMLET: To be.``), the part of an
abstract (``RESULTS: It grew.``) and a numbered step (``STEP 1: Wash it.``) are parts of the sentence that follows.
"""

from __future__ import annotations

import re

from bnaparser.text.english.tokens import BLANK
from bnaparser.text.english.vocabulary import is_common_word

# Those of an abstract are parts of their first sentence: ``RESULTS: It grew.``
_ABSTRACT_WORD = (
    "(?:BACKGROUND|CONTEXT|INTRODUCTION|PROBLEM|HYPOTHES[IE]S|RATIONALE|OBJECTIVES?|AIMS?|PURPOSES?|GOALS?"
    "|DESIGN|SETTINGS?|PATIENTS?|SUBJECTS?|PARTICIPANTS?|INTERVENTIONS?|MATERIALS?|METHODS?|METHODOLOGY"
    "|PROCEDURES?|MAIN|PRIMARY|OUTCOMES?|MEASURE(?:MENT)?S?|FINDINGS?|RESULTS?|DISCUSSION|CONCLUSIONS?"
    "|INTERPRETATION|SIGNIFICANCE|IMPLICATIONS?|LIMITATIONS?|STUDY)"
)
_ABSTRACT = rf"{_ABSTRACT_WORD}(?:(?:[ ]|/|[ ](?:AND|OF|&)[ ]){_ABSTRACT_WORD}){{0,4}}"
# In a transcript, who speaks is a part of the first sentence: ``INTERVIEWER: So, it grew.``
_SPEAKER_WORD = (
    "(?:INTERVIEWER|INTERVIEWEE|SPEAKER|RESPONDENT|PARTICIPANT|INFORMANT|MODERATOR|FACILITATOR|HOST|ANCHOR|GUEST"
    "|CALLER|REPORTER|CORRESPONDENT|JOURNALIST|ANNOUNCER|NARRATOR|OPERATOR|AUDIENCE|PANELIST|QUESTIONER|INVESTIGATOR"
    "|EXPERIMENTER|RESEARCHER|TRANSLATOR|INTERPRETER|THERAPIST|COUNSELOR|CLIENT|DOCTOR|NURSE|PATIENT|CLINICIAN"
    "|TEACHER|STUDENT|PROFESSOR|INSTRUCTOR|LECTURER|JUDGE|COURT|WITNESS|ATTORNEY|COUNSEL|PROSECUTOR|DEFENDANT|CLERK|JUROR"
    "|OFFICER|DETECTIVE|DISPATCHER|AGENT|CUSTOMER|MOTHER|FATHER|MOM|DAD|CHILD|CHAIR|CHAIRMAN|CHAIRWOMAN|CHAIRPERSON"
    r"|PRESIDENT|SENATOR|SECRETARY|MAN|WOMAN|BOY|GIRL|MALE|FEMALE|VOICE|[A-Z](?=\d)|Q|A)"
)
_SPEAKER_LABEL = (
    rf"(?:(?:THE|UNIDENTIFIED|UNKNOWN|FIRST|SECOND|MALE|FEMALE)[ ])*{_SPEAKER_WORD}(?:[ ]?(?:[A-Z]|\d{{1,3}}))?"
    r"|(?:(?:MR|MRS|MS|DR|PROF|REV|SEN|REP|GOV|SGT|CAPT|LT|COL|GEN)\.?|PRESIDENT|SENATOR|SECRETARY|JUDGE|JUSTICE|OFFICER"
    r"|DETECTIVE|AGENT|DOCTOR|NURSE|PROFESSOR|CHAIRMAN|CHAIRWOMAN|VICE[ ]PRESIDENT)(?:[ ][A-Z][A-Z'.-]+){1,3}"
)
_NO_SPEAKER = (
    "(?:EDIT|NOTE|PS|UPDATE|TLDR|FYI|LINK|WARNING|ERROR|QUESTION|ANSWER|PROBLEM|SOLUTION|OPERATION"
    "|[A-Z'-]*(?:ITY|NESS|TION|SION|MENT|ANCE|ENCE|ING|ISM))"
)
_SPOKEN = (
    "(?:So|Uh|Um|Uhm|Er|Yeah|Yep|Yes|No|Nope|Nah|Well|Okay|OK|Ok|Oh|Ah|Aha|Hi|Hello|Hey|Hmm|Hm|Mm|Mhm|Huh|Wow|Sure|Thanks"
    "|Thank|Alright|Please|Sorry|Let|Welcome|I|You|We|My|And|But|What|Where|When|Why|How|Who|Do|Does|Did|Are|Can|Could"
    "|Would|Will|Have)"
)
# ``STEP 1: Wash it.``
_NUMBERED = (
    "(?:STEP|PART|SECTION|ARTICLE|CHAPTER|ITEM|EXERCISE|QUESTION|RULE|NOTE|EXAMPLE|CLAUSE|PROBLEM|TASK|PHASE|STAGE|APPENDIX"
    "|FIGURE|TABLE|BOX|LESSON|MODULE|UNIT|TIP|REASON|PRINCIPLE|DAY|WEEK|LEVEL|ROUND|SCENE|ACT|CASE|OPTION|MYTH|FACT"
    "|QUESTION|ANSWER|TEST|STUDY|EXPERIMENT|TRACK|EPISODE|VERSION|GROUP|TEAM|PLAYER|AIM|GOAL|THEOREM|LEMMA)"
    "[ ](?:[0-9]{1,3}(?:[.][0-9]{1,3}){0,2}|[A-Z]|[IVX]{1,4})"
)
# Who may speak in a play, a film or an interview: words that are no names.
_ROLE_WORDS = """
actor actress adviser analyst angel attendant author aunt baby baker bandit barber barmaid baron bartender beggar bishop
bodyguard boss boy boys bride brother butcher butler cabbie captain cashier chaplain chef chief child children chorus clerk
clown coach colonel commander commissioner conductor constable cook cop cops corporal count countess cousin crew critic
crowd daughter deputy devil director doctor doorman driver duchess duke editor elder emperor empress engineer everyone
fairy farmer father fisherman fool friar friend friends gardener general gentleman ghost giant girl girls giver god
governor grandma grandmother grandfather grandpa granny guard guards guide helmsman herald hunter husband inspector
interpreter janitor judge jury king kid kids knight lady landlady landlord lawyer leader lieutenant lord lover madam maid
major man manager marshal master mate mayor mechanic men merchant messenger midwife minister miss mistress monk mother
mummy mum mom narrator neighbor neighbour nephew niece nun nurse officer owner page papa passenger pastor patient peasant
pilot pirate poet policeman policewoman pope porter postman priest priestess prince princess prisoner producer puppet
quartermaster queen rabbi receptionist referee reporter robot sailor salesman scientist scribe secretary senator sergeant
servant shepherd sheriff singer sir sister smuggler soldier soldiers son spirit spy squire stranger student suitor
surgeon tailor teacher thief tourist trainer traveler traveller twin uncle usher valet vendor victim villager villain
waiter waitress wanderer warden warrior watchman widow wife witch witness wizard woman women worker writer youth
"""
_ROLES = frozenset(_ROLE_WORDS.split())
# Given names that are words as well, or are short.
_NAME_WORDS = """
abe ada al amy andy angel ann anna ava bea ben bill bob buck carol charity chase chip chuck clarence clement cliff
colt constance daisy dale dan dawn dean deb dee don drew ed eli eric eva eve faith fay flora florence frank gene
ginger glen grace grant guy hal hank heather henry holly hope hunter ian ida ike ira iris irving ivan ivy jack jade
james jan jay jean jed jeff jen jill jim jimmy jo job joe john jon joy joyce june kate kay ken kim kit lawrence lee
len leo les levi lily liz lou luke mac mae major mark marshal martin mary mat matt max may meg mel mia mike miles mo
nan ned nick norm olive pam pat paul pearl peg penny pete peter phil ray reed rich rick rob robin rod roger ron rose
rosemary roy ruby rusty ruth sally sam sandy scott sid sky sol stan sterling steve sue summer susan ted terence
terrance terry tim tina tom tony van vic vince violet wade walter wendy will woody zoe
"""
_NAMES = frozenset(_NAME_WORDS.split())
_TITLE_WORDS = """
king queen lady lord sir prince princess duke duchess count countess baron captain general colonel major
sergeant lieutenant saint st father mother brother sister aunt uncle young old little doctor mr mrs ms miss dr
prof master
"""
_TITLES = frozenset(_TITLE_WORDS.split())
# Headings, though no common words.
_HEADING_WORDS = """
addendum addenda agenda aluminum bibliography bonus cattle caveat caveats changelog cocoa cons contraindications corollary
corrigendum cotton crude currencies dateline dessert diagnosis disclaimer disclosure dosage entree epilogue equities erratum
etymology faq faqs footnote gasoline genre glossary grains headline headlines hogs ingredient instructions keyword keywords
logistics lumber memo metals motto nickel nutrition offline online overview platinum postscript preamble preface prognosis
prologue pros recap recipe refunds reminder reminders retail rubber runtime snippet soybean soybeans spoiler spoilers
subtitle subtotal synopsis synonyms takeaway takeaways tariffs tldr todo tofu tokens transplant trivia uranium utilities
vegetables videos warranty website wheat zinc
"""
_HEADINGS = frozenset(_HEADING_WORDS.split())
_SMALL_WORDS = """
a an and are by for from in is it my of on or our that the to we what why with you your
"""
_SMALLS = frozenset(_SMALL_WORDS.split())
_IS_HEADING = re.compile(_NO_SPEAKER)
_MOST_WORDS_OF_SPEAKER = 4
_NAME_PARTS = re.compile("[A-Z]+(?:['.-][A-Z]+)*[.]?")
_VOWEL = re.compile("[aeiouy]")
_SHORTEST_NAME = 4  # a shorter word that is no common one is an acronym
# ``MARKETS: Prices rose.``: a heading in front of its first sentence.
_RUN_IN_HEADING = re.compile(
    rf"[{BLANK}]*+(?!(?:{_ABSTRACT}|{_SPEAKER_LABEL}):)"
    rf"(?!(?!{_NO_SPEAKER}:)[A-Z]['A-Z-]+(?:[ ][A-Z]['A-Z-]+)?:[{BLANK}]++{_SPOKEN}\b)(?!{_NUMBERED}:)"
    rf"(?P<label>[A-Z][A-Z0-9&'/.-]+(?:[ ][A-Z0-9&'/.-]+){{0,7}}):[{BLANK}]++"
    r"(?=[\"\u201c]?[A-Z])"
)


def end_of_heading(text: str, start: int, end: int) -> int | None:
    """Return where the heading at ``start`` ends, the blanks after it included; None if there is no heading."""
    heading = _RUN_IN_HEADING.match(text, start, end)
    return None if heading is None or _is_speaker(heading["label"]) else heading.end()


def _is_speaker(label: str) -> bool:
    """Return whether words in capitals before a colon say who speaks: ``HAMLET``, ``FIRST WAITER``; not ``COPPER``."""
    words = label.lower().removeprefix("the ").split(" ")
    if len(words) > _MOST_WORDS_OF_SPEAKER or not all(map(_NAME_PARTS.fullmatch, label.split(" "))):
        return False
    if "and" in words[1:-1]:
        place = words.index("and", 1)
        return _is_name(words[place - 1]) and _is_name(words[-1])
    last = words[-1]
    if len(words) == 1:
        return _is_name(last)
    if not _SMALLS.isdisjoint(words) or _IS_HEADING.fullmatch(last.upper()):
        return False
    if last in _ROLES or words[0] in _NAMES:
        return True
    is_first = words[0] in _TITLES or not is_common_word(words[0])
    return is_first and _is_name(last)


def _is_name(word: str) -> bool:
    """Return whether a word that stands in capitals is likely to be a person's name or role."""
    if word in _ROLES or word in _NAMES:
        return True
    if (
        word in _HEADINGS
        or _IS_HEADING.fullmatch(word.upper())
        or len(word) < _SHORTEST_NAME
        or _VOWEL.search(word) is None
    ):
        return False
    return not all(map(is_common_word, word.split("-")))
