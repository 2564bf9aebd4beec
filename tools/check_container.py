#!/usr/bin/env python3
"""Executes the steps of a Containerfile in clean chroots, where no container engine runs, and tries the result.

    tools/check_container.py [--file deploy/Containerfile] [--cache FOLDER] [--model FILE]

Needs root and debootstrap. Each stage is a fresh Debian 12; the last one's HEALTHCHECK has to succeed beside its
ENTRYPOINT, both as its USER. `--cache` lends the build stage a folder with downloaded and built engines: without it
everything is built from nothing, which takes about half an hour on two cores.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from container_file import Stage, stages_of

ROOT = Path(__file__).resolve().parent.parent
# How this machine reaches package indexes; the image keeps nothing of it.
PASSED_ON = ("PIP_", "SSL_CERT", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True)


def clean_debian(base: Path, folder: Path) -> None:
    if not base.exists():
        print("making a clean Debian 12", flush=True)
        run("debootstrap", "--variant=minbase", "bookworm", base.with_suffix(".part"))
        base.with_suffix(".part").rename(base)
    run("cp", "--archive", base, folder)
    for file in ("/etc/resolv.conf", "/etc/apt/sources.list.d/debian.sources"):
        if Path(file).exists():
            shutil.copy(file, folder / file.lstrip("/"))
            if file.endswith(".sources"):
                (folder / "etc/apt/sources.list").unlink(missing_ok=True)
    own_certificates = Path("/usr/local/share/ca-certificates")
    if own_certificates.exists():
        shutil.copytree(own_certificates, folder / "usr/local/share/ca-certificates", dirs_exist_ok=True)
    run("mount", "--bind", "/dev", folder / "dev")
    run("mount", "-t", "proc", "proc", folder / "proc")


class Chroot:
    """One stage under way."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.workdir = "/"
        self.user = ""
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}

    def command(self, words: list[str]) -> list[str]:
        user = ["--userspec", self.user] if self.user else []
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        return ["chroot", *user, str(self.folder), "env", "-i", "--chdir", self.workdir, *variables, *words]

    def run_shell(self, text: str) -> None:
        passed = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON) and name != "PIP_FIND_LINKS"}
        passed = {name: value for name, value in passed.items() if not value.startswith("/") or (self.folder / value[1:]).exists()}
        self.environment, kept = self.environment | passed, self.environment
        try:
            run(*self.command(["/bin/sh", "-c", text]))
        finally:
            self.environment = kept

    def copy(self, source: Path, target: str) -> None:
        place = self.folder / os.path.join(self.workdir, target).lstrip("/")
        if source.is_dir():
            shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        else:
            if target.endswith("/") or place.is_dir():
                place = place / source.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)


def ignored(folder: str, names: list[str]) -> set[str]:
    patterns = {line.removeprefix("**/") for line in (ROOT / ".containerignore").read_text().split()}
    return set(names) & patterns


def carry_out(stage: Stage, chroot: Chroot, finished: dict[str, Chroot]) -> None:
    for instruction in stage.instructions:
        print(f"{instruction.line}: {instruction.name} {instruction.arguments}", flush=True)
        words = instruction.words()
        match instruction.name:
            case "ENV":
                chroot.environment |= dict(word.split("=", 1) for word in words)
            case "WORKDIR":
                chroot.workdir = words[0]
                (chroot.folder / words[0].lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "USER":
                chroot.user = words[0]
            case "RUN":
                chroot.run_shell(instruction.arguments)
            case "COPY":
                origin = ROOT
                if words[0].startswith("--from="):
                    origin = finished[words.pop(0).removeprefix("--from=")].folder
                for source in words[:-1]:
                    chroot.copy(origin / source.lstrip("/"), words[-1])


def try_out(stage: Stage, chroot: Chroot, model: Path | None) -> None:
    (entry,) = stage.all("ENTRYPOINT")
    (health,) = stage.all("HEALTHCHECK")
    more = []
    if model:
        (chroot.folder / "models").mkdir()
        shutil.copy(model, chroot.folder / "models" / model.name)
        more = ["--model", f"/models/{model.name}"]
    server = subprocess.Popen(chroot.command([*entry.exec_form(), *more]))
    try:
        deadline = time.monotonic() + 60
        while subprocess.run(chroot.command(health.exec_form()), stdout=subprocess.DEVNULL).returncode != 0:
            if server.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the container's program does not become healthy")
            time.sleep(0.5)
        owner = Path(f"/proc/{server.pid}").stat().st_uid
        print(f"healthy, as user {owner}")
        assert owner != 0
    finally:
        server.terminate()
        print(f"ended with {server.wait(60)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=ROOT / "deploy/Containerfile")
    parser.add_argument("--work", type=Path, default=Path("/var/tmp/check-container"), help="where the chroots are made")
    parser.add_argument("--cache", type=Path, help="engines that are already built, for the build stage")
    parser.add_argument("--model", type=Path, help="a chat model for the try-out")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("check_container.py: only root can make chroots")
    if "OWN_MOUNTS" not in os.environ:  # mounts of our own, which end with us
        os.environ["OWN_MOUNTS"] = "yes"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    options.work.mkdir(parents=True, exist_ok=True)
    finished: dict[str, Chroot] = {}
    for number, stage in enumerate(stages_of(options.file)):
        folder = options.work / f"stage-{number}"
        if folder.exists():
            run("rm", "-rf", "--one-file-system", folder)
        clean_debian(options.work / "debian-12", folder)
        chroot = Chroot(folder)
        if options.cache and stage.name:
            (folder / "cache").mkdir()
            run("mount", "--bind", options.cache, folder / "cache")
        print(f"stage {stage.name or number}", flush=True)
        carry_out(stage, chroot, finished)
        finished[stage.name or str(number)] = chroot
    try_out(stage, chroot, options.model)


if __name__ == "__main__":
    main()
