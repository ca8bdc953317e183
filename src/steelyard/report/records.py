"""Records: frozen dataclasses whose JSON, JSON schema and data frames follow from their annotations."""

# A result declares its fields once. `to_dict` writes every field and every property marked with `in_json`;
# `schema_of` reads the same annotations. What JSON cannot hold is written in one way everywhere: an undefined
# value (NaN) is null, infinity is its name, a label or any other object is its text.

from __future__ import annotations

import ast
import functools
import inspect
import math
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from steelyard._lazy import module_named
from steelyard.counts.labels import number_or_none, plain_label
from steelyard.errors import extra_needed

Getter = TypeVar("Getter", bound=Callable[..., Any])
Schema = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Json:
    """How a field appears in JSON, where its type does not say it."""

    # The field's name in JSON, where it is not its own name.
    key: str = ""
    # What is written in place of the value.
    write: Callable[[Any], Any] | None = None
    schema: Schema | None = None
    hidden: bool = False


HIDDEN = Json(hidden=True)
_OR_NULL: Schema = {
    "type": ["number", "null"],
    "description": "null where undefined; the reason stands beside it",
}
# A number that may be undefined (NaN).
Value = Annotated[float, Json(schema=_OR_NULL)]
# A number that is null where it is undefined or infinite, and one that may also be None.
Defined = Annotated[float, Json(write=number_or_none, schema=_OR_NULL)]
DefinedOrNone = Annotated[float | None, Json(write=number_or_none)]
# A number that may be infinite.
Amount = Annotated[
    float, Json(schema={"type": ["number", "string"], "description": "a number, or infinity by its name"})
]
# A class label.
AnyLabel = Annotated[Any, Json(write=plain_label, schema={"type": ["string", "number", "boolean"]})]


def in_json(key: str = "") -> Callable[[Getter], Getter]:
    """Mark the getter of a property: the JSON holds its value, too (below `@property`)."""

    def marked(getter: Getter) -> Getter:
        getter.__json__ = Json(key)  # type: ignore[attr-defined]
        return getter

    return marked


def derived(kind: Any, value: Callable[[Any], Any], key: str = "") -> Any:
    """A property in one line, which the JSON holds, too: its type and what it is of a record."""

    def get(record: Any) -> Any:
        return value(record)

    get.__annotations__["return"] = kind
    return property(in_json(key)(get))


class Record:
    """A dataclass that writes its own JSON."""

    #: The id of the schema, where the record is a document of its own.
    SCHEMA: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, ready for JSON."""
        written: dict[str, Any] = {"schema": self.SCHEMA} if self.SCHEMA else {}
        kind: Any = type(self)
        for entry in _parts(kind):
            value = getattr(self, entry.name)
            written[entry.key] = plain(value if entry.write is None else entry.write(value))
        return written


@dataclass(frozen=True)
class _Entry:
    """A field or property that the JSON holds."""

    name: str
    key: str
    annotation: Any
    write: Callable[[Any], Any] | None


@functools.cache
def _parts(record: Any) -> tuple[_Entry, ...]:
    hints = _hints(record)
    marked = [(field.name, _json_of(hints[field.name]), hints[field.name]) for field in fields(record)]
    for owner in reversed(record.__mro__):
        for name, member in vars(owner).items():
            getter = member.fget if isinstance(member, property) else getattr(member, "func", None)
            if (marking := getattr(getter, "__json__", None)) is not None:
                marked.append((name, marking, _hints(getter)["return"]))
    shown = ((name, json.key or name, kind) for name, json, kind in marked if not json.hidden)
    return tuple(_Entry(name, key, kind, _writer(kind)) for name, key, kind in shown)


# What its module imports for type checkers only, because few results hold it, is imported now.
def _hints(thing: Any) -> dict[str, Any]:
    """The annotations of a record or a getter."""
    # Types of parts that few results hold stand below TYPE_CHECKING: a small evaluation does not import
    # them; only writing needs them.
    names: dict[str, Any] = {}
    while True:
        try:
            return get_type_hints(thing, localns=names, include_extras=True)
        except NameError as error:
            homes = [_type_imports(base.__module__) for base in getattr(thing, "__mro__", (thing,))]
            name = str(error.name)
            home = next((module_names[name] for module_names in homes if name in module_names), None)
            if home is None:
                raise
            names[name] = getattr(module_named(home), name)


@functools.cache
def _type_imports(module: str) -> dict[str, str]:
    """The names that a module imports below `if TYPE_CHECKING:`, and where they come from."""
    if not module.startswith("steelyard"):
        return {}
    blocks = [
        node.body
        for node in ast.parse(inspect.getsource(sys.modules[module])).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imports = [line for block in blocks for line in block if isinstance(line, ast.ImportFrom)]
    return {alias.name: str(line.module) for line in imports for alias in line.names}


# None for the values as they are.
def _writer(annotation: Any) -> Callable[[Any], Any] | None:
    """What is written in place of values of this type, also inside of sequences."""
    if get_origin(annotation) is Annotated:
        return _json_of(annotation).write or _writer(annotation.__origin__)
    arguments = [kind for kind in get_args(annotation) if kind not in (type(None), Ellipsis)]
    inner = _writer(arguments[0]) if len(arguments) == 1 else None
    if inner is None:
        return None
    if get_origin(annotation) in (Union, types.UnionType):
        return lambda value: None if value is None else inner(value)
    return lambda values: [inner(value) for value in values]


def _json_of(annotation: Any) -> Json:
    """What is said of JSON in an annotation; nothing where it is not annotated."""
    markings = [entry for entry in getattr(annotation, "__metadata__", ()) if isinstance(entry, Json)]
    return markings[-1] if markings else Json()


_AS_THEY_ARE = frozenset({type(None), str, bool, int})


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    # The commonest first: a hundred thousand slices have millions of values.
    if type(value) in _AS_THEY_ARE or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, np.generic):
        # A long double is a number that Python has no type for.
        value = float(value) if isinstance(value, np.floating) else value.item()
    # Before mappings and tuples: a record may be both, and knows how it is written.
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if value is None:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    return value if isinstance(value, (str, int, float)) else str(value)


def document(record: type[Record], title: str = "", *others: type[Record]) -> Schema:
    """The JSON schema of a record that stands alone, or of one of several: the field `schema` says which."""
    title = title or (record.__doc__ or "").partition("\n")[0].rstrip(".")
    forms = [schema_of(form) for form in (record, *others)]
    return titled(record.SCHEMA, title, {"oneOf": forms} if others else forms[0])


def titled(identity: str, title: str, schema: Schema) -> Schema:
    """A schema with its id and title."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": identity, "title": title}
    return {**head, **schema}


_SIMPLE: dict[Any, Schema] = {
    type(None): {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "number"},
    float: {"type": "number"},
    Any: {},
    object: {},
    dict: {"type": "object"},
}


def schema_of(annotation: Any) -> Schema:
    """The JSON schema of a type, as `plain` writes its values."""
    if get_origin(annotation) is Annotated:
        marking = _json_of(annotation)
        return marking.schema if marking.schema is not None else schema_of(annotation.__origin__)
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _any_of([schema_of(kind) for kind in arguments])
    if origin is tuple and arguments[-1] is not Ellipsis:
        sizes = {"minItems": len(arguments), "maxItems": len(arguments)}
        return {"type": "array", "items": _any_of([schema_of(kind) for kind in arguments]), **sizes}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(arguments[0])}
    if is_dataclass(annotation) and isinstance(annotation, type):
        return _of_record(annotation)
    raise TypeError(f"no JSON schema for {annotation!r}: annotate it with Json(schema=...)")


def _any_of(schemas: Sequence[Schema]) -> Schema:
    """One of several schemas, each once; of simple types the list of their names."""
    different = [schema for k, schema in enumerate(schemas) if schema not in schemas[:k]]
    if len(different) == 1:
        return different[0]
    if all(set(schema) == {"type"} and isinstance(schema["type"], str) for schema in different):
        return {"type": [schema["type"] for schema in different]}
    return {"anyOf": different}


def _of_record(record: Any) -> Schema:
    named: Schema = {"schema": {"const": record.SCHEMA}} if getattr(record, "SCHEMA", "") else {}
    entries = {**named, **{entry.key: schema_of(entry.annotation) for entry in _parts(record)}}
    return {"type": "object", "properties": entries, "required": list(entries), "additionalProperties": False}


def data_frame(rows: list[dict[str, Any]], library: Literal["pandas", "polars"]) -> Any:
    """Rows of plain data as a data frame; one of pandas is indexed by `id` where rows have one."""
    with extra_needed(library, library, "a data frame"):
        module = module_named(library)
    if library == "polars":
        return module.DataFrame(rows, infer_schema_length=None, strict=False)
    frame = module.DataFrame(rows)
    return frame.set_index("id") if "id" in frame.columns and frame["id"].is_unique else frame
