#!/usr/bin/env python3
"""Makes the pictures of README.md: python3 docs/pictures/make.py [NSN]."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = {"arch": "arch --forces",
        "grasp": "allegro-grasp --preset realtime --steps 240",
        "gripper": "pneunet --preset realtime --steps 200",
        "crowd": "humanoids --preset realtime --set count=16 --steps 60"}


def main():
    nsn = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../build/release/bin/nsn")
    for name, words in RUNS.items():
        picture = os.path.join(HERE, name + ".png")
        subprocess.run([nsn, "run", *words.split(), "--quiet", "--picture-width", "420", "--picture", picture], check=False)
        print(f"{picture}: {os.path.getsize(picture) // 1000} kB")


if __name__ == "__main__":
    main()
