"""Burndown: how many repositories were left as the campaign went on, as a drawing."""

from __future__ import annotations

from collections.abc import Sequence

from devfix.migration.reading import CampaignReading, Standing

_WIDTH, _HEIGHT = 640, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 28
_UNITS = ((86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def burndown(reading: CampaignReading) -> str:
    """An SVG drawing: time at work to the right (pauses between runs are left out), repositories left upwards."""
    points, breaks = _points(reading)
    if len(points) < 2:
        return ""
    end, total = max(points[-1][0], 1e-9), len(reading.repositories)
    plot = _Plot(end, total)
    line = " ".join(f"{plot.x(seconds):.1f},{plot.y(left):.1f}" for seconds, left in _steps(points))
    area = f"{plot.x(0):.1f},{plot.y(0):.1f} {line} {plot.x(end):.1f},{plot.y(0):.1f}"
    marks = "".join(
        f'<line class="break" x1="{plot.x(at):.1f}" x2="{plot.x(at):.1f}" y1="{_TOP}" y2="{plot.y(0):.1f}"/>'
        for at in breaks
    )
    said = f"{points[-1][1]} of {total} repositories left after {_duration(end)} of work"
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{said}">{plot.axes()}'
        f'<polygon class="area" points="{area}"/>{marks}<polyline class="line" points="{line}"/></svg>'
    )


class _Plot:
    def __init__(self, end: float, total: int) -> None:
        self.end = end
        self.total = max(total, 1)

    def x(self, seconds: float) -> float:
        return _LEFT + seconds / self.end * (_WIDTH - _LEFT - _RIGHT)

    def y(self, left: float) -> float:
        return _TOP + (1 - left / self.total) * (_HEIGHT - _TOP - _BOTTOM)

    def axes(self) -> str:
        rows = sorted({0, self.total // 2, self.total})
        across = "".join(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{self.y(row):.1f}" y2="{self.y(row):.1f}"/>'
            f'<text x="{_LEFT - 8}" y="{self.y(row) + 4:.1f}" text-anchor="end">{row}</text>'
            for row in rows
        )
        columns = ((0.0, "start"), (self.end / 2, "middle"), (self.end, "end"))
        below = "".join(
            f'<text x="{self.x(at):.1f}" y="{_HEIGHT - 8}" text-anchor="{anchor}">{_duration(at)}</text>'
            for at, anchor in columns
        )
        return across + below


def _points(reading: CampaignReading) -> tuple[list[tuple[float, int]], list[float]]:
    """Seconds at work and repositories left then, and where a run followed another."""
    ends = sorted(each.ended for each in reading.repositories if each.standing is not Standing.PENDING)
    if not ends:
        return [], []
    spans = _spans(reading, ends)
    left = len(reading.repositories)
    points = [(0.0, left)]
    for at in ends:
        left -= 1
        points.append((_worked(spans, at), left))
    whole = sum(end - start for start, end in spans)
    points.append((max(whole, points[-1][0]), left))
    breaks, passed = [], 0.0
    for start, end in spans[:-1]:
        passed += end - start
        breaks.append(passed)
    return points, breaks


def _spans(reading: CampaignReading, ends: Sequence[float]) -> list[tuple[float, float]]:
    """When runs were at work; of one that was killed the last step that is known is its end."""
    spans = []
    starts = [started for _, started, _, _ in reading.runs]
    for (_, started, ended, _), following in zip(reading.runs, [*starts[1:], float("inf")], strict=True):
        last = max((end for end in ends if started <= end < following), default=started)
        spans.append((started, last if ended is None else max(ended, last)))
    busy = [span for span in spans if any(span[0] <= end <= span[1] for end in ends)]
    return busy or [(ends[0], ends[-1])]


def _worked(spans: Sequence[tuple[float, float]], at: float) -> float:
    return sum(max(0.0, min(end, at) - start) for start, end in spans)


def _steps(points: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    drawn = [points[0]]
    for seconds, left in points[1:]:
        drawn += [(seconds, drawn[-1][1]), (seconds, left)]
    return drawn


def _duration(seconds: float) -> str:
    for size, unit in _UNITS:
        if seconds >= size:
            number = seconds / size
            return f"{number:.0f} {unit}" if number >= 10 or unit == "s" else f"{number:.1f} {unit}"
    return "0 s"
