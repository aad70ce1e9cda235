"""Designs from configs: checked, drawn, simulated, written, called; what is wrong is told with the command's words.

usage: design.py CONFIG FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

# the package beside this script
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torusweave
from torusweave import TorusError


def main(config: str, folder: str) -> None:
    torus = torusweave.design({"topology": {"torus": [4, 4]}}, {"link.width": 8})
    assert repr(torus) == "torusweave.design({'topology': {'torus': [4, 4]}}, {'link.width': 8})"
    report = torus.check()
    assert report.passed and report["steps"] == 8 and report["format"] == "torusweave-check/1"
    assert repr(report).startswith("torus_4x4: staircase gossip on a 4x4 torus, correct\n"), report
    assert json.loads(json.dumps(report)) == report
    # a setting in the place of a field, whatever its kind
    other = torusweave.design({"topology": {"torus": [4, 4]}}, {"topology": {"torus": [3, 4]}, "scheme": "optimal"})
    assert other.check()["topology"] == {"torus": [3, 4]} and other.check()["scheme"] == "optimal"
    picture = torus.draw("tree")
    assert picture._repr_svg_().startswith("<svg ") and picture._repr_svg_() != torus.draw()._repr_svg_()
    picture.save("tree.svg")
    assert Path("tree.svg").read_text(encoding="utf-8") == picture.svg
    # numbers of numpy, and a flag without a value
    assert torusweave.design({"topology": {"torus": np.array([4, 4])}}, {"link.width": np.int64(8)}).check() == report
    assert torus.check(structural=True).passed
    assert torus.simulate().passed and torus.simulate()["ticks"] == report["ticks"]
    listed = torusweave.design(Path(config))
    assert listed.check().passed and len(listed.check()["items"]) > 1
    assert listed.check(program="gossip").get("collective") == "gossip"
    written = listed.generate(folder)
    assert written and all(path.is_file() for path in written)
    with listed.connect(folder) as t:
        x = np.arange(t.nodes, dtype=np.dtype(f"u{t.width // 8}"))
        assert np.array_equal(t.allgather(x), x)
        assert repr(t).startswith("<torusweave calls: ") and "gossip" in repr(t), t
    Path("wrong.csv").write_text("tick,node,port,message\n1,0,x1+,0\n")
    wrong = {"topology": {"path": 2}, "scheme": {"file": "wrong.csv"}}
    for call, words in [
        (lambda: torusweave.design(wrong).check(), "`wrong.csv`: node 0 at 0 never gets message 1"),
        (lambda: torusweave.design("nowhere.yaml").check(), "cannot read `nowhere.yaml`"),
        (lambda: torusweave.design({"topology": {"torus": [1]}}).check(), "is not a side"),
        (lambda: torus.draw("nothing"), "invalid value 'nothing'"),
        (lambda: torus.check(nothing=1), "unexpected argument '--nothing'"),
        (lambda: torusweave.design({"topology": {"torus": [4, 4]}}, {"link.widht": 8}).check(), "link.widht"),
        (lambda: torusweave.design(3), "config: must be the path of a YAML file, or its fields as a dictionary (is 3)"),
        (lambda: torusweave.design(None), "config: must be"),
        (lambda: torusweave.design(config, 3), "settings: must be a dictionary by fields, as in {'link.width': 8} (is 3)"),
        (lambda: torusweave.design({"topology": {1}}).check(), "config: must have texts, numbers, lists and dictionaries only (has {1} "),
        (lambda: torusweave.design("a\0b").check(), "null byte"),
        (lambda: torus.check(program={1}), "program: must have texts, "),
        (lambda: torus.check(structural=False), "unexpected value 'false' for '--structural'"),
        (lambda: torus.generate(3), "folder: must be a path (is 3)"),
        (lambda: torus.connect(None), "folder: must be a path (is None)"),
        (lambda: torus.connect("fabric"), "config: connects to a design with a host"),
        (lambda: picture.save(1.5), "path: must be a path (is 1.5)"),
    ]:
        try:
            call()
        except TorusError as error:
            assert words in str(error) and not str(error).startswith("error:"), error
        else:
            raise AssertionError(f"{words}: nothing was raised")
    print(torusweave.__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
