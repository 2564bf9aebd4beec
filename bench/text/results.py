"""What was measured, as a JSON file that grows: a run that was stopped is continued by the same command."""

import datetime
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

Figures = dict[str, float]


@dataclass(frozen=True)
class Key:
    """What a list of rounds belongs to. `trial` is a setting that is tried before the rounds."""

    model: str
    workload: str
    server: str
    trial: str = ""

    def text(self) -> str:
        return " | ".join(part for part in (self.model, self.workload, self.server, self.trial) if part)


class Results:
    """Rounds by key, written to `file` (None: nowhere) after each change. A round that failed is None."""

    def __init__(self, file: Path | None):
        self._file = file
        self._data = json.loads(file.read_text()) if file and file.exists() else {"facts": {}, "rounds": {}}

    @property
    def facts(self) -> dict:
        return self._data["facts"]

    def rounds(self, key: Key) -> list[Figures | None]:
        return self._data["rounds"].get(key.text(), [])

    def figures(self, key: Key) -> list[Figures]:
        return [figures for figures in self.rounds(key) if figures is not None]

    def add(self, key: Key, figures: Figures | None) -> None:
        self._data["rounds"].setdefault(key.text(), []).append(figures)
        self.save()

    def save(self) -> None:
        if self._file:
            self._file.write_text(json.dumps(self._data, indent=1) + "\n")


def ratio(name: str, ours: float, theirs: float) -> float:
    """Above 1: we are better."""
    if ours == 0 or theirs == 0:
        return float("nan")
    return ours / theirs if name.endswith("_per_second") else theirs / ours


def machine() -> dict[str, str | int]:
    """Facts of a run: when, on what, of which commit."""
    processors = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in processors if line.startswith("model name")]
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True).stdout
    return {
        "date": datetime.date.today().isoformat(),
        "machine": names[0] if names else os.uname().machine,
        "cores": len(os.sched_getaffinity(0)),
        "commit": commit.strip(),
    }
