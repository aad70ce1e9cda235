"""Draws time against area as SVG, readable on white and on black paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

# a colour on white paper, and its like on black
Colour = tuple[str, str]
# left, top, right and bottom of the plot in pixels
FRAME = (70.0, 50.0, 590.0, 400.0)
LETTER = 7


@dataclass(frozen=True)
class Point:
    """A design: its cell, the value of the first field, the other values, its area and its time."""

    name: str
    group: str
    label: str
    area: float
    time: float
    front: bool = False


def with_front(points: Sequence[Point]) -> list[Point]:
    """Marks the points of each group that no other of the group beats in area and time."""

    def beats(one: Point, other: Point) -> bool:
        is_as_good = one.area <= other.area and one.time <= other.time
        return one.group == other.group and is_as_good and (one.area, one.time) != (other.area, other.time)

    return [replace(point, front=not any(beats(other, point) for other in points)) for point in points]


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from one pixel to another."""

    low: float
    high: float
    begin: float
    end: float

    @staticmethod
    def of(values: Sequence[float], begin: float, end: float) -> Axis:
        """Makes an axis with some room on both sides of the values."""
        low, high = min(values), max(values)
        room = max((high / low) ** 0.1, 1.1)
        return Axis(low / room, high * room, begin, end)

    def at(self, value: float) -> float:
        """Returns the pixel of a value."""
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + part * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Returns round values on the axis, six at most."""
        for steps in ((1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 5, 7), (1, 2, 5), (1,)):
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [step * 10.0**power for power in powers for step in steps]
            found = [value for value in found if self.low <= value <= self.high]
            if len(found) <= 6:
                break
        return found or [self.low, self.high]


def style(colours: Sequence[Colour]) -> str:
    """Returns the style sheet, with the colours of both papers."""

    def rules_on(dark: bool) -> str:
        paper, ink, faint = ("#0d1117", "#e6edf3", "#30363d") if dark else ("#ffffff", "#1f2328", "#d5dae0")
        rules = [f".paper{{fill:{paper}}}", f"text{{fill:{ink}}}", f".grid{{stroke:{faint}}}"]
        for number, pair in enumerate(colours):
            rules.append(f".c{number}{{stroke:{pair[dark]};fill:{pair[dark]}}}")
        return "".join(rules)

    font = "text{font:12px system-ui,sans-serif}.title{font-weight:600;font-size:15px}.line{fill:none;stroke-width:1.5}"
    return f"{font}{rules_on(False)}@media (prefers-color-scheme:dark){{{rules_on(True)}}}.open{{fill-opacity:0}}"


def mark(shape: int, x: float, y: float, name: str, is_front: bool, colour: str, title: str) -> str:
    """Draws a design: full on the front, else open; groups have shapes as well as colours."""
    size = 5
    kind = colour if is_front else f"{colour} open"
    inside = f"<title>{escape(name)}: {escape(title)}</title>"
    corners = {
        1: [(-size, -size), (size, -size), (size, size), (-size, size)],
        2: [(0, -size - 1), (size + 1, size), (-size - 1, size)],
        3: [(0, -size - 2), (size + 2, 0), (0, size + 2), (-size - 2, 0)],
    }.get(shape % 4)
    if corners is None:
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size}">{inside}</circle>'
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="{kind}" points="{path}">{inside}</polygon>'


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    """Writes words at a place."""
    style_class = f' class="{kind}"' if kind else ""
    return f'<text{style_class} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def grid(across: Axis, up: Axis) -> list[str]:
    """Draws the lines of round values, and what the axes mean."""
    left, top, right, bottom = FRAME
    lines = []
    for value in across.ticks():
        x = across.at(value)
        lines.append(f'<path class="grid" d="M{x:.1f} {top:.0f}V{bottom:.0f}"/>')
        lines.append(text(x, bottom + 18, f"{value:g}", "middle"))
    for value in up.ticks():
        y = up.at(value)
        lines.append(f'<path class="grid" d="M{left:.0f} {y:.1f}H{right:.0f}"/>')
        lines.append(text(left - 8, y + 4, f"{value:g}", "end"))
    lines.append(text(left, bottom + 40, "area: LUTs of the design"))
    lines.append(text(left, top - 10, "time: ns, ticks of the schedule at the clock of the device"))
    return lines


def drawn(points: Sequence[Point], fields: Sequence[str], colours: int) -> list[str]:
    """Draws all designs, the front of each group, and the names of the groups."""
    left, top, right, bottom = FRAME
    across = Axis.of([point.area for point in points], left, right)
    up = Axis.of([point.time for point in points], bottom, top)
    lines = grid(across, up)
    groups = list(dict.fromkeys(point.group for point in points))
    lines.append(text(right + 24, top + 4, fields[0]))
    if fields[1:]:
        lines.append(text(right, bottom + 40, f"beside marks: {', '.join(fields[1:])}", "end"))
    for number, group in enumerate(groups):
        colour = f"c{number % colours}"
        own = sorted((point for point in points if point.group == group), key=lambda point: (point.area, point.time))
        steps = [(across.at(point.area), up.at(point.time)) for point in own if point.front]
        path = f"M{steps[0][0]:.1f} {steps[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in steps[1:])
        lines.append(f'<path class="line {colour}" style="fill:none" d="{path}"/>')
        for point in own:
            x, y = across.at(point.area), up.at(point.time)
            title = f"{point.area:g} LUTs, {point.time:g} ns"
            lines.append(mark(number, x, y, point.name, point.front, colour, title))
            if point.front and point.label:
                # beside the mark, on the side that has room
                is_right = x > (left + right) / 2
                lines.append(text(x - 9 if is_right else x + 9, y - 8, point.label, "end" if is_right else "start"))
        lines.append(mark(number, right + 30, top + 20 + 20 * number, group, True, colour, fields[0]))
        lines.append(text(right + 42, top + 24 + 20 * number, group))
    return lines


def svg(command: str, fields: Sequence[str], colours: Sequence[Colour], points: Sequence[Point]) -> str:
    """Draws the designs that fit: full marks on the front, and a line along it."""
    longest = max([len(fields[0]), *(len(point.group) for point in points)])
    width = max(FRAME[2] + 60 + LETTER * longest, 620)
    body = drawn(points, fields, len(colours)) if points else [text(FRAME[0], FRAME[1] + 20, "no design of the study has a clock on the device")]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} 455" width="{width:.0f}" height="455">'
    paper = f'<rect class="paper" width="{width:.0f}" height="455"/>'
    title = text(FRAME[0], 22, command, kind="title")
    return "\n".join([head, f"<style>{style(colours)}</style>", paper, title, *body, "</svg>"]) + "\n"
