"""How the API reference reads the package; mkdocs.yml names it."""

from __future__ import annotations

from typing import Any

from griffe import Class, Extension, Function, Module, Parameter, ParameterKind, Parameters


class PackageReading(Extension):
    """Shows a name where it is defined, and the fields of settings as what they are made from."""

    def on_module_members(self, *, mod: Module, **_: Any) -> None:
        """Forget ``__all__``: a name that a module only hands on is shown where it is defined."""
        mod.exports = None

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Give a pydantic class the signature that it has when it runs, as dataclasses have."""
        if not {"Settings", "BaseModel", "BaseSettings"} & {str(base) for base in cls.bases}:
            return
        fields = [
            Parameter(
                name,
                annotation=field.annotation,
                kind=ParameterKind.keyword_only,
                default=field.value,
            )
            for name, field in cls.attributes.items()
            if field.annotation is not None and not name.startswith("_")
        ]
        cls.set_member("__init__", Function("__init__", parameters=Parameters(*fields)))
