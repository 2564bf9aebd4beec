"""The container lint finds what it promises to find."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint(folder: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "tools/lint_container.py", folder]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60)


def test_ours_is_clean():
    assert lint(ROOT / "deploy").returncode == 0


@pytest.mark.parametrize("before, after, told", [
    ("FROM debian:12.11-slim AS builder", "FROM debian:latest AS builder", "no fixed version"),
    ("USER 10001:10001", "USER root", "runs as root"),
    ("HEALTHCHECK", "LABEL a=b", "no HEALTHCHECK"),
    ("ENV DEBIAN_FRONTEND", "ENV API_KEY=abc DEBIAN_FRONTEND", "a secret"),
    (" --no-install-recommends", "", "--no-install-recommends"),
    ("COPY --from=builder /release", "COPY build/release", "somewhere else"),
    ('ENTRYPOINT ["/opt/llm-gateway/bin/llm-gateway", "serve"', 'ENTRYPOINT /opt/llm-gateway "serve"', "signals"),
    ("COPY . .", "ADD . .", "ADD"),
])
def test_every_rule_can_be_broken(tmp_path, before, after, told):
    text = (ROOT / "deploy/Containerfile").read_text()
    assert before in text
    (tmp_path / "Containerfile").write_text(text.replace(before, after))
    result = lint(tmp_path)
    assert result.returncode == 1
    assert told in result.stdout
