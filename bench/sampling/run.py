"""What choosing a token costs, beside llama.cpp's sampler, with a small and a large vocabulary."""

import argparse
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--program", required=True)
parser.add_argument("--model", action="append", required=True)
parser.add_argument("--tokens", type=int, default=64, help="of each answer")
arguments = parser.parse_args()
for model in arguments.model:
    failed = subprocess.run([arguments.program, model, str(arguments.tokens)], check=False).returncode
    if failed:
        sys.exit(failed)
