"""Pictures for the examples, as SVG, with nothing but the standard library and NumPy."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_WIDTH, _HEIGHT, _MARGIN = 480, 260, 40
_COLOURS = ("#3f51b5", "#c62828", "#2e7d32", "#6a1b9a")


def curves(
    file: Path,
    title: str,
    lines: Mapping[str, tuple[Any, Any]],
    band: Any = None,
    equal: bool = False,
) -> None:
    """Draws lines, by their names; a name that ends in `*` is drawn as dots.

    Args:
        file: where to write.
        title: what is drawn.
        lines: for each name `x` and `y`.
        band: `x`, lower and upper ends of an area to shade.
        equal: whether both axes have one scale.
    """
    every = [*lines.values(), *([(band[0], band[1]), (band[0], band[2])] if band else [])]
    x, y = (np.concatenate([np.ravel(pair[i]) for pair in every]) for i in (0, 1))
    spans = np.array([np.ptp(x), np.ptp(y)])
    size = np.array([_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN])
    scale = np.full(2, (size / spans).min()) if equal else size / spans

    def place(x: Any, y: Any) -> str:
        across = _MARGIN + (np.ravel(x) - lowest[0]) * scale[0]
        down = _HEIGHT - _MARGIN - (np.ravel(y) - lowest[1]) * scale[1]
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, down, strict=True))

    lowest = x.min(), y.min()
    parts = []
    if band is not None:
        ends = f"{place(band[0], band[1])} {place(band[0][::-1], band[2][::-1])}"
        parts.append(f'<polygon points="{ends}" fill="#c62828" opacity="0.2"/>')
    for i, (name, (x_of, y_of)) in enumerate(lines.items()):
        colour = _COLOURS[i % len(_COLOURS)]
        points = place(x_of, y_of)
        if name.endswith("*"):
            dots = (point.split(",") for point in points.split())
            parts += [f'<circle cx="{a}" cy="{b}" r="2" fill="{colour}"/>' for a, b in dots]
        else:
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        at = f'x="{_WIDTH - 8}" y="{20 + 15 * i}" text-anchor="end"'
        parts.append(f'<text {at} fill="{colour}">{name.rstrip("*")}</text>')
    right, top = _MARGIN + spans[0] * scale[0], _HEIGHT - _MARGIN - spans[1] * scale[1]
    corners = {(_MARGIN, _HEIGHT - 20): x.min(), (right - 20, _HEIGHT - 20): x.max()}
    corners |= {(4, _HEIGHT - _MARGIN): y.min(), (4, top): y.max()}
    parts += [
        f'<text x="{a:.0f}" y="{b:.0f}" fill="#777">{n:.4g}</text>' for (a, b), n in corners.items()
    ]
    _write(file, _WIDTH, _HEIGHT, title, parts)


def images(file: Path, title: str, pictures: Mapping[str, Any], zoom: int = 3) -> None:
    """Draws grey images, of numbers between 0 (black) and 1, beside each other."""
    parts, left = [], 10
    for name, image in pictures.items():
        levels = np.clip(np.asarray(image) * 15, 0, 15).round().astype(int)
        for level in range(16):
            path = "".join(
                f"M{left + zoom * j} {40 + zoom * i}h{zoom}v{zoom}h-{zoom}z"
                for i, j in np.argwhere(levels == level)
            )
            parts.append(f'<path fill="#{level:x}{level:x}{level:x}" d="{path}"/>')
        parts.append(f'<text x="{left}" y="34" fill="#777">{name}</text>')
        left += zoom * levels.shape[1] + 10
    _write(file, left, 50 + zoom * levels.shape[0], title, parts)


def _write(file: Path, width: int, height: int, title: str, parts: list[str]) -> None:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
    head += 'font-family="sans-serif" font-size="11">'
    heading = f'<title>{title}</title><text x="10" y="16" fill="#777">{title}</text>'
    file.write_text("\n".join([head, heading, *parts, "</svg>"]) + "\n", encoding="utf-8")
