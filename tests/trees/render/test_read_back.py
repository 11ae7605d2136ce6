"""Formats for other programs, read back by readers that are not ours: the same trees."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bnaparser.parsing.parquet_rows import parquet_writer
from bnaparser.parsing.result import Parse
from bnaparser.treebanks.conllu import MultiwordToken, read_conllu
from bnaparser.trees.drawing.layout import visible
from bnaparser.trees.escapes import escape_brackets, unescape
from bnaparser.trees.heads.dependencies import dependencies
from bnaparser.trees.heads.rules import COLLINS, UD
from bnaparser.trees.render import EXPORT_START, TIGER_END, TIGER_START, conllu, export, penn, tiger
from bnaparser.trees.tree import Span, Tree, parse_trees
from tests.trees.render.drawings import ODD

LABELS = st.sampled_from(["S", "NP", "VP", "NP-SBJ-1", "PRT|ADVP", "ÜP", "-LRB-"])
WORDS = st.one_of(
    st.sampled_from([word for word in ODD if not any(map(str.isspace, word))]),
    st.text(
        st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="()"), min_size=1
    ),
).filter(lambda word: word.split() == [word] and word.encode("utf-8", "ignore").decode() == word)
LEAVES = st.builds(lambda tag, word: Tree(tag, [word]), LABELS, WORDS)
NODES = st.recursive(
    LEAVES,
    lambda below: st.builds(Tree, LABELS, st.lists(below, min_size=1, max_size=3)),
    max_leaves=9,
)
TREES = st.builds(Tree, st.just("TOP"), st.lists(NODES, min_size=1, max_size=3))
SEVERAL = st.lists(TREES, min_size=1, max_size=4)
QUICK = settings(max_examples=30)
# Python warns of treetools' escape sequences when it first compiles it.
OF_ITS_SOURCE = pytest.mark.filterwarnings("ignore:invalid escape sequence")


def file_of(content: str | bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("written") / "file"
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    file.write_bytes(data)
    return file


def plain(tree: Any) -> Tree:
    """A tree of treetools, as ours."""
    from treetools import trees

    if not tree.children:
        return Tree(tree.data["label"], [escape_brackets(tree.data["word"])])
    return Tree(tree.data["label"], [plain(child) for child in trees.children(tree)])


def renamed(tree: Tree, root: str, words: list[str] | None = None) -> Tree:
    """A tree with another label at the top, and other words."""
    shown = tree.words if words is None else words

    def copy(node: Tree) -> Tree:
        if node.word is not None:
            return Tree(node.label, [escape_brackets(shown[node.start])])
        return Tree(node.label, [copy(child) for child in node.subtrees])

    return Tree(root, [copy(child) for child in tree.subtrees])


def below_root(tree: Tree, words: list[str]) -> Tree:
    """The tree below treetools' root; a top node over several nodes or a word is a phrase there."""
    if len(tree.subtrees) == 1 and tree.subtrees[0].subtrees:
        return renamed(tree, "VROOT", words)
    return Tree("VROOT", [renamed(tree, tree.label, words)])


@pytest.mark.filterwarnings("ignore")  # NLTK's: it leaves files open
@QUICK
@given(st.lists(NODES, min_size=1, max_size=4))
def test_nltk_reads_penn_files(
    tmp_path_factory: pytest.TempPathFactory, given_trees: list[Tree]
) -> None:
    import nltk
    from nltk.corpus.reader import BracketParseCorpusReader

    # To NLTK a backslash takes its meaning from the bracket that follows.
    assume(not any(word.endswith("\\") for tree in given_trees for word in tree.words))

    text = "".join(penn(Tree("TOP", [tree])) for tree in given_trees)
    file = file_of(text, tmp_path_factory)
    nltk.data.path.append(str(file.parent))  # it reads nowhere else
    reader = BracketParseCorpusReader(
        str(file.parent), [file.name], encoding="utf-8", detect_blocks="sexpr"
    )
    found = [Tree.from_nltk(tree) for tree in reader.parsed_sents()]  # the outer bracket goes
    assert found == given_trees


@given(SEVERAL)
def test_penn_files_keep_all_that_stands_below_the_root(given_trees: list[Tree]) -> None:
    text = "".join(map(penn, given_trees))
    assert list(parse_trees(text)) == [Tree("", tree.subtrees) for tree in given_trees]
    assert text.count("\n( ") == len(given_trees) - 1


@OF_ITS_SOURCE
@QUICK
@given(SEVERAL)
def test_treetools_reads_export(
    tmp_path_factory: pytest.TempPathFactory, given_trees: list[Tree]
) -> None:
    from treetools import treeinput

    text = EXPORT_START + "".join(export(tree, n) for n, tree in enumerate(given_trees, 1))
    found = treeinput.export(str(file_of(text, tmp_path_factory)), "utf-8", quiet=True)
    # It leaves the backslash before what would read as a mark of the format.
    shown = [[marked(word) for word in tree.words] for tree in given_trees]
    expected = [below_root(tree, words) for tree, words in zip(given_trees, shown, strict=True)]
    assert [plain(tree) for tree in found] == expected


def marked(word: str) -> str:
    return f"\\{word}" if re.match(r"\\|%%|#(\d+|BOS|EOS|FORMAT)$", word) else word


@OF_ITS_SOURCE
@QUICK
@given(SEVERAL)
def test_treetools_reads_tiger_xml(
    tmp_path_factory: pytest.TempPathFactory, given_trees: list[Tree]
) -> None:
    from treetools import treeinput

    parts = [tiger(tree, n) for n, tree in enumerate(given_trees, 1)]
    file = file_of(TIGER_START + "".join(parts) + TIGER_END, tmp_path_factory)
    found = [plain(tree) for tree in treeinput.tigerxml(str(file), "utf-8", quiet=True)]
    shown = [[visible(word) for word in tree.words] for tree in given_trees]
    assert found == [below_root(t, w) for t, w in zip(given_trees, shown, strict=True)]


@QUICK
@given(SEVERAL, st.sampled_from([UD, COLLINS]))
def test_udapi_reads_conllu(given_trees: list[Tree], rules: Any) -> None:
    from udapi.core.document import Document

    text = "".join(conllu(tree, n, rules=rules) for n, tree in enumerate(given_trees, 1))
    document = Document()
    document.from_conllu_string(text)
    roots = [bundle.get_tree() for bundle in document.bundles]
    assert [root.sent_id for root in roots] == [str(n) for n in range(1, len(roots) + 1)]
    for root, tree in zip(roots, given_trees, strict=True):
        nodes = root.descendants
        assert [node.form for node in nodes] == [unescape(word) for word in tree.words]
        assert [node.parent.ord for node in nodes] == list(dependencies(tree, rules))
        assert [node.xpos for node in nodes] == list(tree.tags)
        assert [node.deprel for node in nodes].count("root") == 1
        assert str(tree) in root.comment


def test_universal_relations_and_parts_of_speech() -> None:
    sentences = {
        "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (PRP$ my) (NN mat)))) (. .))":
            "det amod nsubj root case nmod:poss obl punct",
        "(S (NP (PRP She)) (VP (MD will) (RB not) (VP (VB give) (NP (PRP him)) (NP (NNS books)))))":
            "nsubj aux advmod root iobj obj",
        "(S (NP (NNS Cats)) (VP (VBP are) (VP (VBN fed) (PP (IN by) (NP (NNP Ann))))))":
            "nsubj:pass aux:pass root case obl:agent",
        "(S (NP (NP (DT the) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBD left))))) (VP (VBZ is) "
        "(ADJP (RB very) (JJ kind))))": "det nsubj nsubj acl:relcl cop advmod root",
        "(S (NP (EX There)) (VP (VBZ is) (NP (NP (CD one)) (CC and) (NP (JJR more)))))":
            "expl root nsubj cc conj",
        "(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (PRP he))) (. ?))": "root cop nsubj punct",
        "(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP he)) (VP (VB eat))) (. ?))":
            "obj aux nsubj root punct",
        "(SBARQ (WHNP (WP Who)) (SQ (VP (VBD ate) (NP (PRP it)))) (. ?))": "nsubj root obj punct",
        "(S (NP (PRP We)) (VP (VBP want) (S (VP (TO to) (VP (VB go) (PRT (RP away)))))))":
            "nsubj root mark xcomp advmod",
        "(S (NP (PRP I)) (VP (VBP say) (SBAR (IN that) (S (NP (PRP it)) (VP (VBZ works))))))":
            "nsubj root mark nsubj ccomp",
    }  # fmt: skip
    for brackets, relations in sentences.items():
        lines = conllu(Tree.parse(brackets)).splitlines()
        columns = [line.split("\t") for line in lines if line[:1].isdigit()]
        assert " ".join(column[7] for column in columns) == relations
        assert all(column[3] != "_" for column in columns)


def test_conllu_of_a_parse_says_where_blanks_are_and_what_a_tree_does_not_tell() -> None:
    parse = Parse(
        "(It  rained)", ("(", "It", "rained", ")"), ("-LRB-", "PRP", "VBD", "-RRB-"),
        (Span(0, 4, "X"),), 1.0, ((0, 1), (1, 3), (5, 11), (11, 12)),
    )  # fmt: skip
    assert parse.to_conllu(7) == (
        "# sent_id = 7\n# text = (It rained)\n"
        "# tree = (TOP (X (-LRB- -LRB-) (PRP It) (VBD rained) (-RRB- -RRB-)))\n"
        "1\t(\t_\tPUNCT\t-LRB-\t_\t2\tpunct\t_\tSpaceAfter=No\n"
        "2\tIt\t_\tPRON\tPRP\t_\t0\troot\t_\t_\n"
        "3\trained\t_\tVERB\tVBD\t_\t2\tdep\t_\tCollins=VBD%X%PRP|SpaceAfter=No\n"
        "4\t)\t_\tPUNCT\t-RRB-\t_\t2\tpunct\t_\t_\n\n"
    )


@pytest.mark.parametrize("between", ["\u200b", "\u200e", "\0", "\u00ad", " \u200b\t", ""])
def test_the_text_in_the_comment_is_that_of_the_tokens(between: str) -> None:
    text = f"It{between}rained"
    places = ((0, 2), (len(text) - 6, len(text)))
    parse = Parse(text, ("It", "rained"), ("PRP", "VBD"), (Span(0, 2, "S"),), 1.0, places)
    lines = (parse.to_conllu() or "").splitlines()
    assert lines[1] == ("# text = It rained" if between else "# text = Itrained")
    assert lines[3].endswith("\t_" if between else "\tSpaceAfter=No")


def test_words_that_the_text_writes_as_one_are_a_multiword_token() -> None:
    from udapi.core.document import Document

    words = ("Foi", "a", "a", "casa", "de", "o", "Pedro", "por_cento", ",", "dá-", "lho", ".")
    offsets = (
        (40, 43), (44, 45), (44, 45), (46, 50), (51, 52), (52, 53), (54, 59), (60, 70), (70, 71),
        (72, 75), (75, 78), (78, 79),
    )  # fmt: skip
    text = "Foi à casa do Pedro por  cento, dá-lho."
    parse = Parse(text, words, ("X",) * len(words), (Span(0, len(words), "S"),), 1.0, offsets)
    lines = parse.to_conllu() or ""
    document = Document()
    document.from_conllu_string(lines)
    root = document.bundles[0].get_tree()
    assert root.compute_text() == root.text == "Foi à casa do Pedro por cento, dá-lho."
    assert [token.form for token in root.multiword_tokens] == ["à", "do"]
    assert [node.form for node in root.descendants] == [
        "por cento" if word == "por_cento" else word for word in words
    ]
    found = next(read_conllu(lines.splitlines()))
    assert found.multiword == (MultiwordToken(1, 3, "à"), MultiwordToken(4, 6, "do"))
    assert "11\tlho\t_\tX\tX\t_" in lines
    assert "10-11" not in lines


def test_touching_words_of_other_scripts_stay_words() -> None:
    words, offsets = ("猫", "が", "ABC", "た"), ((0, 1), (1, 2), (2, 5), (5, 6))
    parse = Parse("猫が\uff21BCた", words, ("X",) * 4, (Span(0, 4, "S"),), 1.0, offsets)
    lines = (parse.to_conllu() or "").splitlines()
    assert [line.split("\t")[1] for line in lines if line[:1].isdigit()] == [
        "猫", "が", "\uff21BC", "た",
    ]  # fmt: skip


def parses() -> list[Parse]:
    spans = (Span(0, 2, "S::VP", 1.5), Span(1, 2, "NP", 0.25))
    return [
        Parse("It $x$", ("It", "$x$"), ("PRP", "VBD"), spans, 1.75, ((0, 2), (3, 6))),
        Parse("", error="the sentence has no words"),
        Parse(
            "( 猫", ("(", "猫"), ("-LRB-", "NN"), (spans[0],), 1.0, ((0, 1), (2, 3)), language="ja"
        ),
    ]


def test_polars_reads_parquet_and_json_lines() -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    target = io.BytesIO()
    with parquet_writer(target) as write:
        for parse in parses():
            write(parse.to_dict())
    target.seek(0)
    rows = polars.read_parquet(target, use_pyarrow=False).to_dicts()
    assert [Parse.from_dict(row) for row in rows] == parses()
    assert [row["language"] for row in rows] == [None, None, "ja"]
    lines = io.BytesIO("".join(f"{parse.to_json()}\n" for parse in parses()).encode())
    assert polars.read_ndjson(lines)["tree"].to_list() == [row["tree"] for row in rows]
    assert [json.loads(parse.to_json())["tree"] for parse in parses()] == [r["tree"] for r in rows]


def test_pypdf_reads_a_page_for_each_tree(tmp_path: Path) -> None:
    from pypdf import PdfReader

    from bnaparser.trees.render import pdf_pages

    first = parses()[0]
    assert first.tree is not None
    target = io.BytesIO()
    with pdf_pages(target) as page:
        page(first.tree, first.words)
        page(Tree.parse("(TOP (NP (DT The) (NN cat)))"), None)
    pages = PdfReader(target).pages
    assert [sorted(page.extract_text().replace("\x00", "").split()) for page in pages] == [
        sorted(["S", "VP", "NP", "PRP", "VBD", "It", "$x$"]),
        sorted(["NP", "DT", "NN", "The", "cat"]),
    ]
    resources: list[Any] = [page["/Resources"] for page in pages]
    fonts = [font.get_object() for each in resources for font in each["/Font"].values()]
    assert fonts and all(font["/Subtype"] == "/Type0" for font in fonts)  # letters, not drawings
    assert first.to_pdf() == first.to_pdf()
    assert parses()[1].to_pdf() is None


def test_pillow_reads_a_png_with_ink_where_words_stand() -> None:
    from PIL import Image

    from bnaparser.trees.drawing.layout import arrange

    parse = parses()[0]
    data = parse.to_png()
    assert data is not None
    assert parse.tree is not None
    picture = Image.open(io.BytesIO(data)).convert("L")
    layout = arrange(parse.tree, parse.words)
    assert picture.size == pytest.approx((2 * layout.width, 2 * layout.height), abs=2)
    for box in layout.boxes:
        x, y = 2 * box.x, 2 * (box.y + (25 if box.word else 0))
        part = picture.crop((int(x - 12), int(y - 12), int(x + 12), int(y + 12)))
        assert part.getextrema()[0] < 120, box  # type: ignore[operator]
    assert parse.to_png() == data


def test_a_large_tree_fits_a_png() -> None:
    from PIL import Image

    tree = Tree("S", [Tree("NN", ["word"]) for _ in range(700)])
    parse = Parse("", tree.words, tree.tags, (Span(0, 700, "S"),))
    data = parse.to_png()
    assert data is not None
    Image.MAX_IMAGE_PIXELS = None
    assert max(Image.open(io.BytesIO(data)).size) <= 32_000


def test_polars_reads_probabilities_and_alternatives() -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    plain, failed, other = parses()
    spans = tuple(span._replace(probability=0.25) for span in plain.spans)
    sure = replace(plain, spans=spans, probability=0.125, entropy=1.5)
    stored = [replace(sure, alternatives=(replace(sure, score=0.5),)), failed, other]
    target = io.BytesIO()
    with parquet_writer(target) as write:
        for parse in stored:
            write(parse.to_dict())
    target.seek(0)
    rows = polars.read_parquet(target, use_pyarrow=False).to_dicts()
    assert [Parse.from_dict(row) for row in rows] == stored
    assert [row["confidence"] for row in rows] == [0.25, None, None]
    assert rows[0]["alternatives"][0]["constituents"][0]["probability"] == 0.25
