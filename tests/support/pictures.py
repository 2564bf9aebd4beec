"""Encoded pictures and sounds, good and bad, made without libraries."""

from __future__ import annotations

import base64
import math
import struct
import zlib


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int = 64, height: int = 64, colour: tuple[int, int, int] = (200, 40, 40), seed: int = 0) -> bytes:
    """A coloured picture with a pattern that depends on the seed."""
    rows = b"".join(
        b"\0" + b"".join(bytes((channel + (x * (3 + seed) ^ y * 5)) % 256 for channel in colour) for x in range(width))
        for y in range(height)
    )
    return png_of(width, height, zlib.compress(rows))


def png_of(width: int, height: int, compressed: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", compressed) + _chunk(b"IEND", b"")


def wav(seconds: float = 1, pitch: float = 440) -> bytes:
    rate = 16000
    samples = b"".join(
        struct.pack("<h", int(9000 * math.sin(2 * math.pi * pitch * place / rate))) for place in range(int(seconds * rate))
    )
    form = struct.pack("<HHIIHH", 1, 1, rate, 2 * rate, 2, 16)
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack(
        "<I", len(samples)
    ) + samples


# 16x16, GIF89a, two frames.
ANIMATED_GIF = base64.b64decode(
    "R0lGODlhEAAQAIAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQACgAAACwAAAAAEAAQAAACDoSPqcvtD6OctNqLsz4FACH5BAAKAAAALAAAAAAQ"
    "ABAAAAIOjI+py+0Po5y02ouzPgUAOw=="
)


def data_url(file: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(file).decode()}"


def image_part(file: bytes, kind: str = "image/png") -> dict:
    return {"type": "image_url", "image_url": {"url": data_url(file, kind)}}


def audio_part(file: bytes, form: str = "wav") -> dict:
    return {"type": "input_audio", "input_audio": {"data": base64.b64encode(file).decode(), "format": form}}


def text_part(text: str) -> dict:
    return {"type": "text", "text": text}
