"""Results as tables of a notebook."""
from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any


def cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(str(value))


def table(rows: Iterable[tuple[Any, ...]], head: tuple[str, ...] = ()) -> str:
    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in head) + "</tr>")
    lines += ["<tr>" + "".join(f"<td>{cell(c)}</td>" for c in row) + "</tr>" for row in rows]
    return "\n".join(lines + ["</table>"])


def pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise ImportError("pictures are drawn by matplotlib: pip install matplotlib") from error
    return matplotlib.pyplot
