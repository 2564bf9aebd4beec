"""A plugin for pytest: runs llama.cpp's own tests of its server, where the engine's source has them, against the gateway.

Every test is run. One that left_out.txt lists has to fail, and one that it does not list has to pass; a test that was
skipped without being listed counts as failed, and so does an entry that fits no test. `./dev test llama-server` calls
pytest with this plugin, and says in LLM_GATEWAY_LLAMA_SERVER_TESTS where the tests are.
"""

from __future__ import annotations

import collections
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from llama_server.launcher import Launcher, install
from llama_server.left_out import LeftOut

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = pytest.StashKey[LeftOut]()
LAUNCHER = pytest.StashKey[Launcher]()
REASON = pytest.StashKey[str]()


def model_file(name: str) -> Path:
    command = [sys.executable, ROOT / "models/fetch.py", name, "--folder", Path(os.environ["LLM_GATEWAY_CACHE"]) / "models"]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


def pytest_configure(config: pytest.Config) -> None:
    folder = Path(os.environ["LLM_GATEWAY_LLAMA_SERVER_TESTS"])
    build = Path(os.environ["LLM_GATEWAY_BUILD"])
    logs = build / "test-logs"
    logs.mkdir(exist_ok=True)
    config.stash[LEFT_OUT] = LeftOut(Path(__file__).with_name("left_out.txt"))
    config.stash[LAUNCHER] = Launcher(build / "bin/llm-gateway", model_file, folder, logs)
    # Before the tests take names from their module.
    sys.path.insert(0, str(folder))
    import utils

    install(utils, config.stash[LAUNCHER], config.stash[LEFT_OUT].texts)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = config.stash[LEFT_OUT]
    for item in items:
        reason = left_out.reason(item.nodeid)
        if reason is not None:
            item.stash[REASON] = reason
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    if not any("::" in argument for argument in config.args):
        unused = left_out.unused({item.nodeid.split("::")[0] for item in items})
        if unused:
            raise pytest.UsageError("left_out.txt lists tests that there are not:\n" + "\n".join(unused))


def pytest_runtest_setup(item: pytest.Item) -> None:
    names = set(re.findall(r'\bmodel"?[:=] ?"([^"]+)"', inspect.getsource(item.function)))
    item.config.stash[LAUNCHER].model_name = names.pop() if len(names) == 1 else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and REASON not in item.stash:
        report.outcome = "failed"
        report.longrepr = f"It was not run, and left_out.txt does not list it: {report.longrepr}"
    if call.when == "teardown":
        item.config.stash[LAUNCHER].look_after()
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    launcher = session.config.stash[LAUNCHER]
    launcher.stop()
    if launcher.found:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    counts = collections.Counter(
        report.wasxfail for report in terminalreporter.stats.get("xfailed", []) if hasattr(report, "wasxfail"))
    for reason, count in counts.most_common():
        terminalreporter.write_line(f"{count:4} left out: {reason}")
    for found in config.stash[LAUNCHER].found:
        terminalreporter.write_line(f"FAILED {found}", red=True)
