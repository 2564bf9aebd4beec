"""What decoding one token must read at least, and the speed that the memory's bandwidth allows."""

import os
import struct
import subprocess
from pathlib import Path

# GGUF's scalar types, by number: struct formats (8 is a string, 9 an array).
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


class GgufHeader:
    """The part of a GGUF file before its weights: `values` by key, and `tensors`: name -> bytes in the file."""

    def __init__(self, path: Path):
        with path.open("rb") as self._file:
            magic, version, tensors, values = struct.unpack("<4sIQQ", self._file.read(24))
            if magic != b"GGUF" or version < 2:
                raise ValueError(f"{path} is no GGUF file that this reads")
            self.values = {self._string(): self._value(self._scalar("I")) for _ in range(values)}
            offsets = {}
            for _ in range(tensors):
                name = self._string()
                self._file.seek(8 * self._scalar("I"), 1)  # shape
                self._scalar("I")  # type
                offsets[name] = self._scalar("Q")
            alignment = self.values.get("general.alignment", 32)
            begin = -(-self._file.tell() // alignment) * alignment
        ordered = sorted(offsets, key=offsets.get)
        ends = [offsets[name] for name in ordered[1:]] + [path.stat().st_size - begin]
        self.tensors = {name: end - offsets[name] for name, end in zip(ordered, ends)}

    def _scalar(self, format_: str):
        return struct.unpack(f"<{format_}", self._file.read(struct.calcsize(format_)))[0]

    def _string(self) -> str:
        return self._file.read(self._scalar("Q")).decode(errors="replace")

    def _value(self, type_: int):
        if type_ == 8:
            return self._string()
        if type_ == 9:
            element = self._scalar("I")
            return [self._value(element) for _ in range(self._scalar("Q"))]
        return self._scalar(SCALARS[type_])


def bytes_per_token(model: Path, context: int) -> int:
    """All weights once, but of an embedding table that is not the output's too only one row; and K and V of `context`
    tokens, 16 bits each."""
    header = GgufHeader(model)
    weights = sum(header.tensors.values())
    if "output.weight" in header.tensors:
        weights -= header.tensors["token_embd.weight"]
    kind = header.values["general.architecture"]
    heads, width = header.values[f"{kind}.attention.head_count"], header.values[f"{kind}.embedding_length"]
    length = header.values.get(f"{kind}.attention.key_length", width // heads)
    cell = 2 * 2 * length * header.values[f"{kind}.attention.head_count_kv"] * header.values[f"{kind}.block_count"]
    return weights + cell * context


def limit(program: Path, model: Path, context: int) -> dict[str, float]:
    """Measures the bandwidth now, with as many threads as the servers use: the cores of this process."""
    threads = len(os.sched_getaffinity(0))
    speed = float(subprocess.run([str(program), str(threads)], check=True, capture_output=True, text=True).stdout)
    read = bytes_per_token(model, context)
    return {
        "threads": threads,
        "bytes_per_second": speed,
        "bytes_per_token": read,
        "tokens_per_second": speed / read,
    }
