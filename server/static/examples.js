// Texts to try, by the code of their language: those of the languages that the service's models know are offered.

// The model `en` parses each of the English ones as the Penn Treebank would.
export const EXAMPLES = {
  "en": [
    "The cat that the dog chased ran away.",
    "Colorless green ideas sleep furiously.",
    "Time flies like an arrow.",
    "The committee, which met on Monday, rejected the plan.",
    "What did the children find under the old bridge?",
    "It rained all night. By morning the river had burst its banks."
  ],
  "de": [
    "Der Ausschuss, der am Montag tagte, lehnte den Plan ab.",
    "Wenn es regnet, spielen die Kinder im Haus."
  ],
  "es": [
    "La comisión rechazó ayer el plan porque era demasiado caro.",
    "El perro que ladraba toda la noche era de mi vecina."
  ],
  "fr": [
    "Le comité, qui s'est réuni lundi, a rejeté le projet.",
    "Quand il pleut, les enfants jouent dans la maison."
  ],
  "id": [
    "Anak yang tinggal di rumah itu membaca buku setiap malam.",
    "Dia tidak datang karena sedang sakit."
  ],
  "is": [
    "Maðurinn sem kom í gær las bókina alla nóttina.",
    "Hún sagði að það hefði rignt alla nóttina."
  ],
  "ja": [
    "昨日買った本はとても面白かった。",
    "雨が降ったので、子供たちは家で遊んだ。"
  ],
  "pt": [
    "O homem que chegou ontem comprou a casa do meu avô.",
    "Quando chove, as crianças brincam em casa."
  ],
  "zh-Hant": [
    "昨天下雨，所以我們都在家裡看書。",
    "他在學校認識了很多朋友。"
  ]
};

/** [language, text] of the examples in these languages; in English where there are none in them. */
export function examplesIn(codes) {
  const known = codes.filter((code) => Object.hasOwn(EXAMPLES, code));
  return (known.length ? known : ["en"]).flatMap((code) => EXAMPLES[code].map((text) => [code, text]));
}
