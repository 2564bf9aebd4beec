"""Small models with random weights that see or hear: a language model and its projector, of kinds whose prompts differ.

What they say about a picture or a sound means nothing, but it depends on every part of it and on all that is before it, as with any
model of the kind.
"""

from __future__ import annotations

from pathlib import Path

from support.tiny_models import EMBEDDING, F16, LAYERS, Model, begin, renamed, sliding_window

WIDTH, HEADS, ENCODER_LAYERS, PATCH = 32, 2, 2, 8


def _text_layers(model: Model, biases: bool = False) -> None:
    heads, kv_heads, size, width = 4, 2, 16, 128
    model.set(feed_forward_length=width, attention__head_count=heads, attention__head_count_kv=kv_heads)
    model.set(rope__dimension_count=size, rope__freq_base=10000.0)
    model.numbers("output_norm.weight", (EMBEDDING,), 1)
    for number in range(LAYERS):
        layer = f"blk.{number}"
        model.numbers(f"{layer}.attn_norm.weight", (EMBEDDING,), 1)
        for name, outputs in (("q", heads * size), ("k", kv_heads * size), ("v", kv_heads * size)):
            model.matrix(f"{layer}.attn_{name}.weight", EMBEDDING, outputs)
            if biases:
                model.numbers(f"{layer}.attn_{name}.bias", (outputs,), 0, 0.1)
        model.matrix(f"{layer}.attn_output.weight", heads * size, EMBEDDING)
        model.feed_forward(layer, width)


def _encoder(projector: str, image_size: int, **more: int) -> Model:
    model = Model("clip", [])
    model.set(projector_type=projector, has_vision_encoder=True, use_gelu=True)
    model.set(vision__image_size=image_size, vision__patch_size=PATCH, vision__embedding_length=WIDTH)
    model.set(vision__feed_forward_length=2 * WIDTH, vision__block_count=ENCODER_LAYERS)
    model.set(vision__attention__head_count=HEADS, vision__attention__layer_norm_epsilon=1e-6)
    model.set(vision__projection_dim=EMBEDDING, vision__image_mean=[0.5] * 3, vision__image_std=[0.5] * 3)
    model.set(**{f"vision__{key}": value for key, value in more.items()})
    model.numbers("v.patch_embd.weight", (PATCH, PATCH, 3, WIDTH), 0, 0.1)
    _encoder_layers(model, "v", ("attn_q", "attn_k", "attn_v", "attn_out"))
    return model


def _encoder_layers(model: Model, sense: str, biased: tuple[str, ...]) -> None:
    gain = WIDTH**-0.5
    for number in range(ENCODER_LAYERS):
        layer = f"{sense}.blk.{number}"
        for name in ("ln1", "ln2"):
            model.numbers(f"{layer}.{name}.weight", (WIDTH,), 1)
            model.numbers(f"{layer}.{name}.bias", (WIDTH,), 0, 0.1)
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            model.numbers(f"{layer}.{name}.weight", (WIDTH, WIDTH), 0, gain)
            if name in biased:
                model.numbers(f"{layer}.{name}.bias", (WIDTH,), 0, 0.1)
        model.numbers(f"{layer}.ffn_up.weight", (WIDTH, 2 * WIDTH), 0, gain)
        model.numbers(f"{layer}.ffn_up.bias", (2 * WIDTH,), 0, 0.1)
        model.numbers(f"{layer}.ffn_down.weight", (2 * WIDTH, WIDTH), 0, gain)
        model.numbers(f"{layer}.ffn_down.bias", (WIDTH,), 0, 0.1)
    model.numbers(f"{sense}.post_ln.weight", (WIDTH,), 1)
    model.numbers(f"{sense}.post_ln.bias", (WIDTH,), 0, 0.1)


def _positions(model: Model, image_size: int) -> None:
    model.numbers("v.position_embd.weight", (WIDTH, (image_size // PATCH) ** 2), 0, 0.3)


def in_tiles(folder: Path, borrowed: Path) -> tuple[Path, Path]:
    """Idefics 3, as SmolVLM: a large picture becomes several pieces with text between them."""
    size, merge = 64, 2
    model = begin("llama", borrowed)
    model.entries = renamed(model.entries, {"<jupyter_start>": "<fake_token_around_image>", "<jupyter_text>": "<global-img>"})
    _text_layers(model)
    encoder = _encoder("idefics3", size, projector__scale_factor=merge, preproc_image_size=2 * size)
    _positions(encoder, size)
    encoder.numbers("v.patch_embd.bias", (WIDTH,), 0, 0.1)
    encoder.numbers("mm.model.fc.weight", (WIDTH * merge**2, EMBEDDING), 0, 0.3)
    return model.write(folder / "tiles.gguf"), encoder.write(folder / "tiles-mmproj.gguf")


def at_once(folder: Path, borrowed: Path) -> tuple[Path, Path]:
    """Gemma 3: the tokens of a picture see each other, and most layers only the last tokens."""
    size, merge = 64, 2
    encoder = _encoder("gemma3", size, projector__scale_factor=merge)
    _positions(encoder, size)
    encoder.numbers("v.patch_embd.bias", (WIDTH,), 0, 0.1)
    encoder.numbers("mm.input_projection.weight", (EMBEDDING, WIDTH), 0, 0.3)
    encoder.numbers("mm.soft_emb_norm.weight", (WIDTH,), 1)
    return sliding_window(folder / "at-once.gguf", borrowed), encoder.write(folder / "at-once-mmproj.gguf")


def in_two_dimensions(folder: Path, borrowed: Path) -> tuple[Path, Path]:
    """Qwen 2 VL: pictures of any size, whose tokens have two dimensions and take fewer positions than they are."""
    model = begin("qwen2vl", borrowed)
    model.set(rope__dimension_sections=[2, 3, 3, 0])
    _text_layers(model, biases=True)
    encoder = _encoder("qwen2vl_merger", 64)
    encoder.numbers("v.patch_embd.weight.1", (PATCH, PATCH, 3, WIDTH), 0, 0.1)
    for number, outputs in ((0, 4 * WIDTH), (2, EMBEDDING)):
        encoder.numbers(f"mm.{number}.weight", (4 * WIDTH, outputs), 0, 0.1)
        encoder.numbers(f"mm.{number}.bias", (outputs,), 0, 0.1)
    return model.write(folder / "two-dimensions.gguf"), encoder.write(folder / "two-dimensions-mmproj.gguf")


def by_ear(folder: Path, borrowed: Path) -> tuple[Path, Path]:
    """Qwen 2 Audio: half a minute of sound becomes 750 tokens."""
    bins, places = 80, 1500
    model = begin("llama", borrowed)
    _text_layers(model)
    encoder = Model("clip", [])
    encoder.set(projector_type="qwen2a", has_audio_encoder=True, audio__num_mel_bins=bins)
    encoder.set(audio__embedding_length=WIDTH, audio__feed_forward_length=2 * WIDTH, audio__block_count=ENCODER_LAYERS)
    encoder.set(audio__attention__head_count=HEADS, audio__attention__layer_norm_epsilon=1e-5)
    encoder.set(audio__projection_dim=EMBEDDING)
    for number, inputs in ((1, bins), (2, WIDTH)):
        encoder.numbers(f"a.conv1d.{number}.weight", (3, inputs, WIDTH), 0, 0.1, F16)
        encoder.numbers(f"a.conv1d.{number}.bias", (1, WIDTH), 0, 0.1)
    encoder.numbers("a.position_embd.weight", (WIDTH, places), 0, 0.3)
    _encoder_layers(encoder, "a", ("attn_q", "attn_v", "attn_out"))
    encoder.numbers("mm.a.fc.weight", (WIDTH, EMBEDDING), 0, 0.3)
    encoder.numbers("mm.a.fc.bias", (EMBEDDING,), 0, 0.1)
    return model.write(folder / "ear.gguf"), encoder.write(folder / "ear-mmproj.gguf")
