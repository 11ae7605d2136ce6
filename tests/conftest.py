"""Real tiny models, built in code: nothing is downloaded.

torch and transformers are imported where a fixture needs them, so that the tests of trees and
scores start at once.
"""

from __future__ import annotations

import functools
import gc
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from tests.tiny_encoders import ENCODERS, MORE_ENCODERS, WIDTH

if TYPE_CHECKING:
    from bnaparser.network.model import BnaModel
    from bnaparser.network.model_settings import LayerSettings, TagSettings
    from bnaparser.training.data import Example

# A busy machine is no failure.
hypothesis.settings.register_profile("no deadline", deadline=None, max_examples=50)
hypothesis.settings.load_profile("no deadline")

TREEBANK = Path(__file__).parent / "data" / "tiny.mrg"

CHROMIUM_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
)
BROWSERS: list[Any] = []
"""The browser that all tests share; its start takes longer than most of them."""
BROWSER_STACK = ExitStack()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """The modules that are imported here stay: to look through them for garbage takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


SLOW = (
    "test_ray_writes_the_same_bytes_also_when_an_actor_is_killed",
    "test_a_run_that_is_interrupted_and_then_killed_ends_at_the_same_weights",
    "test_printed_commands_run",
    "test_a_model_that_pip_has_installed_loads_by_its_name",
    "test_it_writes_its_page",
    "test_other_processors_compute_the_same_numbers",
    "test_loading_needs_nothing_of_what_training_needs",
    "test_auto_is_pytorch_where_compiled_loops_may_not_use_avx2",
)
"""The tests of ten seconds and more, which start processes of their own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each of pytest-xdist's workers begin with some of the slow tests: none of them is to end alone, last of all.

    A worker gets one part after another of the list, all of about the same length.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    slow = [item for item in items if getattr(item, "originalname", None) in SLOW]
    others = [item for item in items if getattr(item, "originalname", None) not in SLOW]
    length = -(-len(items) // workers)
    items.clear()
    for worker in range(workers):
        items += slow[worker::workers]
        room = (worker + 1) * length - len(items)
        items += others[:room]
        del others[:room]


@pytest.fixture(scope="module")
def browser() -> Any:
    """Debian's Chromium; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("BNAPARSER_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium on the path; BNAPARSER_CHROMIUM may name one")
    if not BROWSERS:
        started = BROWSER_STACK.enter_context(playwright.sync_playwright())
        BROWSERS.append(started.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS.split()))
        BROWSER_STACK.callback(lambda: BROWSERS.pop().close())
    return BROWSERS[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before a test that needs none: such tests may need the event loop that it uses."""
    if "browser" not in getattr(nextitem, "fixturenames", ()):
        BROWSER_STACK.close()


@pytest.fixture(scope="module", autouse=True)
def little_garbage() -> None:
    """What was loaded before a file's tests is not looked through for garbage: that takes a fifth of all tests' time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny tensors are slower on several threads, much slower where other work fills the cores."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def build_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]
) -> Path:
    """Return a folder that one of pytest-xdist's processes builds for all of them."""
    from filelock import FileLock

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            made = base / f"{name}-made"
            made.mkdir()
            build(made)
            made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def treebank() -> Path:
    """The file of sixty invented sentences."""
    return TREEBANK


@pytest.fixture(scope="session")
def examples() -> list[Example]:
    """The trees of the invented sentences, cleaned as for training."""
    from bnaparser.training.data import read_examples
    from bnaparser.training.recipe import DataSettings, TrainSettings

    return read_examples(DataSettings(path=str(TREEBANK)), TrainSettings())


@pytest.fixture(scope="session")
def encoder_folder(
    tmp_path_factory: pytest.TempPathFactory, examples: list[Example]
) -> Callable[[str], Path]:
    """A function from a kind of encoder, a key of ENCODERS or MORE_ENCODERS, to a folder with a tiny one of it."""
    import torch
    import transformers

    @functools.cache
    def build(kind: str) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        words = sorted({word for example in examples for word in example.words})
        tokenizer, config = (ENCODERS | MORE_ENCODERS)[kind](transformers, words)
        torch.manual_seed(2)
        if kind == "t5":
            model = transformers.T5EncoderModel(config)
        else:
            model = transformers.AutoModel.from_config(config)
        tokenizer.save_pretrained(folder)
        model.save_pretrained(folder)
        return folder

    return build


@pytest.fixture(scope="session")
def build_model(
    encoder_folder: Callable[[str], Path], examples: list[Example]
) -> Callable[..., BnaModel]:
    """A function that makes an untrained parser; ``encoder`` is a kind, or None for characters."""
    import torch

    from bnaparser.encoders.characters import alphabet
    from bnaparser.encoders.encoder_settings import EncoderSettings
    from bnaparser.network import storage
    from bnaparser.network.labels import Inventory
    from bnaparser.network.model_settings import (
        LayerSettings,
        ModelSettings,
        ScorerSettings,
        TagSettings,
    )

    small = LayerSettings(
        hidden_size=WIDTH, num_attention_heads=2, head_dim=16, intermediate_size=64
    )
    labels = Inventory.of_labels(span.label for example in examples for span in example.spans)
    tags = Inventory.of_tags(tag for example in examples for tag in example.tags)
    characters = alphabet(word for example in examples for word in example.words)

    def build(
        encoder: str | None = None,
        layers: LayerSettings = small,
        tagging: TagSettings | None = None,
        allow_empty_root: bool = False,
        **encoder_settings: Any,
    ) -> BnaModel:
        torch.manual_seed(1)
        name = None if encoder is None else str(encoder_folder(encoder))
        settings = ModelSettings(
            encoder=EncoderSettings(name=name, character_width=8, **encoder_settings),
            layers=layers,
            scorer=ScorerSettings(hidden_size=64),
            tags=tagging or TagSettings(),
        )
        return storage.create(settings, labels, tags, characters, allow_empty_root)

    return build


@pytest.fixture(scope="session")
def tiny_model_dir(
    tmp_path_factory: pytest.TempPathFactory,
    build_model: Callable[..., BnaModel],
    examples: list[Example],
) -> Path:
    """The folder of a parser on a tiny BERT that knows a little of the invented sentences."""
    from bnaparser.network import storage
    from bnaparser.network.model_settings import TagSettings
    from bnaparser.training.recipe import TrainSettings
    from bnaparser.training.setup import build_accelerator, training_sentences
    from bnaparser.training.update import Updater

    def build(folder: Path) -> None:
        model = build_model("bert", tagging=TagSettings(predict=True, hidden_size=16), dropout=0.0)
        sentences = training_sentences(model, examples)
        settings = TrainSettings(learning_rate=3e-3)
        updater = Updater(model, settings, build_accelerator("no", folder))
        for number in range(100):
            first = 10 * number % 60
            loss = updater.update(sentences[first : first + 10], number)
        storage.save(model, folder, "float32", {"loss": loss})

    return build_once(tmp_path_factory, "tiny-parser", build)


@pytest.fixture(scope="session")
def two_languages_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a parser for Chinese and Spanish that has learned to find words, from characters."""
    from bnaparser.training.recipe import Recipe
    from bnaparser.training.run import train

    def build(folder: Path) -> None:
        for language, trees in INVENTED.items():
            (folder / f"{language}.mrg").write_text("\n".join(trees), encoding="utf-8")
        sources = [{"path": str(folder / f"{code}.mrg"), "language": code} for code in INVENTED]
        sizes = {
            "hidden_size": 64,
            "num_attention_heads": 2,
            "head_dim": 32,
            "intermediate_size": 64,
        }
        recipe: dict[str, Any] = {
            "layers": {**sizes, "layer_types": ["bimsa"], "attention_dropout": 0.0},
            "tags": {"predict": True, "hidden_size": 16},
            "text": {"languages": list(INVENTED), "segment_words": True, "hidden_size": 32},
            "train": {"data": sources, "max_steps": 120, "learning_rate": 3e-3, "batch_size": 8},
        }
        recipe["train"] |= {"warmup_steps": 5, "lr_scheduler_type": "linear"}
        train(Recipe.model_validate(recipe), folder / "run")

    return build_once(tmp_path_factory, "two-languages", build) / "run" / "model"


def _chinese(subject: str, verb: str, what: str) -> str:
    return f"(TOP (S (NP (N {subject})) (VP (V {verb}) (NP (N {what}))) (PU \u3002)))"


def _spanish(subject: str, verb: str, what: str) -> str:
    return f"(TOP (oracion (sn (n {subject})) (grup.verb (v {verb}) (sp (p {what}) (n Madrid))) (Fp .)))"


INVENTED = {
    "zh-Hant": [
        _chinese(subject, verb, what)
        for subject in ("\u6211", "\u4ed6\u5011", "\u8001\u5e2b")
        for verb in ("\u559c\u6b61", "\u5403", "\u770b\u898b")
        for what in ("\u860b\u679c", "\u9b5a", "\u53f0\u7063")
    ],
    "es": [
        _spanish(subject, verb, what)
        for subject in ("Ana", "Juan_Carlos", "Ellos")
        for verb in ("vive", "come", "canta")
        for what in ("en", "cerca_de", "a_pesar_de")
    ],
}
"""Trees of two languages whose words are not what stands between blanks."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the argument ``encoder_kind`` runs once for each kind of encoder."""
    if "encoder_kind" in metafunc.fixturenames:
        metafunc.parametrize("encoder_kind", ENCODERS)
