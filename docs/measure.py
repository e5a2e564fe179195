#!/usr/bin/env python3
"""Makes the files in docs/data that the tables of the documentation are held against.

    python3 docs/measure.py                    the list
    python3 docs/measure.py NAME... [--nsn build/release/bin/nsn]

Each file has one row per command, in full precision; the column `command` says what made it. Errors,
lengths and counts of iterations are the same in every run on one machine; seconds are those of the
machine at the time.
"""
import argparse
import base64
import csv
import gzip
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.environ.get("NSN_DATA_DIR", os.path.join(HERE, "../../shared/data"))

PAPER = "--preset paper"
EXACT_PAPER = "--preset paper --linear cholmod --linear-iterations 0"
MOTION = ["displacement_max_m", "penetration_max_m", "speed_max_mps", "error_median_mps", "error_max_mps",
          "newton_iterations_mean", "linear_iterations_mean", "steps", "unconverged_steps", "steps_above_1e_8_mps"]
# The paper's method set up to converge, with symmetric friction and a direct solver.
CONVERGING = ("--preset paper --friction alart-curnier-symmetric --ncp minimum-map --form row --start previous "
              "--warm-start true --step-length 1 --best-iterate true --regularization 1e-9 "
              "--relative-regularization true --linear cholmod --linear-iterations 0 --tolerance 1e-9")
INCLINE = "nsn run box-on-incline --set slope=0.505 --steps 120"
GLIDE = "nsn run sliding-box --set mu=0 --set speed=10 --steps 120"
STRETCH = ("nsn run material-extension --set material=neo-hookean --set grip=clamped --set cells=1 --steps 60 "
           f"{CONVERGING} --newton-iterations 20 --geometric-stiffness ")

# name -> rows of (name of the row, command of `nsn run`)
RUNS = {
    "drag": [
        ("paper, as printed", f"{GLIDE} --preset paper --newton-iterations 4"),
        ("paper, momentum projected", f"{GLIDE} --preset paper --newton-iterations 4 --projection true"),
        ("accurate", GLIDE),
    ],
    "incline": [
        ("paper's W, minimum map", f"{INCLINE} {EXACT_PAPER} --newton-iterations 30 --ncp minimum-map"),
        ("paper's W, Fischer–Burmeister", f"{INCLINE} {EXACT_PAPER} --newton-iterations 30"),
        ("paper's W, 400 iterations", f"{INCLINE} {EXACT_PAPER} --newton-iterations 400"),
        ("Alart–Curnier, symmetric", f"{INCLINE} {CONVERGING} --newton-iterations 400 --geometric-stiffness exact"),
        ("accurate", INCLINE),
    ],
    "chain": [
        ("none", "nsn run chain --steps 120 --geometric-stiffness none"),
        ("exact", "nsn run chain --steps 120 --geometric-stiffness exact"),
    ],
    "extension": [
        ("none", STRETCH + "none"),
        ("diagonal", STRETCH + "diagonal"),
        ("exact", STRETCH + "exact"),
        ("full", STRETCH + "full --formulation stiffness"),
    ],
    "rscaling_loop": [
        (f"{scene}, {r}", f"nsn run {scene} --steps {steps} {EXACT_PAPER} --r {r}")
        for scene, steps in (("heavy-stack", 100), ("arch", 60)) for r in ("effective-mass", "time-step", "identity")
    ],
    "linear_loop": [
        (f"{scene}, {linear.split()[0]}", f"nsn run {scene} --steps {steps} {PAPER} --linear {linear}")
        for scene, steps in (("heavy-stack", 100), ("arch", 300))
        for linear in ("pcr", "pcg", "gauss-seidel", "jacobi", "cholmod --linear-iterations 0")
    ],
    "soft_start": [
        (name, f"nsn run soft-ball-drop --set tets=80 --steps 60{options}")
        for name, options in (("paper", " --preset paper"),
                              ("paper, exact", " --preset paper --geometric-stiffness exact"),
                              ("paper, exact, predicted", " --preset paper --geometric-stiffness exact --start predicted"),
                              ("accurate", ""))
    ],
    "presets": [
        (f"{scene.split()[0]}, {preset}", f"nsn run {scene} --steps 60 --preset {preset}")
        for scene in ("arch", "heavy-stack", "cylinder-ring", "sphere-pile --set balls=60", "sliding-stack", "chain",
                      "soft-ball-drop --set tets=80")
        for preset in ("accurate", "realtime", "paper")
    ],
    "default_rest": [
        ("arch", "nsn run arch --steps 300"),
        ("heavy-stack", "nsn run heavy-stack --steps 100"),
    ],
    "form": [
        (f"{scene}, {form}", f"nsn run {scene} --steps 60 {EXACT_PAPER} --newton-iterations 60 --tolerance 1e-9 "
         f"--form {form}")
        for scene in ("arch", "heavy-stack") for form in ("row", "alpha")
    ],
    "multiplier": [
        (f"{scene}, {factor}", f"nsn run {scene} --steps 60 {EXACT_PAPER} --newton-iterations 60 --tolerance 1e-9 "
         f"--damping adaptive --r-multiplier {factor}")
        for scene in ("arch", "heavy-stack") for factor in (0.25, 1, 4, 100)
    ],
    "ncp_loop": [
        (f"{scene}, {ncp}, {start}", f"nsn run {scene} --steps 60 --ncp {ncp} --warm-start {warm}")
        for scene in ("arch", "heavy-stack", "cylinder-ring", "sliding-stack")
        for ncp in ("minimum-map", "fischer-burmeister") for start, warm in (("warm", "true"), ("cold", "false"))
    ],
    "robot_presets": [
        (f"{scene.split()[0]}, {preset}", f"nsn run {scene} --threads 1 --preset {preset}")
        for scene in ("humanoids --set count=8 --steps 240", "arm-tomato", "arm-beam", "yumi-cabinet --set count=4")
        for preset in ("accurate", "realtime", "paper")
    ],
    "beam_presets": [
        (preset, f"nsn run beam-insertion --threads 1 --preset {preset}")
        for preset in ("accurate", "realtime", "paper")
    ],
    "chain_solvers": [
        (linear, f"nsn run chain --set links=100 --set ratio=1e6 --steps 12 --threads 1 --linear {linear}")
        for linear in ("cholmod", "contact-lu", "pcr", "pcg", "amg", "gauss-seidel")
    ],
    "rigid_scenes": [
        (f"{scene}, cholmod", f"nsn run {scene} --threads 1 --linear cholmod") for scene in (
            "pendulum", "double-pendulum", "chain", "bridge", "four-bar", "slider-crank", "gyroscope", "newtons-cradle",
            "bouncing-ball", "rolling-resistance", "beam-insertion", "domino", "capsule-pile", "card-house", "mesh-pile")
    ],
    "large_piles": [  # a quarter of an hour
        (f"{scene}, cholmod", f"nsn run {scene} --threads 1 --linear cholmod")
        for scene in ("table-pile", "capsule-pile --set capsules=200")
    ],
    "soft_scenes": [  # a minute each, ten seconds of the expensive ones: far beyond the end of their scripts
        (scene, f"nsn run {scene} --steps {steps} --threads 1")
        for steps, scenes in ((7200, ("material-extension", "cantilever", "twisting-bar", "squeeze", "soft-ball-drop",
                                      "soft-grasp")), (1200, ("pneunet", "hanging-cloth", "hand-ball")))
        for scene in scenes
    ],
    "strain_rate": [
        (str(relaxation), f"nsn run material-extension --steps 120 --threads 1 --set damping={relaxation}")
        for relaxation in (0, 0.001, 0.02, 0.2)
    ],
    "pneunet": [
        ("`realtime`, 4 linearisations", "nsn run pneunet --steps 90 --threads 1 --preset realtime --newton-iterations 4"),
        ("`paper`, 4 Newton × 80 linear", "nsn run pneunet --steps 90 --threads 1 --preset paper --newton-iterations 4 "
         "--linear-iterations 80"),
    ],
    "pneunet_threads": [
        (name, f"nsn run pneunet --steps 90 --threads {threads} --preset realtime --newton-iterations 4")
        for name, threads in (("one", 1), ("two", 2))
    ],
    "elimination": [
        (choice, f"nsn run soft-ball-drop --steps 40 --geometric-stiffness full --eliminate {choice}")
        for choice in ("always", "never")
    ],
}
EXTRA = {"soft_scenes": ["contacts_max"], "chain_solvers": ["joint_drift_max_m"], "pneunet_threads": ["solve_ms_median"]}
TIMED = {"beam_presets", "robot_presets", "elimination", "pneunet", "presets"}

# Systems of one Newton iteration, for `nsn compare`: name -> command of `nsn export`
SYSTEMS = {
    "heavy-stack": "nsn export heavy-stack --preset paper --step 20 --newton 1",
    "arch": "nsn export arch --preset paper --step 20 --newton 1",
    "sphere-pile": "nsn export sphere-pile --preset paper --step 60 --newton 1",
    "chain": "nsn export chain --preset paper --step 20 --newton 1",
    "beam-insertion": "nsn export beam-insertion --preset paper --step 200 --newton 1",
    "soft-ball-drop": "nsn export soft-ball-drop --preset paper --step 30 --newton 1",
}


class Runner:
    def __init__(self, nsn):
        self.nsn = os.path.abspath(nsn)

    def results(self, command, folder=None):
        """Rows of a command's JSON report."""
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            words = command.split()
            assert words[0] == "nsn", command
            environment = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS="1")
            done = subprocess.run([self.nsn] + words[1:] + ["--json", file.name], cwd=folder, env=environment,
                                  capture_output=True, text=True)
            if done.returncode > 1:
                raise SystemExit(f"{command}: {done.stderr.strip()}")
            return json.load(open(file.name))["results"]

    def printed(self, program, arguments=()):
        path = os.path.join(os.path.dirname(self.nsn), program)
        return subprocess.run([path, *arguments], capture_output=True, text=True, check=True).stdout


def processor_seconds():
    """Of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write(name, head, rows):
    path = os.path.join(HERE, "data", name + ".csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    print(f"docs/data/{name}.csv: {len(rows)} rows", flush=True)


def make_runs(runner, name):
    """Processor time is that of the whole program: on a busy machine it means more than seconds on the wall."""
    timed = name in TIMED
    keys, rows = MOTION + EXTRA.get(name, []) + (["contacts_max"] if timed else []), []
    for label, command in RUNS[name]:
        print("  " + command, flush=True)
        before = processor_seconds()
        row = runner.results(command)[0]
        time = [1e3 * (processor_seconds() - before) / row["steps"]] if timed else []
        rows.append([label] + [row[key] for key in keys] + time + [command])
    write(name, ["run"] + keys + (["processor_ms_per_step"] if timed else []) + ["command"], rows)


def make_robustness(runner):
    write_robustness(runner.results("nsn robustness --steps 45"))


def write_robustness(rows):
    keys = ["steps", "solved_steps", "factorizations_mean", "factorizations_median", "error_median_geomean_mps",
            "error_p95_geomean_mps", "error_max_mps", "energy_gain_max_mg", "blown_up_scenes"]
    write("robustness", ["preset", "linear", "start", "budget", "solved_percent"] + keys,
          [[row["preset"], row["linear"] or "preset's", "warm" if row["warm"] else "cold", row["budget"] or "-",
            100.0 * row["solved_steps"] / row["steps"]] + [row[key] for key in keys] for row in rows])


def make_joints(runner):
    write_joints(runner.results(f"nsn joints {os.path.join(DATA, 'joints')}"))


def write_joints(rows):
    """Revolute_Case01 -> Revolute 01: impulses along the directions of the start of the step; of the end: with h."""
    name = lambda row: row["case"].replace("_Case", " ") + (
        f", h = {row['time_step_s']:g}" if row["setting"] == "end directions" else "")
    keys = ["position_rms_m", "velocity_rms_mps", "quaternion_rms", "angular_velocity_rms_radps", "force_rms_n",
            "torque_rms_nm", "status"]
    write("joints", ["case", "setting", "time_step_s"] + keys,
          [[name(row), row["setting"], row["time_step_s"]] + [row[key] for key in keys]
           for row in rows])


def make_public_friction(runner):
    """Every public friction problem and LCP; seconds are those of one solve on the machine at the time."""
    rows = runner.results(f"nsn solve {os.path.join(DATA, 'friction')} {os.path.join(DATA, 'lcp')}")
    keys = ["contacts", "status", "factorizations", "seconds", "error_siconos", "error_unit_free"]
    write("public_friction", ["problem"] + keys, [[row["problem"]] + [row[key] for key in keys] for row in rows])


def make_random_friction(runner):
    """The 2000 seeded problems: an hour of one core."""
    text = runner.printed("../tests/core/random_friction_long_test")
    rows = re.findall(r"^(mu .*?): (\d+) of (\d+) solved$", text, re.M)
    wrong = re.search(r"^(\d+) answers whose error is larger than reported$", text, re.M)[1]
    write("random_friction", ["problems", "solved", "total", "percent", "wrong_claims"],
          [[name, solved, total, 100.0 * int(solved) / int(total), wrong] for name, solved, total in rows])


def make_linear(runner):
    """nsn compare on one system of each scene; times relative to the least of that system."""
    solvers = "pcr,pcr:precond=block-jacobi,pcg,gauss-seidel,jacobi,gmres,amg,cholmod,eigen-ldlt,klu,contact-lu"
    with tempfile.TemporaryDirectory() as folder:
        for scene, command in SYSTEMS.items():
            runner.results(f"{command} --out systems/{scene}", folder)
        rows = runner.results(f"nsn compare systems --solvers {solvers} --max-iterations 2000 --threads 1", folder)
    rows = [row for row in rows if row["operator"] == "assembled"]
    seconds = lambda row: row["setup_seconds"] + row["solve_seconds"]
    least = {}
    for row in rows:
        if row["converged"]:
            least[row["system"]] = min(least.get(row["system"], 1e9), seconds(row))
    out = []
    for row in rows:
        system = row["system"].split("/")[-1].split("-step")[0]
        out.append([f"{system}, {row['solver']}", system, row["solver"], row["rows"], row["nonzeros"], row["status"],
                    row["iterations"], row["relative_residual"], seconds(row) / least[row["system"]]])
    write("linear", ["run", "system", "solver", "rows", "nonzeros", "status", "iterations", "relative_residual",
                     "time_over_least"], out)
    write_iterations(out)


def write_iterations(rows):
    """The same, a column per system: iterations, `direct`, or the residual that is left."""
    systems = list(dict.fromkeys(row[1] for row in rows))
    table = {}
    for _, system, solver, _, _, status, iterations, residual, _ in rows:
        answer = ("direct" if int(iterations) == 0 else str(iterations)) if status == "converged" else f"left {residual:.0e}"
        table.setdefault(solver, {})[system] = answer
    write("linear_iterations", ["solver"] + systems, [[solver] + [row[system] for system in systems]
                                                      for solver, row in table.items()])


def make_acceptance(runner):
    text = runner.printed("nsn_bench_acceptance")
    rows = re.findall(r"^  (\S.*?)\s{2,}([\d.]+)  (<=|>=) ([\d.]+)  (\w+)$", text, re.M)
    write("acceptance", ["what", "value", "sense", "limit", "verdict"], rows)


def make_reader(runner):
    text = runner.printed("nsn_bench_read")
    rows = re.findall(r"^\s*(\S.*?)\s+([\d.]+) ms\s+([\d.]+) MB/s\s+processor\s+([\d.]+) ms\s+([\d.]+) MB/s$", text, re.M)
    write("reader", ["what", "ms", "mb_per_s", "processor_ms", "processor_mb_per_s"], rows)


def make_detection(runner):
    """Least of five repetitions: others use the machine too."""
    text = runner.printed("nsn_bench_collision", ["--benchmark_filter=detect", "--benchmark_repetitions=5",
                                                  "--benchmark_format=json"])
    least = {}
    for run in json.loads(text)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        capsules = int(run["name"].split("/")[1])
        us = run["us_per_contact"]
        if capsules not in least or us < least[capsules][1]:
            least[capsules] = (run["contacts"], us)
    first = least[min(least)][1]
    write("detection", ["capsules", "contacts", "us_per_contact", "over_smallest"],
          [[capsules, contacts, us, us / first] for capsules, (contacts, us) in sorted(least.items())])


def make_detection_share(runner):
    """Medians over the steps, from the report; of three runs the least of each: others use the machine too."""
    rows = []
    for scene in ("mesh-pile", "table-pile", "capsule-pile", "card-house", "yumi-cabinet --set count=20",
                  "humanoids --set count=50"):
        command = f"nsn run {scene} --preset realtime --threads 1 --steps 100"
        print("  " + command, flush=True)
        runs = [runner.results(command)[0] for _ in range(3)]
        row = runs[0]
        times = [min(run[f"{stage}_ms_median"] for run in runs) for stage in ("detect", "assemble", "solve")]
        rows.append([scene.replace(" --set", ","), row["contacts_max"], *times, 100 * times[0] / sum(times), command])
    write("detection_share", ["scene", "contacts", "detect_ms", "assemble_ms", "solve_ms", "detect_percent", "command"],
          rows)


def measure_cost(runner, name, sizes, options):
    """Processor time of the whole program over steps and contacts."""
    rows = []
    for balls in sizes:
        command = f"nsn run sphere-pile --set balls={balls} --steps 24 {options} --threads 1"
        before = processor_seconds()
        row = runner.results(command)[0]
        seconds = processor_seconds() - before
        rows.append([balls, row["contacts_max"], row["newton_iterations_mean"], row["linear_iterations_mean"],
                     1e6 * seconds / row["steps"] / row["contacts_max"], command])
    write(name, ["balls", "contacts", "newton", "linear", "us_per_contact_and_step", "command"], rows)


def make_cost_per_contact(runner):
    measure_cost(runner, "cost_per_contact", (300, 1000, 3000, 10000, 30000), "--preset realtime --linear pcr")


def make_cost_accurate(runner):
    """Minutes at the largest size: a direct factorisation of 3e4 rows some hundred times."""
    measure_cost(runner, "cost_accurate", (300, 1000, 2000, 3500), "--preset accurate")


def make_elements(runner):
    """nsn_bench_deformables: the two forms of the operator, and a step of two presets."""
    text = runner.printed("nsn_bench_deformables", ["25"])
    forms = re.findall(r"^  (assembled|factored)\s+([\d.]+) ms\s+([\d.]+) MB", text, re.M)
    times, sizes = [float(row[1]) for row in forms], [float(row[2]) for row in forms]
    forms.append(["ratio", times[0] / times[1], sizes[0] / sizes[1]])
    write("elements", ["form", "ms", "mb_per_product"], forms)
    steps = re.findall(r"^  (realtime|paper)\s+solve\s+([\d.]+) ms median,\s+([\d.]+) least; assemble\s+[\d.]+ ms "
                       r"\((\d+) %\); error ([\d.e+-]+) m/s median", text, re.M)
    write_elimination(text)
    write("elements_step", ["preset", "solve_ms_median", "solve_ms_least", "assemble_percent", "error_median_mps"], steps)


def write_elimination(text):
    """Operations of a linearisation where elastic rows leave, and at least of the rows' own form."""
    rows = re.findall(r"^elimination: (\d+) of (\d+) row blocks leave; ([\d.]+) Mflop a linearisation, at least (\d+) Mflop",
                      text, re.M)
    write("elements_elimination", ["run", "eliminated", "row_blocks", "mflop", "mflop_rows_at_least"],
          [["pneunet", *row] for row in rows])


def make_memory(runner):
    """Most memory a program holds, MiB; the first row is one that does nothing (libraries)."""
    commands = [("nothing", 0, "nsn scenes soft-ball-drop")]
    for preset in ("paper", "accurate"):
        for tets in (10000, 30000, 100000):
            commands.append((preset, tets, f"nsn run soft-ball-drop --set tets={tets} --steps 1 --newton-iterations 1 "
                             f"--threads 1 --preset {preset}"))
    rows = []
    for label, tets, command in commands:
        print("  " + command, flush=True)
        child = subprocess.Popen([runner.nsn] + command.split()[1:], stdout=subprocess.DEVNULL,
                                 env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        _, _, used = os.wait4(child.pid, 0)
        mib = used.ru_maxrss / 1024.0
        rows.append([f"{label}, {tets}" if tets else label, mib, mib - rows[0][1] if rows else 0.0, command])
    write("memory", ["run", "peak_mib", "beyond_libraries_mib", "command"], rows)


def make_robot_scenes(runner):
    """Twenty seconds of every scene of robots: an hour of one core."""
    write_robot_scenes(runner.printed("../tests/models/robot_scenes_long_test"))


def write_robot_scenes(text):
    rows = re.findall(r"^(\w+)\s+(\d+) of (\d+) steps above 1e-6 m/s \(largest (\S+)\), joints (\S+) m, limits (\S+) rad$",
                      text, re.M)
    write("robot_scenes", ["run", "coarse_steps", "steps", "error_max_mps", "joint_drift_max_m", "limit_excess_max_rad"],
          rows)


def make_grasp(runner):
    """Every object lifted and shaken for ten seconds: half an hour of one core."""
    write_grasp(runner.printed("../tests/models/allegro_grasp_test"))


def write_grasp(text):
    rows = re.findall(r"^(\S+): (\w+)\s+slip ([\d.]+) mm, at most (\d+) contacts, (\d+) steps above 1e-6 m/s$", text, re.M)
    write("grasp", ["object", "hand", "slip_mm", "contacts", "coarse_steps"], [[what, hand, *more] for hand, what, *more in rows])


def make_study(runner, study, threads, name):
    """The table of a study, as it is."""
    with tempfile.TemporaryDirectory() as folder:
        runner.printed("nsn", ["study", study, "--threads", str(threads), "--quiet", "--out", folder])
        rows = list(csv.reader(open(os.path.join(folder, f"{study}.csv"), encoding="utf-8")))
    write(name, rows[0], rows[1:])


def make_long_study(runner, study):
    """It keeps its rows in out/, and goes on where it was interrupted."""
    folder = os.path.join(HERE, "../out/study")
    runner.printed("nsn", ["study", study, "--threads", "1", "--quiet", "--out", folder])
    rows = list(csv.reader(open(os.path.join(folder, f"{study}.csv"), encoding="utf-8")))
    write(study, rows[0], rows[1:])


def make_claims(runner):
    make_long_study(runner, "claims")


def make_additions(runner):
    make_long_study(runner, "additions")


def make_crowd(runner):
    make_study(runner, "crowd", 1, "crowd")


def make_paper_scenes(runner):
    make_study(runner, "table", 2, "paper_scenes")


def make_corrections(runner):
    """The example prints the file itself."""
    text = runner.printed("../tests/docs/example_corrections")
    lines = [line.split(",") for line in text.strip().split("\n")]
    write("corrections", lines[0], lines[1:])


FIVE_CHOICES = ("nsn sweep bridge --preset paper --steps 60 --over ncp=minimum-map,fischer-burmeister "
                "--over r=effective-mass,spectral-norm,time-step --over geometric-stiffness=none,diagonal-all,exact "
                "--over linear=jacobi,pcg,pcr,cholmod --over device=serial,openmp")


def make_five_choices(runner):
    """Every combination on one scene: how many of a value's runs end in other bits than those of the first value."""
    rows = runner.results(FIVE_CHOICES)
    choices = [word.split("=")[0] for word in FIVE_CHOICES.split() if "=" in word]
    out = []
    for choice in choices:
        others = [name for name in choices if name != choice]
        values = list(dict.fromkeys(row[choice] for row in rows))
        first = {tuple(row[name] for name in others): row["hash"] for row in rows if row[choice] == values[0]}
        for value in values:
            mine = [row for row in rows if row[choice] == value]
            ran = [row for row in mine if row["status"] == "ok"]
            different = sum(row["hash"] != first[tuple(row[name] for name in others)] for row in ran)
            out.append([choice, value, len(mine), len(ran), different,
                        statistics.median(row["error_median_mps"] for row in ran)])
    write("five_choices", ["choice", "value", "runs", "ran", "different", "error_median_mps"], out)


def make_run_pages(runner):
    """Sizes of pages of ten seconds of motion: two minutes."""
    rows = []
    for name, command in (("100 balls", "nsn run sphere-pile --set balls=100 --steps 1200 --preset realtime"),
                          ("2550 tetrahedra", "nsn run pneunet --steps 1200")):
        with tempfile.TemporaryDirectory() as folder:
            runner.results(f"{command} --html page.html", folder)
            page = open(os.path.join(folder, "page.html"), encoding="utf-8").read()
        packed = base64.b64decode(re.search(r'class="run">([^<]*)<', page)[1])
        plain = gzip.decompress(packed)
        head = json.loads(plain[12:12 + int.from_bytes(plain[8:12], "little")])
        rows.append([name, 10, head["frames"], len(page) / 1e3, command])
    write("run_pages", ["run", "seconds", "frames", "page_kb", "command"], rows)


def make_generated(runner):
    """Forty seeded problems of each kind, ten seconds each: a quarter of an hour at most."""
    rows = []
    kinds = {"closed-box": "unknown", "heap": "strictly-feasible", "stack": "strictly-feasible", "wall": "strictly-feasible",
             "bridge": "unknown", "chain": "unknown", "parallel-normals": "strictly-feasible",
             "random-delassus": "planted", "squeeze": "infeasible"}
    for kind, existence in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            for k in range(40):
                contacts, mu = round(20 * (330 / 20) ** (k % 8 / 7)), (0.1, 0.3, 0.8, 1.5, 3.0)[k // 8]
                subprocess.run([runner.nsn, "generate", kind, "--contacts", str(contacts), "--mu", str(mu), "--seed",
                                str(1000 + k), "--quiet", "--out", folder], check=True)
            results = solved_by_time(runner, folder)
        seconds = [row["seconds"] for row in results]
        count = lambda status: sum(row["status"] == status for row in results)
        wrong = count("no-solution") if existence != "infeasible" else count("solved")
        wrong += sum(row["solved"] and max(row["error_siconos"], row["error_unit_free"] / 100) > 1e-8 for row in results)
        rows.append([kind, existence, len(results), count("solved"), count("no-solution"), count("not-solved"),
                     wrong if existence != "unknown" else wrong - count("no-solution"), statistics.median(seconds),
                     max(seconds)])
    write("generated", ["kind", "existence", "problems", "solved", "no_solution", "left", "wrong", "seconds_median",
                        "seconds_max"], rows)


def solved_by_time(runner, folder):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run([runner.nsn, "solve", folder, "--time-limit", "10", "--threads", "1", "--json", file.name],
                              capture_output=True, text=True)
        if done.returncode not in (0, 1, 4):
            raise SystemExit(done.stderr.strip())
        return json.load(open(file.name))["results"]


SPECIAL = {"generated": make_generated, "run_pages": make_run_pages, "five_choices": make_five_choices, "cost_per_contact": make_cost_per_contact, "cost_accurate": make_cost_accurate, "elements": make_elements,
           "memory": make_memory, "corrections": make_corrections, "robustness": make_robustness, "joints": make_joints,
           "linear": make_linear, "detection": make_detection, "detection_share": make_detection_share,
           "public_friction": make_public_friction, "random_friction": make_random_friction,
           "robot_scenes": make_robot_scenes, "grasp": make_grasp, "crowd": make_crowd, "claims": make_claims, "additions": make_additions,
           "paper_scenes": make_paper_scenes, "acceptance": make_acceptance, "reader": make_reader}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--nsn", default=os.path.join(HERE, "../build/release/bin/nsn"))
    options = parser.parse_args()
    runner = Runner(options.nsn)
    for name in options.names:
        if name not in RUNS and name not in SPECIAL:
            parser.error(f"no file '{name}'; there are {', '.join([*RUNS, *SPECIAL])}")
        make_runs(runner, name) if name in RUNS else SPECIAL[name](runner)
    if not options.names:
        for name in [*RUNS, *SPECIAL]:
            print(f"{name:20} {len(RUNS[name])} runs" if name in RUNS else f"{name:20}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
