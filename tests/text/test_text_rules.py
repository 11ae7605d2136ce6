"""Text of languages besides English: where sentences end, what pieces words are made of, and back."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser.text.sentence import Sentence, TextPiece, join_pieces
from bnaparser.text.splitting import read_sentences, split_stream
from bnaparser.text.text_rules import (
    LANGUAGE_NAMES,
    match_language,
    multilingual_rules,
    rules_of,
)
from tests.text.test_splitting import TEXTS, unseen

OTHERS = [language for language in LANGUAGE_NAMES if language != "en"]


def words_by_rules(text: str, language: str) -> str:
    sentence = rules_of(language).sentence(text)
    return " ".join(word.form for word in join_pieces(sentence.text, sentence.pieces))


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("es", "El Sr. Díaz (1.000 € del Estado), ¿no?", "El Sr. Díaz ( 1.000 € del Estado ) , ¿ no ?"),
        ("es", "EE.UU. ganó 6-4 en www.a.es.", "EE.UU. ganó 6-4 en www.a.es ."),
        ("fr", "L'homme qu'il voit, dit-il.", "L' homme qu' il voit , dit -il ."),
        ("fr", "A-t-elle vu l'ex-ministre au rendez-vous ?", "A -t-elle vu l' ex-ministre au rendez -vous ?"),
        ("fr", "Peut-être Jean-Paul, celui-ci.", "Peut-être Jean-Paul , celui-ci ."),
        ("pt", "Do mar à casa, pelas ruas e às vezes nele.", "De o mar a a casa , por as ruas e a as vezes em ele ."),
        ("pt", "Trata-se do porta-voz: dá-lo-ia.", "Trata- se de o porta-voz : dá- lo- ia ."),
        ("id", "Katanya biasanya 25-30 anak-anak.", "Kata nya biasanya 25 - 30 anak - anak ."),
        ("id", "Jenderal (Purn.) Wiranto dan Prof. Habibie.", "Jenderal ( Purn . ) Wiranto dan Prof. Habibie ."),
        ("is", "Maðurinn kom í hús nr. 5.", "Maðurinn kom í hús nr. 5 ."),
        ("pt", "Foi a\u0300 escola a\u0300s cinco, DA\u0300 A\u0300S.", "Foi a a escola a as cinco , DA\u0300 A AS ."),
        ("es", "Te quiero 👍🏽 ❤️ 👨‍👩‍👧 1️⃣ 🇪🇸.", "Te quiero 👍🏽 ❤️ 👨‍👩‍👧 1️⃣ 🇪🇸 ."),
        ("id", "Aku ❤️👍🏽 kamu.", "Aku ❤️ 👍🏽 kamu ."),
        ("fr", "L'art. 5 et son art.", "L' art. 5 et son art ."),
        ("fr", "Il n'a\u200b pas dor\u200bmi.", "Il n' a pas dor\u200bmi ."),
        ("fr", "L'\"autorisation\" d’« acheter » à l'O.U.A. d'1,5 km.", 'L\' " autorisation " d’ « acheter » à l\' O.U.A. d\' 1,5 km .'),
        ("fr", "Le chap. IV, c.-à-d. en sept. 2001, par un Ph. D.", "Le chap. IV , c.-à-d. en sept. 2001 , par un Ph. D ."),
        ("fr", "Ils sont sept. Quel pH.", "Ils sont sept . Quel pH ."),
        ("id", "Rp1.000.000, Rp1,5 miliar, Rp.500 dan USD1.000.", "Rp 1.000.000 , Rp 1,5 miliar , Rp . 500 dan USD 1.000 ."),
        ("id", "Bpk. Joko dari PT. Maju hlm. 5 kata BPK.", "Bpk. Joko dari PT. Maju hlm. 5 kata BPK ."),
        ("is", "Hús o.s.frv. kl. 5 o. s. frv.", "Hús o.$ $s.$ $frv. kl. 5 o. s. frv."),
        ("pt", "A 27.ª edição, 1.º lugar, n.º 5 e nº 5.", "A 27.ª edição , 1.º lugar , n.º 5 e nº 5 ."),
        ("es", "El s. XX y 44 a. C. en el No. 5, que no.", "El s. XX y 44 a. C. en el No. 5 , que no ."),
        ("es", "Caf&eacute; &amp; t&eacute;.", "Café & té ."),
        ("es", "काठमांडू es நகரம்.", "काठमांडू es நகரம் ."),
    ],
)  # fmt: skip
def test_words_as_rules_guess_them(language: str, text: str, words: str) -> None:
    assert words_by_rules(text, language) == words


@pytest.mark.parametrize(
    ("language", "words", "text"),
    [
        ("es", ["Vive", "a_pesar_de", "todo", "."], "Vive a pesar de todo."),
        ("fr", ["D'_ailleurs", ",", "aujourd'_hui", "l'", "on", "dort", "."], "D'ailleurs, aujourd'hui l'on dort."),
        ("pt", ["Além_de", "o", "Foz_do_Douro"], "Além do Foz do Douro"),
        ("pt", ["a", "a", "casa"], "à casa"),
        ("is", ["Maður$", "$inn", "þarf$", "$tu", "."], "Maðurinn þarftu."),
        ("id", ["Kata", "nya", "hanya", "."], "Katanya hanya."),
        ("ja", ["猫", "が", "寝", "て", "いる", "。"], "猫が寝ている。"),
        ("zh-Hant", ["卡拉ＯＫ", "１９９０", "年", "，"], "卡拉ＯＫ１９９０年，"),
    ],
)  # fmt: skip
def test_pieces_with_the_right_answer_are_the_treebanks_words(
    language: str, words: list[str], text: str
) -> None:
    rules = rules_of(language)
    sentence = rules.sentence(text)
    assert rules.cut_words is not None
    cut = rules.cut_words(words)
    assert cut is not None
    assert cut.forms == [piece.form for piece in sentence.pieces]
    found = join_pieces(sentence.text, sentence.pieces, cut.begins)
    assert [word.form for word in found] == words


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("es", "¿Qué? ¡No! El Sr. Díaz vino. Hoy no.", ["¿Qué?", "¡No!", "El Sr. Díaz vino.", "Hoy no."]),
        ("fr", "M. Petit dort. « Oui ! » Il part… Bien.", ["M. Petit dort.", "« Oui ! »", "Il part…", "Bien."]),
        ("is", "Hann kom 15. apríl. Hún fór.", ["Hann kom 15. apríl.", "Hún fór."]),
        ("ja", "寝る。「そう。」と言う。はい！", ["寝る。", "「そう。」と言う。", "はい！"]),
        ("zh-Hans", "我来，他走。「好！」对。", ["我来，他走。", "「好！」", "对。"]),
        ("zh-Hant", "我來，他走。3,000元", ["我來，", "他走。", "3,000元"]),
        ("is", "Hún fæddist árið 1950. Hann fæddist 1952.", ["Hún fæddist árið 1950.", "Hann fæddist 1952."]),
        ("pt", "É tudo o que podia ter. Ele foi.", ["É tudo o que podia ter.", "Ele foi."]),
        ("fr", "Il aime son art. Il sort, no. 5 aussi.", ["Il aime son art.", "Il sort, no. 5 aussi."]),
        ("id", "Dia bilang no. Saya pergi dll. Mereka.", ["Dia bilang no.", "Saya pergi dll.", "Mereka."]),
        ("es", "Pan, etc. Luego no. El Sr. Díaz.", ["Pan, etc.", "Luego no.", "El Sr. Díaz."]),
        ("ja", "彼は言った．私は行った．", ["彼は言った．", "私は行った．"]),
        ("ja", "Yahoo!!ニュースを読む。本当!?次。", ["Yahoo!!ニュースを読む。", "本当!?", "次。"]),
        ("ja", "Yahoo!ニュースを読む。OK! 次。", ["Yahoo!ニュースを読む。", "OK!", "次。"]),
        ("ja", '"はい。"と言う。"いいえ。"', ['"はい。"と言う。', '"いいえ。"']),
        ("ja", "https://a.jp/?id=3を見て。はい!", ["https://a.jp/?id=3を見て。", "はい!"]),
        ("zh-Hans", '他走了。"你好吗？"她问。\'是的。\'他说。', ["他走了。", '"你好吗？"', "她问。", "'是的。'", "他说。"]),
        ("fr", "J.-P. Petit dort. La S.A. Dort.", ["J.-P. Petit dort.", "La S.A.", "Dort."]),
        ("id", "B.J. Habibie dan Jenderal (Purn.) Wiranto. Alsace Pte. Ltd.", ["B.J. Habibie dan Jenderal (Purn.) Wiranto.", "Alsace Pte. Ltd."]),
        ("pt", "É bom! -- disse ela. «Não?» -- perguntou. Sim. -- Não.", ["É bom! -- disse ela.", "«Não?» -- perguntou.", "Sim.", "-- Não."]),
        ("es", '¡Sería bueno! ", dijo. Ya " dijo Ana. " Luego fue.', ['¡Sería bueno! ", dijo.', 'Ya " dijo Ana. "', "Luego fue."]),
        ("zh-Hant", "請看https://a.com/b?c=1:2,謝謝。", ["請看https://a.com/b?c=1:2,", "謝謝。"]),
        ("zh-Hans", "他问：“你好吗？”，我说好。“好！”他走了。", ["他问：“你好吗？”，我说好。", "“好！”", "他走了。"]),
        ("zh-Hant", "他問：「你好嗎？」，我說好。", ["他問：", "「你好嗎？」，", "我說好。"]),
        ("ja", "「雨だ。晴れだ」と言った。彼は「雨だ。晴れだ。」寝た。", ["「雨だ。晴れだ」と言った。", "彼は「雨だ。晴れだ。」", "寝た。"]),
        ("ja", "「雨だ。晴れだ。」「そう。」にいさん。", ["「雨だ。", "晴れだ。」", "「そう。」", "にいさん。"]),
        ("ja", "彼（雨。晴れ。多分）五人。『君の名は。』を見る。『あ。』が大好き。『い。』なんて嫌だ。", ["彼（雨。晴れ。多分）五人。", "『君の名は。』を見る。", "『あ。』が大好き。", "『い。』なんて嫌だ。"]),
        ("ja", "彼は「雨だ。晴れだ。", ["彼は「雨だ。", "晴れだ。"]),
        ("ja", "彼は「" + "雨。" * 201 + "」と。", ["彼は「雨。", *["雨。"] * 199, "雨。」と。"]),
        ("ja", "すごい!!と言った。すごい！！と言った。「疲れた。」ため息をついた。", ["すごい!!と言った。", "すごい！！と言った。", "「疲れた。」", "ため息をついた。"]),
        ("fr", "Il parle de l'O.N.U. Le chef part.", ["Il parle de l'O.N.U.", "Le chef part."]),
        ("pt", "Ele mora em Recife, PE. O governador veio.", ["Ele mora em Recife, PE.", "O governador veio."]),
        ("es", "Lo hizo la ed. Ella corrió 10 km. 5 lo vieron.", ["Lo hizo la ed.", "Ella corrió 10 km.", "5 lo vieron."]),
        ("fr", "C'est d'A.-M. Dupont. C'est l'art. IV.", ["C'est d'A.-M. Dupont.", "C'est l'art. IV."]),
        ("is", "Það er m.a. Jón, u.þ.b. 10, sbr. Ara o.s.frv. Hann fór á mbl.is. Hún er í gr. 5.", ["Það er m.a. Jón, u.þ.b. 10, sbr. Ara o.s.frv.", "Hann fór á mbl.is.", "Hún er í gr. 5."]),
        ("es", "P.ej. Ana, Excmo. Sr. en 44 a. C. El Km. 5 del s. XX. Son las 5 p.m. Vamos. Que no. Voy.", ["P.ej. Ana, Excmo. Sr. en 44 a. C. El Km. 5 del s. XX.", "Son las 5 p.m.", "Vamos.", "Que no.", "Voy."]),
        ("id", "Harga Rp. 500 a.n. Budi di Kec. Menteng. Itu BPK. Mereka.", ["Harga Rp. 500 a.n. Budi di Kec. Menteng.", "Itu BPK.", "Mereka."]),
        ("pt", "O Exmo. Sr. e o Pe. António, por ex. Ana. Sim.", ["O Exmo. Sr. e o Pe. António, por ex. Ana.", "Sim."]),
        ("ja", "休みです。ところで、何を。そうか？とても嬉しい。となりへ行く。終わった！と叫んだ。", ["休みです。", "ところで、何を。", "そうか？", "とても嬉しい。", "となりへ行く。", "終わった！と叫んだ。"]),
        ("ja", "「本当か。」とても驚いた。彼は「行くぞ！」「待て！」と叫んだ。これはペンです.あれは本です.", ["「本当か。」", "とても驚いた。", "彼は「行くぞ！」「待て！」と叫んだ。", "これはペンです.", "あれは本です."]),
        ("zh-Hant", "去年下雨很多，2021年沒下。12:30來，1，000人走；3:2贏。價錢：1,000元,3.5%。", ["去年下雨很多，", "2021年沒下。", "12:30來，", "1，000人走；", "3:2贏。", "價錢：", "1,000元,", "3.5%。"]),
        ("zh-Hans", "你好!我是小明.他是小华.", ["你好!", "我是小明.", "他是小华."]),
        ("is", "„Ég kem ekki.“ Hann fór. „Hvað?“ „Ekkert.“ Hún kom.", ["„Ég kem ekki.“", "Hann fór.", "„Hvað?“", "„Ekkert.“", "Hún kom."]),
        ("es", "1. Abrir la puerta.\n2. Cerrar la puerta.", ["1. Abrir la puerta.", "2. Cerrar la puerta."]),
        ("es", "CC. OO. y el Tte. Gómez, art. 3, t. 2. Fin.", ["CC. OO. y el Tte. Gómez, art. 3, t. 2.", "Fin."]),
        ("es", "Vino ayer. 我們都在家。Luego la Sra. Ruiz salió.", ["Vino ayer.", "我們都在家。", "Luego la Sra. Ruiz salió."]),
        ("fr", "Le 3 janv. 2021, au t. 2. Il vint le 5 oct. Tous partirent.", ["Le 3 janv. 2021, au t. 2.", "Il vint le 5 oct.", "Tous partirent."]),
        ("id", "Jend. Ali di Jln. Baru, RT. 01/RW. 02, Telp. 021. Itu ke jalan. Dia.", ["Jend. Ali di Jln. Baru, RT. 01/RW. 02, Telp. 021.", "Itu ke jalan.", "Dia."]),
        ("fr", "salut. ça va ? oui. bien merci.", ["salut.", "ça va ?", "oui.", "bien merci."]),
        ("fr", "Il dit oui. ça va ? non.", ["Il dit oui. ça va ? non."]),
        ("es", "Costó. $5 millones. €3. @juan vino. #Madrid. https://a.es es. ‹Sí›. ‹No›.", ["Costó.", "$5 millones.", "€3.", "@juan vino.", "#Madrid.", "https://a.es es.", "‹Sí›.", "‹No›."]),
        ("pt", "Cheguei. 😀 Vamos. 🇧🇷🇧🇷 Sim. ❤️ 🎉", ["Cheguei. 😀", "Vamos. 🇧🇷🇧🇷", "Sim. ❤️ 🎉"]),
        ("es", "iPhone sale. ¡Qué bien! dijo Ana.", ["iPhone sale.", "¡Qué bien! dijo Ana."]),
        ("es", "de la mano de Ana. «¡No!» gritó Juan, a las 5 p. m. salió.", ["de la mano de Ana.", "«¡No!» gritó Juan, a las 5 p. m. salió."]),
        ("fr", "bon... je sais pas... peut-être.", ["bon... je sais pas... peut-être."]),
        ("pt", "www.a.pt é bom! diz ela. Ok.", ["www.a.pt é bom! diz ela.", "Ok."]),
        ("es", "Dijo 「你好！」, y se fue. El carácter 。 se usa.", ["Dijo 「你好！」, y se fue.", "El carácter 。 se usa."]),
        ("es", "¿Cuántos? 5. Luego me fui al mar. 3 días. Con CC. Es.", ["¿Cuántos?", "5.", "Luego me fui al mar.", "3 días.", "Con CC.", "Es."]),
        ("es", "5? Vale.", ["5?", "Vale."]),
        ("es", "1. Abrir. 2. Cerrar. Fin.", ["1. Abrir.", "2. Cerrar.", "Fin."]),
        ("id", "Menjadi brigjen. Kirimkan CV. Ada dua hal. 3 orang.", ["Menjadi brigjen.", "Kirimkan CV.", "Ada dua hal.", "3 orang."]),
        ("ja", "待って！とさけんだ。そうか？とね。「おはよう。」「いい。」「そう」とケンは言った。", ["待って！とさけんだ。", "そうか？とね。", "「おはよう。」", "「いい。」", "「そう」とケンは言った。"]),
        ("es", "Caf&eacute; &amp; t&eacute;. S&iacute;.", ["Caf&eacute; &amp; t&eacute;.", "S&iacute;."]),
    ],
)  # fmt: skip
def test_where_sentences_end(language: str, text: str, sentences: list[str]) -> None:
    assert [one.text for one in read_sentences(text, "paragraph", rules_of(language))] == sentences


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Es la ley núm. 5 de 1990 (pág. Tres). Él vino."),
        ("fr", "Vient-il là ? Sa sœur M. Été, l'arrière-pensée."),
        ("id", "Jenderal É. Wiranto. Mereka."),
        ("is", "Fráleitt er kapít. Fimm. Hann útlistaði."),
        ("pt", "No séc. XX foi daí. Daí à Ana, ÀS DAÍ: dá-lo-ão. Às dez."),
    ],
)
def test_letters_are_read_however_their_accents_are_written(language: str, text: str) -> None:
    apart = normalize("NFD", text)
    composed, decomposed = (
        [
            [
                (normalize("NFC", piece.form), normalize("NFC", one.text[piece.start : piece.end]))
                for piece in one.pieces
            ]
            for one in read_sentences(written, "paragraph", rules_of(language))
        ]
        for written in (text, apart)
    )
    assert decomposed == composed
    for one in read_sentences(apart, "paragraph", rules_of(language)):
        check(one, apart)


def check(sentence: Sentence, text: str) -> set[int]:
    """Check that pieces are in order, and that the text is where they say; return what they cover."""
    assert [piece.form for piece in sentence.pieces] == list(sentence.words)
    first = sentence.offsets[0][0]
    assert text[first : sentence.offsets[-1][1]] == sentence.text
    covered: set[int] = set()
    for piece, (start, end) in zip(sentence.pieces, sentence.offsets, strict=True):
        assert (piece.start + first, piece.end + first) == (start, end)
        places = set(range(start, end))
        assert places
        assert not places & covered or piece.contracted
        assert not any(map(str.isspace, piece.form))
        covered |= places
    return covered


@settings(max_examples=60)
@given(TEXTS, st.sampled_from(OTHERS))
def test_every_visible_character_is_in_one_piece(text: str, language: str) -> None:
    rules = rules_of(language)
    for sentences in ([rules.sentence(text)], list(split_stream([text], 0, rules))):
        covered = [check(one, text) for one in sentences if one.words]
        assert sum(map(len, covered)) == len(set().union(*covered))
        rest = set(range(len(text))).difference(*covered)
        assert all(unseen(text[place]) for place in rest)


PIECES = st.lists(
    st.tuples(st.sampled_from(["a", "ab", "x"]), st.booleans(), st.booleans(), st.booleans()),
    min_size=1,
)


@given(PIECES)
def test_pieces_are_put_together_as_told(given: list[tuple[str, bool, bool, bool]]) -> None:
    """Against a literal loop over the pieces."""
    text = " ".join(form for form, *_ in given)
    places = [match.span() for match in re.finditer(r"\S+", text)]
    pieces = [
        TextPiece(*place, form, guess, sure)
        for place, (form, guess, sure, _) in zip(places, given, strict=True)
    ]
    expected: list[list[str]] = []
    for number, (form, guess, sure, told) in enumerate(given):
        if number == 0 or (guess if sure else told):
            expected.append([])
        expected[-1].append(form)
    found = join_pieces(text, pieces, [told for *_, told in given])
    assert [word.form for word in found] == ["_".join(forms) for forms in expected]
    assert [text[word.start : word.end].replace(" ", "_") for word in found] == [
        word.form for word in found
    ]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "unit",
    [
        ".",
        "(",
        "d'",
        "a-",
        "a.",
        "。",
        "我",
        "1.",
        "-nya",
        "1-",
        "inn",
        " »",
        '"。',
        "www.a。",
        "👍\u200d",
        "1" + "º" * 40 + "_",
        "1.º",
        "d'\"",
        "Rp1.",
        "a.b.",
        "「",
        "「。」",
        "「（。」）",
        "a（。）",
        "？」，",
        "1" + "ª" * 40 + "1a",
        "e\u0301\u0323",
        ". 😀",
        "「a」",
        "a. 我",
        "&amp;",
    ],
)
def test_hostile_text_takes_linear_time(unit: str, language: str) -> None:
    text = unit * (6_000 // len(unit))
    sentences = list(split_stream([text], 0, rules_of(language)))
    assert sum(len(one.text.replace(" ", "")) for one in sentences) == len(text.replace(" ", ""))


def test_each_sentence_is_read_by_its_own_language() -> None:
    rules = multilingual_rules(["en", "es", "zh-Hant"])
    text = "He didn't come. Ella no ha venido.\n大家都在笑。Der Hund ist nicht da.\n12"
    found = read_sentences(text, "paragraph", rules)
    assert [one.language for one in found] == ["en", "es", "zh-Hant", "de", "en"]
    assert found[0].words[2] == "n't"
    for sentence in found:
        start, end = sentence.offsets[0][0], sentence.offsets[-1][1]
        assert text[start:end] == sentence.text


def test_a_foreign_sentence_leaves_the_others_as_they_are() -> None:
    """One foreign sign had English rules cut the whole text: behind "Dra.", before "と"."""
    rules = multilingual_rules(["es", "ja", "zh-Hant"])

    def read(text: str) -> list[tuple[str | None, str]]:
        return [(one.language, one.text) for one in read_sentences(text, "paragraph", rules)]

    assert read("La Dra. López dijo 你好 a la Sra. Pérez. Luego se fue a su casa.") == [
        ("es", "La Dra. López dijo 你好 a la Sra. Pérez."),
        ("es", "Luego se fue a su casa."),
    ]
    assert read(
        "「猫が好きだ。」と彼は言った。昨日 Microsoft Windows Server Edition を買った。"
    ) == [
        ("ja", "「猫が好きだ。」と彼は言った。"),
        ("ja", "昨日 Microsoft Windows Server Edition を買った。"),
    ]
    assert read("我們都在家。Well, he said that, it was fine. She left. 我也是，你呢。") == [
        ("zh-Hant", "我們都在家。"),
        ("en", "Well, he said that, it was fine."),
        ("en", "She left."),
        ("zh-Hant", "我也是，"),
        ("zh-Hant", "你呢。"),
    ]
    # What English rules know to be no end of a sentence is none before Chinese or Japanese.
    for whole in ("Apple Inc. は昨日発表した。", "Prof. Smith さんが来た。", "Vol. 3 が出た。"):
        assert read(whole) == [("ja", whole)]
    assert read("他說：「我來了。」Then she left the room quickly. 我也是。")[2:] == [
        ("en", "Then she left the room quickly."),
        ("zh-Hant", "我也是。"),
    ]
    assert read("昨日、車で行きました。飛行機乗場。我是學生。曲は Let It Be です。") == [
        ("ja", "昨日、車で行きました。"),
        ("ja", "飛行機乗場。"),
        ("zh-Hant", "我是學生。"),
        ("ja", "曲は Let It Be です。"),
    ]


def test_no_line_is_put_where_the_text_has_no_blank() -> None:
    """``C`` ``/`` was ``C_/`` as one word, but ``d'_autres`` is the treebank's."""
    for language, text, word in [
        ("es", "C/ Sol", "C/_Sol"),
        ("es", "a pesar", "a_pesar"),
        ("fr", "d'autres", "d'_autres"),
        ("fr", "ex.", "ex."),
        ("pt", "&agrave;s vezes", "às_vezes"),
    ]:
        sentence = rules_of(language).sentence(text)
        begins = [True, *[False] * (len(sentence.pieces) - 1)]
        assert [one.form for one in join_pieces(text, sentence.pieces, begins)] == [word]


def test_codes_of_one_language() -> None:
    assert match_language("zh", ["en", "zh-Hans"]) == "zh-Hans"
    assert match_language("zh-Hant", ["zh-Hans", "zh-Hant"]) == "zh-Hant"
    assert match_language("ES", ["es"]) == "es"
    assert match_language("de", ["en"]) is None
    assert match_language("es_ES", ["en", "es"]) == "es"
    for known in (["zh-Hans", "zh-Hant"], ["zh-Hant", "zh-Hans"]):
        codes = ("zh-Hant-TW", "zh_TW", "zh-hk", "zh-Hans-CN", "zh_CN")
        assert [match_language(code, known) for code in codes] == ["zh-Hant"] * 3 + ["zh-Hans"] * 2


def test_characters_of_both_languages_are_in_that_of_the_text_around() -> None:
    rules = multilingual_rules(["es", "ja", "zh-Hant"])
    found = read_sentences(
        "私たちの会社はとても大きいです。東京大学。学生です。", "paragraph", rules
    )
    assert [one.language for one in found] == ["ja"] * 3
    found = read_sentences(
        "我們都在家裡。你好。", "paragraph", multilingual_rules(["zh-Hans", "zh-Hant"])
    )
    assert [one.language for one in found] == ["zh-Hant"] * 2


def test_given_words_are_in_the_language_that_is_named() -> None:
    named = multilingual_rules(["es", "pt"]).with_language("pt")
    (one,) = read_sentences("Bom dia .", "token", named)
    assert (one.words, one.language) == (("Bom", "dia", "."), "pt")
    assert (
        read_sentences("Bom dia .", "token", multilingual_rules(["es", "pt"]))[0].language is None
    )


def test_simplified_text_is_read_in_traditional_characters() -> None:
    read = rules_of("zh-Hant").as_read
    assert read(["他", "后来", "说", "了"], True) == ["他", "後來", "說", "了"]
    assert read(["皇后", "說"], True) == ["皇后", "說"]
