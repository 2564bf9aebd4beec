"""What stable-diffusion.cpp says of its phases. Both servers write its lines into their logs, so both are measured by
the same clock at the same places. Its times have two decimals."""

import re
import time
from pathlib import Path

PHASES = {
    "encode": re.compile(r"get_learned_condition completed, taking ([\d.]+)s"),
    "sampling": re.compile(r"sampling completed, taking ([\d.]+)s"),
    "decode": re.compile(r"decode_first_stage completed, taking ([\d.]+)s"),
    "engine": re.compile(r"generate_image completed in ([\d.]+)s"),
}


class EngineLog:
    """Reads a log that a server writes, from the last `begin` on."""

    def __init__(self, file: Path):
        self._file = file
        self._from = 0

    def begin(self) -> None:
        self._from = self._file.stat().st_size

    def text(self) -> str:
        with self._file.open("rb") as file:
            file.seek(self._from)
            return file.read().decode(errors="replace")

    def phases(self) -> dict[str, float]:
        """Seconds of the phases of the one picture since `begin`; a phase that did not take place is missing."""
        deadline = time.monotonic() + 10  # the last line may be written after the answer
        while not PHASES["engine"].search(self.text()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the engine's log ends with: {self.text()[-1000:]}")
            time.sleep(0.02)
        text = self.text()
        return {name: float(found[1]) for name, pattern in PHASES.items() if (found := pattern.search(text))}
