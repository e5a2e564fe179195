"""docs/python/api.md from the docstrings: api_page.py > docs/python/api.md. A test compares them."""
import dataclasses
import inspect
import re
import textwrap

import nsn

GROUPS = {
    "Problems": ["solve", "solve_global", "solve_lcp", "friction_error", "friction_methods", "read_problem", "write_problem",
                 "FrictionProblem", "FrictionResult", "FrictionError", "Stage", "LcpResult"],
    "Linear algebra": ["linear_solve", "LinearSolver", "compare", "available_solvers", "add_solver", "Registry", "LinearResult", "SolverInfo",
                       "Table", "NotConverged"],
    "Worlds": ["World", "Bodies", "Body", "Joint", "Deformable", "Robot"],
    "Simulations": ["Simulation", "StepReport", "Run", "NewtonSystem", "Batch", "newton_options", "presets", "num_threads"],
}
MODULES = {"nsn.shapes": nsn.shapes, "nsn.meshes": nsn.meshes, "nsn.robots": nsn.robots}


def text(thing):
    lines = (inspect.getdoc(thing) or "").splitlines()
    out, code = [], False
    for line in lines:
        indented = line.startswith("    ")
        if indented != code and (indented or line):
            if indented and out and out[-1]:
                out.append("")
            out.append("```text" if indented else "```")
            if not indented:
                out.append("")
            code = indented
        out.append(line[4:] if indented else line)
    if code:
        out.append("```")
    return re.sub(r"\n+```\n", "\n```\n", "\n".join(out) + "\n").rstrip()


def signature(thing):
    """Names and defaults."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return "()"
    shown, star = [], False
    for p in parameters:
        if p.name == "self":
            continue
        if p.kind == p.KEYWORD_ONLY and not star:
            shown, star = shown + ["*"], True
        default = "..." if "factory" in repr(p.default) else repr(p.default)
        name = {p.VAR_KEYWORD: "**", p.VAR_POSITIONAL: "*"}.get(p.kind, "") + p.name
        shown.append(name if p.default is p.empty else f"{name}={default}")
    return f"({', '.join(shown)})"


def call(name, thing):
    """A signature as lines of code."""
    lines = textwrap.wrap(name + signature(thing), 116, subsequent_indent="    ", break_long_words=False)
    return "```text\n" + "\n".join(lines) + "\n```"


def fields(cls):
    """Attributes with what the source says behind '#:'."""
    source = inspect.getsource(cls)
    for field in dataclasses.fields(cls):
        found = re.search(rf"^    {field.name}: [^\n]*?#: (.*)$", source, re.M)
        yield field.name, found[1] if found else ""


def of_class(name, cls):
    own = cls in (nsn.World, nsn.Simulation, nsn.Batch, nsn.LinearSolver, nsn.Registry, nsn.FrictionProblem)  # a caller makes it
    yield f"### {name}\n\n{call(name, cls) + chr(10) * 2 if own else ''}{text(cls)}\n"
    rows = list(fields(cls)) if dataclasses.is_dataclass(cls) else []
    for key, member in vars(cls).items():
        if key.startswith("_"):
            continue
        if isinstance(member, property) or type(member).__name__ in ("nb_property", "getset_descriptor"):
            rows.append((key, (inspect.getdoc(member) or "").split("\n\n")[0].replace("\n", " ")))
        elif callable(member) or isinstance(member, (classmethod, staticmethod)):
            function = inspect.unwrap(getattr(cls, key))
            rows.append((key + signature(function), " ".join((inspect.getdoc(function) or "").split())))
    if rows:
        yield "<!-- fixed: defaults of arguments -->\n| name | what it is |\n|---|---|"
        for key, what in rows:
            yield f"| `{key}` | {what.replace('|', chr(92) + '|')} |"
        yield ""


def page():
    yield ("# Python: all names\n\nMade from the docstrings by `python/tests/api_page.py`; `help(nsn.solve)` shows the same.")
    for group, names in GROUPS.items():
        yield f"\n## {group}\n"
        for name in names:
            thing = getattr(nsn, name)
            if inspect.isclass(thing):
                yield from of_class(name, thing)
            else:
                yield f"### {name}\n\n{call(name, thing)}\n\n{text(thing)}\n"
    for name, module in MODULES.items():
        yield f"\n## {name}\n\n{text(module)}\n\n<!-- fixed: defaults of arguments -->\n| name | what it is |\n|---|---|"
        for key, thing in vars(module).items():
            if not key.startswith("_") and inspect.isfunction(thing) and thing.__module__ == module.__name__:
                yield f"| `{key}{signature(thing)}` | {' '.join((inspect.getdoc(thing) or '').split()).replace('|', chr(92) + '|')} |"


def main():
    print(re.sub(r"\n{3,}", "\n\n", "\n".join(page())).rstrip())


if __name__ == "__main__":
    main()
