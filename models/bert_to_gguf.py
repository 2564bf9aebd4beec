"""Writes a BERT sentence-embedding model (safetensors, vocab.txt, config.json) as the GGUF file llama.cpp loads.

Weights stay 32-bit, so the numbers are those of the source. The same input gives the same bytes. Needs Python 3.9 and its
standard library.
"""

import hashlib
import json
import pathlib
import statistics
import struct

ALIGNMENT = 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
CONTROL, NORMAL = 3, 1
POOLING = {"pooling_mode_mean_tokens": 1, "pooling_mode_cls_token": 2}
RANK = 4

PLAIN = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm": "token_embd_norm",
}
IN_A_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(kind: int, content) -> bytes:
    if kind == STRING:
        return string(content)
    return struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], content)


def entry(key: str, kind: int, content) -> bytes:
    return string(key) + struct.pack("<I", kind) + value(kind, content)


def list_entry(key: str, kind: int, contents: list) -> bytes:
    head = string(key) + struct.pack("<IIQ", ARRAY, kind, len(contents))
    return head + b"".join(value(kind, content) for content in contents)


def read_safetensors(path: pathlib.Path) -> dict:
    """Name -> (shape, bytes). Only 32-bit floats are taken."""
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    tensors = {}
    for name, about in json.loads(raw[8:8 + length]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            begin, end = about["data_offsets"]
            tensors[name.removeprefix("bert.")] = (about["shape"], raw[8 + length + begin:8 + length + end])
    return tensors


def target_name(name: str):
    for source, target in PLAIN.items():
        if name == source or name.startswith(source + "."):
            return target + name[len(source):]
    parts = name.split(".")
    if parts[:2] == ["encoder", "layer"]:
        target = IN_A_LAYER.get(".".join(parts[3:-1]))
        return target and f"blk.{parts[2]}.{target}.{parts[-1]}"
    return None  # the pooler, which sentence embeddings do not use


def random_head(size: int) -> dict:
    """A classification head of seeded random numbers: what makes an embedding model a reranker for tests."""
    normal = [round(statistics.NormalDist().inv_cdf((i + 0.5) / 256), 4) for i in range(256)]

    def numbers(name: str, count: int, scale: float) -> bytes:
        drawn = hashlib.shake_128(name.encode()).digest(count)
        return struct.pack(f"<{count}f", *(normal[each] * scale for each in drawn))

    return {
        "cls.weight": ([size, size], numbers("cls.weight", size * size, size**-0.5)),
        "cls.bias": ([size], bytes(4 * size)),
        "cls.output.weight": ([1, size], numbers("cls.output.weight", size, 4 * size**-0.5)),
        "cls.output.bias": ([1], bytes(4)),
    }


def metadata(folder: pathlib.Path, name: str, ranks: bool) -> list:
    config = json.loads((folder / "config.json").read_text())
    pooling = json.loads((folder / "1_Pooling" / "config.json").read_text())
    (kind,) = [number for mode, number in POOLING.items() if pooling.get(mode)]
    words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    words = words[:-1] if words[-1] == "" else words
    special = {word: words.index(word) for word in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")}
    tokens = [
        word if word in special else word[2:] if word.startswith("##") else "\u2581" + word for word in words
    ]
    return [
        entry("general.architecture", STRING, "bert"),
        entry("general.name", STRING, name),
        entry("general.file_type", UINT32, 0),
        entry("bert.block_count", UINT32, config["num_hidden_layers"]),
        entry("bert.context_length", UINT32, config["max_position_embeddings"]),
        entry("bert.embedding_length", UINT32, config["hidden_size"]),
        entry("bert.feed_forward_length", UINT32, config["intermediate_size"]),
        entry("bert.attention.head_count", UINT32, config["num_attention_heads"]),
        entry("bert.attention.layer_norm_epsilon", FLOAT32, config["layer_norm_eps"]),
        entry("bert.attention.causal", BOOL, False),
        entry("bert.pooling_type", UINT32, RANK if ranks else kind),
        entry("tokenizer.ggml.model", STRING, "bert"),
        entry("tokenizer.ggml.token_type_count", UINT32, config["type_vocab_size"]),
        list_entry("tokenizer.ggml.tokens", STRING, tokens),
        list_entry("tokenizer.ggml.token_type", INT32, [CONTROL if word in special else NORMAL for word in words]),
        entry("tokenizer.ggml.bos_token_id", UINT32, special["[CLS]"]),
        entry("tokenizer.ggml.unknown_token_id", UINT32, special["[UNK]"]),
        entry("tokenizer.ggml.seperator_token_id", UINT32, special["[SEP]"]),
        entry("tokenizer.ggml.padding_token_id", UINT32, special["[PAD]"]),
        entry("tokenizer.ggml.cls_token_id", UINT32, special["[CLS]"]),
        entry("tokenizer.ggml.mask_token_id", UINT32, special["[MASK]"]),
    ]


def padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % ALIGNMENT)


def convert(folder: pathlib.Path, target: pathlib.Path, name: str, ranks: bool = False) -> None:
    """`ranks`: with a random classification head and the pooling of rerankers."""
    tensors = {}
    for source, tensor in read_safetensors(folder / "model.safetensors").items():
        renamed = target_name(source)
        if renamed:
            tensors[renamed] = tensor
    if ranks:
        tensors |= random_head(tensors["token_embd_norm.weight"][0][0])
    facts = metadata(folder, name, ranks)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts)) + b"".join(facts)
    offset = 0
    for tensor, (shape, raw) in tensors.items():
        head += string(tensor) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", size) for size in reversed(shape)) + struct.pack("<IQ", 0, offset)
        offset += len(padded(raw))
    with target.open("wb") as file:
        file.write(padded(head))
        for _, raw in tensors.values():
            file.write(padded(raw))
