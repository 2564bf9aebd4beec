"""The models that benchmarks run, by their names in models/models.json."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fetch(model: str, folder: Path) -> Path:
    """The model's file, downloaded into `folder` unless it is there."""
    command = [sys.executable, str(ROOT / "models" / "fetch.py"), model, "--folder", str(folder)]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
