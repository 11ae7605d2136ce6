# ruff: noqa: RUF001 (typographic quotes, dashes and foreign marks are what is tested)
from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.text import run_text
from bnaparser.text.english.line_hyphens import with_whole_words
from bnaparser.text.english.tokens import word_spans
from bnaparser.text.sentence import SPLITS, Sentence, Split
from bnaparser.text.splitting import (
    goes_on,
    paragraphs,
    read_sentences,
    split,
    split_lines,
    split_stream,
    tokenize,
)

# One case a line: the words of the line, found again when the line's own blanks are dropped.
WORDS = """
I ca|n't go ; they wo|n't , she ai|n't here
We do|n’t , you|’re ok , it|’s I|’m
can|not gon|na got|ta wan|na gim|me lem|me
Gon|na Can|not 't|is 't|was d'|ye more|'n
do|nt Did|nt ca|nt WO|NT i|m that|s he|s you|re IM HES ill its were lets Jony Ive Im Lee wont to
7|pm 10:30|AM 9.15|p.m. 13pm 5pM 12pmol
I|'d|'ve would|n't|'ve let|'s he|'s they|'re you|'ve we|'ll I|'m
do|n`t ca|n`t do|n´t
the dogs|' bones , the boss|'s desk , the 1980|'s
goin' home , nothin' else jack-o'-lantern
Got|'em told|’em aff'd , Rev’d , cont'd he|'d
$|5m|-|$|6m €|5bn|-|€|6bn $|5 million|-|$|6 million mid-1990s 50|%|-|60|% 5.5|%|-|6|% 62%-owned 5%-a-year 5|¢ 5|€
12|"|-|14|" long 8|"|x|10|" 8|'|x|10|' 8x10 5|'|6|" 5|' 6|" 5|’|6|” a 6'-tall man
'68-'72 ’68–’72 1968-'72 '90s a[i][j] x[i][0] a|[|0|] (re)do re(do) (|so|) (s)he (|a|)|the --flag=value -f a|--|b
goin'|. thinkin'|—|well|, nothin'|! truckin'|, WALKIN' An' ol'|. jus' lil' Everythin' I (|doin'|) "|goin'|"
'Bout time 'Round midnight rock-'n'-roll , he said '|we can win|'|. ‘|goin’ home|’ ' an old '|an|' '|so|' an' left
foo_bar() main(void) x[i] f'(x) the dogs|' (|x|) $|5|-|$|10 €|5|-|€|10 US$|5|-|US$|10 ``` code :$ ^.^ *_*
'T|is true '|T 'T|was 'Cause 'Em ’T|is Yahoo|!|'s "|Jaws|"|'s (|U.S.|)|'s 5|%|'s '|s|'
6 in. of snow , 30 sec. to 2 gal. of 3 mi. in 5 pct. of 5 ft. 3 in. tall , 1 tsp. salt
(|b. 1950|; d. March 1999|) no. AF49 , chr. 9 , ref. 1 , at 5 p. m. , spp. were No|. I do|n't
the no. of people , adj. and adv. forms in|. 5 or no|. of course
Pub. L. No. 94-553 the XIV Amend. , amend. XIV cmt. 3 , Ex. A , Dkt. 7 , Mot. 3 Compl. 4
Mr./Mrs. Smith (|R-Mass.|) X D-Calif. and (|D-Calif.|)
rock 'n' roll in the '90s and mid-'50s with 'em
Rock 'n roll , 'nuff said|. 'Kay , get 'er done|. 'T|was so , 't|was|n't , 'T|would be
Guns N' Roses , Toys 'R' Us , '|course books|,|' he said
O'Brien|'s o'clock ma'am y'all C'mon
U.S.-based Inc.|'s U.S.|'s Ph.D. students
Mr. Vinken of Elsevier N.V.|, Mrs. Ward and Messrs. Cray
on Nov. 29 , 1989|, at 5 p.m. Chicago time
i.e. this , e.g. that , etc.|, vs. all
No. 5 , Fig. 3 , pp. 3-9 , Vol. II , no|. Then
$|5.50 US$|6 C$|7 €|8 9|£ 20|% 1/2|% 62%-owned
1,000.5 3/4 10th .5 -5 5-6 10:30 3:1 24/7
and/or AT&T S&P R&D well-known New York-based
a word|--|another|, he|—|she , a – b , 1914–18
"|quoted|" “|curly|” ``|penn|'' ‘|single|’
wait|... what|… now|...|. So
really|?! no|!!! yes|??
(|a|) [|b|] {|c|} (|see|)|,
friend(s) f(x) CD4(+) p56(lck) [w]hat minimiz[ing]
8|(|A|) 541|(|a|)|(|1|) Smith|(|2001|) word|[|5|]
http://a.org/b_(c)?d=1,2#e|, www.foo.com|. See ftp://x.y/z|)
He left|.|¹ so|.|_ and x² , foo._bar
joe.b@x.co.uk|, foo-bar_2.tar.gz C:\\dir\\x.txt|! /usr/bin/env
#winning @joe C# C++ #|5 .NET Node.js std::vec a|->|b
:-) :) ;) <3 ^_^ :D xD thanks|!!
love 😂|😂 👨‍👩‍👧 🇩🇪 ❤️|👍🏽
*|so|* f**k **|bold|** <b>|x|</b> a < b
it| :)|. so :)|" it|:) it|;-) ok|!|:) (|so :)|) (|as follows|:|) :)|"
a|!=|b a|<=|b a|->|b == >= || && >> << <> := i++ +=
¿|Qué|? ¡|No|! «|oui|» 5°C §|5 §§|6-7
我爱你|。|你呢|？ 「|好|」|，|他
نعم|؟ हाँ|।
""".strip().splitlines()


@pytest.mark.parametrize("case", WORDS)
def test_words(case: str) -> None:
    text = case.replace("|", "")
    assert tokenize(text + " x").words == (*case.replace("|", " ").split(), "x")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("She works at Foo Inc.", ("Inc", ".")),
        ("They left at 5 p.m.", ("p.m", ".")),
        ("I live in the U.S.", ("the", "U.S.")),
        ("I live in the U.S..", ("U.S.", ".")),
        ('I live in the "U.S."', ("U.S.", '"')),
        ("It ended (in Detroit, Mich.)", ("Mich.", ")")),
        ("(It ended in Detroit, Mich.)", (".", ")")),
        ("apples, pears, etc..", ("etc.", ".")),
        ("Malcolm X.", ("X", ".")),
    ],
)
def test_the_last_period_of_a_sentence_is_a_word_as_in_the_treebank(
    text: str, last: tuple[str, str]
) -> None:
    assert tokenize(text).words[-2:] == last


def test_blanks_of_all_kinds_stand_between_words() -> None:
    text = "\ufeffHello\u200b world\u00a0and\u3000\u200emore\x01co\xadop \u200d ."
    assert tokenize(text).words == ("Hello", "world", "and", "more", "co\xadop", ".")


def test_what_has_no_width_belongs_to_the_word_around_it_only() -> None:
    text = "\u200bto\u200bge\ufeffther co\xadop \u200f(\u200bso\u200b)\u200b."
    assert tokenize(text).words == ("to\u200bge\ufeffther", "co\xadop", "(", "so", ")", ".")


def test_offsets_count_from_start() -> None:
    sentence = tokenize("  Don't. ", start=10)
    assert sentence == Sentence("Don't.", ("Do", "n't", "."), ((12, 14), (14, 17), (17, 18)))


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\ufeff", "\xad"])
def test_no_word_no_sentence(text: str) -> None:
    assert tokenize(text) == Sentence("", (), ())
    assert split(text) == []


# Sentences are divided by " | "; the text is the case without these marks.
SENTENCES = """
It rained. | The cat sat on the mat.
Mr. Smith met Dr. Lee. | They talked.
The U.S. Senate met in the U.S. | However, it was late.
He lives in Washington, D.C. with J. K. Rowling and George W. Bush.
He joined Foo Inc. | Terms weren't disclosed. | Foo Inc. President Ann Lee left Foo Co. today.
So do I. | Bob too. | Vitamin C. | The end.
See No. 5. | No. | Not now. | Fig. 3 shows pp. 3-9. | It works.
It costs 5.50 dollars. | 20 people paid 3.5% of 1,000.
"Why?" Ann asked. | "Go!" he said. | "It works." | He left.
“We agree.” | “Do we?” I wondered. | “Yes!” cried Mr. Lee.
He said "No." | Then (as always) he left. | (She stayed.) | It was over.
Well... maybe not. | But then... | The rest is silence. | It was . . . odd.
He left at 5 p.m. | The others stayed until 6 p.m. on Monday.
Cells grow in approx. 5 cm. of water, e.g. this, i.e. that, etc. and so on.
Wait!! | What?! | Really? | Yes.
Great! 😀 | Next one. :) | Then home.
i like it. | you know? | it was ok... not great. | ok! | bye
I saw it. | it was good. | did you? | no
Yahoo! Inc. said so. | Hey! | You there.
In INS v. Chadha, 462 U. S. 919 (1983), it lost. | Id., at 5. | Ibid. | The rest.
It is so.[5] | Next it was not.[6][7] | Then “over.”6 | Id., at 3.
NOTE: | The file is gone. | He said: Go home.
我爱你。 | 你呢？ | 「好。」 | 他说。
She asked "why?" -- then left.
1. Buy a car.
Up to 6 in. of snow fell. | Add 1 tsp. salt and 2 tbsp. butter. | Wait 30 sec. to load. | It is in.
The no. of people grew. | I said no. | Of course not. | It is 5 ft. 3 in. tall.
See Pub. L. No. 94-553. | The XIV Amend. did, and U.S. Const. amend. XIV, cmt. a. | See Ex. A and Ex. B.
Ca. 100 B.C. Rome fell. | In 100 B.C. Rome fell. | Approx. 5 of them. | Yes.
She asks "why?" of it. | Look at x.php?Name=1 or a !Send type, i.e. this.
I like it:) so much. | We did (so :) ). | Great 😀. | Next.
Mr./Mrs. Smith came. | He lives on Oak St. | He likes it on St. John St. in town.
No. | I don't know. | No. I of the series is out. | See Art. I, Fig. B, Fig. S1 and Vol. A. | No. | I’m late.
It is known. | METHODS: We cut cells. | MATERIALS AND METHODS: They grew. | RESULTS: "It" fell. | MARKETS: | Prices fell.
Cut for 10 min. | Sections were dried for 2 hrs. | Add 5 oz. Gruyere in 5 min. of work (10 min.) or so.
It is so [12]. | γH2AX is late (Fig. 1). | cDNA was made (arrow). | (b) It grew at 5.2. | It is in (5). here.
It is in Rome.[citation needed] | He left.[better source needed] | So he did.
Ann Lee (b. May 1950; m. 1970, d. 1999) wrote it. | See part b. | Then d. | It was over.
It is open from 9 a. m. until 5 p. m. and was built in 70 b. c. or a. d. 30. | So it is.
"Help!" Anna shrieked. | "No!" Uncle Henry growled. | "Why?" Mary's brother asked. | "True?" John and Ann asked. | "Why?" O'Brien said. | We met at 7p.m. Monday in Rome. | "Stop!" | Tom left.
He is a.k.a. "The Juice". | It costs Rs. 500. | She has a ph.d. in math. | See slip op. at 3. | Sect. 5 applies. | No. | At 5 we left.
See contract No. NO1-CO-12400, accession no. AF497625, chr. 9 and ref. 1, J. Virol. 65, 2884. | Streptomyces sp. were found.
1. preheat the oven. | 2. mix the flour and salt. | 3. bake it.
12. the licensee agrees to pay. | 13. the licensor does not.
He weighs 150lbs. & is 6ft. tall, 9.5in. more than in Jan. | It took 20min. & more. | She is 6ft. | So is he. | Take 20mg. | Then rest.
It cost 3.2 bn. in 2019 and 5 mln. in 2020. | It cost 3 bn. | Sales rose. | Small, i.e. sm. cats, sleep. | Hmm. | then no.
By Thm. 2, Lem. 4, Cor. 3, Prop. 3, Alg. 1 and Tab. 2 it holds, see Iss. 2, Anh. 3, Ps. 23, Sch. 2. | It is Est. 1990.
The vol. was big. | The fig. shows it, as eqs. do. | I saw the vol. | It was big. | I met Tim. | 3 people came, e.g. Tim. 2:4.
Bros. Lee and Kim pray. | He works at Warner Bros. | Lee works there. | Grade Gr. 5 had Ques. 3 of Lect. 4 on Flt. 370.
The equiv. dose is 5 cwt. of pref. stock. | Visit the univ. library and the gov. site.
It is at noon EST. | I do often check it.
1.2. mix the flour. | 1.3. Bake it.
step 1. preheat the oven. | we need 12. | the rest is ok.
problem 2. find its length. | Table 3. results of both. | § 4. the court may act. | §5. | That provision applies. | #2. wash it.
It is long. | 1. the first of them. | IV. limits of liability.
`` Sit down . '' | She sat . | `` Go ! '' he said .
" Sit down . " | She sat . | " Good . " | Then he left . | He said , " Go . " | Then they went .
« Sit down . » | She sat .
" What is that? " | Asked Lou. | " It is a dog . " said Ann .
' Sit down . ' | She sat . | ' No . ' | The boys ' books fell .
Send it to Apt. 3B now. | He is in Rm. 204 today. | Take Rt. 9 north. | The Rt. Hon. Bob spoke. | He has an apt. | It is big.
On Sat. night we left. | On Sun. morning we came. | We love the Sun. | It is hot. | The cat sat. | It ran.
See fn. 12 and n. 4, supra. | Read Matt. 5:3, Deut. 6:4 and 1 Cor. 13:4. | I met Tim. | He left.
See Eqn. 3 and Suppl. Fig. 4. | Take 2 caps. daily with it. | The alt. text is short. | Is. 40:3 says it. | It is. | 40 came. | Vs. Bob she won.
We saw Sta. Barbara, Pt. Reyes and Gens. Lee and Grant. | The pkwy. was shut and the tech. staff left.
Attn. Bob is here. | Qty. 3 of it. | Fax. 555 works. | Mgr. Kim left. | Exec. V.P. Ann came. | In Yr. 10 it ended.
The pt. is a 67 y/o man. | The dx. was flu. | His temp. was 101. | The mfr. recommends it, excl. tax. | Take 2 tabs. b.i.d. now.
Add 1 Tbsp. butter. | Please pls. send it. | We cont. lisinopril and def. recommend it. | The appt. today is off. | It is 3 yd. in length.
They drew 40 cc. of bile. | Add 8 fl. oz of it. | Col. Bob (Ret.) said so. | The dir. of it closed the acct. today. | She is a pt. | He left.
See pp. 3ff. and 7f. of it. | See lines 20 ff. (where he dies). | See pp. 3 ff. | The rest is lost. | See 20ff. | Jones disagrees. | Etc. and so on.
i like the temp. | it is nice. | we took the tabs. | they work.
INTERVIEWER: So, what happened? | SUBJECT: Uh, I left. | Bob: Fine. | HOST: Welcome back. | THE COURT: Sustained. | MR. SMITH: Fine.
( He left . ) | She sat . | [ He left . ] | She sat . | { He left ! } | -LRB- He left . -RRB- | -LSB- She sat . -RSB- | He left . ’’ | She sat .
( He left . ) and she sat . | He has ( a share of Foo Inc. ) now . | 1 ) He left . | 2 ) She sat .
He left.[1, 2] | She sat.[3-5] | He ran.[a] | She ate.[note 1] | He left.(1) | She sat.(2,3) | He ran.¹ | She ate.¹²[7] | He left.* | She sat.† | So.
It is so (Lee 1970).2 | Ashe came. | It was held.12 | He left.{1} | She sat.<sup>3</sup> | He ran.[1](#note) | See sect.5 The end of version.2 of it. | It costs 3.5 He left.
He left.[sic] and then sat. | In U.S.[5] law and U.S.¹ law it is so. | See f.(x) Then use t.* FROM it. | No.[5] of it.
*He left.* | She sat. | **He left.** | _He left._ | ~~He left.~~ | She sat.😀 | He left!❤️😀 | She sat.<br>
<p>He left.</p> | <b>She</b> sat. | He uses .NET and .Net. | See .gitignore.
WAITER: May I help you? | KING: Who goes there? | HAMLET: To be or not to be. | LADY MACBETH: Out! | JOHN SMITH: It was me. | MARY-ANN: Come here!
ALICE: Maybe. | ALICE: So, what now? | FIRST WITCH: Rain fell. | WILL TURNER: Tell me. | TOM AND ANN: Rain fell. | O'BRIEN: Fine. | BOB: It fell. | THE KING: It fell.
STEP 1: Rinse it. | Step 1: Rinse it. | TIP 3: Dry it. | PRECIOUS METALS: | Futures eased. | GRAINS AND SOYBEANS: | Prices fell. | FOLLOW-UP: | They came. | WARNING: | It is full.
INGREDIENTS: | Two eggs. | BBC: | Rain fell. | MEDICINE TRANSPLANT: | Growth is good. | FOREIGN PRIME RATES: | They fell. | EDIT: | Links to it. | JUNE NOTE: | It fell. | TIA DALMA: It fell. | SUMMARY: | It fell.
See col. 2, line 5, op. cit. p. 5, loc. cit. and Ser. No. 5. | See Treas. Reg. § 5 and reg. 5. | Apt. B is free and Rm. B is not. | He has an apt. | B is free.
It was 30 deg. F. in May. | In the 5th cent. B.C. it fell. | The 5th cent. is old. | It fell by one cent. | It rose. | He has 5 bu. wheat. | Bob (m. Ann Lee) left. | See a, b. | Then c.
N. Mex. is dry, and N. Car. Sask. in the north and Alta. is big. | We ate Tex-Mex. | Bob left. | He lives in Sask. | She left. | He lives in N. Mex. | She left.
The pop. is small. | The no. was big. | His co. is big. | The dep. dir. of it left. | He likes pop. | He left. | I said no. | Then he left. | I left the col. | He stayed.
See 19 How. 393, 3 Wheat. 610, Code Ann. § 5, 26 Am. J. Int'l L. 5, (Super. Ct. 2001), F.R.App.P. 28.1 and F.R.Civ.P. 5. | He is an American. | I met Ann. | 5 men left the Wall. | 5 came.
See 5 So. 2d 5, 5 Or. App. 5, 5 Priv. Ltr. Rul. 5, 5 Op. Att'y Gen. 5 and Const. art. I, § 5. | I love art. | I, too, paint. | Or so. | App. 5 is it.
Wg. Cdr. Bob, Sq. Ldr. Ann, Archbp. Lee, Exec. Dir. Kim and Assoc. Dir. Poe came. | He met the dir. | Ann left. | Min. of it. | Avg. heat. | Nat. Geog. Soc. of it.
Smith ex rel. Lee, aff'd sub nom. Kim, left. | We have rel. | Ann left. | Trans. by Lee, abr. by Kim. | Tas. is cold.
No. is 5 and Pop. was small. | Co. of it. | No. | Of course not. | We said No. | Then he left.
Doe et ux. v. Roe. | Enc. a check for it. | Viz. this one. | In jan. 5 of them came. | We met in the loc. | It was late.
We met Br. John, Bp. Lee, Ven. Bede, Ens. Pulver, SSgt. Lee, Tech. Sgt. Lee, Adj. Gen. Lee, Sra. Ruiz, Hr. Bach and Ofc. Bob. | He works in tech. | Gen. Lee left.
We love the Sun. | Gen. Lee left. | No. | No. 5 is it. | The sergeant left. | Ann came. | He left BP. | Ann works in HR. | Bob reads DNA. | Humans do.
i said no. | is it ok. | we drank pop. | was it cold.
JOHN: I do. | SPEAKER 2: Rain fell. | Q: Did you go? | A: No. | COPPER: | Futures rose. | P1: We liked it. | R2D2: | Futures rose.
""".strip().splitlines()


@pytest.mark.parametrize("case", SENTENCES)
def test_sentences(case: str) -> None:
    parts = case.split(" | ")
    text = " ".join(parts).replace("。 ", "。").replace("？ ", "？")
    assert [sentence.text for sentence in split(text)] == parts


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A Heading\n\nThe text is\nwrapped here. And\nends.", 3),
        ("A title of it\nThe first paragraph is a long line, with much more text. And so on.\n", 3),
        ("Needed are:\n- one thing\n- another\n\n1. First\n2. Second", 5),
        ("no full stop\n \t\nbut a blank line", 2),
        ("one\u2029two\u2028and more", 2),
        ("Besides Messrs.\nCray and Barnum, other\nmen came.", 1),
        (
            "Rain falls in Paris\nThe vote is near\n30 dead in fire\n\nShe met John\nSmith there.\n",
            4,
        ),
        ("10:30 Bob: fine\n10:31 Al: ok then\n[10:32] Bob: so\nwe go on", 3),
        ("Ann wrote:\n> how are\n> you\n>> so\nFine.", 5),
        ("Ann wrote:\n>how are you\nFine, with values\n>= 5 or so", 3),
        ("<john> hi\n<mary> hey you\n", 2),
        ("Ann: Yes, it is\nBob: No\nMary Ann: so what\nof it", 3),
        ("He was married to the late George\nW. Bush and died in Texas,\nas was told.", 1),
        ("The index of all of them rose to\n10. Then it fell and fell,\nas was told.", 2),
        ("It is about this long line of text\n(a) the first\n(b) the second", 3),
        ("1. preheat the oven\n2. mix the flour and salt.\n", 2),
        ("Fruits:\n· a\n· b", 3),
        ("Fruits:\no an apple\no a pear", 3),
        ("Fruits:\n✅ apples\n✔️ pears\n🍎 more", 4),
        ("Fruits:\n» apples\n» pears\n— plums\n\uf0b7 figs", 5),
        ("It is\no so", 1),
        ("We came to the big house\n— all of us", 1),
        ("To do:\n[x] wash\n[ ] dry\n- [X] iron\n→ fold\n✓ sleep\n■ eat\n► go\n☐ run", 9),
        ("It has\n[5] notes", 1),
        ("1. a parrot;\n2. a dog;\n3. a cat.", 3),
        ("Fruits are\n   1. nested a\n   2. nested b\n      i. deep one\n      ii. deep two", 5),
        ("IV. limits of liability\n", 1),
        ("\r\nOne line.\r\nThe next line.\r\n\r\nlast", 3),
    ],
)
def test_lines_and_paragraphs(text: str, sentences: int) -> None:
    assert len(split(text)) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "but The The\nwas a EU it EU now\nEU Smith on\nThe was cat",
        "We met on Monday and\n(b)",
        "a\n-",
    ],
)
def test_ends_of_lines_are_the_same_to_windows_and_at_the_end_of_a_text(text: str) -> None:
    windows = text.replace("\n", "\r\n")
    found = [[one.words for one in split(each)] for each in (text, text + "\n", windows)]
    assert found == [found[0]] * 3


@pytest.mark.parametrize(("length", "sentences"), [(50, 2), (70, 2), (76, 2), (82, 1), (100, 1)])
def test_a_line_that_fills_less_than_four_fifths_of_the_width_was_broken_off(
    length: int, sentences: int
) -> None:
    """``length`` is that of the first of two lines, with the word that would have fitted on it."""
    widest = "y" * 100
    first = "x" * (length - len("Tomorrow"))
    found = list(read_sentences(f"{first}\nTomorrow {widest[9:]}", "text"))
    assert len(found) == sentences


@pytest.mark.parametrize(
    "case",
    [
        "infor-|mation", "Infor-|mation", "govern-|ment", "work-|ing", "soft-|ware", "un-|related", "infor\xad|mation",
        "north-|ern", "birth-|day", "high-|way", "mid-|night", "holi-|day", "far-|mer", "start-|led", "a-|bout", "proto-|type", "eight-|een",
        "col-|or", "photo-|graph", "Satur-|day", "any-|thing", "never-|theless", "bed-|room", "em-|peror", "Camp-|bell", "with-|in", "with-|out",
    ],
)  # fmt: skip
def test_a_word_divided_at_the_end_of_a_line_is_whole(case: str) -> None:
    first, second = case.split("|")
    text = f"It is {first}\n{second}, he said.\nYes."
    sentence = split(text)[0]
    assert sentence.words[2] == first[:-1] + second
    start, end = sentence.offsets[2]
    assert text[start:end] == f"{first}\n{second}"
    assert [text[a:b] for a, b in sentence.offsets[3:]] == [",", "he", "said", "."]


@pytest.mark.parametrize(
    "case",
    [
        "well-|known", "self-|aware", "high-|quality", "DNA-|based", "e-|mail", "mid-|1990s", "non-|English", "Anglo-|Saxon",
        "so-|called", "part-|time", "real-|time", "follow-|up", "cost-|effective", "time-|consuming", "one-|third", "old-|fashioned",
        "e-|mails", "t-|shirt", "co-|worker", "meat-|eating", "slow-|moving", "world-|famous", "built-|in", "tax-|free", "ten-|year",
        "twenty-|one", "user-|friendly", "rock-based-|art", "state-of-the-|art",
        "mother-|in-law", "up-|to-date", "10-|year", "1990-|1995",
    ],
)  # fmt: skip
def test_a_hyphen_of_the_word_itself_stays_at_the_end_of_a_line(case: str) -> None:
    sentence = split("It is " + case.replace("|", "\r\n") + " so.")[0]
    assert sentence.words == ("It", "is", case.replace("|", ""), "so", ".")


def test_a_divided_word_in_capitals_is_whole() -> None:
    assert split("THE PRESI-\nDENT OF A STATE-\nOWNED FIRM")[0].words == (
        "THE", "PRESIDENT", "OF", "A", "STATE-OWNED", "FIRM"
    )  # fmt: skip
    assert split("The DNA-\nRNA hybrid")[0].words == ("The", "DNA-RNA", "hybrid")


@pytest.mark.parametrize(
    "case",
    [
        "two-|and three-year",
        "two-|or three-year",
        "day-|to day",
        "10-|or",
        "well -|then",
        "no --|then",
        "I went-|I left",
    ],
)
def test_a_line_that_ends_with_a_dash_does_not_join_words(case: str) -> None:
    text = "It is " + case.replace("|", "\n") + " so."
    sentence = split(text)[0]
    assert [text[start:end] for start, end in sentence.offsets] == list(sentence.words)


def test_a_lettered_item_is_a_letter_and_a_period() -> None:
    assert tokenize("b. Remove it.").words == ("b", ".", "Remove", "it", ".")
    assert tokenize("See e. coli.").words == ("See", "e.", "coli", ".")


def test_a_forgotten_blank_does_not_join_sentences_but_names_stay_whole() -> None:
    text = "It was good.The next was System.Out and Node.js"
    assert [s.text for s in split(text)] == [text[:12], text[12:]]


@pytest.mark.parametrize(
    "case",
    [
        "It is 42.|The end",
        "In 1999.|It was",
        "(so).|The end",
        "good.|I know",
        "See Vol.I of it",
        "Stop!|I know",
        "Stop !|I know",
        "Really?|Yes, I do",
        "What?!|It is",
        "Yahoo!Inc. is",
        "He left .|She sat",
        "He left.😀|She sat",
        "(He left.)|She sat",
        "(He left. )|She sat",
        "He left.[12]|She sat",
        "He left.❤️|She sat",
        "He left.<br>|She sat.</p>|<p>So",
    ],
)
def test_a_blank_forgotten(case: str) -> None:
    assert [s.text for s in split(case.replace("|", ""))] == case.split("|")


def test_a_piece_without_letters_joins_the_sentence_before_it() -> None:
    assert [s.text for s in split('He was "in." ... And out.')] == ['He was "in." ...', "And out."]


PIECES = [
    *"aAI1.,;:!?'\"()[]-–—…$%#*/\\<>_’“”‘` \n\t\r",
    "\n\n", ". ", '." ', "Mr.", "U.S.", "Inc.", "No.", "n't", "'s", "gonna", "The", "http://", "www.",
    ":)", "😀", "🇩🇪", "\u200d", "\u200b", "\xad", "\ufe0f", "。", "我", "\u2029", "\ud800", "--", "(s)", "infor-\nmation", "goin'", ' " ',
]  # fmt: skip
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Mn"}


def unseen(character: str) -> bool:
    # The last two: not assigned, but to be ignored when displayed, says Unicode.
    return (
        unicodedata.category(character) in UNSEEN
        or character == "\u2065"
        or "\U000e0000" <= character <= "\U000e0fff"
    )


def check_words(sentence: Sentence, text: str) -> set[int]:
    """Check the promises of Sentence; return the places that its words cover."""
    places = [place for span in sentence.offsets for place in range(*span)]
    assert places == sorted(set(places))
    for word, (start, end) in zip(sentence.words, sentence.offsets, strict=True):
        part = text[start:end]
        divided = re.fullmatch(r"(.*)-\s*\n\s*(.*)", part, re.DOTALL)
        whole = divided.expand(r"\1-\2") if divided else part  # a hyphen of the word itself stays
        assert word in (part, whole, with_whole_words(part)[0])
        assert word and not any(map(str.isspace, word))
    start, end = sentence.offsets[0][0], sentence.offsets[-1][1]
    assert sentence.text == text[start:end]
    return set(places)


@settings(database=None, deadline=None, max_examples=150)
@given(TEXTS)
def test_every_visible_character_is_in_one_word(text: str) -> None:
    for sentences in ([tokenize(text)], split(text)):
        covered = [check_words(sentence, text) for sentence in sentences if sentence.words]
        assert sum(map(len, covered)) == len(set().union(*covered))
        rest = set(range(len(text))).difference(*covered)
        assert all(unseen(text[place]) for place in rest)


@settings(database=None, deadline=None, max_examples=150)
@given(TEXTS)
def test_streaming_equals_splitting(text: str) -> None:
    sentences = split(text)
    assert list(split_stream(text.splitlines(keepends=True))) == sentences
    assert list(split_stream(io.StringIO(text, newline=""))) == sentences


LINED = "It rained. Dogs\r\nbark.\n \nDo n't (stop.\n\nThe cat\u2028slept"


@pytest.mark.parametrize(
    ("way", "sentences"),
    [
        ("paragraph", ["It rained.", "Dogs", "bark.", "Do n't (stop.", "The cat\u2028slept"]),
        ("text", ["It rained.", "Dogs\r\nbark.", "Do n't (stop.", "The cat\u2028slept"]),
        ("line", ["It rained. Dogs", "bark.", "", "Do n't (stop.", "", "The cat\u2028slept"]),
        ("token", ["It rained. Dogs", "bark.", "", "Do n't (stop.", "", "The cat\u2028slept"]),
    ],
)
def test_what_a_line_is(way: Split, sentences: list[str]) -> None:
    found = read_sentences(LINED, way)
    assert [sentence.text for sentence in found] == sentences
    lines = LINED.split("\n")
    for number, sentence in enumerate(found):
        inside = LINED if way in ("paragraph", "text") else lines[number]
        assert [inside[start:end] for start, end in sentence.offsets] == list(sentence.words)
    assert ("(stop." in found[3].words) == (way == "token")


@settings(database=None, deadline=None, max_examples=100)
@given(TEXTS, st.sampled_from(SPLITS))
def test_lines_that_come_one_by_one_give_the_same_sentences(text: str, way: Split) -> None:
    lines = io.StringIO(text, newline="\n")
    streamed = [sentence for group in split_lines(lines, way) for sentence in group]
    assert streamed == read_sentences(text, way)


@pytest.mark.parametrize(
    ("line", "following", "expected"),
    [
        ("The cat sat\n", "on the mat.\n", True),
        ("“We left early,\n", "  she said.\n", True),
        ("It rained.\n", "dogs bark.\n", False),
        ("He said:\n", "no\n", False),
        ("“It rained.”\n", "he said\n", False),
        ("Rain falls\n", "Dogs bark\n", False),
        ("it rained\n", "dogs bark\n", False),  # no capitals in it at all
        ("The cat sat\n", "\n", False),
        ("", "on the mat\n", False),
        ("12 3\n", "on the mat\n", False),
        ("He (again.)\u201d \n", "on the mat\n", False),
        ("He left ...-\n", "on the mat\n", False),
        ("He left -\n", "on the mat\n", True),
        pytest.param("A" + "." * 200_000 + "b\n", "on the mat\n", True, id="many marks"),
    ],
)
def test_lines_that_look_wrapped(line: str, following: str, expected: bool) -> None:
    assert goes_on(line, following) is expected


def test_streaming_holds_little_of_a_text_without_blank_lines() -> None:
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for _ in range(10_000):
            read += 1
            yield "A sentence that ends with its line.\n"

    stream = split_stream(lines())
    next(stream)
    assert read < 1_000
    assert sum(1 for _ in stream) == 9_999


@pytest.mark.parametrize("unit", [".", "(", "'s", '." ', "A. ", "Mr.", "\n", "http://a.)", "! :) "])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    # A quadratic rule would need a minute here.
    text = unit * (30_000 // len(unit))
    words = [word for sentence in split(text) for word in sentence.words]
    assert "".join(words) == "".join(text.split())


def test_importing_needs_the_standard_library_only() -> None:
    code = "import sys, bnaparser.text.splitting; print({'torch', 'nltk', 'numpy', 'sentencex'} & {*sys.modules})"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"


def test_agreement_with_the_treebank() -> None:
    """Floors a little under benchmarks/text/text.md."""
    folder = os.environ.get("BNAPARSER_DATA")
    if folder is None:
        pytest.skip("BNAPARSER_DATA is not set: the folder that holds raw/wsj_sample")
    sample = Path(folder, "raw", "wsj_sample")
    archives = (str(sample / "raw" / "raw.tar.xz"), str(sample / "combined" / "combined.tar.xz"))
    for first, last in ((1, 159), (180, 199)):
        texts = run_text.read(*archives, first, last)
        assert run_text.words_score(texts, word_spans).f1 >= 0.998
        for breaks in (True, False):
            starts, whole, words = run_text.text_scores(texts, run_text.ours, breaks)
            assert (starts.f1 >= 0.985, whole.f1 >= 0.965, words.f1 >= 0.997) == (True, True, True)


@pytest.mark.parametrize(
    ("line", "lines", "blocks"),
    [("It is so.\n", 2000, 1), ("It is so.\n", 2001, 2), ("and so on\n", 20_000, 1), ("and so on\n", 20_001, 2)],
)  # fmt: skip
def test_a_text_without_blank_lines_is_cut_at_a_full_stop_or_where_it_is_very_long(
    line: str, lines: int, blocks: int
) -> None:
    """After 20,000 characters at a full stop, else after 200,000."""
    found = list(paragraphs([line] * (lines + 1)))
    assert len(found) == blocks
    assert "".join(block for _, block in found) == line * (lines + 1)
