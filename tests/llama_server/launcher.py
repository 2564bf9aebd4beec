"""Starts the gateway where llama.cpp's tests start llama-server: the settings of their ServerProcess as ours.

What has no equivalent here is refused with NotHere, and so are models that only a hub has. A gateway goes on running
until a test wants other settings.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path

import requests

from support import tiny_models
from support.gateway import Gateway, wait_until

#: By the repository that the tests name; the settings are keys of our `models`.
MODELS = {
    "ggml-org/test-model-stories260K": ("smollm2-135m-instruct", {}),
    "bert-bge-small/ggml-model-f16.gguf": ("all-minilm-l6-v2", {}),
    "jina-reranker-v1-tiny-en/ggml-model-f16.gguf": ("random-weights-reranker", {"pooling": "rank"}),
}
#: Settings without an equivalent; the rest of a ServerProcess is either used below or changes nothing for a client.
WITHOUT_EQUIVALENT = (
    "models_dir models_preset models_max no_models_autoload model_draft lora_files spec_type enable_ctx_shift"
    " slot_save_path server_tools mcp_servers_config mcp_servers_json ui_mcp_proxy gcp_compat sleep_idle_seconds"
    " media_path mmproj_url backend_sampling model_tags reasoning").split()


def is_ready(gateway: Gateway) -> bool:
    try:
        health = requests.get(gateway.url + "/health/ready", timeout=5).json()
    except requests.ConnectionError:
        assert gateway.process.poll() is None, gateway.log_text()
        return False
    assert health["models"][0]["state"] != "failed", gateway.log_text()
    return health["status"] == "ready"


class NotHere(Exception):
    """The test asks for a server that ours cannot be."""


class Launcher:
    """`model_file(name)` gives the path of a model of models/models.json; `folder` is where llama.cpp's tests are."""

    def __init__(self, program: Path, model_file, folder: Path, logs: Path):
        self.program, self.model_file, self.folder, self.logs = program, model_file, folder, logs
        #: What the running test asks for by name; llama-server answers for any.
        self.model_name: str | None = None
        self.served: str | None = None
        self.found: list[str] = []  # that no test may pass over
        self._running: tuple[str, Gateway, dict] | None = None
        self._started = 0
        self._files = tempfile.TemporaryDirectory()

    def start(self, server) -> None:
        """As ServerProcess.start: the server is ready afterwards, at `server.server_port`."""
        settings = self._settings(server)
        key = json.dumps([settings, server.api_key])
        if self._running is None or self._running[0] != key:
            self.stop()
            configuration = Path(self._files.name) / f"gateway-{self._started}.yaml"
            configuration.write_text(json.dumps(settings))  # JSON is YAML
            log = self.logs / f"llama-server-tests-{self._started}.log"
            self._started += 1
            environment = {"LLM_GATEWAY_API_KEY": server.api_key} if server.api_key else {}
            gateway = Gateway(self.program, ["--config", str(configuration)], log, environment).start(wait=None)
            wait_until(lambda: is_ready(gateway), "the gateway is ready", seconds=120)
            self._running = key, gateway, self._pids(gateway)
        server.server_port = self._running[1].port
        self.served = settings["models"][0]["name"]

    def stop(self) -> None:
        if self._running is not None:
            self.look_after()
            self._running[1].stop()
            self._running = None

    def look_after(self) -> None:
        """Between two tests: a worker that died, or an error of ours, counts whatever the test was about."""
        if self._running is None:
            return
        _, gateway, pids = self._running
        log = gateway.log.read_text(errors="replace")
        if gateway.process.poll() is not None or self._pids(gateway) != pids:
            self.found.append(f"the gateway or its worker died: {gateway.log}\n{log[-2000:]}")
        if re.search(r"\bstatus=500\b", log):
            self.found.append(f"an answer with status 500: {gateway.log}")
        if self.found:
            gateway.stop()
            self._running = None

    def _pids(self, gateway: Gateway) -> dict[str, int]:
        return {name: process.pid for name, process in gateway.workers().items()} if gateway.process.poll() is None else {}

    def _settings(self, server) -> dict:
        for name in WITHOUT_EQUIVALENT:
            value = getattr(server, name)
            if value is not None and value is not False and (name, value) != ("reasoning", "auto"):
                raise NotHere(f"a server with {name}")
        if "," in server.server_host:
            raise NotHere("a server with several addresses")
        settings: dict = {"models": [self._model(server)]}
        if server.cors_origins:
            raise NotHere("a group of origins under one name")
        return settings

    def _model(self, server) -> dict:
        found = MODELS.get(server.model_hf_file or server.model_hf_repo)
        if found is None:
            raise NotHere(f"the model {server.model_hf_repo} {server.model_hf_file}")
        name, settings = found
        file = self.model_file(name)
        template = self._template(server)
        if template is not None:
            file = self._model_with(template, file)
        slots = server.n_slots or 1
        model = {"kind": "text", "name": self.model_name or (server.model_alias or name).split(",")[0], "path": str(file),
                 "slots": slots} | settings
        if server.n_ctx:
            # There the context is divided among the slots, unless they share it; here it is that of one conversation.
            model["context"] = server.n_ctx if server.kv_unified else server.n_ctx // slots
        if server.pooling == "none":
            raise NotHere("a model whose embeddings are those of its tokens")
        if server.pooling:
            model["pooling"] = server.pooling
        if server.fa:
            model["flash_attention"] = server.fa
        return model

    def _template(self, server) -> str | None:
        if server.chat_template_file:
            return (self.folder / server.chat_template_file).read_text()
        if server.chat_template == "llama3":
            return (self.folder / "../../../models/templates/meta-llama-Llama-3.1-8B-Instruct.jinja").read_text()
        if server.chat_template and re.fullmatch(r"[-a-z0-9.]+", server.chat_template):
            raise NotHere(f"llama.cpp's built-in template {server.chat_template}")
        return server.chat_template

    def _model_with(self, template: str, borrowed: Path) -> Path:
        """A file with random weights and this template: here a template is the model's."""
        file = Path(self._files.name) / f"template-{hash(template) & 0xFFFFFFFF:08x}.gguf"
        return file if file.exists() else tiny_models.sliding_window(file, borrowed, template=template)


def install(utils, launcher: Launcher, only_their_model_says: set[str]) -> None:
    """Puts the launcher in the place of what llama.cpp's tests start, download and compare."""
    matches = utils.match_regex
    make_request, make_stream_request = utils.ServerProcess.make_request, utils.ServerProcess.make_stream_request

    def with_model(data):
        """llama-server serves one model, and a request need not name it."""
        needs_name = isinstance(data, dict) and data.get("model") is None
        return data | {"model": launcher.served} if needs_name else data

    def download_file(url: str, *_) -> str:
        raise NotHere(url)

    def match_regex(regex: str, text: str) -> bool:
        return regex in only_their_model_says or matches(regex, text)

    utils.ServerProcess.start = lambda self, timeout_seconds=0: launcher.start(self)
    utils.ServerProcess.stop = lambda self: None
    utils.ServerProcess.make_request = lambda self, method, path, data=None, *more, **named: make_request(
        self, method, path, with_model(data), *more, **named)
    utils.ServerProcess.make_stream_request = lambda self, method, path, data=None, *more, **named: make_stream_request(
        self, method, path, with_model(data), *more, **named)
    utils.ServerPreset.load_all = staticmethod(lambda: None)
    utils.download_file = download_file
    utils.match_regex = match_regex
    # Other addresses are not asked, and nobody waits for them.
    os.environ.update(HTTP_PROXY="http://127.0.0.1:9", HTTPS_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1,localhost")
