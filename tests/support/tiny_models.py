"""Small language models with random weights, some of kinds whose memory is not a plain cache of keys and values, and LoRA
adapters for one of them.

They borrow vocabulary and chat template from a real model's file. What they say means nothing, but it depends on every
token before it, as with any model of the kind. Weights are 8-bit, so that results do not depend on how many tokens are
evaluated at a time (docs/performance.md).
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

EMBEDDING = 64
LAYERS = 6
F32, F16, Q8_0 = 0, 1, 8
ALIGNMENT = 32
_TEXT, _LIST, _WHOLE, _FLOAT, _TRUTH = 8, 9, 4, 6, 7
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


class _Reader:
    """Of a GGUF file's metadata, as raw bytes."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def text(self) -> str:
        length = self.number("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def skip(self, kind: int) -> int:
        """Over one value; how many elements it has."""
        if kind == _TEXT:
            self.text()
            return 1
        if kind == _LIST:
            element, count = self.number("I"), self.number("Q")
            for _ in range(count):
                self.skip(element)
            return count
        self.at += _SIZES[kind]
        return 1


def vocabulary(model: Path) -> tuple[list[bytes], int]:
    """The metadata entries of a model's tokeniser, and how many tokens it has."""
    reader = _Reader(model.read_bytes()[: 16 << 20])
    assert reader.data[:4] == b"GGUF"
    reader.at = 16
    entries, tokens = [], 0
    for _ in range(reader.number("Q")):
        begin = reader.at
        key = reader.text()
        count = reader.skip(reader.number("I"))
        if key.startswith("tokenizer."):
            entries.append(reader.data[begin : reader.at])
        if key == "tokenizer.ggml.tokens":
            tokens = count
    return entries, tokens


def renamed(entries: list[bytes], names: dict[str, str]) -> list[bytes]:
    """A vocabulary some of whose tokens have other names."""
    key = _text("tokenizer.ggml.tokens")
    changed = []
    for entry in entries:
        if entry.startswith(key):
            for old, new in names.items():
                assert _text(old) in entry, old
                entry = entry.replace(_text(old), _text(new), 1)
        changed.append(entry)
    return changed


@dataclass
class Model:
    architecture: str
    entries: list[bytes]
    tensors: list[tuple[str, tuple[int, ...], int, bytes]] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(20261130))

    def __post_init__(self) -> None:
        self.entries = [_text("general.architecture") + struct.pack("<I", _TEXT) + _text(self.architecture), *self.entries]

    def set(self, **values: bool | int | float | str | list[int] | list[float]) -> None:
        for key, value in values.items():
            entry = _text(f"{self.architecture}." + key.replace("__", "."))
            if isinstance(value, list) and isinstance(value[0], float):
                entry += struct.pack(f"<IIQ{len(value)}f", _LIST, _FLOAT, len(value), *value)
            elif isinstance(value, list):
                entry += struct.pack(f"<IIQ{len(value)}I", _LIST, _WHOLE, len(value), *value)
            elif isinstance(value, str):
                entry += struct.pack("<I", _TEXT) + _text(value)
            elif isinstance(value, bool):
                entry += struct.pack("<I?", _TRUTH, value)
            elif isinstance(value, float):
                entry += struct.pack("<If", _FLOAT, value)
            else:
                entry += struct.pack("<II", _WHOLE, value)
            self.entries.append(entry)

    def matrix(self, name: str, inputs: int, outputs: int, gain: float = 1) -> None:
        """8-bit blocks of 32 numbers with one scale; their deviation is gain / sqrt(inputs)."""
        scale = struct.pack("<e", gain / (74 * inputs**0.5))
        numbers = self.chance.randbytes(inputs * outputs)
        data = b"".join(scale + numbers[at : at + 32] for at in range(0, len(numbers), 32))
        self.tensors.append((name, (inputs, outputs), Q8_0, data))

    def directions(self, name: str, places: list[int | None], length: float) -> None:
        """A row for each place: so long, along that axis; none is a row of zeros."""
        scale = struct.pack("<e", length / 127)
        rows = {place: b"".join(scale + bytes(127 if at == place else 0 for at in range(begin, begin + 32))
                                for begin in range(0, EMBEDDING, 32)) for place in set(places)}
        self.tensors.append((name, (EMBEDDING, len(places)), Q8_0, b"".join(rows[place] for place in places)))

    def numbers(self, name: str, shape: tuple[int, ...], mean: float, deviation: float = 0, kind: int = F32) -> None:
        count = 1
        for each in shape:
            count *= each
        values = (self.chance.gauss(mean, deviation) for _ in range(count))
        self.tensors.append((name, shape, kind, struct.pack(f"<{count}{'e' if kind == F16 else 'f'}", *values)))

    def attention(self, layer: str, heads: int, kv_heads: int, size: int) -> None:
        self.matrix(f"{layer}.attn_q.weight", EMBEDDING, heads * size)
        self.matrix(f"{layer}.attn_k.weight", EMBEDDING, kv_heads * size)
        self.matrix(f"{layer}.attn_v.weight", EMBEDDING, kv_heads * size)
        self.matrix(f"{layer}.attn_output.weight", heads * size, EMBEDDING)
        self.numbers(f"{layer}.attn_q_norm.weight", (size,), 1)
        self.numbers(f"{layer}.attn_k_norm.weight", (size,), 1)

    def feed_forward(self, layer: str, width: int) -> None:
        self.numbers(f"{layer}.ffn_norm.weight", (EMBEDDING,), 1)
        self.matrix(f"{layer}.ffn_gate.weight", EMBEDDING, width)
        self.matrix(f"{layer}.ffn_up.weight", EMBEDDING, width)
        self.matrix(f"{layer}.ffn_down.weight", width, EMBEDDING)

    def write(self, file: Path) -> Path:
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.entries)) + b"".join(self.entries)
        place = 0
        for name, shape, kind, data in self.tensors:
            head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, place)
            place += len(data) + -len(data) % ALIGNMENT
        with file.open("wb") as out:
            out.write(head + bytes(-len(head) % ALIGNMENT))
            for *_, data in self.tensors:
                out.write(data + bytes(-len(data) % ALIGNMENT))
        return file


def begin(architecture: str, borrowed: Path, template: str | None = None) -> Model:
    entries, tokens = vocabulary(borrowed)
    if template is not None:
        key = _text("tokenizer.chat_template")
        entries = [entry for entry in entries if not entry.startswith(key)]
        entries.append(key + struct.pack("<I", _TEXT) + _text(template))
    model = Model(architecture, entries)
    model.set(context_length=8192, embedding_length=EMBEDDING, block_count=LAYERS, vocab_size=tokens)
    model.set(attention__layer_norm_rms_epsilon=1e-5)
    model.matrix("token_embd.weight", EMBEDDING, tokens, gain=8)
    model.matrix("output.weight", EMBEDDING, tokens, gain=4)
    return model


def llama(file: Path, borrowed: Path) -> Path:
    """The plain kind."""
    model = begin("llama", borrowed)
    model.set(feed_forward_length=128, attention__head_count=4, attention__head_count_kv=2, rope__freq_base=10000.0)
    model.numbers("output_norm.weight", (EMBEDDING,), 1)
    for number in range(LAYERS):
        layer = f"blk.{number}"
        model.numbers(f"{layer}.attn_norm.weight", (EMBEDDING,), 1)
        model.matrix(f"{layer}.attn_q.weight", EMBEDDING, EMBEDDING)
        model.matrix(f"{layer}.attn_k.weight", EMBEDDING, EMBEDDING // 2)
        model.matrix(f"{layer}.attn_v.weight", EMBEDDING, EMBEDDING // 2)
        model.matrix(f"{layer}.attn_output.weight", EMBEDDING, EMBEDDING)
        model.feed_forward(layer, 128)
    return model.write(file)


# Tokens of SmolLM2's vocabulary that no chat has.
_SPARE = range(3, 17)
_END, _USER_DEFINED = 2, 4


def speaker(file: Path, borrowed: Path, template: str, pieces: list[str]) -> Path:
    """Says always the same, token by token: `pieces`, at most 14, each another one. For what the words of a model mean to a server."""
    assert len(pieces) == len(set(pieces)) <= len(_SPARE)
    model = begin("llama", borrowed, template)
    model.set(feed_forward_length=32, attention__head_count=4, attention__head_count_kv=2)
    model.set(rope__freq_base=10000.0)
    spoken = dict(zip(_SPARE, pieces))
    model.entries = [_respelled(entry, spoken) for entry in model.entries]
    tokens = model.tensors.pop()[1][1]
    model.tensors.clear()
    # Each piece has a direction of its own, and leads to the next one; everything else leads to the first.
    follower = {0: _SPARE[0]} | {place + 1: _SPARE[place + 1] for place in range(len(pieces) - 1)}
    follower[len(pieces)] = _END
    leads = {token: place for place, token in follower.items()}
    model.directions("token_embd.weight", [_SPARE.index(token) + 1 if token in spoken else 0 for token in range(tokens)], 1)
    model.directions("output.weight", [leads.get(token) for token in range(tokens)], 8)
    model.numbers("output_norm.weight", (EMBEDDING,), 1)
    for number in range(LAYERS):  # which add nothing
        layer = f"blk.{number}"
        model.numbers(f"{layer}.attn_norm.weight", (EMBEDDING,), 1)
        for name, outputs in (("q", EMBEDDING), ("k", EMBEDDING // 2), ("v", EMBEDDING // 2), ("output", EMBEDDING)):
            model.matrix(f"{layer}.attn_{name}.weight", EMBEDDING, outputs, gain=0)
        model.numbers(f"{layer}.ffn_norm.weight", (EMBEDDING,), 1)
        for name, inputs, outputs in (("gate", EMBEDDING, 32), ("up", EMBEDDING, 32), ("down", 32, EMBEDDING)):
            model.matrix(f"{layer}.ffn_{name}.weight", inputs, outputs, gain=0)
    return model.write(file)


def _respelled(entry: bytes, spoken: dict[int, str]) -> bytes:
    """The vocabulary's entries with other words for some tokens."""
    for key, change in (("tokenizer.ggml.tokens", lambda token, old: _text(spoken[token])),
                        ("tokenizer.ggml.token_type", lambda token, old: struct.pack("<i", _USER_DEFINED))):
        if not entry.startswith(_text(key) + struct.pack("<I", _LIST)):
            continue
        reader = _Reader(entry)
        reader.at = len(_text(key)) + 4
        kind, count = reader.number("I"), reader.number("Q")
        parts = [entry[: reader.at]]
        for token in range(count):
            begin = reader.at
            reader.skip(kind)
            old = entry[begin : reader.at]
            parts.append(change(token, old) if token in spoken else old)
        return b"".join(parts)
    return entry


def adapter(file: Path, seed: int) -> Path:
    """A LoRA adapter for `llama`. Its numbers are 8-bit as well, for the same reason."""
    rank = 32
    entries = [_text(key) + struct.pack("<I", _TEXT) + _text(value) for key, value in
               {"general.type": "adapter", "adapter.type": "lora"}.items()]
    entries.append(_text("adapter.lora.alpha") + struct.pack("<If", _FLOAT, float(rank)))
    model = Model("llama", entries, chance=random.Random(seed))
    for number in range(LAYERS):
        for name, inputs, outputs in (("attn_q", EMBEDDING, EMBEDDING), ("attn_v", EMBEDDING, EMBEDDING // 2),
                                      ("ffn_down", 128, EMBEDDING)):
            model.matrix(f"blk.{number}.{name}.weight.lora_a", inputs, rank)
            model.matrix(f"blk.{number}.{name}.weight.lora_b", rank, outputs)
    return model.write(file)


def recurrent(file: Path, borrowed: Path) -> Path:
    """Mamba: its memory is one state, whatever the number of tokens."""
    inner, state, kernel, rank = 2 * EMBEDDING, 16, 4, 32
    model = begin("mamba", borrowed)
    model.set(feed_forward_length=0, attention__head_count=0)
    model.set(ssm__conv_kernel=kernel, ssm__inner_size=inner, ssm__state_size=state, ssm__time_step_rank=rank)
    model.numbers("output_norm.weight", (EMBEDDING,), 1)
    for number in range(LAYERS):
        layer = f"blk.{number}"
        model.numbers(f"{layer}.attn_norm.weight", (EMBEDDING,), 1)
        model.matrix(f"{layer}.ssm_in.weight", EMBEDDING, 2 * inner)
        model.numbers(f"{layer}.ssm_conv1d.weight", (kernel, inner), 0, 0.5)
        model.numbers(f"{layer}.ssm_conv1d.bias", (inner,), 0, 0.1)
        model.matrix(f"{layer}.ssm_x.weight", inner, rank + 2 * state)
        model.matrix(f"{layer}.ssm_dt.weight", rank, inner)
        model.numbers(f"{layer}.ssm_dt.bias", (inner,), 0, 0.5)
        model.numbers(f"{layer}.ssm_a", (state, inner), -0.2, 0.02)
        model.numbers(f"{layer}.ssm_d", (inner,), 1)
        model.matrix(f"{layer}.ssm_out.weight", inner, EMBEDDING)
    return model.write(file)


def hybrid(file: Path, borrowed: Path) -> Path:
    """LFM2: layers with a state, and some with attention."""
    kernel, heads, size, width = 3, 4, 16, 128
    kv_heads = [2 if number % 3 == 2 else 0 for number in range(LAYERS)]
    model = begin("lfm2", borrowed)
    model.set(feed_forward_length=width, attention__head_count=heads, attention__head_count_kv=kv_heads)
    model.set(shortconv__l_cache=kernel, rope__freq_base=10000.0)
    model.numbers("token_embd_norm.weight", (EMBEDDING,), 1)
    for number in range(LAYERS):
        layer = f"blk.{number}"
        model.numbers(f"{layer}.attn_norm.weight", (EMBEDDING,), 1)
        if kv_heads[number] > 0:
            model.attention(layer, heads, kv_heads[number], size)
        else:
            model.numbers(f"{layer}.shortconv.conv.weight", (kernel, EMBEDDING), 0, 0.6)
            model.matrix(f"{layer}.shortconv.in_proj.weight", EMBEDDING, 3 * EMBEDDING)
            model.matrix(f"{layer}.shortconv.out_proj.weight", EMBEDDING, EMBEDDING)
        model.feed_forward(layer, width)
    return model.write(file)


def sliding_window(file: Path, borrowed: Path, window: int = 48, template: str | None = None) -> Path:
    """Gemma 3: five of six layers see only the last tokens. With another chat template, if one is given."""
    heads, size, width = 4, 16, 128
    model = begin("gemma3", borrowed, template)
    model.set(feed_forward_length=width, attention__head_count=heads, attention__head_count_kv=2)
    model.set(attention__key_length=size, attention__value_length=size, attention__sliding_window=window)
    model.set(rope__freq_base=10000.0)
    model.numbers("output_norm.weight", (EMBEDDING,), 1)
    for number in range(LAYERS):
        layer = f"blk.{number}"
        model.numbers(f"{layer}.attn_norm.weight", (EMBEDDING,), 1)
        model.attention(layer, heads, 2, size)
        model.numbers(f"{layer}.post_attention_norm.weight", (EMBEDDING,), 1)
        model.feed_forward(layer, width)
        model.numbers(f"{layer}.post_ffw_norm.weight", (EMBEDDING,), 1)
    return model.write(file)
