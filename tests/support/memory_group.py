"""A control group with a memory limit, where this machine lets us make one."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class MemoryGroup:
    """A group of its own below the one that this process is in. `MemoryGroup.make` gives none where that is not allowed."""

    def __init__(self, folder: Path, limit_file: str, peak_file: str):
        self.folder, self.limit_file, self.peak_file = folder, limit_file, peak_file

    @classmethod
    def make(cls, limit_bytes: int) -> MemoryGroup | None:
        for hierarchy, limit_file, peak_file in (
            (ROOT, "memory.max", "memory.peak"),
            (ROOT / "memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
        ):
            folder = hierarchy / f"llm-gateway-test-{os.getpid()}"
            if not (hierarchy / "cgroup.procs").exists():
                continue
            try:
                folder.mkdir()
                group = cls(folder, limit_file, peak_file)
                if not (folder / limit_file).exists():  # this hierarchy does not limit memory
                    group.remove()
                    continue
                (folder / limit_file).write_text(str(limit_bytes))
                return group
            except OSError:
                continue
        return None

    def take(self, process: int) -> None:
        """With the processes that it starts from now on."""
        (self.folder / "cgroup.procs").write_text(str(process))

    def peak_bytes(self) -> int:
        file = self.folder / self.peak_file
        return int(file.read_text()) if file.exists() else 0

    def remove(self) -> None:
        """When all its processes have ended."""
        self.folder.rmdir()
