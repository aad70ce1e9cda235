"""Judge of reductions: `torusweave.reference`, asked line by line.

A question is a program, and the bits of all nodes' values, row after row; without them they are drawn. The answer has the results, or says
what is wrong. What was drawn must become what numpy makes of it in any order.
"""

import json
import sys
from pathlib import Path
from typing import Any, Dict

import numpy as np

# the package beside this script, wherever another one is installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave  # noqa: E402

WHOLE = {"sum": np.add, "custom": np.add, "max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor, "and": np.bitwise_and, "or": np.bitwise_or}
SIZES = {"bf16": 2, "f16": 2, "f32": 4, "i32": 4, "u32": 4}


def answer(program: Dict[str, Any], rows: Any, values: int) -> Dict[str, Any]:
    word = np.dtype(f"u{SIZES.get(program.get('number'), 8)}")
    nodes = len(program["class_of"])
    if rows is not None:
        return {"results": [int(bits) for bits in torusweave.reference(program, np.array(rows, np.uint64).astype(word)).ravel()]}
    x = np.random.default_rng(7).integers(0, 1 << 8 * word.itemsize, (nodes, values), np.uint64).astype(word)
    x = x.view(f"i{word.itemsize}") if program.get("number") == "i32" else x
    live = [node for node, kind in enumerate(program["class_of"]) if kind is not None]
    wanted = WHOLE[program["operation"]].reduce(x[live])
    wrong = int((torusweave.reference(program, x) != wanted).sum())
    return {"wrong": f"{wrong} of {values} results"} if wrong else {"results": []}


for line in sys.stdin:
    question = json.loads(line)
    try:
        said = answer(question["program"], question["rows"], question["values"])
    except torusweave.ProgramError as error:
        said = {"wrong": str(error)}
    print(json.dumps(said), flush=True)
