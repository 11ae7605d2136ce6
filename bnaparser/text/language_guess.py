"""Which language a text is in: by its script, in Latin letters by its commonest words and its letters.

There is no model and nothing to download. More languages are distinguished than are parsed, so that a
text in another one can be refused by its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from bnaparser.text.characters import compose_accents
from bnaparser.text.rules.chinese_characters import is_simplified

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff\uff66-\uff9d]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("ru", re.compile("[\u0400-\u052f]")),
    # One letter alone, or beside Latin ones, is a sign of mathematics: π, kΩ.
    ("el", re.compile(r"\b[\u0370-\u03ff\u1f00-\u1fff]{2,}\b")),
    ("ar", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u0963\u0966-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("hy", re.compile("[\u0531-\u0587]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("pa", re.compile("[\u0a00-\u0a7f]")),
    ("gu", re.compile("[\u0a80-\u0aff]")),
    ("or", re.compile("[\u0b00-\u0b7f]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("te", re.compile("[\u0c00-\u0c7f]")),
    ("kn", re.compile("[\u0c80-\u0cff]")),
    ("ml", re.compile("[\u0d00-\u0d7f]")),
    ("si", re.compile("[\u0d80-\u0dff]")),
    ("lo", re.compile("[\u0e80-\u0eff]")),
    ("bo", re.compile("[\u0f00-\u0fff]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("ka", re.compile("[\u10a0-\u10ff\u1c90-\u1cbf]")),
    ("am", re.compile("[\u1200-\u139f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
    ("mn", re.compile("[\u1800-\u18af]")),
    ("syr", re.compile("[\u0700-\u074f]")),
    ("dv", re.compile("[\u0780-\u07bf]")),
)
_OTHER_SCRIPT = re.compile("[\u0370-\u1cbf\u1f00-\u1fff\u3040-\ufaff\uff66-\uff9d]")
# Particles and endings, with a title in another script between them; words in small letters are no title.
_JAPANESE_AROUND = re.compile("[\u3041-\u309f][^\u3041-\u309f]++[\u3041-\u309f]")
_ENDS_JAPANESE = re.compile(r"[\u3041-\u309f][\W\d_]*+\Z")
_SMALL_WORD = re.compile(r"\b[a-z\xe0-\u024f]{2,}\b")
# What is quoted may be in any language.
_QUOTED = re.compile(
    '"[^"]*"|\xab[^\xab\xbb]*\xbb|\u201c[^\u201c\u201d]*\u201d|\u201e[^\u201e\u201c]*\u201c'
)
_ADDRESS = re.compile(
    r"https?://[!-~]+|www\.[!-~]+|[\w.+-]{1,64}@[\w.-]{1,64}|\b[\w-]{1,64}\.(?:com|org|net)\b"
)
_LATIN = re.compile("[A-Za-z\xc0-\u024f]")
# E2f and e.g. have no words in them; d is one as d' only: vitamin d.
_WORD = re.compile(r"\b(?:(?:[dljs]|qu)['\u2019]|[^\W\d_]+\b(?!\.\w))", re.IGNORECASE)
_ONE_LETTER_FIRST = re.compile(r"[\W_]*[^\W\d_](?=\s+[^\W\d_])")
# A word that no sign of another script is glued to.
_LATIN_WORD = re.compile(r"\b[A-Za-z\xc0-\u024f]+\b")

_COMMON = {
    "en": "the of and to in is that it was for on are with as his they at be this have from had not "
    "but what were we when your can said there use an each which she do how their if will up don didn doesn isn wasn "
    "down out about just like know them then than could would should get got our into only over been "
    "who its there very after",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le "
    "ya este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos "
    "ni fue son ha era él ella está o te día tu mi",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il "
    "sont avec ont été aux mais comme cette elle ou leur être deux je nous vous ils tout y sans même "
    "après aussi l' d' qu' j' non te tu si",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à "
    "seu sua ou quando muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos seus "
    "quem nas me esse eles você foi são ser tem está às te bom boa dia",
    "id": "yang dan di dengan untuk dari pada ini itu tidak dalam adalah akan ke karena oleh juga saya "
    "bisa ada kami mereka telah sudah lebih bahwa atau seperti sebagai dia anda harus hanya tahun "
    "menjadi saat para tersebut secara antara orang kata ia satu belum kita sedang lalu masih tak mau",
    "is": "og að í á sem er til það hann var við af um en með ekki þá fyrir hún ég því frá svo þar þú "
    "eins nú hafa þeir eða upp þegar hefur verið vera yfir síðan hans hafði sér eru mig þetta þess "
    "honum henni voru skal hvað úr",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an "
    "werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war "
    "haben nur oder aber vor zur bis ich wir",
    "it": "di e il la che in a un per è del una le con non i da si della sono al dei alla come nel più "
    "anche o ma lo gli delle ha ci mi questo se suo sua essere questa tra molto quando perché dal della "
    "era dalla nella",
    "nl": "de het een van en in is dat op te zijn met voor niet die er aan ook als door maar om bij was "
    "uit naar heeft dan nog worden over tot ze hij wat werd geen deze je ik wij zij",
    "sv": "och i att en som det är av för på med den till inte har de ett om jag var men sig från vi så "
    "kan när man hade eller där ska skulle också efter än bara nu vara",
    "da": "og i at det en er til af som på med den for de der ikke et har jeg var fra kan men sig vi om "
    "han så skal eller ved efter også nu være blev hvor når mod",
    "nb": "og i det er på som en til å av for at med de ikke har den et jeg var fra om men kan seg så vi "
    "han ble eller etter også når skal være hadde ut opp noe mot",
    "pl": "i w nie na to się z że do jest o jak ale za co po tak od dla czy przez jego być już tylko był "
    "lub może przy ten oraz są przed także jej tym ze ma",
    "tr": "ve bir bu da de için ile çok daha gibi var kadar sonra olarak en ama olan mi değil ki "
    "şey ben sen biz onu bunu ise veya yok",
    "ro": "și de în a la cu pe că nu este o un din mai pentru care se sau sunt au fi ce dar prin după "
    "când fost acest această lui ei cel cea al ale",
    "fi": "ja on ei että se oli hän joka mutta ovat kun niin myös tai kuin jos mitä nyt ole sen hänen "
    "olla tämä olen jo vain sitten mukaan sekä",
    "vi": "và của là có không được cho một người trong các với những này khi đã đến về như từ nhưng ra tôi "
    "anh còn thì năm nhiều sẽ vào bị lại đó cũng rất chúng phải làm rằng vẫn đang bạn nó họ mình gì "
    "sao thế trên dưới sau trước nước việt ngày nhà hơn cùng",
    "cs": "že ve jsem ale jako za pro jsou jeho který byl být jen již nebo už od která mezi ještě co když "
    "byla při není však až jak mám mít kdo kde tady teď proto protože nebylo nic všechno mně mě tě "
    "vám nám řekl které",
    "hu": "az és hogy egy van ez meg volt már csak mint azt még fel vagy kell lesz után nagyon minden "
    "én ti ők aki ami úgy nincs hogyan miért mert hol ki igen tudom vannak lehet ilyen olyan akkor "
    "itt ott most jó",
    "ca": "de la i el que a en els per les del un una amb no és al es l' d' s' com més però són va ser "
    "aquest aquesta també ha hi si seva seu dels",
}
_LETTERS = {
    "es": "ñ¿¡",
    "pt": "ãõ",
    "fr": "œùêûî",
    "is": "þðæö",
    "de": "ßäöü",
    "sv": "åäö",
    "da": "æøå",
    "nb": "æøå",
    "pl": "łżśąęźćń",
    "tr": "şğıİ",
    "ro": "șțăâ",
    "fi": "äö",
    "vi": "ơưđạảấầẩậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "cs": "ěščřžůďťň",
    "hu": "őű",
    "ca": "·ïŀ",
}
_HABITS: dict[str, Counter[str]] = {}
for _language, _words in _COMMON.items():
    for _word in set(_words.split()):
        _HABITS.setdefault(_word, Counter())[_language] += 1
# A character of Chinese is half a word, one of Japanese less.
_LETTERS_OF_A_SIGN = {"zh": 3, "ja": 2}
_ENOUGH = 0.6
_LEAD = 1.1
_LIKELIER = 1.4
_ENOUGH_OF_OTHERS = 1.6
_LEAD_OF_OTHERS = 1.5


def detect_language(text: str, likely: Iterable[str] = ()) -> str | None:
    """Return the code of the language that a text seems to be in; None if it tells too little.

    Languages that are ``likely`` win where it is close, and where there is little: another one's
    single word does not speak against them, nor does what is quoted within. Addresses are in no language.
    """
    text = _ADDRESS.sub(" ", compose_accents(text))
    likely = frozenset(likely)
    found = _guessed(text, likely)
    if likely and found not in likely and (outside := _QUOTED.sub(" ", text)) != text:
        around = _guessed(outside, likely)
        return around if around in likely else found
    return found


def _guessed(text: str, likely: frozenset[str]) -> str | None:
    if _OTHER_SCRIPT.search(text) is None:
        return _in_latin_letters(text, likely)
    counts = {language: _letters(script, text) for language, script in _SCRIPTS}
    if counts["ja"] and counts["ja"] * 8 >= counts["zh"]:
        counts["ja"] += counts.pop("zh")
        if _is_japanese_with_a_title(text):
            return "ja"
    best = max(counts, key=counts.__getitem__)
    script = best
    if best == "zh":
        script = {None: "zh", True: "zh-Hans", False: "zh-Hant"}[is_simplified(text)]
    signs = counts[best] * _LETTERS_OF_A_SIGN.get(best, 1)
    if signs > _letters(_LATIN, text):
        return script
    found = _in_latin_letters(text, likely)
    return script if found is None and signs and signs >= _letters_of_words(text) else found


def _is_japanese_with_a_title(text: str) -> bool:
    ends = _ENDS_JAPANESE.search(text) is not None
    return ends and _JAPANESE_AROUND.search(text) is not None and not _SMALL_WORD.search(text)


def _letters(pattern: re.Pattern[str], text: str) -> int:
    return sum(map(len, pattern.findall(text)))


def _letters_of_words(text: str) -> float:
    """Return how many Latin letters the words have; those of names, which any script may have, by half."""
    words = _LATIN_WORD.findall(text)
    return sum(len(word) / (1 if word.islower() else 2) for word in words)


def _telling_words(text: str) -> Iterator[str]:
    """Yield a text's words in small letters, but no acronyms, and no capital that stands alone within it."""
    first = _ONE_LETTER_FIRST.match(text)
    begins = first.end() if first is not None else 0
    capitals = text.isupper()
    for match in _WORD.finditer(text):
        word = match.group().replace("\u2019", "'")
        plain = not word.isupper() or word.endswith("'")
        if plain or match.end() == begins or (capitals and len(word) > 1):
            yield word.lower()


def _in_latin_letters(text: str, likely: frozenset[str]) -> str | None:
    lowered = text.lower()
    scores: dict[str, float] = dict.fromkeys(_COMMON, 0.0)
    for word in _telling_words(text):
        languages = _HABITS.get(word, ())
        for language in languages:
            scores[language] += 1 / len(languages) ** 0.5
    for language, letters in _LETTERS.items():
        scores[language] += 0.5 * sum(map(lowered.count, letters))
    for language in likely & scores.keys():
        scores[language] *= _LIKELIER
    second, best = sorted(scores, key=scores.__getitem__)[-2:]
    if scores[best] < _ENOUGH or scores[best] < _LEAD * scores[second]:
        return None
    if likely and best not in likely:
        near = max((scores[one] for one in likely & scores.keys()), default=0.0)
        if scores[best] < _ENOUGH_OF_OTHERS or scores[best] < _LEAD_OF_OTHERS * near:
            return None
    return best
