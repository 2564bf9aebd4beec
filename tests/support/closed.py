"""The schemas of an OpenAPI document, closed: an object has no other keys than those that are described."""

import json

import jsonschema_rs

# Words that say nothing about which values fit.
SILENT = {"description", "title", "example", "examples", "discriminator", "default", "deprecated", "externalDocs", "xml", "nullable"}


class Closed:
    """A part of an `allOf` must stay open, as each part sees the keys of the others; the whole is closed around it. So a named
    schema is there twice: closed under its name, and open at its top under "NAME, open".
    """

    def __init__(self, document: dict):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.ready: dict[str, dict] = {}
        self.judges: dict[str, jsonschema_rs.Validator] = {}

    def refer(self, name: str, closed: bool = True) -> dict:
        key = name if closed else f"{name}, open"
        if key not in self.ready:
            self.ready[key] = {}  # a place for those that contain themselves
            self.ready[key] = self.convert(self.schemas[name], closed)
        return {"$ref": "#/$defs/" + key.replace(" ", "%20")}

    def convert(self, schema, closed: bool = True):
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self.refer(schema["$ref"].rsplit("/", 1)[-1], closed)
        result = {}
        alone = not schema.get("properties") and "allOf" not in schema
        for key, value in schema.items():
            if key in SILENT or key.startswith(("x-", "$")):
                continue
            if key in ("anyOf", "oneOf"):
                # Whether exactly one alternative fits says nothing about the answer; those of the descriptions overlap.
                result["anyOf"] = [self.convert(one, closed and alone) for one in value]
            elif key == "allOf":
                result[key] = [self.convert(one, False) for one in value]
            elif key == "properties":
                result[key] = {name: self.convert(one) for name, one in value.items()}
            elif key in ("items", "additionalProperties", "not"):
                result[key] = self.convert(value)
            elif key == "prefixItems":
                result[key] = [self.convert(one) for one in value]
            else:
                result[key] = value
        if closed and ("properties" in result or "allOf" in result) and "additionalProperties" not in result:
            result["unevaluatedProperties"] = False
        # A word of OpenAPI 3.0 that descriptions still use.
        return {"anyOf": [result, {"type": "null"}]} if schema.get("nullable") else result

    def check(self, schema: dict, value, what: str) -> None:
        """`value` is what `schema`, a part of the document, says, and no more."""
        text = json.dumps(schema)
        if text not in self.judges:
            closed = self.convert(schema)
            self.judges[text] = jsonschema_rs.Draft202012Validator(closed | {"$defs": self.ready})
        judge = self.judges[text]
        if not judge.is_valid(value):
            raise AssertionError(f"{what}: {deepest(judge.iter_errors(value))}\n{json.dumps(value)[:3000]}")


def deepest(errors) -> str:
    """What is wrong, in the alternative that was meant: one whose tag is another is none, and of the others the faults that lie
    deepest tell most."""
    found = [one for error in errors for one in told(error)]
    deep = max(len(path) for path, _, _ in found)
    return "; ".join(dict.fromkeys(f"{'.'.join(path)}: {message[:500]}" for path, message, _ in found if len(path) == deep))[:2000]


def told(error) -> list[tuple[list[str], str, bool]]:
    """Each fault with its path and whether it is another tag."""
    branches = getattr(error.kind, "context", None)
    if not branches:
        path = [str(step) for step in error.instance_path]
        tag = bool(path) and path[-1] in ("type", "object", "role", "event") and error.kind.name in ("const", "enum")
        return [(path, error.message, tag)]
    faults = [[one for inner in branch for one in told(inner)] for branch in branches]
    meant = [branch for branch in faults if not any(tag for _, _, tag in branch)]
    return [one for branch in meant or faults for one in branch]
