"""A Containerfile as a list of instructions, for lint_container.py and check_container.py."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Instruction:
    line: int
    name: str
    arguments: str

    def words(self) -> list[str]:
        return self.arguments.split()

    def exec_form(self) -> list[str] | None:
        """The words of a JSON array, or None when it is a shell command."""
        text = self.arguments[self.arguments.find("["):] if "[" in self.arguments else ""
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            return None


@dataclass(frozen=True)
class Stage:
    image: str
    name: str
    instructions: list[Instruction]

    def all(self, name: str) -> list[Instruction]:
        return [instruction for instruction in self.instructions if instruction.name == name]


def stages_of(path: Path) -> list[Stage]:
    stages: list[Stage] = []
    for instruction in instructions_of(path.read_text()):
        if instruction.name == "FROM":
            words = instruction.words()
            stages.append(Stage(words[0], words[2] if len(words) == 3 else "", []))
        elif not stages:
            raise ValueError(f"{path}:{instruction.line}: {instruction.name} before FROM")
        else:
            stages[-1].instructions.append(instruction)
    return stages


def instructions_of(text: str) -> list[Instruction]:
    found, pending, first = [], "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        first = first or number
        pending += line.rstrip().removesuffix("\\") + " "
        if not line.rstrip().endswith("\\"):
            name, _, arguments = pending.strip().partition(" ")
            found.append(Instruction(first, name.upper(), " ".join(arguments.split())))
            pending, first = "", 0
    return found
