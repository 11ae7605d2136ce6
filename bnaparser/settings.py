"""The base of all settings and of all requests: typed, validated, with errors in the user's words.

Tables are named as in the code. Unknown keys are errors, and every error names its key, what is allowed there,
an example, and the value that was found.
"""

from __future__ import annotations

import json
import operator
import re
import types
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    SecretStr,
    Tag,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails

from bnaparser.errors import DataError, SettingsError, shortened
from bnaparser.files.tables import parse_toml
from bnaparser.files.text_files import read_text

T = TypeVar("T", bound=BaseModel)
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Fraction = Annotated[float, Field(ge=0, lt=1)]

_BOUNDS = {
    Ge: (operator.ge, "at least"),
    Gt: (operator.gt, "greater than"),
    Le: (operator.le, "at most"),
    Lt: (operator.lt, "less than"),
}
RENAMED = {
    "encoder.joined": "detokenize",
    "encoder.hidden": "hidden_layer",
    "encoder.new.architecture": "model_type",
    "encoder.new.layers": "num_hidden_layers",
    "encoder.new.width": "hidden_size",
    "encoder.new.heads": "num_attention_heads",
    "encoder.new.feed_forward_width": "intermediate_size",
    "encoder.new.vocabulary": "vocab_size",
    "encoder.new.lower_case": "do_lower_case",
    "layers.kinds": "layer_types",
    "layers.width": "hidden_size",
    "layers.heads": "num_attention_heads",
    "layers.head_width": "head_dim",
    "layers.feed_forward_width": "intermediate_size",
    "layers.position_deviation": "position_init_std",
    "scorer.hidden": "hidden_size",
    "tags.hidden": "hidden_size",
    "tags.deviation": "init_std",
    "text.find_words": "segment_words",
    "text.hidden": "hidden_size",
    "text.block": "block_size",
    "text.held_out": "dev_ratio",
    "answers.window": "max_seq_length",
    "answers.stride": "doc_stride",
    "answers.question": "max_query_length",
    "answers.longest": "max_answer_length",
    "answers.best": "n_best_size",
    "masking.share": "mask_probability",
    "masking.p": "geometric_p",
    "masking.longest": "max_span_length",
    "objectives.boundary_longest": "max_boundary_targets",
    "pretrain.updates": "max_steps",
    "pretrain.epsilon": "eps",
    "pretrain.clip_norm": "max_grad_norm",
    "pretrain.warmup_updates": "warmup_steps",
    "pretrain.heads_first": "freeze_encoder_steps",
    "pretrain.check_every": "eval_steps",
    "pretrain.held_out_blocks": "dev_blocks",
    "pretrain.precision": "mixed_precision",
    "train.max_updates": "max_steps",
    "train.max_pieces": "max_seq_length",
    "train.batch_tokens": "eval_batch_tokens",
    "train.pool_batches": "bucket_batches",
    "train.mask_pieces": "mask_probability",
    "train.words_every": "segmentation_every",
    "train.new_learning_rate": "head_learning_rate",
    "train.epsilon": "eps",
    "train.clip_norm": "max_grad_norm",
    "train.warmup_updates": "warmup_steps",
    "train.warmup": "warmup_ratio",
    "train.schedule": "lr_scheduler_type",
    "train.plateau_checks": "plateau_patience",
    "train.stop_after_epochs": "early_stopping_epochs",
    "train.checks_per_epoch": "evals_per_epoch",
    "train.check_updates": "eval_steps",
    "train.precision": "mixed_precision",
    "train.weight_step": "qat_step",
    "train.data.teacher_alone": "ignore_gold",
    "train.dev.teacher_alone": "ignore_gold",
}
"""Former keys of recipes, and the name that the setting has in its table now."""

_MOST_NAMED = 12  # settings of a table that a message names
_MOST_SHOWN = 4  # items of a list or a table that a message shows
# Characters of a list or an object, above which it is not written to its end.
_LONGEST_WRITTEN = 1_000


def _read_strictly(schema: Any) -> None:
    """Set ``fail_fast`` for every list, and ``strict`` for every number and truth value, in a part of a core schema."""
    if isinstance(schema, dict):
        if schema.get("type") in ("list", "tuple"):
            schema["fail_fast"] = True
        elif schema.get("type") in ("int", "float", "bool"):
            schema["strict"] = True
        for name, part in schema.items():
            if name not in ("metadata", "default"):
                _read_strictly(part)
    elif isinstance(schema, (list, tuple)):
        for part in schema:
            _read_strictly(part)


class Checked(BaseModel):
    """Base of all that users write: a list is validated up to its first wrong item, and "3" is no number.

    By default pydantic collects the errors of all items: a gigabyte for a list of a few megabytes. And it takes "3" and
    3.0 for 3, and "yes" and 1 for true.
    """

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the model's schema, read strictly."""
        schema = handler(source)
        _read_strictly(schema)
        return schema


class Settings(Checked):
    """Base of all tables: immutable, and a key that is not a setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def __init__(self, **values: Any) -> None:
        """Build the settings. Raises SettingsError, which names the first value that is wrong."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(f"{type(self).__name__}: {_message(error, type(self))}") from error

    # So pydantic builds tables within tables itself, and ``validate`` names their keys.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def read_table(path: str | Path, overrides: tuple[str, ...] = ()) -> dict[str, Any]:
    """Read a TOML recipe as plain data, with the overrides of `load_recipe`; raises as it does."""
    try:
        table = parse_toml(read_text(Path(path)))
    except DataError as error:
        raise DataError(f"cannot read the recipe {error}") from error
    except ValueError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    for override in overrides:
        _apply_override(table, override)
    return table


def check_command(table: Mapping[str, Any], source: str, command: str) -> None:
    """Raise SettingsError for a recipe of another command than ``train`` or ``pretrain``, by its tables."""
    tables = {
        "train": {"train", "task", "layers", "scorer", "tags", "chart", "syntax"},
        "pretrain": {"pretrain", "masking", "objectives"},
    }
    own = tables.pop(command)
    ((other, others),) = tables.items()
    found = sorted(others & table.keys())
    if found and not own & table.keys():
        raise SettingsError(
            f"{source} is a recipe of bnaparser {other}, whose tables are {', '.join(sorted(others))}: it has {found[0]}"
        )


def validate(kind: type[T], table: Any, source: str) -> T:
    """Build settings of a kind from plain data; SettingsError names the first key that is wrong.

    Of keys that have another name now it names all.
    """
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        raise SettingsError(f"{source}: {_message(error, kind)}") from error


def mistakes(
    error: ValidationError, kind: type[BaseModel], *, in_json: bool = False, most: int = 1
) -> list[str]:
    """Return a sentence for each of the first mistakes: the key, what is allowed, and what was found.

    Args:
        error: what the validation of a ``kind`` raised.
        kind: the settings or the request that was validated.
        in_json: whether a user writes them as JSON; otherwise as TOML.
        most: how many mistakes are described at most.
    """
    found = error.errors(include_url=False)[:most]
    return [_sentence(mistake, kind, in_json=in_json) for mistake in found]


def nearest(name: str, known: Mapping[str, str]) -> str:
    """Return "; did you mean ...?" with what is written for the known name most like a wrong one, or nothing."""
    found = get_close_matches(name[:80], known, n=1, cutoff=0.6)
    return f"; did you mean {known[found[0]]}?" if found else ""


def _message(error: ValidationError, kind: type[BaseModel]) -> str:
    """Return what the first key that is wrong should be; of former keys, all with their new names."""
    return "; ".join(_renamed(error, kind)) or mistakes(error, kind)[0]


def _renamed(error: ValidationError, kind: type[BaseModel]) -> list[str]:
    """Return "train.old is called train.new" for each key that had another name in former versions."""
    found = []
    for mistake in error.errors(include_url=False):
        if mistake["type"] == "extra_forbidden":
            place = _at(kind, mistake["loc"])
            now = RENAMED.get(re.sub(r"\[\d+\]", "", place.key))
            if now in place.names:
                table = place.key.rpartition(".")[0]
                found.append(f"{place.key} is called {table}.{now}")
    return found


class _Allowed(NamedTuple):
    """What a setting may be: of one value ("a number"), of several ("numbers"), and an example."""

    one: str
    several: str
    example: Any = None


class _Place(NamedTuple):
    """A place in settings: its name, its type and the bounds of its value, the names beside it, its default.

    The type is None if no field has the name.
    """

    key: str
    annotation: Any
    metadata: Sequence[Any]
    names: Sequence[str]
    default: Any


def _sentence(mistake: ErrorDetails, kind: type[BaseModel], *, in_json: bool) -> str:
    key, annotation, metadata, names, default = _at(kind, mistake["loc"])
    message = mistake["msg"]
    match mistake["type"]:
        case "value_error" | "assertion_error":
            message = message.removeprefix("Value error, ").removeprefix("Assertion failed, ")
            return f"{key}: {message}" if key else message
        case "extra_forbidden":
            table = key.rpartition(".")[0]
            beside = {name: f"{table}.{name}" if table else name for name in names}
            what = "field" if in_json else "setting"
            meant = nearest(str(mistake["loc"][-1]), beside)
            if not (meant or in_json) and len(names) <= _MOST_NAMED:
                meant = f"; {table or 'the file'} has {', '.join(names)}"
            return f"{key}: there is no such {what}{meant}"
    if annotation is None:  # a place that the types do not tell
        return f"{key}: {message}" if key else message
    allowed = _allowed(annotation, metadata, in_json=in_json)
    if type(default) in (int, float) and allowed.example is not None:
        allowed = allowed._replace(example=default)
    if mistake["type"] == "finite_number":
        allowed = allowed._replace(one=allowed.one.replace("a number", "a finite number"))
    # Choices, true and false and plain strings need no example.
    has_example = (
        isinstance(allowed.example, (int, float, dict, list)) and allowed.example is not True
    )
    has_example = has_example and not allowed.one.startswith("one of")
    example = f", such as {_written(allowed.example, in_json)}" if has_example else ""
    if mistake["type"] == "missing":
        return f"{key} is missing: give {allowed.one}{example}"
    found = _found(mistake["input"], in_json)
    return f"{key or 'this'} must be {allowed.one}{example}; it is {found}"


def _at(kind: type[BaseModel], place: Sequence[str | int]) -> _Place:
    """Find a place among the fields of a model."""
    key, default = "", None
    annotation: Any = kind
    metadata: Sequence[Any] = ()
    names: Sequence[str] = ()
    for part in place:
        annotation, metadata, tagged = _plain(annotation, metadata, part)
        if tagged:
            continue
        key += f"[{part}]" if isinstance(part, int) else f".{part}"
        origin, items = get_origin(annotation), get_args(annotation)
        default = None
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            fields = annotation.model_fields
            names = list(fields)
            field = fields.get(str(part))
            default = field and field.default
            annotation = field and field.annotation
            metadata = field.metadata if field else ()
        elif origin is dict:
            annotation, metadata = items[1], ()
        elif origin in (list, tuple) and isinstance(part, int):
            ends = origin is list or items[-1] is Ellipsis
            annotation, metadata = items[0 if ends else min(part, len(items) - 1)], ()
        else:
            annotation, metadata = None, ()
    annotation, metadata, _ = _plain(annotation, metadata)
    return _Place(shortened(key.removeprefix("."), 200), annotation, metadata, names, default)


def _plain(
    annotation: Any, metadata: Sequence[Any], part: str | int | None = None
) -> tuple[Any, Sequence[Any], bool]:
    """Return a type without ``None`` and ``Annotated``; and whether ``part`` only chose one of several."""
    while True:
        if get_origin(annotation) is Annotated:
            metadata = [*metadata, *annotation.__metadata__]
            annotation = annotation.__origin__
        elif get_origin(annotation) in (Union, types.UnionType):
            others = [one for one in get_args(annotation) if one is not types.NoneType]
            chosen = [one for one in others if part is not None and Tag(str(part)) in _of(one)]
            if chosen:
                return chosen[0], (), True
            if len(others) > 1:
                return annotation, metadata, False
            annotation = others[0]
        else:
            return annotation, _flat(metadata), False


def _of(annotation: Any) -> Sequence[Any]:
    return getattr(annotation, "__metadata__", ())


def _flat(metadata: Sequence[Any]) -> list[Any]:
    """Return the bounds in it, those of a ``Field`` too."""
    return [one for part in metadata for one in getattr(part, "metadata", [part])]


def _allowed(annotation: Any, metadata: Sequence[Any], *, in_json: bool) -> _Allowed:
    annotation, metadata, _ = _plain(annotation, metadata)
    origin, items = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        choices = ", ".join(json.dumps(one) for one in items)
        return _Allowed(f"one of {choices}", f"any of {choices}", items[0])
    if origin in (Union, types.UnionType):
        options = [_allowed(one, (), in_json=in_json) for one in items if one is not types.NoneType]
        one = " or ".join(option.one for option in options)
        return _Allowed(one, " or ".join(option.several for option in options))
    if origin is dict:
        inside = _allowed(items[1], (), in_json=in_json)
        named = _Allowed("an object", "objects") if in_json else _Allowed("a table", "tables")
        one, several = (f"{phrase} of {inside.several}" for phrase in named[:2])
        return _Allowed(one, several, {"name": inside.example})
    if origin in (list, tuple):
        inside = _allowed(items[0], (), in_json=in_json)
        lengths = [one.max_length for one in metadata if hasattr(one, "max_length")]
        if origin is tuple and items[-1] is not Ellipsis:
            lengths = [len(items)]
        number = f"{lengths[0]} " if lengths else ""
        example = [inside.example] * (lengths[0] if lengths else 1)
        phrase = f"of {number}{inside.several}"
        return _Allowed(f"a list {phrase}", f"lists {phrase}", example)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields
        needed = [name for name, field in fields.items() if field.is_required()]
        table = {
            name: _example(fields[name], in_json=in_json) for name in needed or list(fields)[:1]
        }
        return _Allowed(*(("an object", "objects") if in_json else ("a table", "tables")), table)
    return _scalar(annotation, metadata)


def _example(field: FieldInfo, *, in_json: bool) -> Any:
    if field.examples:
        return field.examples[0]
    return _allowed(field.annotation, field.metadata, in_json=in_json).example


def _scalar(annotation: Any, metadata: Sequence[Any]) -> _Allowed:
    if annotation is bool:
        return _Allowed("true or false", "true or false", True)
    if annotation in (int, float):
        bounds = [
            (*_BOUNDS[type(one)], getattr(one, type(one).__name__.lower()))
            for one in metadata
            if type(one) in _BOUNDS
        ]
        ends = ", " + " and ".join(f"{phrase} {bound:,}" for _, phrase, bound in bounds)
        name = "whole number" if annotation is int else "number"
        tried = (1, 0.5, *(bound + more for *_, bound in bounds for more in (1, 0, -1)))
        fitting = [
            value
            for value in tried
            if (annotation is float or value == int(value))
            and all(holds(value, bound) for holds, _, bound in bounds)
        ]
        example = annotation(fitting[0]) if fitting else None
        return _Allowed(f"a {name}{ends if bounds else ''}", f"{name}s", example)
    lengths = {"min_length": 0, "max_length": 0}
    for one in metadata:
        lengths |= {key: getattr(one, key) for key in lengths if getattr(one, key, None)}
    filled = " that is not empty" if lengths["min_length"] else ""
    short = f" of at most {lengths['max_length']:,} characters" if lengths["max_length"] else ""
    return _Allowed(f"a string{filled}{short}", "strings", "...")


def _written(value: Any, in_json: bool) -> str:
    """Return a value as a user writes it in TOML or JSON."""
    if in_json or not isinstance(value, (Mapping, list, tuple)):
        return _json(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key} = {_written(one, in_json)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return f"[{', '.join(_written(one, in_json) for one in value)}]"


def _found(value: Any, in_json: bool) -> str:
    """Return what was found instead, in short."""
    if isinstance(value, SecretStr):
        return "another"
    if isinstance(value, (Mapping, list, tuple)) and len(value) > _MOST_SHOWN:
        table = "an object" if in_json else "a table"
        return f"{'a list' if isinstance(value, (list, tuple)) else table} of {len(value):,}"
    if in_json and isinstance(value, (Mapping, list)):  # perhaps with megabytes within
        written = ""
        for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
            written += piece
            if len(written) > _LONGEST_WRITTEN:
                return f"{written[:50]}..."
        return shortened(written)
    return shortened(_written(value, in_json))


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)


def _apply_override(table: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise SettingsError(
            f"--set {override}: write --set TABLE.KEY=VALUE, such as --set train.seed=2"
        )
    try:
        value = parse_toml(f"value = {text}")["value"]
    except ValueError:
        value = text
    *parents, last = key.strip().split(".")
    for parent in parents:
        table = table.setdefault(parent, {})
        if not isinstance(table, dict):
            raise SettingsError(f"--set {override}: {parent} is not a table")
    table[last] = value
