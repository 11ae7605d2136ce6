"""English words on which a relation depends where the shape of the tree does not decide.

Verbs stand in their base form; `is_form_of` finds their other forms. Irregular forms stand beside the base form.
"""

from __future__ import annotations

import re
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE = _words("be am is are was were been being ai 's 're 'm \u2019s \u2019re \u2019m")
HAVE = _words("have has had having 've 'd \u2019ve \u2019d ve")
DO = _words("do does did done doing du")
GET = _words("get gets got gotten getting")
# Modals that a tagger may take for verbs, and forms without an apostrophe.
_OTHER_AUXILIARIES = _words(
    "s r m re d ll 'll \u2019ll can could may might must shall should will would wo ca ought"
)
AUXILIARIES = BE | HAVE | DO | GET | _OTHER_AUXILIARIES
NOT = frozenset({"not", "n't", "n\u2019t", "nt", "'nt"})
PARTICIPLES_AFTER_HAS = frozenset({"been", "had", "got", "gotten", "become", "done", "gone"})
"""Participles before which "'s" is "has": "he 's been"."""

QUESTIONS = _words("question questions issue issues mystery puzzle matter debate riddle")
"""Nouns whose predicate is an indirect question: "the question is what he said"."""

POINTS = _words(
    "problem problems point difference thing trouble catch idea concern trick secret key"
)
"""Nouns whose predicate with "when", "why", "how" is a clause: "the problem is when he lies"."""

DEMONSTRATIVES = _words("this that these those which it here")
PLACES = _words(
    "here there away home out in back up down over off upstairs downstairs everywhere nowhere somewhere "
    "anywhere elsewhere around abroad inside outside together apart ahead nearby far"
)
"""Adverbs that are the predicate of "be": "he was there when I left"."""

NOMINATIVES = frozenset({"i", "he", "she", "we", "they"})
MEANS = _words(
    "hand machine accident mistake chance force mail e-mail email post phone telephone fax letter car bus train plane air "
    "boat ship sea land road rail bike bicycle truck taxi foot default law design nature definition choice "
    "heart ear name sight birth marriage trade profession appointment invitation request popular word mouth "
    "candlelight telegraph transfer cheque check card cash computer"
)
"""Nouns that say how, where they stand alone after "by": "made by hand"."""

AGENTLESS = _words("end average way means virtue dint majority margin vote percent % point points")
"""Nouns after "by" that are never who does it: "by the end", "by a margin"."""

REFLEXIVES = _words("myself yourself himself herself itself ourselves yourselves themselves")

# Times and measures as bare noun phrases

DEICTIC_TIMES = _words(
    "today tonight tomorrow yesterday tonite tommorow everyday someday nowadays "
    "monday tuesday wednesday thursday friday saturday sunday "
    "mon. tue. tues. wed. thu. thur. thurs. fri. sat. sun."
)
TIMES = DEICTIC_TIMES | _words(
    "second minute hour day night morning noon afternoon evening midnight week weekend weekday "
    "month quarter semester season year decade century millennium moment instant time while "
    "spring summer fall autumn winter easter christmas nite eve yr. yrs yrs. yr hr hrs mins min "
    "january february march april may june july august september october november december "
    "jan. feb. mar. apr. jun. jul. aug. sept. sep. oct. nov. dec. "
    "seconds minutes hours days nights mornings afternoons evenings weeks weekends weekdays months "
    "quarters semesters seasons years decades centuries millennia moments times springs summers "
    "autumns winters mondays tuesdays wednesdays thursdays fridays saturdays sundays "
    "a.m. p.m. am pm a.m p.m"
)

TIME_IN_NUMBERS = re.compile(r"\d+:.*|(?:18|19|20)\d\d|\d{1,4}([/.-])\d{1,2}\1\d{1,4}")
"""Times of day, years and dates: "10:30", "1990", "12/5/2010"."""

HABITS = _words(
    "nights days mornings afternoons evenings weekends weekdays springs summers autumns winters "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
"""Times of "works nights", "sleeps days"."""

MONTHS = _words(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec."
)
MEASURES = _words("degree degrees percent % point points cent cents notch")
DISTANCES = _words(
    "mile miles kilometer kilometers kilometre kilometres km meter meters metre metres m foot feet "
    "inch inches yard yards block blocks cm mm"
)
MANNERS = frozenset({"way", "ways"})
QUANTIFIERS = _words(
    "a an about several many few couple half two three four five six seven eight nine ten twelve twenty thirty hundred "
    "all whole entire multiple numerous countless more nearly almost over only"
)
"""First words of a time that says how long or how often: "two hours", "a while", "many times"."""

LITTLE = frozenset({"bit", "little", "tad", "lot", "while", "deal"})
"""Nouns of "a bit", "a lot", "a great deal"."""

POINTERS = _words(
    "last next this that these those every each any some one same previous following all past "
    "another other first second third whole most"
)
"""First words of "last year", "every day", "one day", "the next day"; of "this way"."""

# Verbs -----------------------------------------------------------------------------------------

SPEND = _words("spend spends spent spending")
"""Verbs that always take a time as their object: "spent Monday", "spent today"."""

SPENDING = SPEND | _words(
    "take took taken have has had having waste lose lost need save love hate like enjoy "
    "make made remember celebrate mark use cost include describe cover be become became mean meant "
    "ruin plan underestimate"
)
"""Verbs that take any time but "today" as their object: "spent last year", "has a minute"."""

TAKING_TIMES = _words(
    "want see saw seen miss set choose chose chosen pick schedule know knew known get got find found "
    "buy bought leave left offer require call name prefer put bring brought reach count share keep "
    "kept hold held lead led show change earn end begin forget forgot consider kill pass fill suggest "
    "approach determine discuss add devote span estimate dedicate invest extend shorten occupy "
    "reserve allow start feel felt seem"
)
"""Verbs that take a time as their object where it is none that one points to: "left a week", not "left last week"."""

DOING = (
    SPENDING
    | TAKING_TIMES
    | _words(
        "do did done learn say said write wrote eat ate ask pay paid teach taught accomplish expect hear heard"
    )
)
"""Verbs that take "a lot" as their object."""

MOVING = _words(
    "walk run ran go went gone drive drove driven travel climb rise rose risen fall fell fallen grow "
    "grew grown drop increase decrease jump decline slip gain march swim swam fly flew ride rode hike "
    "move stretch extend advance tumble soar plunge shrink slide expand ski sail crawl "
    "stand live surge edge leap leapt ease rally rallied sink sank rocket cost weigh measure stay wait sleep"
)
"""Verbs whose measure is no object: "walked two miles", "rose 5 %"."""

GIVING = _words(
    "give gave given send sent tell told show shown feed fed charge get got hand buy bought wish teach "
    "taught ask bring brought offer sell sold pay paid lend lent owe promise read text throw threw "
    "cost cook pass write wrote grant deny cause save earn award assign email mail fine afford "
    "guarantee loan order pour serve quote sing sang deal bet win won "
    "leave left build built provide present refuse spare tip "
    "wire fax forward allot envy forgive rent toss fetch "
    "bake knit sew brew fry roast draw drew paint fix grab book reserve hire carve land slice peel catch caught pick"
)
"""Verbs with two objects: "gave Mary a book"."""

INFORMING = _words("tell told remind inform convince persuade urge warn notify assure reassure")
"""Verbs whose one object is who is told: "told the police"."""

TOLD = _words(
    "truth story stories lie lies joke jokes tale tales time difference news fact facts future fortune secret it that "
    "what which"
)
"""What is told: the object of "told the truth"."""

TELLING = INFORMING | _words(
    "ask advise promise teach taught show shown instruct caution pay paid charge"
)
"""Verbs whose one object, where a clause follows or it is a person, is who is told: "asked me if"."""

ALLOWING = _words("allow cause forbid permit")
"""Verbs whose object is an ``iobj`` before an infinitive: "allow me to go"."""

ADDRESSEES = _words(
    "sir madam ma'am guys folks mom mum dad mother father buddy honey dude man boys girls friend friends ladies "
    "gentlemen everyone everybody doctor darling dear son baby kids people"
)
"""Common nouns for who is spoken to."""

PERSONS = _words("me you him us them her everyone everybody someone somebody anyone people")

NAMING = _words("call name elect make made consider appoint declare deem dub label crown nickname")
"""Verbs with an object and what it becomes: "called him a liar"."""

BECOMING = _words("become became remain stay seem")
"""Verbs whose noun phrase is no object: "became a judge"."""

SAYING = _words(
    "say said tell told ask add reply answer explain exclaim shout cry whisper state report write wrote "
    "note think thought wonder declare announce claim insist argue suggest admit agree believe "
    "continue warn conclude observe remark recall assure promise hope guess suppose know knew read "
    "yell scream murmur mutter mumble demand inquire snap laugh sigh groan order call"
)
"""Verbs of direct speech."""

ASKING = _words(
    "ask know knew known knowing wonder see saw seen check determine decide remember find found tell told learn "
    "say said care matter doubt figure question inquire test understand understood verify guess "
    "discuss consider explain show predict hear heard discover investigate idk forget forgot confirm "
    "sure unsure certain uncertain clear unclear curious doubtful unknown undecided obvious"
)
"""Verbs and adjectives before an indirect question: "asked whether", "know if", "sure if"."""

WANTING = _words(
    # beside an infinitive without an object
    "want have has had having go going gon need like try tend decide get got suppose seem continue start begin "
    "began begun allow require take hope expect force refuse choose chose chosen consider wish plan attempt "
    "remember intend forget forgot forgotten appear afford love enable believe agree manage mean meant learn "
    "lead led schedule fail invite claim cause seek sought hesitate threaten propose pretend prefer "
    "promise offer prepare volunteer vow pledge swear swore strive strove struggle opt elect aim "
    "ask tell told urge advise persuade convince encourage order permit instruct compel oblige know "
    "known say said think thought report estimate find found see seen come came prove proceed "
    "happen hate dare deserve demand arrange long wan got ought use look help serve wanna qualify "
    "entitle inspire motivate tempt remind teach taught train request recommend rumor allege deem "
    "guarantee beg bother cease care conspire desire endeavor fear undertake undertook "
    "decline purport venture commit yearn make made inclined doom destine bind bound stand turn turned warn trust"
)
"""Verbs that an infinitive completes: "want to go", "was forced to go"."""

GOING = _words("go went gone")

ORDERING = _words(
    # beside an infinitive that follows an object
    "ask tell told want allow get got help require force encourage expect enable invite order advise "
    "urge cause lead led permit persuade convince remind teach taught need like would trust believe instruct "
    "compel oblige warn wish inspire motivate tempt train request beg prompt hire recommend challenge "
    "drive drove prefer appoint choose chose pay assign authorize command direct empower entitle "
    "incline induce pressure provoke push qualify signal summon find found consider know known "
    "think assume prove suppose mean meant forbid forbade intend program cost bring brought "
    "commission prompt perceive suggest commit thrill stimulate equip predict condemn tip love hate dare bid bound entice"
)
"""Verbs that an infinitive after an object completes: "asked me to go"."""

ENJOYING = _words(
    "start stop keep kept begin began begun continue try avoid enjoy recommend consider like love hate "
    "suggest imagine remember finish end quit mind miss risk prefer propose regret resist resume "
    "fear involve mean meant discuss admit deny postpone delay practice picture favor "
    "advocate anticipate appreciate contemplate describe detest dislike forget mention "
    "recall report tolerate understand support bear stand can't want need deserve require "
    "allow bother see saw seen hear heard feel felt find found catch caught get got have had leave left watch notice "
    "go went gone spot observe sense show set send sent wind wound have has cease consider"
)
"""Verbs that an "-ing" clause completes: "keep going", "saw him leaving"."""

ABLE = _words(
    "able willing ready likely unable sure unlikely eager afraid determined about supposed certain prone "
    "reluctant hesitant inclined keen bound set prepared entitled anxious proud happy glad loath "
    "content unwilling apt liable obligated obliged tempted excited scared fit due desperate impatient "
    "quick slow known qualified motivated welcome lucky fortunate ashamed thrilled destined "
    "pleased scheduled expected required allowed forced"
)
"""Adjectives that an infinitive completes: "able to go"."""

TOUGH = _words("hard easy difficult impossible easier harder tough fun simple tricky cheaper")
"""Adjectives whose subject is the infinitive's object: "hard to find"."""

SEEMING = _words("seem appear turn happen")
FINDING = _words("known note find found expect show shown prove estimate recommend decide")
TAKING = _words("take took taken help make made cost hurt pay")
"""Verbs after "it" before a clause: "it seems that", "it was found that", "it takes time to"."""

AFFECTING = _words(
    "matter surprise annoy bother amaze worry shock upset please scare frighten puzzle delight sadden irritate "
    "disappoint hurt help strike struck occur interest concern thrill astonish infuriate disturb embarrass anger "
    "excite frustrate depress pain comfort alarm trouble baffle impress suit kill break broke drive drove"
)
"""Verbs after "it" before a fact: "it surprised me that", "it matters whether"."""

# Other words -----------------------------------------------------------------------------------

ET_CETERA = frozenset({"etc", "etc."})
ANSWERS = _words("well anyway anyways ok okay yes no yeah please")
QUESTION_ADVERBS = frozenset({"how", "why"})
TITLES = _words(
    "mr. mr mister mrs. mrs ms. ms dr. dr prof. professors doctors senators prof president senator sen. governor gov. judge doctor "
    "professor minister king queen prince princess sheikh general gen. col. lt. capt. captain sgt. "
    "rev. st. st saint madam miss sir lady lord pope uncle aunt mayor ambassador secretary chairman congressman "
    "congresswoman sheriff officer detective mullah ayatollah lieutenant colonel major"
)
"""Nouns before a name: "Mr. Lay", "President Bush"."""

ADJECTIVES_IN_NAMES = _words(
    "new united national international islamic red democratic middle american supreme saudi central great "
    "royal white global grand federal southern northern western eastern british main blue open "
    "public black canadian social civil republican naval executive medical green european special "
    "historic arctic religious educational natural holy communist far joint french korean electoral "
    "legal muslim foreign indian iranian iraqi egyptian christian arab palestinian financial czech "
    "independent environmental olympic chinese spanish english old african latin mexican russian "
    "german japanese italian australian greek jewish israeli irish scottish turkish dutch "
    "swedish polish cuban pakistani afghan thai syrian lebanese kurdish sunni shia shiite hindu "
    "buddhist catholic orthodox presidential urban pacific free human electronic strategic "
    "general civic prime good big little golden imperial revolutionary metropolitan continental "
    "annual american dental veterinary technical industrial commercial agricultural regional"
)
"""Adjectives that are tagged as parts of a name: "the United States"."""

ADVERBIAL_PARTICLES = _words(
    "back away together around along ahead apart forth by about across home forward aside"
)
ADVERBS_OF_NUMBERS = _words(
    "more less fewer about over under around nearly almost up approximately roughly only at least "
    "some close approx. than"
)


def is_form_of(word: str, verbs: frozenset[str]) -> bool:
    """Return whether a word in lower case is one of the verbs, or a regular form of one: "planned" of "plan"."""
    return not verbs.isdisjoint(_base_forms(word))


@lru_cache(maxsize=20_000)
def _base_forms(word: str) -> frozenset[str]:
    """Return the word and what its regular ending may have been put to."""
    found = {word}
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)] + instead
            found.add(stem)
            if not instead and len(stem) > 2 and stem[-1] == stem[-2]:
                found.add(stem[:-1])
    return frozenset(found)


_ENDINGS = (
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ied", "y"),
    ("ing", ""),
    ("ing", "e"),
    ("in", ""),
)
