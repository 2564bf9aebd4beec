"""Writes the weights of a Real-ESRGAN network (ncnn's .param and .bin) as the safetensors file stable-diffusion.cpp loads.

The weights stay as they are, 16 or 32 bits wide; only the names are new. The same input gives the same bytes. Needs Python
3.9 and its standard library.
"""

import json
import math
import pathlib
import struct

HALF, SINGLE = 0x01306B47, 0
OUTSIDE_OF_BLOCKS = ["conv_first", "conv_body", "conv_up1", "conv_up2", "conv_hr", "conv_last"]
IN_A_BLOCK = 15


def convolutions(param: pathlib.Path):
    """Of each: outputs, kernel height and width, number of weights, whether there is a bias."""
    for line in param.read_text().splitlines():
        words = line.split()
        if len(words) < 4 or words[0] != "Convolution":
            continue
        inputs, outputs = int(words[2]), int(words[3])
        options = dict(word.split("=", 1) for word in words[4 + inputs + outputs :])
        width = int(options["1"])
        yield int(options["0"]), int(options.get("11", width)), width, int(options["6"]), options.get("5") == "1"


def names_of(count: int) -> list[str]:
    blocks, rest = divmod(count - len(OUTSIDE_OF_BLOCKS), IN_A_BLOCK)
    if blocks < 1 or rest:
        raise SystemExit(f"{count} convolutions are not those of a Real-ESRGAN network")
    inside = [f"body.{block}.rdb{dense}.conv{number}" for block in range(blocks) for dense in (1, 2, 3) for number in range(1, 6)]
    return [OUTSIDE_OF_BLOCKS[0], *inside, *OUTSIDE_OF_BLOCKS[1:]]


def tensors(param: pathlib.Path, weights: bytes):
    """Name, type, shape and bytes of each."""
    layers, at = list(convolutions(param)), 0
    for name, (outputs, height, width, count, has_bias) in zip(names_of(len(layers)), layers):
        (tag,) = struct.unpack_from("<I", weights, at)
        if tag not in (HALF, SINGLE):
            raise SystemExit(f"{name}: weights of kind {tag:#x} are not understood")
        size = count * (2 if tag == HALF else 4)
        inputs = count // (outputs * height * width)
        yield f"{name}.weight", "F16" if tag == HALF else "F32", [outputs, inputs, height, width], weights[at + 4 : at + 4 + size]
        at += 4 + math.ceil(size / 4) * 4
        if has_bias:
            yield f"{name}.bias", "F32", [outputs], weights[at : at + outputs * 4]
            at += outputs * 4
    if at != len(weights):
        raise SystemExit(f"{len(weights) - at} bytes of weights belong to no layer")


def convert(param: pathlib.Path, weights: pathlib.Path, target: pathlib.Path) -> None:
    header: dict = {"__metadata__": {"format": "pt"}}
    data = []
    offset = 0
    for name, kind, shape, raw in tensors(param, weights.read_bytes()):
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [offset, offset + len(raw)]}
        offset += len(raw)
        data.append(raw)
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    target.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(data))
