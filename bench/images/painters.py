"""Starts the servers that draw, and says the same request in the language of each."""

import json
from dataclasses import dataclass
from pathlib import Path

from checkpoints import Files
from engine_log import EngineLog
from servers import UPSTREAM_KERNELS, Server, Settings, free_port, start_llama_server


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What is drawn, with the same sampler everywhere."""

    prompt: str
    side: int
    steps: int
    seed: int
    cfg_scale: float


@dataclass
class Painter:
    """A server that draws, and one that chats beside it: for llm-gateway the same, else llama-server; or none."""

    images: Server
    chat: Server | None
    log: EngineLog
    is_gateway: bool

    def body(self, picture: Picture) -> dict:
        size = f"{picture.side}x{picture.side}"
        if self.is_gateway:
            return {"model": "pictures", "prompt": picture.prompt, "size": size, "steps": picture.steps,
                    "seed": picture.seed, "cfg_scale": picture.cfg_scale, "sampler": "euler", "scheduler": "discrete"}
        # sd-server takes no settings in this route but those that are hidden in the prompt.
        sampling = {"sample_steps": picture.steps, "sample_method": "euler", "scheduler": "discrete",
                    "guidance": {"txt_cfg": picture.cfg_scale}}
        extra = json.dumps({"seed": picture.seed, "sample_params": sampling})
        return {"prompt": f"{picture.prompt}<sd_cpp_extra_args>{extra}</sd_cpp_extra_args>", "size": size}

    def close(self) -> None:
        self.images.close()
        if self.chat is not None and self.chat is not self.images:
            self.chat.close()


def start_gateway(binary: Path, files: Files, chat_model: Path | None, log: Path) -> Painter:
    port = free_port()
    models: list[dict] = [{"name": "pictures", "kind": "image", "path": str(files.network)}]
    if files.tiny_autoencoder:
        models[0]["taesd"] = str(files.tiny_autoencoder)
    if chat_model:
        models.append({"name": "bench", "kind": "text", "path": str(chat_model)})
    file = log.with_suffix(".yaml")
    settings = {"server": {"port": port}, "log": {"level": "debug"}, "models": models}
    file.write_text(json.dumps(settings))  # JSON is YAML
    server = Server([str(binary), "serve", "--config", str(file)], port, "/health/ready", log)
    return Painter(server, server if chat_model else None, EngineLog(log), is_gateway=True)


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A build of sd-server, and how it and the llama-server beside it are started."""

    meaning: str
    own_engine: bool  # with the engine libraries of llm-gateway, else as its README says
    flash_attention: bool


PEERS = {
    "same": Peer(
        meaning="sd-server with the engine, kernels and options that llm-gateway has, --diffusion-fa",
        own_engine=True, flash_attention=True),
    "same-plain": Peer(
        meaning="the same without --diffusion-fa", own_engine=True, flash_attention=False),
    "readme": Peer(
        meaning="sd-server built from the same archive as its README says, as it starts",
        own_engine=False, flash_attention=False),
    "readme-fa": Peer(
        meaning="the same with --diffusion-fa", own_engine=False, flash_attention=True),
}


def start_sd_server(
    peer: Peer, binary: Path, llama_server: Path, files: Files, chat_model: Path | None, log: Path
) -> Painter:
    port = free_port()
    command = [str(binary), "-m", str(files.network), "--listen-ip", "127.0.0.1", "--listen-port", str(port)]
    command += ["--taesd", str(files.tiny_autoencoder)] if files.tiny_autoencoder else []
    command += ["--diffusion-fa"] if peer.flash_attention else []
    # It looks for ggml's kernels in the folder it is started in.
    folder = binary.parent.parent / "lib" if peer.own_engine else None
    server = Server(command, port, "/v1/models", log, folder=folder)
    chat = None
    if chat_model:
        settings = Settings(context=4096, slots=4)
        chat_log = log.with_name(f"{log.stem}-chat.log")
        chat = start_llama_server(llama_server, chat_model, settings, 4096, not peer.own_engine, chat_log)
    return Painter(server, chat, EngineLog(log), is_gateway=False)
