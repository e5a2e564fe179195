"""Scenes by name: `nsn.scenes.arch(mu=0.6)` is a World. nsn.scenes.list() has them all; help(nsn.scenes.arch) shows
unit, default and range of each parameter. '-' in names is '_' here."""
from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from typing import Any

from . import _core
from ._world import World

_TYPES: dict[str, Callable[[Any], Any]] = {"integer": int, "real": float, "flag": bool, "choice": str}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value) if isinstance(value, int) else repr(float(value))


def _value(kind: str, text: str) -> Any:
    return text == "true" if kind == "flag" else _TYPES[kind](text)


def _line(key: str, kind: str, default: str, least: float, most: float, choices: builtins.list[str], help: str) -> str:
    name = key.replace("-", "_")
    if kind in ("integer", "real"):
        return f"{name}: {help}; {least:g} to {most:g}, default {default}"
    return f"{name}: {help}{'; ' + ', '.join(choices) if choices else ''}; default {default or 'none'}"


def _make(name: str, summary: str, steps: int, options: builtins.list[Any]) -> Callable[..., World]:
    keys = {key.replace("-", "_"): key for key, *_ in options}

    def scene(**parameters: Any) -> World:
        given = [(keys.get(key, key), _text(value)) for key, value in parameters.items() if value is not None]
        return World._of(_core.make_scene(name, given), (name, given))

    scene.__name__ = scene.__qualname__ = name.replace("-", "_")
    scene.__doc__ = "\n".join([summary[:1].upper() + summary[1:] + f". {steps} steps of 1/120 s show it.", ""] +
                              [_line(*o) for o in options])
    scene.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(key.replace("-", "_"), inspect.Parameter.KEYWORD_ONLY, default=_value(kind, default),
                           annotation=_TYPES[kind]) for key, kind, default, *_ in options],
        return_annotation=World)
    return scene


_scenes = {name.replace("-", "_"): _make(name, summary, steps, options)
           for name, summary, steps, options in _core.scenes()}
_steps = {name.replace("-", "_"): steps for name, _, steps, _ in _core.scenes()}


def list() -> builtins.list[str]:
    """Names of all scenes."""
    return builtins.list(_scenes)


def default_steps(name: str) -> int:
    """Steps of 1/120 s that show the scene."""
    return _steps[name.replace("-", "_")]


def make(name: str, /, **parameters: Any) -> World:
    """A scene by its name, also one with '-'."""
    return getattr(__import__("nsn").scenes, name.replace("-", "_"))(**parameters)


def __getattr__(name: str) -> Callable[..., World]:
    if name in _scenes:
        return _scenes[name]
    if name.startswith("__"):
        raise AttributeError(name)
    import difflib
    near = difflib.get_close_matches(name, _scenes, 2)
    raise AttributeError(f"no scene '{name}'" + (f"; did you mean {' or '.join(near)}?" if near else ""))


def __dir__() -> builtins.list[str]:
    return [*_scenes, "list", "make", "default_steps"]
