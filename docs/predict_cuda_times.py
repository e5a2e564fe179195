#!/usr/bin/env python3
"""Prints the tables of docs/cuda.md: bytes and barriers per iteration of cuda-pcr, and the times they
predict from public bandwidth figures. A model, not a measurement: no kernel has run on a GPU.

  T_iteration = bytes / bandwidth + barriers * latency
  T_step      = Newton iterations * linear iterations * T_iteration
"""

# Peak memory bandwidth, GB/s, as the vendor publishes it.
GPUS = [("GTX 1070", 256.0), ("RTX 4090", 1008.0), ("H100 SXM", 3350.0)]
LATENCY = 2e-6  # seconds per grid barrier or dependent launch: assumed, not measured

# name, bodies, joints, tetrahedra, contacts, Newton, linear iterations, published solve time in ms
PAPER = [
    ("Allegro DexNet", 21, 21, 0, 104, 8, 20, 10.0),
    ("Allegro Ball", 21, 21, 427, 409, 6, 50, 11.4),
    ("PneuNet", 1, 0, 2241, 532, 4, 80, 22.25),
    ("Fetch Tomato", 29, 28, 319, 371, 4, 50, 12.2),
    ("Fetch Beam", 42, 42, 0, 300, 6, 50, 18.6),
    ("Arch", 20, 0, 0, 134, 6, 20, 7.75),
    ("Table Pile", 54, 0, 0, 936, 4, 20, 3.7),
    ("Humanoid Run", 5200, 4800, 0, 10893, 4, 10, 8.9),
    ("Yumi Cabinet", 6400, 6600, 0, 4082, 5, 25, 56.0),
]


def factored_bytes(block_rows, blocks, nodes, number=8):
    """One iteration with S = J H^-1 J^T + C, C block diagonal, Jacobi: as PcrEngine counts it."""
    matrix = 2 * 9 * number * blocks + 12 * blocks  # J twice, its columns, rows of J^T, source
    matrix += 4 * (block_rows + 1) + 4 * (nodes + 1)
    matrix += 9 * number * nodes + 2 * 24 * nodes  # H^-1, t written and read
    matrix += (9 * number + 4) * block_rows + 4 * (block_rows + 1)  # C
    return matrix + 112 * 3 * block_rows  # vectors and P


def block_bytes(block_rows, blocks, number=8):
    return (9 * number + 4) * blocks + 4 * (block_rows + 1) + 112 * 3 * block_rows


def scene(bodies, joints, tets, contacts):
    """Contacts and joints of two bodies (4 blocks a block row, joints two block rows), tetrahedra of
    three principal stretches (4 nodes); a free particle per five tetrahedra."""
    rows = contacts + 2 * joints + tets
    return rows, 4 * rows, 2 * bodies + tets // 5


def main():
    print("| scene | block rows | kB / iteration | published ms (GTX 1070) | " +
          " | ".join(f"{name} ms" for name, _ in GPUS) + " |")
    print("|---|---|---|---|" + "---|" * len(GPUS))
    for name, bodies, joints, tets, contacts, newton, linear, published in PAPER:
        rows, blocks, nodes = scene(bodies, joints, tets, contacts)
        size = factored_bytes(rows, blocks, nodes)
        cells = []
        for _, bandwidth in GPUS:
            stream = size / (bandwidth * 1e9)
            iterations = newton * linear
            cells.append(f"{iterations * stream * 1e3:.2f} + {iterations * 3 * LATENCY * 1e3:.2f}")
        print(f"| {name} | {rows} | {size / 1e3:.0f} | {published} | " + " | ".join(cells) + " |")
    print()
    print("| system (block rows, blocks) | form | kB / iteration | " +
          " | ".join(f"{name} us" for name, _ in GPUS) + " |")
    print("|---|---|---|" + "---|" * len(GPUS))
    for rows, per_row, bodies in [(1000, 12, 170), (10000, 12, 1700), (100000, 12, 17000)]:
        for form, size in [("blocks, double", block_bytes(rows, rows * per_row)),
                           ("blocks, float", block_bytes(rows, rows * per_row, 4)),
                           ("factored, double", factored_bytes(rows, 4 * rows, 2 * bodies)),
                           ("factored, float", factored_bytes(rows, 4 * rows, 2 * bodies, 4))]:
            barriers = 3 if form.startswith("factored") else 2
            cells = [f"{size / (b * 1e9) * 1e6:.1f} + {barriers * LATENCY * 1e6:.0f}" for _, b in GPUS]
            print(f"| {rows}, {rows * per_row} | {form} | {size / 1e3:.0f} | " + " | ".join(cells) +
                  " |")


if __name__ == "__main__":
    main()
