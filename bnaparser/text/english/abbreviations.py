"""English words that keep their period, and words that show where a sentence begins.

The lists serve both the tokenizer (does this period belong to the word?) and the sentence splitter
(does this period end the sentence?). Abbreviations stand here without their final period, and with
the capitals they are written with: ``Miss.`` is Mississippi, ``miss.`` ends a sentence.
"""

from __future__ import annotations

import re
from enum import Enum


class Period(Enum):
    """What a period after a word is likely to be."""

    STOP = "the word is no abbreviation: the period ends the sentence"
    NEVER = "a name or an example follows: the period never ends the sentence"
    NUMBER = "an abbreviation if a number follows (No. 5), else a plain word"
    SMALL = "an abbreviation if a number or a small letter follows (pt. is), else a plain word"
    UNIT = "an abbreviation if a number stands before it (6 in.), else a plain word"
    MAYBE = "the period belongs to the word and may end the sentence as well (Inc., U.S.)"
    INITIAL = "one letter, most often of a name"


_NEVER = """
Mr Mrs Ms Mx Messrs Mmes Mme Mlle Dr Drs Prof Profs Rev Revs Hon Fr Msgr Gen Lt Col Maj Capt Cmdr
Comdr Sgt Cpl Pvt Pfc Adm Gov Govs Sen Sens Rep Reps Pres Supt Insp Det Amb Atty Attys Asst Assoc
Ste Ft Mt Brig Lieut mr mrs ms dr prof hon gen lt capt sgt
e.g i.e a.k.a eg ie cf Cf viz vs v approx Approx incl Incl excl Excl esp Esp aka qtd Ph Ex Attn attn
Viz Rt Cdr Spc Ald Cllr Abp Vs Suppl Sta Pt Gens Sgts Lts Cols Capts Mlles Mses Mssrs
"""

# In capitals they are other words: BP, HR.
_TITLES = """
Bp Bps Abps Ven Br Mons Msgrs Adj Adjt Ens SSgt MSgt TSgt SMSgt CMSgt GySgt MGySgt LCpl Lcpl Sfc Lcdr LCdr Ltc Ltjg VAdm Vadm RAdm Radm
Comdt Ldr Archbp Dn Assemb Chf Ofc Dep Sra Sras Srta Srtas Hr Hrn
"""

_NUMBER = """
No no Nos nos Fig fig Figs figs Sec sec Secs secs Sect sect Rs Art art Arts Ch ch Chap chap Chs Par par Para para
p pp Pp Pg pg Vol vol Vols vols Eq eq Eqs Exh pt Pt pts Pts Nr nr Op op Ser Ver ver c ca Ca cl Cl amend
ref Ref refs Refs chr Chr Apt apt Apts Rm rm Rms fn Fn fns n nn Qty qty Fax fax Yr Bk bk fol Fol fols
Prop Tab Iss iss Anh Sch Est Lect Lec Ep Eps Prob Mod Cat Ord Pat Bull Circ Add Corr Rem Obs Conj Ax
Sub Subsec subsec Exx Att Anx Abb Abs Tit Kap kap Ques Exer Ans Sem Diag Pop pop Hyp Frag Cod Coll Quest col cols lib Lib subd Subd reg regs fasc Fasc ser defs subsecs Subsecs Subch Subpt Eqn Eqns eqn eqns Tbl tbl
"""

# Before a capital they end their sentence, like any word.
_SMALL = """
pt pts dx hx tx rx sx fx temp temps hosp resp abd neuro mfr mfrs mfd tabs Tbsp tbs tbl pls plz cont def
appt appts yd yds cc fl var cv dir acct accts mgmt mgr mgrs asst rec recd reqd sched std orig qtr wt ht lg
suppl illus repr masc fem neut intr amt pkt pkts addl attd encl Sat Sun
vol vols fig figs chap chaps para paras eq eqs ref refs apt apts sect sects nos ave hwy hwys univ assoc treas gov supt
sta med prev subj obj plur pron usu occas freq elem econ chem elec obs colloq poss perh circ trad anon abbr abbrev qty
transl publ rept repl deliv eng lang langs shipt secy attrib bibl biog calc compl conc cond constr contr coord crit dist
crim decl defn deg degs edn educ elev equiv expt foll hist impt indep indiv init irreg junc mach maint mech mus pers
phon pref quot recip refl relig sci serv subst suff surg theol tot ult voc conf mio thou gro cal kcal psi ac alg lem
param params contd addn acctg catg cnty recv arr apx len fac insp inst auth num mun proc syn const rel bal opp orth
engl eff subsec soln alt tech loc op dep enc pseud abr introd biblio trans min avg prep nat geog priv jan feb aug sept oct nov dec tues thurs addr approp pkwy pkwys
"""

# A short word without a vowel is an abbreviation (``3 bn.``, ``sm.``, ``Thm.``), except these words.
_VOWELLESS = re.compile("[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]{1,4}")
_VOWELLESS_WORD = """
hm hmm hmmm mm mmm mhm sh shh shhh brr grr grrr pfft pst psst tsk zzz nth tv tvs cd cds dvd dvds pc gps dj djs
html css xml pdf pdfs sms dm dms gf bf bff btw tbh thx tmrw lmk brb jk kk np nvm rn ppl smh ffs ftw fml wtf tldr
nfl nba nhl mlb bbc nbc cnn xp qb pm dc fb yt pvp npc npcs rpg rpgs pfff xd nnn sql ssd hdd hmph psh
"""

# Books of the Bible: ``Ps. 23``; and those that are names of people as well: ``Tim. 2:4``.
_BOOKS = "Exod Lev Num Deut Judg Kgs Chron Neh Esth Prov Eccl Isa Jer Lam Ezek Hos Hab Zech Rom Cor Eph Thess Philem Heb Ps Pss"
_NAMES = "Gal Josh Sam Dan Mic Mal Matt Phil Tim Is Ecc"

_UNIT = "deg degs bu lin in gal ha sec secs pt pts c caps"

_MAYBE = """
Etc St Inc Corp Co Cos Ltd Bros Plc Pty Jr Sr Esq Assn Assns Dept Depts Univ Inst Intl Natl Mfg Govt Dist
ph.d Div Ind Bldg Ave Av Blvd Rd Hwy Pkwy Rte Sq Tel Ext
Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri
Ala Ariz Ark Calif Cal Colo Conn Del Fla Ga Ill Kan Kans Ky La Mass Md Mich Minn Miss Mo Mont Neb
Bro Nebr Nev Sask Alta Newf Tas Bankr Misc Reorg Okla Ont Ore Pa Penn Penna Que Tenn Tex Va Vt Wash Wis Wisc Wyo Dak
etc al ed eds Ed Eds dept depts est tel ext cit ux avg max min misc govt assn intl natl corp inc bros ltd
jr sr dia oz lb lbs ft cm mm km kg mg ml gm hr hrs mins mph yr yrs mo mos wk wks sq cu gals qt doz
pkg vol trans rev tsp tsps tbsp tbsps pct mi bbl bbls adj adv
Mgr Mgrs Exec Ret ret Pte Ln Twp Jct
Id id Ibid ibid Pet App Appx Tr Arg Cert cert Supp supp Stat Reg Fed Civ Crim Rul Proc Evid Const
Amdt Bd Cty Cir Ct Cas Cong Sess Serv Soc Juris Rptr Res Doc Acad Sci Biol Chem Phys Wm Geo Chas
Thos Robt Edw Benj Jas Jos JJ seq Colum Bus Econ Comm Bkrtcy Ins Elec Mem
Pub Amend Dkt Mot Compl Decl cmt
Virol Mol Immunol Biochem Microbiol Physiol Genet Endocrinol Pharmacol Neurosci Hematol Med Exp
sp spp ssp subsp
"""

_TITLES_WITH_SMALL = frozenset(_TITLES.split())
_UNITS = frozenset(_UNIT.split())
_NAMES_OF_PEOPLE = frozenset(_NAMES.split())
_SMALLS = frozenset(_SMALL.split())
_VOWELLESS_WORDS = frozenset(_VOWELLESS_WORD.split())
_KINDS = {
    **{small.capitalize(): Period.SMALL for small in _SMALLS},
    **dict.fromkeys(_SMALLS, Period.SMALL),
    **dict.fromkeys(_UNITS, Period.UNIT),
    **dict.fromkeys(_MAYBE.split(), Period.MAYBE),
    **dict.fromkeys([*_NUMBER.split(), *_BOOKS.split(), *_NAMES_OF_PEOPLE], Period.NUMBER),
    **dict.fromkeys([*_NEVER.split(), *_TITLES_WITH_SMALL], Period.NEVER),
}

# U.S, a.m, Ph.D, S.p.A, Sino-U.S: letters (or a letter pair) and periods by turns.
# Also F.R.Civ.P
_ACRONYM = re.compile(
    r"(?:\w+-)?(?:[^\W\d_]\.|[A-Z][a-z]\.)+[^\W\d_]{1,2}|(?:[A-Z]\.){1,3}(?:[A-Z][a-z]{1,3}\.){1,2}[A-Z]",
    re.ASCII,
)

# A company's name is often the last word of a sentence: a capital after it begins the next one,
# unless somebody's office or the rest of the name follows.
# ``Ibid.`` behaves like one.
COMPANIES = frozenset(["Inc", "Corp", "Co", "Cos", "Ltd", "Bros", "Plc", "Ibid", "ibid"])
_AFTER_COMPANY = """
Inc Co Corp Ltd President Chairman Chairwoman Chief Vice Executive Director Treasurer Deputy
Senior Managing General Spokesman Spokeswoman Founder Partner Analyst Securities International
Class Series Holdings Group America USA Bank Trust Limited CEO CFO COO LLC Employees
"""
AFTER_COMPANY = frozenset(_AFTER_COMPANY.split())

# Words seldom written with a capital inside a sentence. After ``Inc.`` or ``U.S.`` they tell that
# a new sentence has begun. Chosen by counting in running text, names and titles taken out.
_STARTERS = """
A About Above According Accordingly Across Actually Additionally After Afterwards Again Ah All
Almost Along Already Also Although Always Am An And Another Any Anybody Anyone Anything Anyway Apart
Apparently Are Aren Around As Aside Assuming At Back Basically Be Because Been Before Behind Being
Below Besides Between Beyond Both But By Can Certainly Clearly Come Compared Consequently Consider
Considering Could Currently Definitely Depending Despite Did Didn Do Does Doesn Don During Each
Earlier Either Else Enough Especially Essentially Even Eventually Ever Every Everybody Everyone
Everything Evidently Except Few Fewer Finally Following For Fortunately Frankly From Further
Furthermore Generally Get Give Given Giving Go Had Hardly Has Have Having He Hence Her Here Hers
Herself His Hopefully How However I If Imagine In Including Indeed Initially Inside Instead
Interestingly Into Is Isn It Its Just Last Lately Later Let Like Likewise Look Looking Lots Luckily
Made Make Makes Making Many Maybe Me Meanwhile Mine More Moreover Most Mostly Much Must My Naturally
Nearly Neither Never Nevertheless Next No Nobody None Nonetheless Nor Normally Not Nothing
Notwithstanding Now Obviously Occasionally Of Often Oh Okay On Once One Only Or Originally Other
Others Otherwise Our Out Over Overall People Perhaps Personally Please Plus Possibly Presumably
Previously Probably Provided Quite Rather Really Recently Regardless Remember Said Say Says See
Seems Several Shall She Should Similarly Simply Since So Some Somebody Somehow Someone Something
Sometimes Soon Sorry Still Such Suddenly Suppose Surely Take Taken Taking Tell Terms Than Thank
Thanks That The Their Them Then There Thereafter Therefore These They Things This Those Though Three
Through Throughout Thus To Today Together Tomorrow Tonight Too Toward Towards Traditionally Try Two
Typically Ultimately Um Unable Under Unfortunately Unless Unlike Until Up Upon Use Using Usually
Various Very Want Was Wasn We Well Were What Whatever When Whenever Where Whereas Wherever Whether
Which While Who Whoever Whom Whose Why With Within Without Would Yeah Yes Yesterday Yet You Your
"""
STARTERS = frozenset(_STARTERS.split())


# I alone is a pronoun after a small letter (``no. I think``), a numeral after a capital (``Art. I``).
_NUMBER_AFTER = re.compile(
    r"[\"'\u2019\u201d)]*\s*[#\xa7(\[]?(?:\d|[A-Za-z]{1,4}[-_]?\d|[ivxlc]+\b|[IVXLC]{2,}\b|[VX]\b"
    r"|I(?=,?\s*(?:\xa7|cls?\.|secs?\.|arts?\.|paras?\.))"
    r"|(?P<one>I\b))|\s+of\b(?!\s+course)|(?P<at>\s+at\s+\d)"
)
_PRONOUN_AFTER = re.compile(r"\s+I(?:['\u2019]|\s+(?!of\b|and\b|to\b)[a-z])")  # No. I don't.
_LETTER_AFTER = re.compile(r"\s*(?:[B-HJ-Z]|[AI](?=[,.;:)]))\b")  # Fig. B, Vol. A)
_WORDS_TOO = frozenset(["No", "EST"])
# Another abbreviation of the same name or place: Tech. Sgt. Lee, Treas. Reg. 5, Ser. No. 5
_ABBREVIATION_AFTER = re.compile(
    r"\s+(?:Gen|Sgts?|Lts?|Cols?|Maj|Adm|Cdr|Ldr|Capt|Attys?|Geog|Soc|Asst|Dir|Secy|Regs?|Dec|Supp|Stat|Nos?|Secs?|Dept|Dist|Proc|Rul|Ct|Civ|Crim|Ltr|P|L|R)"
    r"\.(?=[\s,])|\s+Att['\u2019]ys?\s"
)
_DAYS = frozenset(["Sat", "Sun"])
# The no. is 5, a co. of his: words that end sentences otherwise.
_AFTER_ARTICLE = frozenset(["no", "nos", "co", "cos", "pop", "cent", "col"])
_ARTICLE_BEFORE = re.compile(
    r"(?<![\w-])(?i:an?|the|this|that|each|every|its|his|her|our|your|their|my)\s\Z"
)
_LONGEST_ARTICLE = 7
_VERB_AFTER = re.compile(r"\s+(?:is|was|are|were|has|had|of)\b")
# No. is 5, not: No. is it?
_VERB_NO_QUESTION = re.compile(
    r"\s+(?:is|was|are|were|has|had|of)\s(?!(?:it|that|this|he|she|there|you|we|they|i|the|a|course)\b)"
)
# N. Mex., S. Car.
_OF_NORTH = frozenset(["Mex", "Car"])
_NORTH_BEFORE = re.compile(r"(?<!\w)[NS]\.\s?\Z")
_LONGEST_NORTH = 4
# Reporters of courts: 5 So. 2d 5, 5 Or. App. 5
_REPORTERS = frozenset(["So", "Or", "Wn", "Wash", "Misc", "Bankr", "Mich", "Mass", "Ill"])
# The oldest reporters have names: 19 How. 393
_NAMED_REPORTERS = frozenset(
    ["How", "Wall", "Wheat", "Dall", "Black", "Cr", "Johns", "Wend", "Barb"]
)
_NUMBER_NEXT = re.compile(r"\s\d")
# Code Ann. \xa7 5, Super. Ct., 26 Am. J. Int'l L.
_OF_COURTS = re.compile(r"Ann\.\s\xa7|Super\.\sCt\b|Am\.\s(?:J|L|Jur|Bar|Bankr|Dec|Rep|St)\.")
_SERIES_AFTER = re.compile(r"\s(?:[23]d\b|App\.)")
# Second words of Latin: et ux., ex rel.
_AFTER_LATIN = {"rel": "ex", "nom": "sub", "vir": "et", "cit": "op"}
_LONGEST_LATIN = 5
# The 5th cent. B.C.
_CENTURY = frozenset(["cent", "c"])
_ORDINAL_BEFORE = re.compile(r"\d(?:st|nd|rd|th)\s\Z")
_LONGEST_ORDINAL = 4
_CITED = frozenset(["Op", "op", "p", "pp"])
_LETTERED_WORDS = (
    "Fig fig Figs figs Eq Eqs Exh Vol Sec Ch App Apt Apts Rm Rms Ser ser Sch Bk Sect Tab"
)
_LETTERED = frozenset(_LETTERED_WORDS.split())
_VERSE_AFTER = re.compile(r"\s*\d{1,3}:\d")
_SMALL_AFTER = re.compile(
    r"['\"\u2019\u201d)]*[^\S\r\n]+(?:\d|(?!(?:i|he|she|it|they|we|you|the|this|that|there|so|but)\b)[a-z]"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b)"
)
# Of a life: (b. 1950), (b. May 1950; m. 1970, d. 1999)
_LIFE = frozenset(["b", "d", "m", "r", "fl", "div"])
# Exec. Dir. Lee
_SHORT_BEFORE = re.compile(r"(?:Exec|Assoc|Asst|Dep|Mng|Man|Dist|Reg|Gen)\.\s\Z")
_LONGEST_SHORT = 7
_MARRIED = frozenset(["b", "d", "m"])  # (m. Ann Lee), (b. London)
_NAME_AFTER = re.compile(r"\s[A-Z][a-z]")
_BEFORE_MARRIED = re.compile(r"[(\[]\s?\Z")
_BEFORE_LIFE = re.compile(r"[(\[;,]\s?\Z")
_YEAR_AFTER = re.compile(
    r"\s(?:c\.\s?|ca\.\s?)?(?:\d{3,4}\b|(?:\d\d?\s)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
)
# Written with a blank: 5 p. m., 70 b. c.
_SPACED = re.compile(r"(?<![\w.])(?:[ap]\.\sm|b\.\sc|a\.\sd|i\.\se|e\.\sg)\Z")
_LONGEST_SPACED = 5
# The number of 7p.m., 150lbs., 6.5in.
_NUMBER_PART = re.compile(
    r"\d[\d.,:/]*(?=(?:[ap]\.m|[AP]\.M|(?:lb|hr|min|sec|yr|mo|wk|gal|pt|qt|tsp|tbsp)s?|oz|ft|in|[cmk]m|[km]?g|ml|mph|doz|bbls?)\Z)"
)
_NUMBER_BEFORE = re.compile(r"[\d\xbc-\xbe\u2150-\u215e][\s-]*\Z")
_LONGEST_GAP = 4  # between a number and its unit
# And the following pages: pp. 3 ff., 20f.
_FOLLOWING = re.compile(r"(?P<number>\d*)(?:ff?|sqq?)")
_MORE_AFTER = re.compile(rf"[^\S\r\n]*\(|{_SMALL_AFTER.pattern}")
_PARTS = re.compile(r"[/-]")  # D-Calif., Mr./Mrs.


def is_abbreviation(word: str) -> bool:
    """Return whether a word, without its period, is in one of the lists."""
    return word in _KINDS


def is_acronym(word: str) -> bool:
    """Return whether a word is letters and periods by turns, the last period left out: ``p.m``."""
    return _ACRONYM.fullmatch(word) is not None


def period_at(text: str, start: int, dot: int) -> Period:
    """Return what the period at ``dot``, after the word from ``start`` on, is likely to be.

    What depends on the words around it is decided: the answer is never NUMBER, SMALL or UNIT.
    """
    number = _NUMBER_PART.match(text, start, dot)
    start = start if number is None else number.end()
    word = text[start:dot]
    kind = _period_after(word)
    if _SPACED.search(text, max(0, dot - _LONGEST_SPACED), dot):
        return Period.MAYBE
    if word in _LIFE and _YEAR_AFTER.match(text, dot + 1):
        before = _BEFORE_LIFE.search(text, max(0, start - 2), start)
        return kind if before is None else Period.NEVER
    if _is_before_name(text, start, dot, word, kind):
        return Period.NEVER
    if _is_shortened_noun(text, start, dot, word):
        return Period.MAYBE
    pages = _FOLLOWING.fullmatch(word)
    if pages and (pages["number"] or _follows_number(text, start)):
        return Period.MAYBE if _MORE_AFTER.match(text, dot + 1) else Period.STOP
    if kind is Period.NUMBER:
        if _has_number(text, word, dot):
            return Period.NEVER
        kind = Period.INITIAL if len(word) == 1 else Period.SMALL
        kind = Period.UNIT if word in _UNITS else kind
    if kind is Period.UNIT:
        kind = Period.MAYBE if _follows_number(text, start) else Period.SMALL
    if kind is Period.SMALL:
        is_short = _is_short(word) and _SMALL_AFTER.match(text, dot + 1) is not None
        return Period.MAYBE if is_short else Period.STOP
    return kind


def _follows_number(text: str, start: int) -> bool:
    return _NUMBER_BEFORE.search(text, max(0, start - _LONGEST_GAP), start) is not None


def _is_before_name(text: str, start: int, dot: int, word: str, kind: Period) -> bool:
    """Return whether the name that an abbreviation belongs to follows: ``(m. Ann Lee)``, ``Treas. Reg. 5``."""
    if word in _REPORTERS and _SERIES_AFTER.match(text, dot + 1):
        return True
    if _OF_COURTS.match(text, start):
        return True
    if word in _NAMED_REPORTERS and _NUMBER_NEXT.match(text, dot + 1):
        return _follows_number(text, start)
    if word == "Dir" and _SHORT_BEFORE.search(text, max(0, start - _LONGEST_SHORT), start):
        return _NAME_AFTER.match(text, dot + 1) is not None
    if word in _MARRIED and _NAME_AFTER.match(text, dot + 1):
        return _BEFORE_MARRIED.search(text, max(0, start - 2), start) is not None
    if kind is Period.NUMBER or (kind is Period.SMALL and word not in _DAYS):
        is_name = word[0].isupper() and word not in _WORDS_TOO
        return is_name and _ABBREVIATION_AFTER.match(text, dot + 1) is not None
    return False


def _is_shortened_noun(text: str, start: int, dot: int, word: str) -> bool:
    """Return whether the words around show an abbreviation: ``The no. is``, ``N. Mex.``, ``5th cent. B.C.``"""
    if word in _CENTURY and _ORDINAL_BEFORE.search(text, max(0, start - _LONGEST_ORDINAL), start):
        return True
    if word in _OF_NORTH and _NORTH_BEFORE.search(text, max(0, start - _LONGEST_NORTH), start):
        return True
    latin = _AFTER_LATIN.get(word)
    if latin and latin in text[max(0, start - _LONGEST_LATIN) : start].split():
        return True
    if word.istitle() and word.lower() in _AFTER_ARTICLE:
        return _VERB_NO_QUESTION.match(text, dot + 1) is not None
    if word not in _AFTER_ARTICLE or _VERB_AFTER.match(text, dot + 1) is None:
        return False
    return _ARTICLE_BEFORE.search(text, max(0, start - _LONGEST_ARTICLE), start) is not None


def _is_short(word: str) -> bool:
    """Return whether a word is an abbreviation where a number or a small letter follows."""
    if _VOWELLESS.fullmatch(word):
        return word.lower() not in _VOWELLESS_WORDS
    return word in _SMALLS or word.lower() in _SMALLS


def _has_number(text: str, word: str, dot: int) -> bool:
    """Return whether a number follows the word before ``dot``, or a letter in the place of one."""
    if word in _NAMES_OF_PEOPLE:
        return _VERSE_AFTER.match(text, dot + 1) is not None
    match = _NUMBER_AFTER.match(text, dot + 1)
    if match is None:
        return word in _LETTERED and _LETTER_AFTER.match(text, dot + 1) is not None
    if match["at"] is not None:
        return word in _CITED  # slip op. at 5
    if match["one"] is None:
        return True
    return word[0].isupper() and not (word in _WORDS_TOO and _PRONOUN_AFTER.match(text, dot + 1))


def _period_after(word: str) -> Period:
    """Return what a period after ``word`` (without the period) may be in any context."""
    kind = _KINDS.get(word)
    if kind is not None:
        return kind
    if len(word) == 1 and word.isalpha():
        return Period.INITIAL
    if _ACRONYM.fullmatch(word):
        return Period.MAYBE
    if word.isupper():
        if word.capitalize() in _TITLES_WITH_SMALL:
            return Period.STOP
        kind = _KINDS.get(word.capitalize())
        # CORP., MR. in a heading; but LA, PA and the like are words of their own
        return kind if kind is Period.NEVER or (kind and len(word) > 2) else Period.STOP
    last = _PARTS.split(word)[-1]
    kind = _KINDS.get(last) if last != word and last[:1].isupper() else None
    if kind in (Period.MAYBE, Period.NEVER):
        return kind
    return Period.SMALL if _is_short(word) else Period.STOP
