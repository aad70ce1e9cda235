"""Runs a script that needs numpy and the torusweave package of this source tree."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "torusweave"))
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
