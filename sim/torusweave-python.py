"""Runs a script that needs numpy and the torusweave package of this source tree."""

import runpy
import sys
from pathlib import Path

sys.argv.pop(0)
# the package, and the folder of the script, as Python itself has it
package = Path(__file__).resolve().parents[1] / "python" / "torusweave"
sys.path[:1] = [str(package), str(Path(sys.argv[0]).resolve().parent)]
runpy.run_path(sys.argv[0], run_name="__main__")
