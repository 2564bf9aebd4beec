"""The workloads: what is asked of a server that draws, and which figures are taken.

Smaller figures are better. Times are seconds; those of the engine's phases come from its own log lines in both servers.
No prompt and no seed comes twice, so that nothing is answered from what was kept of another, but where that is
measured.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import mean, median

from checkpoints import MODELS
from client import chat
from image_request import draw, leave_after
from painters import Painter, Picture
from prompts import prose, request

Figures = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Workload:
    model: str  # of MODELS
    run: Callable[[Painter, int], Awaitable[Figures]]
    meaning: str
    rounds: int = 3  # unless the command says otherwise
    with_chat: bool = False
    in_short_run: bool = True
    # Figure -> goal. A ratio to the column `readme` is at least the goal; with "<" it is our own figure, at most that.
    goals: dict[str, float | str] = field(default_factory=dict)


def picture(model: str, side: int, steps: int, seed: int) -> Picture:
    return Picture(prompt=prose(seed, 20), side=side, steps=steps, seed=seed, cfg_scale=MODELS[model].cfg_scale)


def drawing(model: str, side: int, steps: int):
    async def run(painter: Painter, seed: int) -> Figures:
        painter.log.begin()
        painter.images.forget_peak()
        total = await draw(painter, picture(model, side, steps, seed))
        phases = painter.log.phases()
        return {
            "total": total,
            "step": phases["sampling"] / steps,
            "decode": phases["decode"],
            "encode": phases.get("encode", 0.0),
            "peak_bytes": painter.images.peak_bytes(),
        }

    return run


def same_prompt(model: str, side: int):
    async def run(painter: Painter, seed: int) -> Figures:
        """A prompt, then the same with another seed, with one step each."""
        encode = []
        for each in (seed, seed + 5000):
            painter.log.begin()
            await draw(painter, Picture(prompt=prose(seed, 40), side=side, steps=1, seed=each, cfg_scale=7))
            encode.append(painter.log.phases().get("encode", 0.0))
        return {"encode_again": encode[1], "encode": encode[0]}

    return run


def overhead(model: str, side: int, pictures: int):
    async def run(painter: Painter, seed: int) -> Figures:
        """What a request takes beyond the engine's own time for the picture; the file is written in it. The engine's
        times have two decimals, so it is a mean over pictures."""
        beyond = []
        for each in range(pictures):
            painter.log.begin()
            seconds = await draw(painter, picture(model, side, 1, seed * 1000 + each))
            beyond.append(seconds - painter.log.phases()["engine"])
        return {"beyond_engine": mean(beyond)}

    return run


def cancel(model: str, side: int, steps: int):
    async def run(painter: Painter, seed: int) -> Figures:
        """The client leaves after two steps: how long the server's threads run on, by their run time."""
        left, step = await leave_after(painter, picture(model, side, steps, seed), 2)
        window = 0.02
        busy_until = left
        used = painter.images.cpu_seconds()
        while time.perf_counter() < busy_until + 0.5:
            await asyncio.sleep(window)
            now = painter.images.cpu_seconds()
            if now - used > 0.25 * window:
                busy_until = time.perf_counter()
            used = now
        return {"idle_after": busy_until - left, "idle_to_step": (busy_until - left) / step}

    return run


def chat_beside(model: str, side: int, steps: int, chats: int):
    async def run(painter: Painter, seed: int) -> Figures:
        """Chats alone, a picture alone, then chats one after another while such a picture is drawn."""
        port = painter.chat.port

        async def talk(number: int):
            return await chat(port, request(prose(seed * 100 + number, 200), tokens=48))

        alone = [await talk(number) for number in range(3)]
        picture_alone = await draw(painter, picture(model, side, steps, seed))
        drawn = asyncio.create_task(draw(painter, picture(model, side, steps, seed + 5000)))
        await asyncio.sleep(0.15 * picture_alone)
        beside = []
        for number in range(chats):
            answer = await talk(10 + number)
            if drawn.done():
                break
            beside.append(answer)
        picture_beside = await drawn
        if not beside:
            raise RuntimeError("the picture was done before a chat was")

        def ttft(answers):
            return median(answer.time_to_first_token for answer in answers)

        def per_token(answers):
            return median(answer.time_per_output_token for answer in answers)

        return {
            "ttft_beside": ttft(beside),
            "ttft_to_alone": ttft(beside) / ttft(alone),
            "token_beside": per_token(beside),
            "token_to_alone": per_token(beside) / per_token(alone),
            "picture_beside": picture_beside,
            "picture_to_alone": picture_beside / picture_alone,
            "chats_beside": len(beside),
        }

    return run


def whole_request_goal() -> float:
    """Of SD 1.5 at 512x512, by what the processor has."""
    with open("/proc/cpuinfo") as file:
        flags = set(file.read().split())
    return 7 if "amx_tile" in flags else 3 if "avx512f" in flags else 2


WORKLOADS = {
    "sd15-512": Workload(
        model="sd15", run=drawing("sd15", 512, 2), rounds=2, goals={"total": whole_request_goal()},
        meaning="Stable Diffusion 1.5, 512x512, 2 steps, cfg 7, TAESD"),
    "sd15-256": Workload(
        model="sd15", run=drawing("sd15", 256, 2), rounds=2,
        meaning="Stable Diffusion 1.5, 256x256, 2 steps, cfg 7, TAESD"),
    "sd15-512-20": Workload(
        model="sd15", run=drawing("sd15", 512, 20), rounds=1, in_short_run=False,
        goals={"total": whole_request_goal()}, meaning="Stable Diffusion 1.5, 512x512, 20 steps, cfg 7, TAESD"),
    "sd15-kl-512": Workload(
        model="sd15-kl", run=drawing("sd15-kl", 512, 1), rounds=1, goals={"peak_bytes": 1 / 0.65},
        meaning="Stable Diffusion 1.5, 512x512, 1 step, cfg 7, full autoencoder"),
    "sdxs-512": Workload(
        model="sdxs", run=drawing("sdxs", 512, 4), meaning="SDXS, 512x512, 4 steps"),
    "sdxs-256": Workload(
        model="sdxs", run=drawing("sdxs", 256, 4), meaning="SDXS, 256x256, 4 steps"),
    "same-prompt": Workload(
        model="sdxs", run=same_prompt("sdxs", 256), goals={"encode_again": "<0.01"},
        meaning="SDXS, 256x256, 1 step, cfg 7: a prompt, and once more with another seed"),
    "cancel": Workload(
        model="sdxs", run=cancel("sdxs", 512, 6), rounds=2, goals={"idle_to_step": "<1.1"},
        meaning="SDXS, 512x512, 6 steps: the client leaves after two"),
    "dit-512": Workload(
        model="dit", run=drawing("dit", 512, 2), rounds=1,
        meaning="a diffusion transformer of Ovis Image's kind, 512x512, 2 steps, cfg 5"),
    "dit-256": Workload(
        model="dit", run=drawing("dit", 256, 2), in_short_run=False,
        meaning="the same, 256x256, 2 steps"),
    "overhead": Workload(
        model="nano", run=overhead("nano", 256, 20), goals={"beyond_engine": "<0.02"},
        meaning="a tiny model, 256x256, 1 step, 20 pictures: time of a request beyond the engine's"),
    "chat-beside": Workload(
        model="sdxs", run=chat_beside("sdxs", 512, 8, 6), rounds=1, with_chat=True,
        goals={"ttft_to_alone": "<2"},
        meaning="SDXS, 512x512, 8 steps, and chats with SmolLM2-135M at the same time"),
}
