#!/usr/bin/env python3
"""Checks the container and compose files of a folder for the rules we believe in; prints every breach."""

import re
import sys
from pathlib import Path

import yaml
from container_file import Stage, stages_of

SECRET = re.compile(r"(password|secret|token|api_?key)\s*[=:]\s*\S", re.IGNORECASE)


def breaches_of_stage(stage: Stage, earlier: set[str], last: bool) -> list[tuple[int, str]]:
    found = []
    if stage.image not in earlier and not re.search(r":\d[\w.-]*$", stage.image):
        found.append((0, f"the base image {stage.image} has no fixed version"))
    for instruction in stage.instructions:
        if instruction.name == "ADD":
            found.append((instruction.line, "COPY says what happens; ADD also unpacks and downloads"))
        if instruction.name in ("ENV", "ARG") and SECRET.search(instruction.arguments):
            found.append((instruction.line, "a secret would stay in the image"))
        if instruction.name == "RUN" and "apt-get install" in instruction.arguments:
            for needed in ("apt-get update", "--no-install-recommends", "rm -rf /var/lib/apt/lists/*"):
                if needed not in instruction.arguments:
                    found.append((instruction.line, f"a layer that installs packages needs `{needed}`"))
        if instruction.name == "RUN" and re.search(r"curl|wget|sudo ", instruction.arguments):
            found.append((instruction.line, "no downloads beside package managers, and no sudo"))
        if instruction.name in ("CMD", "ENTRYPOINT") and instruction.exec_form() is None:
            found.append((instruction.line, f"{instruction.name} as a shell command does not get signals"))
    if last:
        found += breaches_of_last_stage(stage)
    return found


def breaches_of_last_stage(stage: Stage) -> list[tuple[int, str]]:
    found = []
    users = stage.all("USER")
    if not users or users[-1].words()[0].split(":")[0] in ("root", "0"):
        found.append((0, "the last stage runs as root"))
    if not stage.all("HEALTHCHECK"):
        found.append((0, "there is no HEALTHCHECK"))
    copies = stage.all("COPY")
    if not copies or any("--from=" not in copy.arguments for copy in copies):
        found.append((0, "the last stage takes files from somewhere else than the build stage"))
    return found


def breaches_of_containerfile(path: Path) -> list[str]:
    stages = stages_of(path)
    found = [(0, "one stage only: the compiler would be shipped")] if len(stages) < 2 else []
    for number, stage in enumerate(stages):
        earlier = {other.name for other in stages[:number]}
        found += breaches_of_stage(stage, earlier, last=number == len(stages) - 1)
    return [f"{path}:{line}: {text}" if line else f"{path}: {text}" for line, text in found]


def breaches_of_compose(path: Path) -> list[str]:
    document = yaml.safe_load(path.read_text())
    found = []
    volumes = document.get("volumes", {})
    for name, service in document["services"].items():
        image = service.get("image", "")
        if not re.search(r":v?\d[\w.-]*$", image):
            found.append(f"{name}: the image {image!r} has no fixed version")
        for mount in service.get("volumes", []):
            source = re.sub(r"\$\{[^}]*\}", "./x", mount).split(":")[0]
            if not source.startswith((".", "/")) and source not in volumes:
                found.append(f"{name}: the volume {source} is not declared")
            if source.startswith("./") and "${" not in mount and not (path.parent / source).exists():
                found.append(f"{name}: {source} does not exist")
        for other in service.get("depends_on", {}):
            if other not in document["services"]:
                found.append(f"{name}: depends on {other}, which is not here")
        if "build" in service:
            context = path.parent / service["build"]["context"]
            if not (context / service["build"]["dockerfile"]).exists():
                found.append(f"{name}: {service['build']['dockerfile']} does not exist")
    return [f"{path}: {text}" for text in found]


def main() -> None:
    folder = Path(sys.argv[1])
    found = []
    for path in sorted(folder.glob("*Containerfile*")):
        found += breaches_of_containerfile(path)
    for path in sorted(folder.glob("*compose*.yaml")):
        found += breaches_of_compose(path)
    for path in sorted(folder.glob("*.yml")):
        yaml.safe_load(path.read_text())
    print("\n".join(found) or f"{folder}: nothing found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
