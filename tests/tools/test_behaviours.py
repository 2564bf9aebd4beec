"""docs/behaviours.md names tests that exist, and the lines of its finished sections have some."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FINISHED = ("Streams", "Tools and structured output", "Prompt reuse and context", "Errors")


def lines_of(text: str) -> dict[tuple[str, int], list[str]]:
    """The tests that each line names, by section and number."""
    found: dict[tuple[str, int], list[str]] = {}
    section, number = "", 0
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif begin := re.match(r"(\d+)\. ", line):
            number = int(begin[1])
            found[section, number] = []
        if number:
            found.get((section, number), []).extend(re.findall(r"`(test_\w+|[A-Z]\w*\.[A-Z_]\w*)`", line))
    return found


@pytest.fixture(scope="module")
def lines() -> dict[tuple[str, int], list[str]]:
    return lines_of((ROOT / "docs/behaviours.md").read_text())


@pytest.fixture(scope="module")
def existing() -> set[str]:
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        found |= set(re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE))
    for folder in ("src", "tests"):
        for path in (ROOT / folder).rglob("*_test.cpp"):
            found |= {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE)}
    return found


def test_every_named_test_exists(lines, existing):
    named = {name for names in lines.values() for name in names}
    assert len(named) > 50
    assert not named - existing


def test_the_lines_of_finished_sections_have_tests(lines):
    without = [number for (section, number), names in lines.items() if section in FINISHED and not names]
    assert not without
    assert {section for section, _ in lines} >= set(FINISHED)


def test_a_line_that_names_what_is_not_there_would_be_found(existing):
    lines = lines_of("## Streams\n1. Something.\n    - Tests: `test_that_is_not_there`, `Chat.AnswersWithOpenAisShape`.\n2. More.\n")
    assert lines == {("Streams", 1): ["test_that_is_not_there", "Chat.AnswersWithOpenAisShape"], ("Streams", 2): []}
    assert set(lines["Streams", 1]) - existing == {"test_that_is_not_there"}
