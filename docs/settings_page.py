"""Write docs/settings.md: every setting of the three kinds of recipe, from the code.

    python docs/settings_page.py

A setting's meaning is the string below its field. tests/docs/test_settings_page.py checks that the page is up to date.
"""

from __future__ import annotations

import ast
import inspect
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from bnaparser.settings import RENAMED, Settings
from bnaparser.spanbert.settings import PretrainRecipe
from bnaparser.tasks.settings import TaskRecipe
from bnaparser.training.recipe import Recipe

TARGET = Path(__file__).parent / "settings.md"
HEAD = """\
# Settings

Every setting of a recipe: its type, its default and its meaning. There are three kinds of recipe:

- [a parser's](#a-parsers-recipe), for `bnaparser train` ([Training a parser](training.md));
- [a task's](#a-tasks-recipe), for `bnaparser train` ([Parse and classify](classify.md)): it has a table `[task]`;
- [a pre-training recipe](#a-pre-training-recipe), for `bnaparser pretrain` ([Pre-training on spans](pretrain.md)).

A recipe is a TOML file. A setting that is not in the recipe has its default. A setting that is not on this page is an
error. `--set table.key=value` overrides a setting, with the value as TOML writes it:

    bnaparser train RECIPE.toml --set train.batch_size=16 --set 'layers.layer_types=["bimsa"]'

Tables of one name in two kinds of recipe are different tables: `[encoder]` of a parser has `layers`, `[encoder]` of a task
has `pooling`.

This page is written by `docs/settings_page.py` from the code.
"""
FORMER_NAMES = """\
## Former names

Recipes and models from before 28 November 2026 have other names for some settings. A former name is an error that names the
new name: `train.clip_norm is called train.max_grad_norm`.

- All three kinds of recipe now have the same names: the names of PyTorch and Hugging Face, if these have one.
- Values: `lr_scheduler_type` has `"constant_with_warmup"` for `"constant"` and `"reduce_lr_on_plateau"` for `"plateau"`;
  `detokenize` has `"guess"`, `"spaces"`, `"no_spaces"` for `"guessed"`, `"always"`, `"never"`.
- `train.average_decay` and `train.merge_repeated` are no longer settings.

| former name | name |
|---|---|"""
KINDS = (
    ("A parser's recipe", Recipe),
    ("A task's recipe", TaskRecipe),
    ("A pre-training recipe", PretrainRecipe),
)
_BOUNDS = {Ge: "≥", Gt: ">", Le: "≤", Lt: "<"}
_NAMES = {str: "string", bool: "true or false", int: "integer", float: "number"}


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for title, recipe in KINDS:
        parts.append(f"## {title}\n")
        parts.extend(tables(recipe, ""))
    parts.append(FORMER_NAMES)
    for key, name in RENAMED.items():
        parts.append(f"| `{key}` | `{key.rpartition('.')[0]}.{name}` |")
    return "\n".join(parts) + "\n"


def tables(kind: type[Settings], name: str, listed: bool = False) -> Iterator[str]:
    """Yield the section of a table of settings, then those of the tables within it."""
    inside = [(key, field, *nested(field.annotation)) for key, field in kind.model_fields.items()]
    meanings = field_docstrings(kind)
    rows = [
        f"| `{key}` | {type_of(field)} | {default_of(field)} | {meanings[key]} |"
        for key, field, table, _ in inside
        if table is None or name
    ]
    if rows:
        head = f"### `[[{name}]]`" if listed else f"### `[{name}]`"
        about = in_markdown(inspect.cleandoc(kind.__doc__ or ""))
        yield f"{head}\n\n{about}\n\n| setting | type | default | meaning |"
        yield "\n".join(["|---|---|---|---|", *rows, ""])
    seen: set[type] = set()
    for key, _, table, is_list in inside:
        # dev and test are lists of the tables of data.
        if table is not None and table not in seen:
            seen.add(table)
            yield from tables(table, f"{name}.{key}" if name else key, is_list)


def field_docstrings(kind: type[Settings]) -> dict[str, str]:
    """Return the string below each field of a class, and of the classes that it extends."""
    found: dict[str, str] = {}
    for cls in reversed(kind.__mro__):
        if not (issubclass(cls, Settings) and cls is not Settings):
            continue
        (node,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(cls))).body
        assert isinstance(node, ast.ClassDef)
        for field, after in zip(node.body, node.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
                assert isinstance(field.target, ast.Name)
                value = ast.literal_eval(after.value)
                found[field.target.id] = in_markdown(" ".join(value.split()))
    return found


def in_markdown(text: str) -> str:
    """Return a docstring with Markdown's backquotes; what stands in a table cannot hold a bar."""
    return text.replace("``", "`").replace("|", "\\|")


def nested(annotation: Any) -> tuple[type[Settings] | None, bool]:
    """Return the settings of a table within a table, and whether it is a list of tables."""
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return annotation, False
    for one in get_args(annotation):
        found, is_list = nested(one)
        if found is not None:
            return found, is_list or get_origin(annotation) is tuple
    return None, False


def type_of(field: FieldInfo) -> str:
    """Return the type of a setting, in TOML's words, with its bounds."""
    bounds = [
        f"{sign} {getattr(one, kind.__name__.lower()):,}"
        for one in field.metadata
        for kind, sign in _BOUNDS.items()
        if isinstance(one, kind)
    ]
    name = type_name(field.annotation)
    return f"{name} {' and '.join(bounds)}" if bounds else name


def type_name(annotation: Any, several: bool = False) -> str:
    """Return the name of a type; with ``several`` in the plural."""
    origin, items = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_name(items[0], several)
    if origin in (Union, types.UnionType):
        return " or ".join(type_name(one, several) for one in items if one is not types.NoneType)
    if origin is Literal:
        return " or ".join(f"`{json.dumps(one)}`" for one in items)
    if origin is tuple:
        number = "" if items[-1] is Ellipsis else f"{len(items)} "
        choice = get_origin(items[0]) is Literal
        return f"list of {number}{type_name(items[0], not choice)}"
    if origin is dict:
        return f"table of {type_name(items[1], True)}"
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return "tables" if several else "table"
    return f"{_NAMES[annotation]}s" if several else _NAMES[annotation]


def default_of(field: FieldInfo) -> str:
    """Return the default of a setting as TOML writes it."""
    if field.is_required():
        return "required"
    if field.default is None:
        return "none"
    if isinstance(field.default, Settings):
        return ""
    if isinstance(field.default, dict):
        return "`{}`"
    value = list(field.default) if isinstance(field.default, tuple) else field.default
    return f"`{json.dumps(value)}`"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
