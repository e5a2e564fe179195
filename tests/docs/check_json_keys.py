"""Every key that docs/howto/read_the_json.md names is in the report of its command: check_json_keys.py BIN."""
import json
import os
import re
import subprocess
import sys
import tempfile

from pages import ROOT, read_page, report

COMMANDS = {
    "nsn run": ["run sliding-box --steps 2"],
    "nsn solve": ["export arch --step 2 --format fclib --out problems", "solve problems"],
    "nsn compare": ["export arch --preset paper --step 2 --newton 1 --out systems", "compare systems --solvers pcr"],
    "nsn solvers": ["solvers"],
    "nsn doctor": ["doctor"],
}


def keys_of(nsn, commands):
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            subprocess.run([nsn, *command.split(), "--json", "report.json"], cwd=folder, check=True, capture_output=True)
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            return set(json.load(file)["results"][0])


def main():
    nsn, problems = os.path.join(os.path.abspath(sys.argv[1]), "nsn"), []
    table = read_page(os.path.join(ROOT, "docs/howto/read_the_json.md")).tables[0]
    for name, _, named in table.rows[1:]:
        known = keys_of(nsn, COMMANDS[name.strip("`")])
        problems += [f"{name} has no key {key}" for key in re.findall(r"`(\w+)`", named) if key not in known]
    return report(problems, "keys of JSON reports")


if __name__ == "__main__":
    sys.exit(main())
