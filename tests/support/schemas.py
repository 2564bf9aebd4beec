"""JSON Schemas as tools and people write them."""

import copy
import random

NAME = {"type": "string", "maxLength": 8}
SMALL = {"type": "integer", "minimum": -5, "maximum": 5}


def closed(required: list[str] | None = None, **properties: dict) -> dict:
    return {"type": "object", "properties": properties, "required": list(properties) if required is None else required,
            "additionalProperties": False}


LEAVES = [
    NAME, SMALL, {"type": "boolean"}, {"type": "null"}, {"enum": ["red", "green", 3, None]}, {"const": {"a": [1, "b"]}},
    {"type": "integer", "minimum": 1000, "maximum": 1010}, {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3},
    {"type": ["integer", "null"], "minimum": 0, "maximum": 9}, {"type": "string", "format": "date"},
    {"type": "string", "format": "date-time"}, {"type": "string", "format": "uuid"}, {"type": "string", "format": "ipv4"},
    {"type": "string", "format": "email"}, {"type": "string", "pattern": "^[A-Z]{2}-\\d{3}$"},
    {"type": "string", "pattern": "^(cat|dog)s?$"}, {"type": "string", "pattern": "^.{2,6}$"},
    {"type": "string", "minLength": 3, "maxLength": 5}, {"type": "string", "enum": ["a\"b", "c\\d", "é\n"]},
    {"type": "number", "minimum": -1, "exclusiveMaximum": 1},
]

STRINGS = [
    {"type": "string", "format": form}
    for form in ("time", "hostname", "ipv6", "uri", "uri-reference", "duration", "json-pointer", "idn-email")
] + [
    {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 4},
    {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{4,8}$"},
    {"type": "string", "pattern": "^(?!admin)[a-z]{3,8}$"},
    {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}, {"type": "string", "pattern": "^\\+?[0-9]{1,3}( [0-9]{2,4}){2}$"},
    {"type": "string", "pattern": "b.d", "maxLength": 12}, {"type": "string", "pattern": "^\\S+@\\S+$", "maxLength": 12},
    {"type": "string", "pattern": "^[^\"\\\\]{1,4}$"}, {"type": "string", "pattern": "^[\\u00e0-\\u00ff\\u4E2D]{2}$"},
    {"type": "string", "pattern": "^(a|b|)c?$"}, {"type": "string", "pattern": "^\\w(-\\w){0,3}$"},
    {"type": "string", "format": "date", "pattern": "^20[0-9]{2}-02-"},
    {"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}, {"maxLength": 5}]},
    {"type": "string", "maxLength": 100000}, {"type": "string", "minLength": 1, "maxLength": 2147483647},
]

NUMBERS = [
    {"type": "number", "minimum": 0.5}, {"type": "number", "exclusiveMinimum": 0, "maximum": 0.125},
    {"type": "number", "minimum": -12.75, "maximum": -3.5}, {"type": "number", "minimum": 99.5, "exclusiveMaximum": 100.25},
    {"type": "integer", "multipleOf": 5}, {"type": "integer", "multipleOf": 7, "minimum": 100, "maximum": 200},
    {"type": "number", "multipleOf": 0.5}, {"type": "number", "multipleOf": 0.25, "minimum": -2, "maximum": 2},
    {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991}, {"type": "integer", "minimum": 0.5},
    {"allOf": [{"type": "number", "minimum": 1}, {"type": "integer"}, {"maximum": 3.5}]}, {"minimum": 3, "maximum": 4},
    {"type": ["number", "string"], "minimum": 7, "maxLength": 2},
]

ARRAYS = [
    {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True},
    {"type": "array", "items": {"enum": list(range(12))}, "uniqueItems": True, "minItems": 2, "maxItems": 3},
    {"type": "array", "prefixItems": [SMALL, NAME], "items": {"type": "null"}, "maxItems": 4},
    {"type": "array", "prefixItems": [SMALL, NAME], "items": False},
    {"type": "array", "items": SMALL, "minItems": 3, "maxItems": 20},
    {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2}, "minItems": 1, "maxItems": 2},
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": [SMALL, NAME], "additionalItems": False},
]

OBJECTS = [
    {"type": "object", "additionalProperties": SMALL, "maxProperties": 3},
    {"type": "object", "additionalProperties": NAME, "minProperties": 1},
    {"type": "object", "properties": {"a": SMALL, "b": SMALL, "c": SMALL}, "minProperties": 1, "maxProperties": 2},
    {"type": "object", "properties": {"a": SMALL}, "additionalProperties": {"type": "string", "maxLength": 3}},
    {"type": "object", "properties": {"a": SMALL}, "required": ["a", "more"]},
    {"type": "object", "patternProperties": {"^n_": SMALL, "_s$": NAME}, "additionalProperties": False},
    {"type": "object", "patternProperties": {"^x": {"type": "boolean"}}, "additionalProperties": SMALL},
    {"type": "object", "propertyNames": {"pattern": "^[a-z]{1,3}$"}, "additionalProperties": SMALL},
    {"type": "object", "propertyNames": {"enum": ["one", "two"]}, "additionalProperties": SMALL},
    {"type": "object", "properties": {"a b": SMALL, "ü\"\n": {"type": "null"}, "": {"type": "boolean"}}},
    {"properties": {"title": {"type": "string"}, "enum": SMALL, "$ref": NAME}},
    {"type": "object"}, {}, {"type": ["object", "array"]},
]

BASE = {"type": "object", "properties": {"id": SMALL}, "required": ["id"]}
COMBINED = [
    {"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"more": {"type": "null"}}, "required": ["more"]}], "$defs": {"base": BASE}},
    {"allOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}]},
    {"type": "object", "properties": {"a": SMALL, "b": SMALL}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {"oneOf": [closed(kind={"const": "cat"}, lives=SMALL), closed(kind={"const": "dog"}, name=NAME)],
     "discriminator": {"propertyName": "kind"}},
    {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"type": "boolean"}, "maxItems": 1}]},
    {"oneOf": [{"type": "object", "properties": {"a": SMALL}, "required": ["a"]},
               {"type": "object", "properties": {"b": SMALL}, "required": ["b"]}]},
    {"oneOf": [{"type": "integer", "maximum": 3}, {"type": "integer", "minimum": 10, "maximum": 20}]},
    {"enum": [1, 5, 10, "a"], "not": {"const": 5}}, {"enum": ["abc", "b", 3], "type": "string", "maxLength": 2},
    {"anyOf": [{"$ref": "#/$defs/leaf"}, {"type": "array", "items": {"$ref": "#"}, "maxItems": 2}], "$defs": {"leaf": SMALL}},
    {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": closed(x={"$ref": "#/$defs/c"}), "c": SMALL}},
    {"type": "object", "properties": {"a": {"$ref": "#/properties/b"}, "b": NAME}, "required": ["a"], "unevaluatedProperties": False},
]


def some_schemas() -> list[dict]:
    """A hundred: leaves of every kind, alone and inside objects, arrays, unions, references and recursions."""
    leaves = LEAVES
    schemas = [closed(value=leaf) for leaf in leaves]
    schemas += [{"type": "array", "items": leaf, "minItems": 1, "maxItems": 2} for leaf in leaves]
    schemas += [closed(["first"], first=leaf, second=leaves[(at + 3) % len(leaves)]) for at, leaf in enumerate(leaves)]
    schemas += [{"anyOf": [closed(kind={"const": "leaf"}, value=leaf), closed(kind={"const": "none"})]} for leaf in leaves]
    node = closed(value=SMALL, next={"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]})
    tree = closed(name=NAME, children={"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2})
    for at in range(10):
        schemas.append({"$defs": {"node": node}, **closed(root={"$ref": "#/$defs/node"}, leaf=leaves[at])})
    for at in range(5):
        schemas.append({"$defs": {"tree": tree}, **closed(trees={"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": at})})
    for at in range(5):
        schemas.append({"type": "array", "prefixItems": [leaves[at], leaves[at + 1]], "minItems": 2, "maxItems": 2})
    assert len(schemas) == 100
    return schemas


def more_schemas() -> list[dict]:
    """What needs more than types and structure: patterns, decimals, combinations."""
    return STRINGS + NUMBERS + ARRAYS + OBJECTS + COMBINED


SPOILERS = [
    None, True, -1, 2**70, 1e300, 0.1, "", "x" * 300, [], {}, [[]], "#/$defs/node", {"$ref": "#"}, {"pattern": "((((["},
    {"type": "string", "minLength": 10**9}, {"type": "array", "minItems": 10**9}, {"enum": []}, "^[z-a]{9,1}$",
    {"anyOf": [{}] * 40}, {"type": "integer", "minimum": 9, "maximum": -9}, {"multipleOf": 0.007, "minimum": 0.1},
    {"type": "string", "pattern": "^(a|b)*a(a|b){20}$"}, {"allOf": [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}, {}]}]},
    {"oneOf": [{}, {}]}, {"type": "array", "items": {"$ref": "#"}, "minItems": 100000}, {"not": {}}, "string", "object", "date",
]


def spoiled(schema: dict, random_: random.Random) -> dict:
    """The schema with one to three places replaced."""
    schema = copy.deepcopy(schema)
    for _ in range(random_.randint(1, 3)):
        places = []

        def visit(value):
            for key, child in (value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()):
                places.append((value, key))
                visit(child)

        visit(schema)
        if not places:
            return schema
        place, key = random_.choice(places)
        if isinstance(place, dict) and random_.random() < 0.3:
            name = random_.choice(["type", "items", "properties", "anyOf", "allOf", "oneOf", "$ref", "pattern", "format", "minimum",
                                   "maxLength", "required", "additionalProperties", "enum", "const", "patternProperties"])
            place[name] = copy.deepcopy(random_.choice(SPOILERS))
        else:
            place[key] = copy.deepcopy(random_.choice(SPOILERS))
    return schema
