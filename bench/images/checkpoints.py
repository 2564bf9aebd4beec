"""The models that are drawn with: checkpoints in real shapes with random weights, made once into the cache."""

import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKER = ROOT / "tools" / "make_tiny_sd.py"


@dataclass(frozen=True, kw_only=True)
class Model:
    """What is loaded, as architectures of tools/make_tiny_sd.py, and how it is drawn with."""

    network: str
    # Decodes the pictures: an architecture, or "with it" for the second file of `network`. None: that is in `network`.
    tiny_autoencoder: str | None = None
    cfg_scale: float


MODELS = {
    "sd15": Model(network="sd15", tiny_autoencoder="taesd", cfg_scale=7),
    "sd15-kl": Model(network="sd15", cfg_scale=7),
    "sdxs": Model(network="sdxs", cfg_scale=1),
    "dit": Model(network="dit", tiny_autoencoder="with it", cfg_scale=5),
    "nano": Model(network="nano", tiny_autoencoder="with it", cfg_scale=5),
}


@dataclass(frozen=True)
class Files:
    network: Path
    tiny_autoencoder: Path | None


def files_of(model: Model, cache: Path) -> Files:
    """Makes what is missing: up to 2 GB and a minute for each architecture, once."""
    network, second = made(model.network, cache)
    if model.tiny_autoencoder == "with it":
        return Files(network, second)
    return Files(network, made(model.tiny_autoencoder, cache)[0] if model.tiny_autoencoder else None)


def made(architecture: str, cache: Path) -> tuple[Path, Path]:
    version = hashlib.sha256(MAKER.read_bytes()).hexdigest()[:16]
    folder = cache / f"random-weights-{architecture}-{version}"
    network, autoencoder = folder / f"{architecture}.safetensors", folder / f"{architecture}-tae.safetensors"
    if not (folder / "complete").exists():
        print(f"making a model with random weights: {architecture}", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(MAKER), "--arch", architecture, "--out", str(network)]
        subprocess.run([*command, "--autoencoder-out", str(autoencoder)], check=True, stdout=subprocess.DEVNULL)
        (folder / "complete").touch()
    return network, autoencoder
