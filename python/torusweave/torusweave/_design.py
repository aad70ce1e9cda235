"""Designs as their configs say them, for scripts and notebooks: the command torusweave checks, draws and writes them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ._errors import TorusError
from ._lines import program
from ._torus import Torus, connect


class Report(Dict[str, Any]):
    """Findings of a command, by the names of its JSON; shown as the command prints them."""

    def __init__(self, found: Mapping[str, Any], show: Callable[[], str]) -> None:
        super().__init__(found)
        self._show = show

    def __repr__(self) -> str:
        return self.text.rstrip()

    @property
    def text(self) -> str:
        """The findings as text: what a simulation said, or what the command prints, which is asked for it."""
        return str(self["message"]) if "message" in self else self._show()

    @property
    def passed(self) -> bool:
        """True if nothing was found wrong: with any program, if there are several."""
        return all(bool(one["passed"]) for one in self.get("items", [self]))


class Picture:
    """A picture as SVG, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def __repr__(self) -> str:
        return f"<picture of {len(self.svg)} bytes>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the picture to a file."""
        Path(_path("path", path)).write_text(self.svg, encoding="utf-8")


class Design:
    """A config, and what the command torusweave makes of it."""

    def __init__(self, config: Union[str, "os.PathLike[str]", Mapping[str, Any]], settings: Mapping[str, Any]) -> None:
        if not isinstance(config, (str, os.PathLike, Mapping)):
            raise TorusError(f"config: must be the path of a YAML file, or its fields as a dictionary (is {config!r})")
        if not isinstance(settings, Mapping):
            raise TorusError(f"settings: must be a dictionary by fields, as in {{'link.width': 8}} (is {settings!r})")
        self._config = config
        self._settings = dict(settings)

    def __repr__(self) -> str:
        shown = dict(self._config) if isinstance(self._config, Mapping) else os.fspath(self._config)
        settings = f", {self._settings!r}" if self._settings else ""
        return f"torusweave.design({shown!r}{settings})"

    def check(self, **flags: Any) -> Report:
        """Judges the schedules: every message arrives in time, once, and no link carries two. `program` names one of a list."""
        return self._report("check", flags)

    def simulate(self, engine: str = "model", **flags: Any) -> Report:
        """Plays the design: by the model, or its Verilog by `icarus` or `verilator`."""
        return self._report("simulate", {"engine": engine, **flags})

    def draw(self, what: Optional[str] = None, **flags: Any) -> Picture:
        """Draws the design, or one of the pictures that `torusweave draw --help` lists: `tree`, `classes`, `modules` and others."""
        return Picture(self._run("draw", {"what": what, **flags}, "-o", "-").stdout)

    def generate(self, folder: Union[str, "os.PathLike[str]"], **flags: Any) -> List[Path]:
        """Writes the Verilog and its testbenches into a folder, and returns the files."""
        ended = self._run("generate", flags, "--out", _path("folder", folder), "--format", "json")
        return [Path(folder) / path for path in json.loads(ended.stdout)["files"]]

    def connect(self, folder: Union[str, "os.PathLike[str]"], timeout: float = 60.0) -> Torus:
        """Writes the design into a folder, and calls its collectives in a simulation of the Verilog."""
        if not any(path.name.endswith("_programs.json") for path in self.generate(folder)):
            raise TorusError("config: connects to a design with a host: say `host: { bus: uart }`, or list `programs`")
        return connect(f"sim:{_path('folder', folder)}", timeout=timeout)

    def _report(self, command: str, flags: Mapping[str, Any]) -> Report:
        found = self._run(command, flags, "--format", "json").stdout
        return Report(json.loads(found), lambda: self._run(command, flags).stdout)

    def _run(self, command: str, flags: Mapping[str, Any], *others: str) -> "subprocess.CompletedProcess[str]":
        """Runs the command; a check that fails is a result, and all else an error with what the command says."""
        line = [*program(), command, "--quiet", *others]
        for name, value in flags.items():
            flag = f"--{name.replace('_', '-')}"
            if value is True:
                line.append(flag)
            elif value is False:
                # refused by a flag that takes no value, and is off where it is left out
                line.append(f"{flag}=false")
            elif value is not None:
                line += [flag, _shown(name, value)]
        for field, value in self._settings.items():
            line += ["--set", f"{field}={_shown(str(field), value)}"]
        # JSON is YAML
        text = _json("config", self._config) if isinstance(self._config, Mapping) else None
        line.append("-" if text is not None else os.fspath(self._config))  # type: ignore[arg-type]
        try:
            ended = subprocess.run(line, input=text, capture_output=True, text=True, encoding="utf-8")
        # a zero byte is a ValueError
        except (OSError, ValueError) as error:
            raise TorusError(f"{line[0]} does not run: {error}") from error
        if ended.returncode not in (0, 1) or not ended.stdout and ended.stderr:
            raise TorusError(ended.stderr.strip().removeprefix("error: ") or f"{command} ended with {ended.returncode}")
        return ended


def _shown(name: str, value: Any) -> str:
    """A value on the command line: texts and paths as they stand, all else as JSON."""
    return _path(name, value) if isinstance(value, (str, os.PathLike)) else _json(name, value)


def _json(name: str, value: Any) -> str:
    """JSON of a value, in which numbers may be numpy's, and dictionaries any mappings."""

    def plain(part: Any) -> Any:
        if isinstance(part, Mapping):
            return dict(part)
        if isinstance(part, os.PathLike):
            return _path(name, part)
        if hasattr(part, "tolist"):
            return part.tolist()
        raise TypeError(f"has {part!r} of type {type(part).__name__}")

    try:
        return json.dumps(value, default=plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise TorusError(f"{name}: must have texts, numbers, lists and dictionaries only ({error})") from error


def _path(name: str, path: Any) -> str:
    """Text of a path."""
    try:
        return os.fsdecode(path)
    except TypeError as error:
        raise TorusError(f"{name}: must be a path (is {path!r})") from error


def design(config: Union[str, "os.PathLike[str]", Mapping[str, Any]], settings: Optional[Mapping[str, Any]] = None) -> Design:
    """The design of a config: the path of a YAML file, or its fields as a dictionary. Settings take the place of fields, by their
    names, as in `{"link.width": 8}`.
    """
    return Design(config, settings or {})
