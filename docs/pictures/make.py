#!/usr/bin/env python3
"""Makes the pictures of README.md: python3 docs/pictures/make.py [NSN]. One of them moves."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STILL = "--picture-width 480 --picture"  # as wide as an animation
RUNS = {"arch": f"arch --forces {STILL}",
        "grasp": f"allegro-grasp --preset realtime --steps 66 {STILL}",
        "gripper": "pneunet --preset realtime --set lift=0.025 --steps 132 --frame-every 12 --animation",
        "crowd": f"humanoids --preset realtime --set count=160 --set spacing=1.3 --steps 45 {STILL}"}


def main():
    nsn = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../build/release/bin/nsn")
    for name, words in RUNS.items():
        picture = os.path.join(HERE, name + ".png")
        subprocess.run([nsn, "run", *words.split(), picture, "--quiet"], check=True)
        print(f"{picture}: {os.path.getsize(picture) // 1000} kB")


if __name__ == "__main__":
    main()
