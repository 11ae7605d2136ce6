"""``attach``: put a variant into an encoder of Hugging Face, in place, its weights unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import transformers
from safetensors import SafetensorError, safe_open
from torch import nn
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel
from transformers.utils import SAFE_WEIGHTS_INDEX_NAME, SAFE_WEIGHTS_NAME

from bnaparser.errors import ModelError, SettingsError, in_one_line, type_name
from bnaparser.files.folder import check_encoder_files
from bnaparser.files.tables import read_json, read_object, write_json
from bnaparser.files.tensors import read_weights, write_weights
from bnaparser.settings import validate
from bnaparser.syntax.attention import AttentionVariant, Sizes, Syntax
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.families import interface, relatives, subclasses
from bnaparser.syntax.families.attention_hook import AttentionHook
from bnaparser.syntax.masks import SyntaxSettings
from bnaparser.syntax.variants.lisa import Lisa, LisaSettings
from bnaparser.syntax.variants.sgnet import SgNet, SgNetSettings
from bnaparser.syntax.variants.sla import Sla, SlaSettings
from bnaparser.syntax.variants.syntax_bert import SyntaxBert, SyntaxBertSettings
from bnaparser.syntax.variants.wla import Wla, WlaSettings

# What `guided_folder` writes beside a plain encoder's weights.
SYNTAX_WEIGHTS = "syntax.safetensors"

Model = TypeVar("Model", bound=nn.Module)
Install = Callable[[PreTrainedModel, list[AttentionHook]], None]
FAMILIES: tuple[tuple[Callable[[PreTrainedModel], list[AttentionHook]], Install], ...] = (
    (interface.find_hooks, interface.install),
    (subclasses.find_hooks, subclasses.install),
)


def attach(model: Model, settings: SyntaxSettings) -> Model:
    """Attach a variant of syntax-guided attention to an encoder.

    After that, ``model(**tokens, syntax=batch)`` is guided by a batch from `collate`, and ``model(**tokens)`` is the plain encoder.
    The weights of the variant are the encoder's new module ``syntax``, so they are saved, moved and trained with
    the encoder.

    Args:
        model: a Hugging Face encoder, or a model with a task head around one. It is changed in place; its
            weights and their names stay.
        settings: the variant: `SlaSettings`, `WlaSettings`, `LisaSettings`, `SgNetSettings` or `SyntaxBertSettings`.

    Returns:
        ``model``.

    Raises:
        SettingsError: the family of the encoder is not supported, or the model already has a variant, attached
            or saved in its folder.

    Example:
        >>> from transformers import BertConfig, BertModel
        >>> from bnaparser.syntax import SlaSettings, attach, syntax_of
        >>> sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
        >>> model = attach(BertModel(BertConfig(**sizes)), SlaSettings())
        >>> type(syntax_of(model)).__name__
        'Sla'
    """
    encoder = encoder_of(model)
    folder = Path(encoder.name_or_path)
    if encoder.name_or_path and holds_variant(folder):
        raise SettingsError(
            f"{folder} holds a trained variant, which attach would replace by"
            " a new one: load the folder with load_guided(folder)"
        )
    return put(model, settings)


def holds_variant(folder: Path) -> bool:
    """Return whether a model was saved in a folder with its variant, by whatever function."""
    if (folder / SYNTAX_WEIGHTS).is_file():
        return True
    try:
        return any("syntax" in name.split(".") for name in _stored_names(folder))
    except (
        OSError,
        KeyError,
        ModelError,
        SafetensorError,
    ):  # a hub's name, weights of another form
        return False


def _stored_names(folder: Path) -> list[str]:
    """Return the names of the weights in a folder, in one file or in several."""
    index = folder / SAFE_WEIGHTS_INDEX_NAME
    if index.is_file():
        return list(read_object(index)["weight_map"])
    with safe_open(folder / SAFE_WEIGHTS_NAME, framework="pt") as file:
        return list(file.keys())


def put(model: Model, settings: SyntaxSettings) -> Model:
    """Do what ``attach`` does, wherever the model comes from."""
    encoder = encoder_of(model)
    if hasattr(encoder, "syntax"):
        raise SettingsError(
            "this encoder already has a variant: load the encoder again to attach another variant"
        )
    hooks, install = _find_hooks(encoder)
    on_top = isinstance(settings, SgNetSettings)
    sizes = sizes_of_layers(encoder, len(hooks)) if on_top else sizes_of(encoder, hooks)
    variant = build(settings, sizes)
    parameter = next(encoder.parameters())
    encoder.syntax = variant.to(parameter.device, parameter.dtype).train(encoder.training)
    guides = isinstance(variant, AttentionVariant)
    by_keyword = install is interface.install or type(hooks[0].module) in relatives.GUIDED
    calls = _ForwardHooks(variant, travels=guides and by_keyword)
    if isinstance(variant, SgNet):
        _top(encoder).register_forward_hook(calls.on_top)
    elif isinstance(variant, AttentionVariant):
        for hook in hooks:
            hook.variant = variant
            if hook.projection is not hook.module:
                hook.projection.register_forward_hook(hook.finish)
        install(encoder, hooks)
    encoder.register_forward_pre_hook(calls.begin, with_kwargs=True)
    encoder.register_forward_hook(calls.check)
    encoder.register_forward_hook(calls.end, always_call=True)
    if model is not encoder:
        model.register_forward_pre_hook(calls.take_batch, with_kwargs=True)
        model.register_forward_hook(calls.drop_batch, always_call=True)
        if hasattr(model, "generate"):
            model.generate = partial(_generate, model)  # type: ignore[assignment]
    return model


def syntax_of(model: nn.Module) -> Syntax:
    """Return the module that `attach` added to a model.

    Args:
        model: an encoder, or a model with a task head.

    Returns:
        The module of the variant.

    Raises:
        SettingsError: no variant is attached.

    Example:
        >>> from transformers import BertConfig, BertModel
        >>> from bnaparser.syntax import SlaSettings, attach, syntax_of
        >>> sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
        >>> model = attach(BertModel(BertConfig(**sizes)), SlaSettings())
        >>> syntax_of(model) is model.syntax
        True
    """
    syntax = getattr(encoder_of(model), "syntax", None)
    if not isinstance(syntax, Syntax):
        raise SettingsError("no variant has been attached to this model")
    return syntax


def encoder_of(model: nn.Module) -> PreTrainedModel:
    """Return the innermost encoder of a model, with a task's head around it or without."""
    for module in model.modules():
        if isinstance(module, PreTrainedModel):
            inner = [m for m in module.modules() if isinstance(m, PreTrainedModel)]
            if len(inner) == 1:
                if getattr(module.config, "is_decoder", False):
                    raise SettingsError(
                        f"{type(module).__name__} is a decoder: syntax-guided attention needs an encoder, which reads words on both sides"
                    )
                return module
    raise SettingsError(f"there is no encoder of transformers in {type_name(model)}")


def build(settings: SyntaxSettings, sizes: Sizes) -> Syntax:
    """Return the module that ``settings`` describe, for an encoder of these sizes."""
    match settings:
        case SlaSettings():
            return Sla(settings, sizes)
        case WlaSettings():
            return Wla(settings, sizes)
        case LisaSettings():
            return Lisa(settings, sizes)
        case SgNetSettings():
            return SgNet(settings, sizes)
        case SyntaxBertSettings():
            return SyntaxBert(settings, sizes)
    raise SettingsError(
        f"{type(settings).__name__} is not a settings class of a variant, such as SlaSettings"
    )


def sizes_of(encoder: PreTrainedModel, hooks: list[AttentionHook]) -> Sizes:
    """Return the sizes of an encoder's attention modules.

    A MobileBERT's are narrower than its layers, a ConvBERT's have fewer heads than it says.
    """
    sizes, module = sizes_of_layers(encoder, len(hooks)), hooks[0].module
    return replace(
        sizes,
        width=getattr(encoder.config, "true_hidden_size", sizes.width),
        heads=getattr(module, "num_attention_heads", sizes.heads),
        head_dim=getattr(module, "attention_head_size", sizes.head_dim),
    )


def sizes_of_layers(encoder: PreTrainedModel, layers: int) -> Sizes:
    """Read the sizes of an encoder with this number of attention modules from its configuration."""
    config: PreTrainedConfig = encoder.config

    def first(*names: str, default: float) -> Any:
        found = (getattr(config, name, None) for name in names)
        return next((value for value in found if value is not None), default)

    width, heads = config.hidden_size, config.num_attention_heads
    return Sizes(
        width=width,
        heads=heads,
        head_dim=first("d_kv", "attention_head_size", "head_dim", default=width // heads),
        layers=layers,
        intermediate_size=first(
            "intermediate_size", "hidden_dim", "d_ff", "d_inner", default=4 * width
        ),
        dropout=first("hidden_dropout_prob", "dropout_rate", "dropout", "mlp_dropout", default=0.1),
        initializer_range=first("initializer_range", default=0.02),
    )


def _find_hooks(encoder: PreTrainedModel) -> tuple[list[AttentionHook], Install]:
    known = encoder.config.model_type in KNOWN
    for find, install in FAMILIES:
        hooks = find(encoder) if known else []
        if hooks:
            return hooks, install
    raise SettingsError(
        f"syntax cannot be attached to {type_name(encoder)}; supported encoders are {', '.join(KNOWN.values())}"
    )


def _generate(
    model: nn.Module, *args: Any, syntax: SyntaxBatch | None = None, **kwargs: Any
) -> Any:
    """Call ``generate`` of a model with a decoder; its encoder, which reads once, is guided."""
    kind: Any = type(model)
    variant = syntax_of(model)
    variant.pending_batch = syntax
    try:
        return kind.generate(model, *args, **kwargs)
    finally:
        variant.pending_batch = None


def _top(encoder: PreTrainedModel) -> nn.Module:
    """Return the module whose output are the last states, in front of a pooler if there is one."""
    layers = getattr(encoder, "encoder", None) if hasattr(encoder, "pooler") else None
    return layers if isinstance(layers, nn.Module) else encoder


@dataclass
class _ForwardHooks:
    """What happens around an encoder's forward; a class, so that copies of a model have their own."""

    syntax: Syntax
    travels: bool

    def take_batch(self, module: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Take the batch out of a call of the model around the encoder."""
        self.syntax.pending_batch = kwargs.pop("syntax", None)
        return args, kwargs

    def drop_batch(self, module: nn.Module, args: Any, output: Any) -> None:
        self.syntax.pending_batch = None

    def begin(self, module: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        batch = kwargs.pop("syntax", None) or self.syntax.pending_batch
        tokens = args[0] if args else kwargs.get("input_ids")
        if tokens is None:
            tokens = kwargs["inputs_embeds"]
        self.syntax.begin(batch, tokens.shape[:2], tokens.device)
        if self.travels and batch is not None:
            kwargs["syntax"] = self.syntax.batch
        return args, kwargs

    def check(self, module: nn.Module, args: Any, output: Any) -> None:
        self.syntax.check_called()

    def end(self, module: nn.Module, args: Any, output: Any) -> None:
        self.syntax.end()

    def on_top(self, module: nn.Module, args: Any, output: Any) -> Any:
        """Replace the last states of a module's output by those of the layers on top."""
        batch = self.syntax.batch
        if batch is None:
            return output
        if isinstance(output, tuple):
            return (self.syntax(output[0], batch), *output[1:])
        output.last_hidden_state = self.syntax(output.last_hidden_state, batch)
        if output.get("hidden_states") is not None:
            output.hidden_states = (*output.hidden_states[:-1], output.last_hidden_state)
        return output


KNOWN = {
    "albert": "ALBERT",
    "bert": "BERT",
    "bert-generation": "BERT Generation",
    "big_bird": "BigBird (in full attention)",
    "camembert": "CamemBERT",
    "convbert": "ConvBERT",
    "data2vec-text": "Data2Vec",
    "deberta": "DeBERTa",
    "deberta-v2": "DeBERTa-v2 and v3",
    "distilbert": "DistilBERT",
    "electra": "ELECTRA",
    "ernie": "ERNIE",
    "esm": "ESM",
    "eurobert": "EuroBERT",
    "gte": "GTE",
    "jina_embeddings_v3": "Jina Embeddings v3",
    "layoutlm": "LayoutLM",
    "longformer": "Longformer",
    "markuplm": "MarkupLM",
    "mobilebert": "MobileBERT",
    "modernbert": "ModernBERT",
    "mpnet": "MPNet",
    "mt5": "the encoder of mT5",
    "nomic_bert": "NomicBERT",
    "roberta": "RoBERTa",
    "roberta-prelayernorm": "RoBERTa-PreLayerNorm",
    "roc_bert": "RoCBert",
    "roformer": "RoFormer",
    "splinter": "Splinter",
    "t5": "the encoder of T5",
    "umt5": "the encoder of UMT5",
    "xlm-roberta": "XLM-RoBERTa",
    "xlm-roberta-xl": "XLM-RoBERTa-XL",
    "xlnet": "XLNet",
    "xmod": "X-MOD",
}


SETTINGS = "syntax.json"
# Named as the tables of a recipe.
VARIANTS: dict[str, type[SyntaxSettings]] = {
    "sla": SlaSettings,
    "wla": WlaSettings,
    "lisa": LisaSettings,
    "sgnet": SgNetSettings,
    "syntax_bert": SyntaxBertSettings,
}


def save_guided(model: PreTrainedModel, folder: str | Path) -> None:
    """Save a model with its variant, with or without a task head.

    ``folder`` then holds the plain model, as ``save_pretrained`` writes it, and ``syntax.json`` and ``syntax.safetensors``.
    Save the tokenizer separately.

    Args:
        model: a model to which a variant is attached.
        folder: the folder to write.

    Raises:
        SettingsError: no variant is attached.
        DataError: the disk is full.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from transformers import BertConfig, BertModel
        >>> from bnaparser.syntax import SlaSettings, attach, load_guided, save_guided, syntax_of
        >>> sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
        >>> model = attach(BertModel(BertConfig(**sizes)), SlaSettings())
        >>> with TemporaryDirectory() as folder:
        ...     save_guided(model, folder)
        ...     print(type(syntax_of(load_guided(folder))).__name__)
        Sla
    """
    folder, syntax = Path(folder), syntax_of(model)
    own = {id(tensor) for tensor in syntax.state_dict(keep_vars=True).values()}
    weights = model.state_dict(keep_vars=True)
    plain = {name: tensor.detach() for name, tensor in weights.items() if id(tensor) not in own}
    model.save_pretrained(folder, state_dict=plain)
    write_weights(folder / SYNTAX_WEIGHTS, syntax.state_dict(), "float32")
    settings = syntax.settings
    name = next(name for name, kind in VARIANTS.items() if type(settings) is kind)
    write_json(folder / SETTINGS, {name: settings.model_dump(mode="json", exclude_none=True)})


def load_guided(folder: str | Path) -> Any:
    """Load a model that `save_guided` has saved.

    Args:
        folder: the folder.

    Returns:
        A model of the same class, with its trained variant attached.

    Raises:
        ModelError: the folder holds no guided model, or its files are damaged or do not fit.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from transformers import BertConfig, BertModel
        >>> from bnaparser.syntax import SlaSettings, attach, load_guided, save_guided, syntax_of
        >>> sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
        >>> model = attach(BertModel(BertConfig(**sizes)), SlaSettings())
        >>> with TemporaryDirectory() as folder:
        ...     save_guided(model, folder)
        ...     print(type(syntax_of(load_guided(folder))).__name__)
        Sla
    """
    folder = Path(folder)
    settings = _settings(folder / SETTINGS)
    check_encoder_files(folder)
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
        kind = getattr(transformers, (config.architectures or ["no class"])[0])
        model: nn.Module = kind.from_pretrained(folder, config=config)
    except Exception as error:  # of a damaged file the library raises whatever comes
        raise ModelError(f"cannot load the encoder {folder}: {in_one_line(error)}") from error
    put(model, settings)
    try:
        syntax_of(model).load_state_dict(read_weights(folder / SYNTAX_WEIGHTS))
    except RuntimeError as error:
        raise ModelError(
            f"{folder / SYNTAX_WEIGHTS} does not fit {SETTINGS}: {in_one_line(error)}"
        ) from error
    return model


def _settings(path: Path) -> SyntaxSettings:
    table = read_json(path)
    if not isinstance(table, dict) or len(table) != 1 or not table.keys() <= VARIANTS.keys():
        raise ModelError(f"{path} is damaged: it names no variant of {', '.join(VARIANTS)}")
    ((name, settings),) = table.items()
    return validate(VARIANTS[name], settings, str(path))
