"""The list of llama.cpp's tests that do not apply to the gateway, and why (left_out.txt says how it is written)."""

from __future__ import annotations

from pathlib import Path


class LeftOut:
    def __init__(self, file: Path):
        #: What identifies tests -> why they are left out.
        self.reasons: dict[str, str] = {}
        #: Regular expressions of the tests for what only their model says.
        self.texts: set[str] = set()
        self._used: set[str] = set()
        reason = ""
        for line in file.read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("unit/"):
                assert line not in self.reasons, f"twice in {file}: {line}"
                self.reasons[line] = reason
            elif line.startswith("says "):
                self.texts.add(line.removeprefix("says "))
            else:
                reason = line

    def reason(self, test: str) -> str | None:
        """Why this test does not apply; None when it does."""
        for entry, reason in self.reasons.items():
            if test == entry or (entry.endswith("*") and test.startswith(entry[:-1])) or test.startswith(entry + "["):
                self._used.add(entry)
                return reason
        return None

    def unused(self, files: set[str]) -> list[str]:
        """Entries for tests of `files` that no test was asked about."""
        return [entry for entry in self.reasons if entry.split("::")[0].rstrip("*") in files and entry not in self._used]
