"""The bench of a design: every program in its table, every word compared, and a wrong word counted.

usage: bench.py PLACE
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

# the package beside this script, wherever another one is installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave  # noqa: E402
from torusweave import bench  # noqa: E402


def table(*arguments: str) -> Tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = bench.main(arguments)
    return code, said.getvalue()


def main(place: str) -> None:
    folder = Path(place.partition(":")[2])
    about = json.loads(next(folder.glob("*_programs.json")).read_text())
    code, said = table(place, "--runs", "2", "--json")
    result: Dict[str, Any] = json.loads(said)
    rows: List[Dict[str, Any]] = result["programs"]
    assert code == 0 and [row["program"] for row in rows] == [program["number"] for program in about["programs"]], said
    assert result["clock"] == 48_000_000, said
    for row, program in zip(rows, about["programs"]):
        # a clock to begin, at least, beside those of the ticks
        assert program["ticks"] <= row["clocks"] < 4 * program["ticks"] + 100, row
        assert row["wrong"] == 0 and row["words"] > 0 and row["call"] > 0, row
        assert abs(row["time"] - row["clocks"] / 48) < 1e-9, row
        assert abs(row["alg"] - row["bytes"] / row["time"]) < 1e-9, row
        share = 2 * (about["nodes"] - 1) / about["nodes"] if row["collective"] == "all-reduce" else row["bus"] / row["alg"]
        assert abs(row["bus"] - row["alg"] * share) < 1e-9, row
    sizes = {row["collective"]: row["bytes"] for row in rows}
    word = about["width"] // 8
    assert sizes["all-reduce"] == word and sizes["broadcast"] == 8 * word and sizes["gossip"] == about["nodes"] * word, sizes
    code, said = table(place, "--runs", "1", "--clock", "1e6")
    lines = said.splitlines()
    assert code == 0 and "at 1 MHz" in lines[0] and len(lines) == len(rows) + 3, said
    assert lines[-1].startswith("0 of ") and lines[-1].endswith(" words are wrong"), said

    right = torusweave.Torus.allreduce

    def wrong(self: torusweave.Torus, *given: Any, **named: Any) -> np.ndarray:
        values = right(self, *given, **named)
        values[..., -1] ^= 4
        return values

    setattr(torusweave.Torus, "allreduce", wrong)
    code, said = table(place, "--runs", "3")
    assert code == 1 and said.splitlines()[-1].startswith("3 of "), said
    print(f"{len(rows)} programs are measured")


main(*sys.argv[1:])
