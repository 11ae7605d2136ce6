"""The labels and tags of the Sinica Treebank: CKIP, technical report 93-05; Chen and others 2003, Sinica Treebank."""

from __future__ import annotations

PHRASES = """\
DM quantifier-phrase number with a measure word
GP prepositional-phrase postpositional phrase, with a localizer
NP noun-phrase noun phrase
PP prepositional-phrase prepositional phrase
S clause clause
VP verb-phrase verb phrase
XP coordination coordination (conjunction phrase)
conjunction conjunction-phrase conjunction
goal other phrase under its role “goal” instead of a label
interjection interjection interjection
得 clause complement after
"""

_WORDS = """\
A adjective non-predicative adjective: 主要
ADV adverb adverb
CATEGORY punctuation punctuation
COLONCATEGORY punctuation colon
COMMACATEGORY punctuation comma
Caa conjunction coordinating conjunction: 和
Cab conjunction “and so on”: 等等
Cba conjunction correlative conjunction
Cbaa conjunction correlative conjunction, movable, of a first clause: 因為
Cbab conjunction correlative conjunction after its clause: 的話
Cbb conjunction correlative conjunction
Cbba conjunction correlative conjunction of a first clause: 由於
Cbbb conjunction correlative conjunction of a first clause: 不但
Cbca conjunction correlative conjunction of a later clause: 但是
Cbcb conjunction correlative conjunction of a later clause: 而且
D adverb adverb
DASHCATEGORY punctuation dash
DE particle 的, 地, 得, 之
DM number number with a measure word: 一個
Da adverb adverb of quantity
Daa adverb adverb of quantity or scope: 只, 大約
Dab adverb adverb of scope, after what it counts: 都
Db adverb evaluative or modal adverb
Dbaa adverb modal adverb of judgement: 可能, 一定
Dbab adverb modal adverb of will or obligation: 要, 可以
Dbb adverb evaluative adverb: 也, 還
Dbc adverb evaluative expression: 看起來
Dc adverb negation: 不
Dd adverb adverb of time: 就, 已經
Dfa adverb adverb of degree, before the verb: 很
Dfb adverb adverb of degree, after the verb: 極了
Dg adverb adverb of place: 到處
Dh adverb adverb of manner: 一起
Di particle aspect marker: 了, 著
Dj adverb interrogative adverb: 是否
Dk adverb sentence adverb: 據說
ETCCATEGORY punctuation suspension points
EXCLANATIONCATEGORY punctuation exclamation mark
I interjection interjection
N noun noun
Na noun common noun
Naa noun mass noun: 水
Nab noun individual noun: 桌子
Nac noun countable abstract noun: 問題
Nad noun uncountable abstract noun: 歷史
Nae noun collective noun
Naea noun collective noun, not countable: 百貨
Naeb noun collective noun, countable: 人們
Nb proper-noun proper noun
Nba proper-noun proper noun: 國民黨
Nbc proper-noun family name: 李
Nc noun noun of place
Nca proper-noun place name: 台灣
Ncb noun common noun of place: 公司
Ncc noun noun of place with a localizer: 國內
Ncd noun localizer
Ncda adposition localizer of one character: 上
Ncdb noun localizer as a noun of place: 這裡
Nce noun fixed expression of place: 當地
Nd noun noun of time
Ndaa noun historical time
Ndaaa noun era: 十八世紀
Ndaab noun dynasty: 唐朝
Ndaac noun era name of a reign
Ndaad noun year: 一九九一年
Ndab noun recurring time
Ndaba noun year, relative: 今年
Ndabb noun season: 春天
Ndabc noun month: 十月
Ndabd noun day: 昨天
Ndabe noun time of day: 上午
Ndabf noun period: 假日
Ndc noun time with a localizer: 年初
Ndd noun adverbial noun of time
Ndda noun past time: 過去
Nddb noun future time: 將來
Nddc noun present or other time: 現在
Ne determiner determiner
Nep determiner demonstrative or interrogative determiner: 這, 什麼
Neqa determiner quantifying determiner: 許多
Neqb determiner quantifying determiner after a measure word: 以上
Nes determiner specifying determiner: 各
Neu number number: 三
Nf noun measure word
Nfa noun measure word for individuals: 個
Nfb noun measure word of a verb and its object
Nfc noun measure word for groups
Nfd noun measure word for parts: 段
Nfe noun container as a measure word
Nfg noun standard measure: 元
Nfh noun approximate measure
Nfi noun measure word of an action: 場
Ng adposition postposition: 時, 後
Nh pronoun pronoun
Nhaa pronoun personal pronoun: 我
Nhab pronoun pronoun of general reference, or reflexive: 自己
Nhac pronoun polite personal pronoun: 您
Nhb pronoun interrogative pronoun: 誰
Nhc pronoun other pronoun: 之
Nv noun nominalized verb
Nv1 noun nominalized verb of action: 發展
Nv2 noun nominalized verb of mental attitude: 尊敬
Nv3 noun nominalized verb of state, transitive: 重視
Nv4 noun nominalized verb, intransitive: 革命
PARENTHESISCATEGORY punctuation bracket or quotation mark
PAUSECATEGORY punctuation enumeration comma
PERIODCATEGORY punctuation full stop
QUESTIONCATEGORY punctuation question mark
SEMICOLONCATEGORY punctuation semicolon
SPCHANGECATEGORY punctuation dash
T particle sentence-final particle
Ta particle sentence-final particle: 了
Tb particle sentence-final particle of restriction: 而已
Tc particle sentence-final particle of mood: 吧
Td particle sentence-final particle of a question: 嗎
V verb verb
VA verb active intransitive verb
VA11 verb active intransitive verb of motion: 走
VA12 verb active intransitive verb of posture or place: 坐
VA13 verb active intransitive verb with a place as its inner object: 回家
VA2 verb active intransitive verb that can be causative: 動
VA3 verb weather verb: 下雨
VA4 verb active intransitive verb, other: 笑
VB verb active pseudo-transitive verb
VB11 verb active pseudo-transitive verb, with a goal: 道謝
VB12 verb active pseudo-transitive verb, with a theme: 加油
VB2 verb active pseudo-transitive verb, with a theme: 拿出來
VC verb active transitive verb
VC1 verb active transitive verb with a place as its object: 到
VC2 verb active transitive verb, with a goal: 看
VC31 verb active transitive verb, with a theme: 做
VC32 verb active transitive verb, with a theme that moves: 帶
VC33 verb active transitive verb, with a theme and a place: 放
VD verb ditransitive verb
VD1 verb ditransitive verb of giving: 送
VD2 verb ditransitive verb of taking: 搶
VE verb active verb with a clause as its object
VE11 verb verb of asking, with a goal and a clause: 問
VE12 verb verb of saying, with a goal and a clause: 告訴
VE2 verb active verb with a clause as its object: 說
VF verb active verb with a verb phrase as its object
VF1 verb active verb with a verb phrase as its object: 打算
VF2 verb active verb with an object and a verb phrase (pivotal): 請
VG verb classificatory verb
VG1 verb classificatory verb, with an object and a name: 叫
VG2 verb classificatory verb, as a linking verb: 成為
VH verb stative intransitive verb
VH11 verb stative intransitive verb: 好
VH12 verb stative intransitive verb of measure: 重
VH13 verb stative intransitive verb of degree: 大
VH14 verb verb of existence or appearance: 出現
VH15 verb stative intransitive verb with a clause as its subject: 容易
VH16 verb stative intransitive verb that can be causative: 增加
VH17 verb verb of a change of state: 死
VH21 verb stative intransitive verb of feeling: 快樂
VH22 verb stative intransitive verb of feeling that can be causative: 感動
VI verb stative pseudo-transitive verb
VI1 verb stative pseudo-transitive verb of feeling: 感興趣
VI2 verb stative pseudo-transitive verb: 聞名
VI3 verb stative pseudo-transitive verb of origin: 來自
VJ verb stative transitive verb
VJ1 verb stative transitive verb: 認識
VJ2 verb stative transitive verb of feeling: 尊重
VJ3 verb stative transitive verb of having or receiving: 得到
VK verb stative verb with a clause as its object
VK1 verb stative verb of knowledge or feeling with a clause as its object: 知道
VK2 verb stative verb with a clause as its object, impersonal: 顯示
VL verb stative verb with a verb phrase as its object
VL1 verb stative verb of will with a verb phrase as its object: 肯
VL2 verb verb of beginning or going on with a verb phrase as its object: 開始
VL3 verb verb of turn: 輪到
VL4 verb causative verb: 使
V_11 verb copula: 是
V_12 verb copula: 是, with a clause or verb phrase
V_2 verb existential or possessive verb: 有
地 particle adverbial 地
的 particle attributive 的
"""

_PREPOSITIONS = (
    "01讓 02被 03為 04給 06由 07把 08拿 09管 11以 12自從 13每當 14有 15離 16當 17打從 18直到 19從 20就 21在 22繼 23於 24沿著"
    " 26經過 27靠 28假 30往 31對 32對於 35與 36代 37替 38藉 39用 40基於 41關於 42按 43根據 46視 47如 48如同 49比 50除了 52因著"
    " 54例如 55像 58隨著 59自 60遭 61到 62向 63跟 64偕 66為"
)

TAGS = (
    _WORDS
    + "P adposition preposition\n"
    + "".join(
        f"P{word[:2]} adposition preposition of the group of {word[2:]}\n"
        for word in _PREPOSITIONS.split()
    )
)

FUNCTIONS = ""
