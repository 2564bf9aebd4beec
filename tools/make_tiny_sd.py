#!/usr/bin/env python3
"""Writes image models with random weights that stable-diffusion.cpp loads.

Nobody may ship real Stable Diffusion weights in a package, so tests, benchmarks and the default of `./dev run` use these:
checkpoints in the real formats and shapes, filled from a seed. Their pictures are coloured noise and mean nothing; but
seed, prompt and input image change them, and the tiny autoencoder is wired by hand (encode = mean colour of 8x8 pixels,
decode = smooth enlargement), so a test can assert that an inpainted picture keeps its other half.

Needs Python 3.9 and its standard library. The same arguments give the same bytes on every machine; for the default
arguments that is checked against the sums below.

architectures (--arch)
  nano      Ovis Image: a FLUX transformer of two blocks with a one-layer text encoder (12.7 MB), and its autoencoder
            (4.9 MB). The only family whose sizes the engine reads from the file.
  dit       the same with blocks of a real width: 12 heads, two double and four single blocks (0.8 GB), for benchmarks
  sdxs      SDXS 512: the smallest SD 1.x network with CLIP-L and a tiny autoencoder (883 MB)
  sd1-tiny  BK-SDM-Tiny with CLIP-L and the full autoencoder (1.1 GB)
  sd15      Stable Diffusion 1.5 exactly (2.1 GB), for benchmarks
  taesd     the tiny autoencoder alone, for --taesd with the two above
  esrgan    an ESRGAN upscaler of one block: four times larger, no detail added
  flux      the network of a tiny FLUX alone, without anything that reads prompts (3.2 MB)
  lora      an adapter for nano

usage: make_tiny_sd.py --arch nano --out nano.safetensors
"""
import argparse
import hashlib
import json
import math
import os
import statistics
import struct
import sys

# SHA-256 of the files made with the default arguments.
KNOWN = {
    "nano": "34a5937b5a6de24bafb27975c296da7999bb4ed5cbd7add41ca87ce87458a018",
    "tae": "bf6b724ec28a74f60f8d936e0cd75c778dae6d637f9ded4b7a52adb4ac4b041e",
    "sdxs": "397b9f47be425466606a51af39461d2df76e6d45d037d083bc1e6a42245ed6e3",
    "sd15": "0c3439f3df332bc92ce1b2464dfbfe93bba02af58804d6b6d93dc9df36eb1033",
    "taesd": "10f9434296ce00fd4b870b55dd40c807e62744e911e3f7432c1d3825c2014af7",
    "esrgan": "ab2b260738e4c1482fdab779b9b040c8df6f0f540581a956351d052eb5123145",
    "lora": "d631425900d4652521a8a05a9053f4776279612a59a6af4f953cbc6d0311107d",
    "flux": "f40e1577a996f4f65e3aa5e7116baf03ad860c35017af64b171e095763e29a38",
}

# ---------------------------------------------------------------- numbers

# 256 steps of the normal distribution: one random byte becomes one weight through a table, which is what makes plain
# Python fast enough. Rounded, so that no mathematics library can change a byte.
NORMAL = [round(statistics.NormalDist().inv_cdf((i + 0.5) / 256), 4) for i in range(256)]


def random_bytes(seed, name, count):
    return hashlib.shake_128(f"{seed}:{name}".encode()).digest(count)


def encoded(dtype, value):
    """One number as little-endian bytes."""
    if dtype == "F16":
        return struct.pack("<e", value)
    single = struct.pack("<f", value)
    if dtype == "F32":
        return single
    bits = struct.unpack("<I", single)[0]  # BF16: round to nearest even
    return struct.pack("<H", (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)


BYTES = {"F16": 2, "BF16": 2, "F32": 4}


def through_table(raw, dtype, scale):
    """Each byte of `raw` becomes the number NORMAL[byte] * scale."""
    numbers = [encoded(dtype, value * scale) for value in NORMAL]
    size = BYTES[dtype]
    out = bytearray(len(raw) * size)
    for position in range(size):
        out[position::size] = raw.translate(bytes(number[position] for number in numbers))
    return out


class Tensor:
    """Normal numbers of deviation `std`, or all `value` when `std` is 0; then `rows` scales ranges of the first dimension
    and `patches` sets single numbers: {(i, j, …): value}."""

    def __init__(self, shape, std=0.0, value=0.0, rows=(), patches=None, exact=False):
        self.shape = tuple(shape)
        self.count = math.prod(self.shape)
        self.std, self.value, self.rows = std, value, rows
        self.patches = patches or {}
        self.exact = exact  # always F32: biases and norms

    def data(self, seed, name, dtype):
        if self.std == 0:
            out = bytearray(encoded(dtype, self.value) * self.count)
        else:
            out = self.random(random_bytes(seed, name, self.count), dtype)
        size = BYTES[dtype]
        for index, value in self.patches.items():
            flat = 0
            for i, side in zip(index, self.shape):
                flat = flat * side + i
            out[flat * size:(flat + 1) * size] = encoded(dtype, value)
        return out

    def random(self, raw, dtype):
        out = through_table(raw, dtype, self.std)
        row = self.count // self.shape[0]
        size = BYTES[dtype]
        for first, last, factor in self.rows:
            out[first * row * size:last * row * size] = through_table(raw[first * row:last * row], dtype, self.std * factor)
        return out


class Checkpoint:
    """Named tensors in order, written as a safetensors file."""

    def __init__(self, seed, dtype):
        self.seed, self.dtype, self.tensors = seed, dtype, {}

    def add(self, name, tensor):
        assert name not in self.tensors, name
        self.tensors[name] = tensor

    def linear(self, name, inputs, outputs, bias=True, gain=1.0, bias_value=0.0, rows=(), patches=None):
        self.add(name + ".weight", Tensor((outputs, inputs), gain / math.sqrt(inputs), rows=rows, patches=patches))
        if bias:
            self.add(name + ".bias", Tensor((outputs,), value=bias_value, exact=True))

    def conv(self, name, inputs, outputs, kernel=3, bias=True, gain=1.0, bias_value=0.0, bias_patches=None, rows=(),
             patches=None):
        std = gain / math.sqrt(inputs * kernel * kernel)
        self.add(name + ".weight", Tensor((outputs, inputs, kernel, kernel), std, rows=rows, patches=patches))
        if bias:
            self.add(name + ".bias", Tensor((outputs,), value=bias_value, patches=bias_patches, exact=True))

    def norm(self, name, size, bias=True):
        self.add(name + ".weight", Tensor((size,), value=1.0, exact=True))
        if bias:
            self.add(name + ".bias", Tensor((size,), exact=True))

    def constant(self, name, shape, value):
        self.add(name, Tensor(shape, value=value, exact=True))

    def random(self, name, shape, std):
        self.add(name, Tensor(shape, std))

    def parameters(self):
        return sum(tensor.count for tensor in self.tensors.values())

    def write(self, path, metadata):
        """Gives the file's SHA-256. The file appears whole or not at all."""
        names = {"f16": "F16", "f32": "F32", "bf16": "BF16"}
        header, offset = {"__metadata__": metadata}, 0
        for name, tensor in self.tensors.items():
            dtype = "F32" if tensor.exact else names[self.dtype]
            end = offset + tensor.count * BYTES[dtype]
            header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [offset, end]}
            offset = end
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        digest = hashlib.sha256()
        unfinished = f"{path}.{os.getpid()}.part"
        try:
            with open(unfinished, "wb") as file:
                def put(data):
                    file.write(data)
                    digest.update(data)
                put(struct.pack("<Q", len(text)))
                put(text)
                for name, tensor in self.tensors.items():
                    put(tensor.data(self.seed, name, header[name]["dtype"]))
            os.replace(unfinished, path)
        finally:
            if os.path.exists(unfinished):
                os.unlink(unfinished)
        return digest.hexdigest()


GAUSS = [[value / 16 for value in row] for row in ((1, 2, 1), (2, 4, 2), (1, 2, 1))]


def kernel_at(output, channel, kernel, factor=1.0):
    """Patches that put a 3x3 kernel between two channels."""
    return {(output, channel, y, x): kernel[y][x] * factor for y in range(3) for x in range(3)}


# ---------------------------------------------------------------- text encoders


def clip_l(c, prefix="cond_stage_model.transformer.text_model."):
    width, inner = 768, 3072
    c.random(prefix + "embeddings.token_embedding.weight", (49408, width), 0.03)
    c.random(prefix + "embeddings.position_embedding.weight", (77, width), 0.01)
    for i in range(12):
        p = f"{prefix}encoder.layers.{i}."
        c.norm(p + "layer_norm1", width)
        for name in ("q_proj", "k_proj", "v_proj"):
            c.linear(p + "self_attn." + name, width, width)
        c.linear(p + "self_attn.out_proj", width, width, gain=0.02)
        c.norm(p + "layer_norm2", width)
        c.linear(p + "mlp.fc1", width, inner)
        c.linear(p + "mlp.fc2", inner, width, gain=0.02)
    c.norm(prefix + "final_layer_norm", width)


def qwen3(c, width=32, inner=64, layers=1, prefix="text_encoders.llm.model."):
    heads, kv_heads, head = 32, 8, 128  # fixed in the engine
    c.random(prefix + "embed_tokens.weight", (151936, width), 1.0)
    for i in range(layers):
        p = f"{prefix}layers.{i}."
        c.norm(p + "input_layernorm", width, bias=False)
        c.linear(p + "self_attn.q_proj", width, heads * head, bias=False)
        c.linear(p + "self_attn.k_proj", width, kv_heads * head, bias=False)
        c.linear(p + "self_attn.v_proj", width, kv_heads * head, bias=False)
        c.linear(p + "self_attn.o_proj", heads * head, width, bias=False, gain=4.0)
        c.constant(p + "self_attn.q_norm.weight", (head,), 4.0)  # sharp attention: single words matter
        c.norm(p + "self_attn.k_norm", head, bias=False)
        c.norm(p + "post_attention_layernorm", width, bias=False)
        c.linear(p + "mlp.gate_proj", width, inner, bias=False)
        c.linear(p + "mlp.up_proj", width, inner, bias=False)
        c.linear(p + "mlp.down_proj", inner, width, bias=False, gain=0.7)
    c.norm(prefix + "norm", width, bias=False)


# ---------------------------------------------------------------- networks

# Noise must become a stable picture although nothing was trained. So eight channels carry the latent straight through the
# network (as +x and -x, because silu(x) - silu(-x) = x), the output filters it, and the random rest adds to it.


def unet(c, kind, prefix="model.diffusion_model.", net_gain=0.25, alpha=0.5):
    base, context, time = 320, 768, 1280
    tiny = kind in ("sdxs", "sd1-tiny")
    multipliers = [1, 2, 4] if tiny else [1, 2, 4, 4]
    blocks = 1 if tiny else 2
    attention_at = [4, 2] if kind == "sdxs" else [4, 2, 1]

    def residual(p, inputs, outputs, carried_from=None):
        last = carried_from is not None
        c.norm(p + "in_layers.0", inputs)
        c.conv(p + "in_layers.2", inputs, outputs)
        c.linear(p + "emb_layers.1", time, outputs, gain=0.5)
        c.norm(p + "out_layers.0", outputs)
        c.conv(p + "out_layers.3", outputs, outputs, gain=0.5, rows=[(0, 8, net_gain)] if last else ())
        if inputs != outputs:
            straight = {(o, carried_from + o, 0, 0): 1.0 for o in range(8)} if last else None
            c.conv(p + "skip_connection", inputs, outputs, 1, gain=0.7, rows=[(0, 8, 0)] if last else (), patches=straight)

    def attention(p, channels, last=False):
        c.norm(p + "norm", channels)
        c.conv(p + "proj_in", channels, channels, 1)
        t = p + "transformer_blocks.0."
        for name, source in (("attn1", channels), ("attn2", context)):
            c.linear(t + name + ".to_q", channels, channels, bias=False)
            c.linear(t + name + ".to_k", source, channels, bias=False)
            c.linear(t + name + ".to_v", source, channels, bias=False)
            c.linear(t + name + ".to_out.0", channels, channels, gain=0.5 if name == "attn1" else 1.5)
        for name in ("norm1", "norm2", "norm3"):
            c.norm(t + name, channels)
        c.linear(t + "ff.net.0.proj", channels, channels * 8)
        c.linear(t + "ff.net.2", channels * 4, channels, gain=0.5)
        c.conv(p + "proj_out", channels, channels, 1, gain=0.5, rows=[(0, 8, net_gain)] if last else ())

    c.linear(prefix + "time_embed.0", base, time)
    c.linear(prefix + "time_embed.2", time, time)
    carry = {}
    for i in range(4):
        carry[(i, i, 1, 1)] = 1.0
        carry[(i + 4, i, 1, 1)] = -1.0
    c.conv(prefix + "input_blocks.0.0", 4, base, rows=[(0, 8, 0)], patches=carry)

    stack, channels, scale, index = [base], base, 1, 0
    for i, multiplier in enumerate(multipliers):
        for _ in range(blocks):
            index += 1
            residual(f"{prefix}input_blocks.{index}.0.", channels, multiplier * base)
            channels = multiplier * base
            if scale in attention_at:
                attention(f"{prefix}input_blocks.{index}.1.", channels)
            stack.append(channels)
            if tiny:
                index += 1
        if i != len(multipliers) - 1:
            index += 1
            c.conv(f"{prefix}input_blocks.{index}.0.op", channels, channels)
            stack.append(channels)
            scale *= 2
    if not tiny:
        residual(prefix + "middle_block.0.", channels, channels)
        attention(prefix + "middle_block.1.", channels)
        residual(prefix + "middle_block.2.", channels, channels)
    index = 0
    for i in reversed(range(len(multipliers))):
        for j in range(blocks + 1):
            skipped = stack.pop()
            final = i == 0 and j == blocks
            outputs = multipliers[i] * base
            residual(f"{prefix}output_blocks.{index}.0.", channels + skipped, outputs,
                     carried_from=channels if final else None)
            channels, position = outputs, 1
            if scale in attention_at:
                attention(f"{prefix}output_blocks.{index}.1.", channels, last=final)
                position += 1
            if i > 0 and j == blocks:
                if tiny:
                    index += 1
                    if index == 2:
                        position = 1
                c.conv(f"{prefix}output_blocks.{index}.{position}.conv", channels, channels)
                scale //= 2
            index += 1
    assert not stack
    c.norm(prefix + "out.0", base)
    # The predicted noise is the latent without its low frequencies: noise goes, the rest stays.
    high_pass = [[(1.0 if y == x == 1 else 0.0) - alpha * GAUSS[y][x] for x in range(3)] for y in range(3)]
    out = {(o, i, y, x): 0.0 for o in range(4) for i in range(8) for y in range(3) for x in range(3)}
    for i in range(4):
        out.update(kernel_at(i, i, high_pass))
        out.update(kernel_at(i, i + 4, high_pass, -1.0))
    c.conv(prefix + "out.2", base, 4, gain=net_gain, patches=out)


def flux(c, context, width=128, doubles=1, singles=1, prefix="model.diffusion_model.", net_gain=0.8, alpha=0.9, ovis=True):
    """A FLUX transformer; in Ovis Image's form its feed-forward parts are gated."""
    inner, latent = width * 4, 64
    identity = {(i, i): 1.0 for i in range(latent)}
    c.linear(prefix + "img_in", latent, width, rows=[(0, latent, 0)], patches=identity)
    c.linear(prefix + "time_in.in_layer", 256, width)
    c.linear(prefix + "time_in.out_layer", width, width)
    if ovis:
        c.constant(prefix + "txt_norm.scale", (context,), 1.0)
    else:
        c.linear(prefix + "vector_in.in_layer", 768, width)
        c.linear(prefix + "vector_in.out_layer", width, width)
    c.linear(prefix + "txt_in", context, width)
    damped = [(0, latent, net_gain)]
    for block in range(doubles):
        p = f"{prefix}double_blocks.{block}."
        for stream in ("img", "txt"):
            rows = damped if stream == "img" else ()
            c.linear(f"{p}{stream}_mod.lin", width, 6 * width, gain=0.3, bias_value=0.3)
            c.linear(f"{p}{stream}_attn.qkv", width, 3 * width)
            c.constant(f"{p}{stream}_attn.norm.query_norm.scale", (128,), 4.0)
            c.constant(f"{p}{stream}_attn.norm.key_norm.scale", (128,), 1.0)
            c.linear(f"{p}{stream}_attn.proj", width, width, rows=rows)
            if ovis:
                c.linear(f"{p}{stream}_mlp.gate_proj", width, inner)
                c.linear(f"{p}{stream}_mlp.up_proj", width, inner)
                c.linear(f"{p}{stream}_mlp.down_proj", inner, width, rows=rows)
            else:
                c.linear(f"{p}{stream}_mlp.0", width, inner)
                c.linear(f"{p}{stream}_mlp.2", inner, width, rows=rows)
    for block in range(singles):
        p = f"{prefix}single_blocks.{block}."
        c.linear(p + "linear1", width, 3 * width + inner * (2 if ovis else 1))
        c.linear(p + "linear2", width + inner, width, rows=damped)
        c.constant(p + "norm.query_norm.scale", (128,), 4.0)
        c.constant(p + "norm.key_norm.scale", (128,), 1.0)
        c.linear(p + "modulation.lin", width, 3 * width, gain=0.3, bias_value=0.3)
    c.linear(prefix + "final_layer.adaLN_modulation.1", width, 2 * width, gain=0.1)
    # The velocity is x minus most of its 2x2 mean: fine noise goes, coarse colours stay.
    out = {(o, i): 0.0 for o in range(latent) for i in range(latent)}
    for channel in range(16):
        for a in range(4):
            for b in range(4):
                out[(channel * 4 + a, channel * 4 + b)] = (1.0 if a == b else 0.0) - alpha / 4
    c.linear(prefix + "final_layer.linear", width, latent, gain=net_gain, patches=out)


# ---------------------------------------------------------------- autoencoders


def tiny_autoencoder(c, latent=4, prefix="", encoder=True):
    """TAESD (4 latent channels) or TAEF1 (16), wired by hand; its residual blocks add nothing."""
    width = 64

    def block(p):
        for i in (0, 2):
            c.conv(f"{p}conv.{i}", width, width)
        c.conv(f"{p}conv.4", width, width, gain=0.0)

    carry, colours = {}, {}
    spread = random_bytes(c.seed, prefix + "colour", 3 * latent)
    for i in range(latent):
        carry[(2 * i, i, 1, 1)] = 1.0
        carry[(2 * i + 1, i, 1, 1)] = -1.0
        for rgb in range(3):
            if i < 3:
                value = 0.35 if rgb == i else 0.0
            else:
                value = round(NORMAL[spread[3 * i + rgb]] * 0.35 / math.sqrt(latent), 4)
            colours[(rgb, 2 * i, 1, 1)] = value
            colours[(rgb, 2 * i + 1, 1, 1)] = -value
    smooth = {}
    for i in range(2 * latent):
        smooth.update(kernel_at(i, i, GAUSS))

    d = prefix + "decoder.layers."
    c.conv(d + "0", latent, width, gain=0.0, patches=carry)
    i = 2
    for _ in range(3):
        for _ in range(3):
            block(f"{d}{i}.")
            i += 1
        i += 1  # the enlargement has no weights
        c.conv(f"{d}{i}", width, width, bias=False, gain=0.0, patches=smooth)
        i += 1
    block(f"{d}{i}.")
    c.conv(f"{d}{i + 1}", width, 3, gain=0.0, patches=colours, bias_value=0.5)
    if not encoder:
        return
    e = prefix + "encoder.layers."
    mean = {(i, i, y, x): 0.25 for i in range(3) for y in (1, 2) for x in (1, 2)}
    c.conv(e + "0", 3, width, gain=0.0, patches={(i, i, 1, 1): 1.0 for i in range(3)})
    block(e + "1.")
    i = 2
    for _ in range(3):
        c.conv(f"{e}{i}", width, width, bias=False, gain=0.0, patches=mean)
        i += 1
        for _ in range(3):
            block(f"{e}{i}.")
            i += 1
    c.conv(f"{e}{i}", width, latent, gain=0.0, patches={(k, k, 1, 1): 3.0 for k in range(3)},
           bias_patches={(k,): -1.5 for k in range(3)})


def full_autoencoder(c, prefix="first_stage_model.", latent=4, decoder_width=128, encoder=True):
    def residual(p, inputs, outputs):
        c.norm(p + "norm1", inputs)
        c.conv(p + "conv1", inputs, outputs)
        c.norm(p + "norm2", outputs)
        c.conv(p + "conv2", outputs, outputs, gain=0.4)
        if inputs != outputs:
            c.conv(p + "nin_shortcut", inputs, outputs, 1)

    def middle(p, channels):
        residual(p + "mid.block_1.", channels, channels)
        c.norm(p + "mid.attn_1.norm", channels)
        for name in ("q", "k", "v"):
            c.conv(p + "mid.attn_1." + name, channels, channels, 1)
        c.conv(p + "mid.attn_1.proj_out", channels, channels, 1, gain=0.4)
        residual(p + "mid.block_2.", channels, channels)

    multipliers = [1, 2, 4, 4]
    d, channels = prefix + "decoder.", decoder_width * multipliers[-1]
    c.conv(d + "conv_in", latent, channels)
    middle(d, channels)
    for i in reversed(range(4)):
        for j in range(3):
            residual(f"{d}up.{i}.block.{j}.", channels, decoder_width * multipliers[i])
            channels = decoder_width * multipliers[i]
        if i:
            c.conv(f"{d}up.{i}.upsample.conv", channels, channels)
    c.norm(d + "norm_out", channels)
    c.conv(d + "conv_out", channels, 3, gain=0.5)
    c.conv(prefix + "post_quant_conv", latent, latent, 1)
    if not encoder:
        return
    e, width = prefix + "encoder.", 128
    channels = width
    c.conv(e + "conv_in", 3, width)
    for i in range(4):
        for j in range(2):
            residual(f"{e}down.{i}.block.{j}.", channels, width * multipliers[i])
            channels = width * multipliers[i]
        if i != 3:
            c.conv(f"{e}down.{i}.downsample.conv", channels, channels)
    middle(e, channels)
    c.norm(e + "norm_out", channels)
    c.conv(e + "conv_out", channels, 2 * latent)
    # The logarithm of the variance is -10 everywhere: encoding adds next to no noise.
    c.conv(prefix + "quant_conv", 2 * latent, 2 * latent, 1, gain=3.0, rows=[(latent, 2 * latent, 0)],
           bias_patches={(i,): -10.0 for i in range(latent, 2 * latent)})


# ---------------------------------------------------------------- upscaler


def esrgan(c, blocks=1, width=64, growth=32):
    straight = {(i, i, 1, 1): 1.0 for i in range(3)}
    c.conv("conv_first", 3, width, gain=0.0, patches=straight)
    for b in range(blocks):
        for r in (1, 2, 3):
            p = f"body.{b}.rdb{r}."
            for k in range(1, 5):
                c.conv(p + f"conv{k}", width + (k - 1) * growth, growth, gain=0.5)
            c.conv(p + "conv5", width + 4 * growth, width, gain=0.0)
    c.conv("conv_body", width, width, gain=0.0)
    for name in ("conv_up1", "conv_up2", "conv_hr"):
        c.conv(name, width, width, gain=0.0, patches=straight)
    c.conv("conv_last", width, 3, gain=0.0, patches=straight)


# ---------------------------------------------------------------- adapter


def lora(c, width=128, rank=4, prefix="diffusion_model."):
    """Changes the network of `nano`."""
    for name, outputs in (("double_blocks.0.img_attn.qkv", 3 * width), ("final_layer.linear", 64)):
        c.random(f"{prefix}{name}.lora_A.weight", (rank, width), 0.2)
        c.random(f"{prefix}{name}.lora_B.weight", (outputs, rank), 0.2)


# ---------------------------------------------------------------- main


def files_of(arguments):
    """(what, path, checkpoint) for each file to write."""
    checkpoint = Checkpoint(arguments.seed, arguments.dtype)
    encoder = not arguments.no_encoder
    arch = arguments.arch
    if arch == "sdxs":
        unet(checkpoint, arch)
        clip_l(checkpoint)
        tiny_autoencoder(checkpoint, 4, "tae.", encoder)
    elif arch in ("sd1-tiny", "sd15"):
        unet(checkpoint, arch)
        clip_l(checkpoint)
        full_autoencoder(checkpoint, encoder=encoder)
    elif arch == "taesd":
        tiny_autoencoder(checkpoint, 4, "", encoder)
    elif arch == "esrgan":
        esrgan(checkpoint)
    elif arch == "lora":
        lora(checkpoint)
    elif arch == "flux":
        flux(checkpoint, 4096, ovis=False)
    else:
        width = 32
        if arch == "dit":
            flux(checkpoint, width, width=1536, doubles=2, singles=4)
        else:
            flux(checkpoint, width)
        qwen3(checkpoint, width)
        autoencoder = Checkpoint(arguments.seed, arguments.dtype)
        tiny_autoencoder(autoencoder, 16, "", encoder)
        root, extension = os.path.splitext(arguments.out)
        return [(arch, arguments.out, checkpoint),
                ("tae", arguments.autoencoder_out or f"{root}-tae{extension}", autoencoder)]
    return [(arch, arguments.out, checkpoint)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", required=True,
                        choices=["nano", "dit", "sdxs", "sd1-tiny", "sd15", "taesd", "esrgan", "flux", "lora"])
    parser.add_argument("--out", required=True)
    parser.add_argument("--autoencoder-out", help="nano, dit: path of the second file (default: OUT with -tae in its name)")
    parser.add_argument("--seed", type=int, default=1234)
    parser.add_argument("--dtype", default="f16", choices=["f16", "f32", "bf16"])
    parser.add_argument("--no-encoder", action="store_true", help="leave out what image to image needs")
    arguments = parser.parse_args()
    default = arguments.seed == 1234 and arguments.dtype == "f16" and not arguments.no_encoder
    for what, path, checkpoint in files_of(arguments):
        digest = checkpoint.write(path, {
            "format": "pt",
            "generator": "make_tiny_sd.py",
            "modelspec.title": f"{what}: random weights, seed {arguments.seed}, not a trained model",
            "modelspec.resolution": "256x256" if what == "nano" else "512x512",
        })
        print(f"{digest}  {path}  {checkpoint.parameters() / 1e6:.2f}M parameters, {os.path.getsize(path) / 1e6:.1f} MB")
        if default and KNOWN.get(what, digest) != digest:
            sys.exit(f"{path}: expected SHA-256 {KNOWN[what]}; this Python computes other numbers than it should")


if __name__ == "__main__":
    main()
