"""Writes table.csv, table.md, seconds.csv and the plots of a study from what its commands printed: python3 table.py.

Commands that have not run are rows, too, so it may be called in the middle of a study.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plot

Figures = dict[str, Any]

# words for the exit codes of torusweave
RESULTS = {0: "passed", 1: "failed", 2: "refused"}
# columns of table.md; table.csv has all figures
SHOWN = {
    "check": ("nodes", "ticks", "bound"),
    "simulate": (),
    "fpga": ("design.lut", "design.ff", "design.bram", "fmax_mhz", "time_ns", "front"),
    "prove": (),
}
# times differ from run to run; sentences of several lines and the network, which is a field, are no figures
NO_FIGURES = {"format", "seconds", "message", "topology"}


@dataclass
class End:
    """End of one command in one cell."""

    step: str
    command: str
    result: str
    reason: str
    seconds: float | None
    figures: Figures


@dataclass
class Row:
    """A cell with the values of its fields, and the ends of its commands."""

    cell: str
    values: list[str]
    ends: list[End]

    def result(self) -> str:
        """Returns the word for the first command that did not pass; one that has not run says less."""
        others = sorted((end.result for end in self.ends if end.result != "passed"), key=lambda result: result == "not run")
        return others[0] if others else "passed"

    def reasons(self) -> dict[str, list[End]]:
        """Returns why commands did not pass, each reason once, with the commands that it stopped."""
        reasons: dict[str, list[End]] = {}
        for end in self.ends:
            if end.reason:
                reasons.setdefault(end.reason, []).append(end)
        return reasons

    def reason(self) -> str:
        """Says why commands did not pass."""
        parts = [f"{', '.join(end.step for end in ends)}: {reason}" for reason, ends in self.reasons().items()]
        return "; ".join(parts)

    def figures(self, step: str) -> Figures:
        """Returns the figures of a command."""
        return next(end.figures for end in self.ends if end.step == step)


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the figures of a document by their paths, `design.lut`; lists are left out, but for those of documents."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "items" and isinstance(inner, list):
                for number, item in enumerate(inner):
                    yield from flat(item, f"{path}{number}.")
            elif key not in NO_FIGURES:
                yield from flat(inner, f"{path}{key}.")
    elif value is not None and not isinstance(value, list):
        yield path[:-1], value


def refusal(log: str) -> str:
    """Returns the error in what a command said, without its advice."""
    error = log.partition("error: ")[2].partition("\nhelp: ")[0]
    return " ".join(error.split()) or "exit code 2"


def failure(document: Figures, log: str) -> str:
    """Says what a check found."""
    if document.get("fits") is False:
        over = [
            f"{document[kind]} {kind} of {most}" for kind, most in document["available"].items() if document[kind] > most
        ]
        return ", ".join(over) or "the tools find no placement"
    if document.get("violations"):
        violations = document["violations"]
        return f"{len(violations)} violations, the first: {violations[0]['kind']}"
    if document.get("proofs"):
        return "not proved: " + ", ".join(proof["what"] for proof in document["proofs"] if not proof["proved"])
    said = document.get("message") or log
    return " ".join(said.split("\n\n")[0].split()) or "exit code 1"


def read_end(folder: Path, step: Figures) -> End:
    """Reads the end of a command."""
    name = step["name"]
    command = " ".join(["torusweave", *step["words"]])
    record = folder / f"{name}.end.json"
    if not record.exists():
        return End(name, command, "not run", "has not run yet", None, {})
    ended = json.loads(record.read_text())
    printed = folder / f"{name}.json"
    text = printed.read_text() if step["json"] else ""
    document = json.loads(text) if text.strip() else {}
    log = (folder / f"{name}.log").read_text(errors="replace")
    result = RESULTS[ended["exit"]]
    reason = {"passed": "", "failed": failure(document, log), "refused": refusal(log)}[result]
    if document.get("fits") is False:
        result = "does not fit"
    if document.get("timings"):
        document["limit"] = limit(document["timings"])
    return End(name, command, result, reason, ended["seconds"], dict(flat(document)))


def limit(timings: Sequence[Figures]) -> Figures | None:
    """Returns the slowest path of the seed with the median clock, if the tools name it."""
    ordered = sorted(timings, key=lambda timing: timing["mhz"])
    found: Figures | None = ordered[(len(ordered) - 1) // 2].get("limit")
    return found


def read_rows(study: Figures) -> list[Row]:
    """Reads what the commands of all cells printed."""
    return [
        Row(cell["name"], cell["values"], [read_end(Path("cells", cell["name"]), step) for step in study["steps"]])
        for cell in study["cells"]
    ]


def steps_of(study: Figures, command: str) -> list[str]:
    """Returns the names of the steps of a command."""
    return [step["name"] for step in study["steps"] if step["words"][0] == command]


def add_times(study: Figures, rows: Sequence[Row]) -> None:
    """Adds the time of a schedule at the clock of a device, and whether no other design is both smaller and faster.

    Designs are compared that have the same value of the first field.
    """
    checks = steps_of(study, "check")
    for step in steps_of(study, "fpga") if checks else []:
        for row in rows:
            ticks, clock = row.figures(checks[0]).get("ticks"), row.figures(step).get("fmax_mhz")
            if ticks and clock:
                row.figures(step)["time_ns"] = round(ticks * 1000 / clock, 1)
        for point in points(rows, step):
            row = next(row for row in rows if row.cell == point.name)
            row.figures(step)["front"] = point.front


def points(rows: Sequence[Row], step: str) -> list[plot.Point]:
    """Returns the designs that have an area and a time on a device."""
    placed = [row for row in rows if "time_ns" in row.figures(step)]
    found = [
        plot.Point(
            row.cell, row.values[0], ", ".join(filter(None, row.values[1:])), row.figures(step)["design.lut"], row.figures(step)["time_ns"]
        )
        for row in placed
    ]
    return plot.with_front(found)


def columns(rows: Sequence[Row], step: str) -> list[str]:
    """Returns the figures of a command that any cell has, in the order of their documents."""
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row.figures(step)))
    return list(names)


def shown(value: Any) -> str:
    """Writes a figure for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def write_csv(path: str, lines: Sequence[Sequence[Any]]) -> None:
    """Writes a file of comma-separated values, with `true` and `false` as in JSON."""
    words = [[str(value).lower() if isinstance(value, bool) else value for value in line] for line in lines]
    with Path(path).open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(words)


def write_table(study: Figures, rows: Sequence[Row]) -> None:
    """Writes all figures of all cells."""
    all_columns = [(step["name"], column) for step in study["steps"] for column in columns(rows, step["name"])]
    head = [*study["fields"], "result", "reason", *(f"{step}.{column}" for step, column in all_columns)]
    body = [
        [*row.values, row.result(), row.reason(), *(row.figures(step).get(column, "") for step, column in all_columns)]
        for row in rows
    ]
    write_csv("table.csv", [head, *body])


def write_seconds(rows: Sequence[Row]) -> None:
    """Writes the time of every command: it is another in every run, and so not in the table."""
    body = [[row.cell, end.step, end.seconds] for row in rows for end in row.ends if end.seconds is not None]
    write_csv("seconds.csv", [["cell", "command", "seconds"], *body])


def write_page(study: Figures, rows: Sequence[Row], plots: Sequence[str]) -> None:
    """Writes the table for people: the figures that are asked for most, and why cells did not pass."""
    chosen = []
    for step in study["steps"]:
        there = columns(rows, step["name"])
        chosen += [(step["name"], column) for column in SHOWN.get(step["words"][0], ()) if column in there]
    head = [*study["fields"], "result", *(column.replace("design.", "").replace("_", " ") for _, column in chosen)]
    lines = ["# Study", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        figures = [shown(row.figures(step).get(column, "")) for step, column in chosen]
        lines.append(f"| {' | '.join([*map(shown, row.values), row.result(), *figures])} |")
    for step in plots:
        lines += ["", f"![{step}: time against area](plots/{step}.svg)"]
    others = [(row, reason, ends) for row in rows for reason, ends in row.reasons().items()]
    if others:
        lines += ["", "## Commands that did not pass", "", "| cell | command | result | reason |", "|---|---|---|---|"]
        for row, reason, ends in others:
            others_too = f", also {', '.join(end.step for end in ends[1:])}" if ends[1:] else ""
            lines.append(f"| `{row.cell}` | `{ends[0].command}`{others_too} | {ends[0].result} | {shown(reason)} |")
    Path("table.md").write_text("\n".join(lines) + "\n")


def main() -> None:
    """Writes all files."""
    study = json.loads(Path("study.json").read_text())
    rows = read_rows(study)
    add_times(study, rows)
    plots = steps_of(study, "fpga") if steps_of(study, "check") else []
    for step in plots:
        words = next(one["words"] for one in study["steps"] if one["name"] == step)
        command = " ".join(word for word in words if word not in ("config.yaml", "--format", "json"))
        Path("plots").mkdir(exist_ok=True)
        picture = plot.svg(command, study["fields"], study["colours"], points(rows, step))
        Path("plots", f"{step}.svg").write_text(picture)
    write_table(study, rows)
    write_seconds(rows)
    write_page(study, rows, plots)


if __name__ == "__main__":
    main()
