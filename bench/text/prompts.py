"""Deterministic texts for the workloads."""

import random

WORDS = (
    "river stone market window teacher garden engine letter morning bridge silver forest captain number music winter "
    "village answer science paper island history summer machine doctor question color mountain simple kitchen travel"
).split()


def prose(seed: int, words: int) -> str:
    """Text of about 1.1 tokens a word."""
    generator = random.Random(seed)
    return " ".join(generator.choice(WORDS) for _ in range(words))


def request(user: str, system: str | None = None, tokens: int = 96, **extra) -> dict:
    """A greedy chat request whose answer has exactly `tokens` tokens."""
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": user}]
    return {"model": "bench", "messages": messages, "max_tokens": tokens, "temperature": 0, "ignore_eos": True} | extra


CODE = "\n".join(
    f"def compute_{name}(values, factor):\n    total = 0\n    for value in values:\n        total += value * factor\n"
    f"    print('{name}', total)\n    return total\n"
    for name in WORDS[:8]
)

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 40},
        "year": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}, "minItems": 3, "maxItems": 6},
        "author": {
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 30}, "country": {"enum": ["FR", "DE", "UK", "US"]}},
            "required": ["name", "country"],
            "additionalProperties": False,
        },
    },
    "required": ["title", "year", "tags", "author"],
    "additionalProperties": False,
}
