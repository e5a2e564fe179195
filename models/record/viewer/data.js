// Reads recorded runs (models/record/run_file.h says how they are stored).
class Trouble extends Error {}  // its message is a sentence for the reader

const kinds = {f4: Float32Array, u4: Uint32Array, i4: Int32Array, u2: Uint16Array, i2: Int16Array,
  u1: Uint8Array, i1: Int8Array};

async function unpacked(text) {
  const coded = atob(text.trim());
  const bytes = Uint8Array.from(coded, c => c.charCodeAt(0));
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.buffer;  // written without zlib
  if (typeof DecompressionStream === 'undefined') {
    throw new Trouble('This browser cannot unpack the run (it has no DecompressionStream). A version of 2023 or later can.');
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

const damaged = 'The run in this page is damaged: it is not whole. Make the page again, or load it again from where it came.';

async function readRun(text) {
  let buffer;
  try {
    buffer = await unpacked(text);
  } catch (error) {
    throw error instanceof Trouble ? error : new Trouble(damaged);
  }
  const bytes = new Uint8Array(buffer);
  if (new TextDecoder().decode(bytes.subarray(0, 6)) !== 'nsnrun' || bytes.length < 12) throw new Trouble(damaged);
  if (bytes[7] !== 1) {
    throw new Trouble(`The run in this page is of version ${bytes[7]}; the page reads version 1. ` +
      'Make the page with the nsn that recorded the run.');
  }
  const size = new DataView(buffer).getUint32(8, true);
  let head;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + size)));
  } catch {
    throw new Trouble(damaged);
  }
  const base = Math.ceil((12 + size) / 8) * 8;
  if (bytes.length - base !== head.bytes) throw new Trouble(damaged);
  const arrays = {};
  for (const [name, a] of Object.entries(head.arrays)) {
    const values = new kinds[a.type](buffer, base + a.offset, a.size);
    if (a.delta) {
      for (let s = 0; s < values.length; s += a.delta) {
        for (let i = 1; i < a.delta; i++) values[s + i] += values[s + i - 1];  // wraps
      }
    }
    arrays[name] = values;
  }
  return new Recorded(head, arrays);
}

// A run at any time between its frames.
class Recorded {
  constructor(head, arrays) {
    Object.assign(this, {head, arrays});
    this.frames = head.frames;
    this.time = arrays.time;
    this.first = this.time[0];
    this.last = this.time[this.frames - 1];
    this.softs = head.softs.map((soft, i) => ({...soft, i, triangle: arrays['st' + i]}));
  }

  // Fractional frame at a time.
  frameAt(time) {
    const t = this.time;
    if (time <= this.first) return 0;
    if (time >= this.last) return this.frames - 1;
    let low = 0, high = this.frames - 1;
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (t[middle] <= time) low = middle; else high = middle;
    }
    return low + (time - t[low]) / (t[high] - t[low] || 1);
  }

  split(frame) {
    const i = Math.min(this.frames - 1, Math.floor(frame));
    return [i, Math.min(this.frames - 1, i + 1), frame - i];
  }

  position(body, frame) {
    const [i, j, s] = this.split(frame), {range, position} = this.arrays, F = this.frames;
    return [0, 1, 2].map(k => {
      const at = (3 * body + k) * F;
      return range[6 * body + k] + range[6 * body + 3 + k] * (position[at + i] * (1 - s) + position[at + j] * s);
    });
  }

  rotation(body, frame) {
    const [i, j, s] = this.split(frame), {rotation} = this.arrays, F = this.frames;
    const q = [0, 1, 2, 3].map(k => {
      const at = (4 * body + k) * F;
      return rotation[at + i] * (1 - s) + rotation[at + j] * s;
    });
    const size = Math.hypot(...q) || 1;
    return q.map(x => x / size);
  }

  pose(body, frame) { return placed(this.position(body, frame), this.rotation(body, frame)); }

  // Over the frames around this one: metres and radians a second.
  velocity(body, frame) {
    const i = Math.max(0, Math.floor(frame)), j = Math.min(this.frames - 1, i + 1);
    const dt = this.time[j] - this.time[i];
    if (!(dt > 0)) return i > 0 ? this.velocity(body, i - 1) : {linear: [0, 0, 0], angular: [0, 0, 0]};
    const linear = times(1 / dt, minus(this.position(body, j), this.position(body, i)));
    const [a, b, c, d] = this.rotation(body, i), [w, x, y, z] = this.rotation(body, j);
    const sine = [x * a - w * b - y * d + z * c, y * a - w * c - z * b + x * d, z * a - w * d - x * c + y * b];
    const cosine = w * a + x * b + y * c + z * d, half = Math.atan2(length(sine), Math.abs(cosine));
    return {linear, angular: times(Math.sign(cosine || 1) * 2 * half / dt, unit(sine))};
  }

  // Surface vertices of a deformable, into out.
  softPoints(d, frame, out) {
    const [i, j, s] = this.split(frame), r = this.arrays['sr' + d], x = this.arrays['sx' + d], F = this.frames;
    for (let n = 0; n < out.length; n++) {
      const k = n % 3, at = n * F;
      out[n] = r[k] + r[3 + k] * (x[at + i] * (1 - s) + x[at + j] * s);
    }
  }

  // Of the frame that has contacts, at this one or before.
  contacts(frame) {
    const {cframe, cstart, cscale, crange, cpoint, cforce, cnormal, cmu, cbody, cstate} = this.arrays;
    const list = [], n = cmu.length;
    let k = 0;
    while (k + 1 < cframe.length && cframe[k + 1] <= frame + 0.5) k++;
    for (let c = cstart[k]; c < cstart[k + 1]; c++) {
      list.push({
        point: [0, 1, 2].map(i => crange[i] + crange[3 + i] * cpoint[i * n + c]),
        force: [0, 1, 2].map(i => cscale[k] * cforce[i * n + c]),
        normal: unit([0, 1, 2].map(i => cnormal[i * n + c])),
        mu: cmu[c], a: cbody[c], b: cbody[n + c], state: cstate[c],
      });
    }
    return list;
  }

  dynamic(body) { return body < -1 || (body >= 0 && this.head.bodies[body].kind === 'dynamic'); }
  nameOf(body) {
    if (body < -1) return this.softs[-2 - body].name || `soft body ${-2 - body}`;
    return body < 0 ? 'a point given by hand' : this.head.bodies[body].name || `body ${body}`;
  }
  there(thing, frame) { return frame >= thing.first && (thing.end < 0 || frame < thing.end); }
}

// Largest distance between what both runs have, at the frames of the first; null: nothing to compare.
function distances(a, b) {
  const bodies = a.head.bodies.length === b.head.bodies.length ? a.head.bodies.map((_, i) => i).filter(i => a.dynamic(i)) : [];
  const softs = a.softs.length === b.softs.length && a.softs.every((s, i) => s.vertices === b.softs[i].vertices) ? a.softs : [];
  if (bodies.length + softs.length === 0) return null;
  const points = softs.map(s => [new Float32Array(3 * s.vertices), new Float32Array(3 * s.vertices)]);
  return Float32Array.from(a.time, (time, f) => {
    const g = b.frameAt(time);
    let most = 0;
    for (const body of bodies) most = Math.max(most, length(minus(a.position(body, f), b.position(body, g))));
    softs.forEach((s, i) => {
      const [x, y] = points[i];
      a.softPoints(s.i, f, x);
      b.softPoints(s.i, g, y);
      for (let n = 0; n < x.length; n++) most = Math.max(most, Math.abs(x[n] - y[n]));
    });
    return time > b.last ? NaN : most;
  });
}
