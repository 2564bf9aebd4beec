#!/usr/bin/env python3
"""Where the image worker's time goes: percent by function while it takes steps, and while it decodes.

    python3 bench/images/step_profile.py --gateway build/release/bin/llm-gateway --model-folder FOLDER [--model sd15] [--side 512]

Needs Linux's perf. Samples by the clock, so it works in virtual machines without hardware counters.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "text"))

from checkpoints import MODELS, files_of  # noqa: E402
from drawings import picture  # noqa: E402
from image_request import draw  # noqa: E402
from painters import Painter, start_gateway  # noqa: E402
from profile import record, show  # noqa: E402


async def recorded(painter: Painter, options: argparse.Namespace, begins: str, file: Path) -> None:
    """Records from the moment the log matches `begins` until the picture is there."""
    painter.log.begin()
    drawn = asyncio.create_task(draw(painter, picture(options.model, options.side, options.steps, 7)))
    while not re.search(begins, painter.log.text()):
        await asyncio.sleep(0.01)
    recording = record(painter.images.worker(), options.seconds, file)
    await drawn
    recording.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--model-folder", type=Path, required=True)
    parser.add_argument("--model", choices=MODELS, default="sd15")
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5, help="of each recording")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="profile-images-") as folder:
        files = files_of(MODELS[options.model], options.model_folder)
        painter = start_gateway(options.gateway, files, None, Path(folder) / "gateway.log")
        try:
            for phase, begins in (("steps", "get_learned_condition completed"), ("decoding", "decoding .* latents")):
                file = Path(folder) / f"{phase}.perf"
                asyncio.run(recorded(painter, options, begins, file))
                kernels = painter.images.kernels()
                show(f"{options.model}, {options.side}x{options.side}, {phase}, {kernels} kernels", file)
        finally:
            painter.close()


if __name__ == "__main__":
    main()
