// What the reader can do: play, scrub, turn, pick, read.
const $ = id => document.getElementById(id);
const number = (x, unit = '') => (Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) :
  Number(x.toPrecision(4)).toString()) + (unit && ' ' + unit);
const triple = a => a.map(x => (Math.abs(x) < 5e-5 ? 0 : x).toFixed(Math.abs(x) >= 1000 ? 1 : 4)).join('  ');

const several = (n, one, many) => `${n} ${n === 1 ? one : many}`;

const measures = [
  {name: 'relative error', array: 'error', log: true},
  {name: 'energy', array: 'energy', unit: 'J'},
  {name: 'Newton iterations', array: 'iterations'},
  {name: 'contacts', array: 'contacts'},
  {name: 'a step takes', array: 'milliseconds', unit: 'ms'},
];
const keys = [['space', 'play, stop'], ['← →', 'one frame (with shift: ten)'], ['Home End', 'start, end'],
  [', .', 'slower, faster'], ['1 2 3 4', 'camera: first view, front, side, from above'], ['f', 'look at the picked body'],
  ['g', 'follow it'], ['a', 'forces: all, of the picked body, none'], ['c', 'friction cones'], ['j', 'joints'],
  ['x', 'what is fixed'], ['d', 'light or dark'], ['Esc', 'pick nothing']];

class App {
  constructor(runs) {
    this.runs = runs;
    this.stage = new Stage($('stage'), runs);
    this.start = Math.min(...runs.map(r => r.first));
    this.end = Math.max(...runs.map(r => r.last));
    this.time = this.start;
    this.playing = false;
    this.apart = runs.length === 2 ? distances(...runs) : null;
    this.describe();
    this.makePlots();
    this.listen();
    this.readHash();
    this.step = this.step.bind(this);
    this.refresh();
    requestAnimationFrame(this.step);
  }

  describe() {
    const [a, b] = this.runs, head = a.head;
    const same = !b || b.head.title === head.title;
    $('title').textContent = same ? head.title : `${head.title} | ${b.head.title}`;
    document.title = `nsn: ${$('title').textContent}`;
    const soft = a.softs.reduce((sum, s) => sum + s.tets, 0);
    const counts = [several(head.bodies.length, 'body', 'bodies')];
    if (head.joints.length) counts.push(several(head.joints.length, 'joint', 'joints'));
    if (soft) counts.push(several(soft, 'tetrahedron', 'tetrahedra'));
    const facts = b ? [] : head.facts.map(([name, value]) => `${name} ${value}`);
    $('facts').textContent = [...counts, ...facts].join(', ');
    if (b) this.describePair(a, b);
    const softs = this.runs.some(run => run.softs.length);
    for (const option of [...$('colour').options]) {
      if (['strain', 'stress'].includes(option.value)) option.hidden = option.disabled = !softs;
    }
    if (softs) $('colour').value = 'strain';
    if (innerWidth < 760) $('options').open = $('plots').open = false;
    $('slider').min = this.start;
    $('slider').max = this.end;
    if (this.end <= this.start) $('slider').disabled = true;
    $('keys').replaceChildren(table(keys));
    const close = document.createElement('button');
    close.textContent = 'close';
    close.onclick = () => $('keys').close();
    $('keys').append(close);
  }

  // What differs between the two, below each half; and when they part.
  describePair(a, b) {
    document.body.classList.add('pair');
    $('options').open = false;
    const other = new Map(b.head.facts), mine = new Map(a.head.facts);
    for (const [run, map, rest] of [[a, mine, other], [b, other, mine]]) {
      const differs = run.head.facts.filter(([name, value]) => rest.get(name) !== value);
      const label = document.createElement('span');
      label.textContent = differs.map(([name, value]) => `${name} ${value}`).join(', ') || run.head.title;
      $('names').append(label);
    }
    if (!this.apart) {
      $('parted').textContent = 'The two runs have no bodies in common to compare.';
      return;
    }
    const limit = 0.01 * this.stage.size, f = this.apart.findIndex(x => x > limit);
    if (f < 0) {
      const most = this.apart.reduce((m, x) => Math.max(m, x || 0), 0);
      $('parted').textContent = `Bodies stay within ${number(most, 'm')} of each other.`;
      return;
    }
    const t = a.time[f], go = document.createElement('button');
    go.textContent = `they part at ${t.toFixed(2)} s`;
    go.title = `from here on a body is more than ${number(limit, 'm')} (1 % of the scene) elsewhere`;
    go.onclick = () => this.goTo(t);
    $('parted').append(go);
  }

  shown() {
    const colour = $('colour').value, soft = ['strain', 'stress'].includes(colour) ? colour : null;
    const largest = soft ? Math.max(...this.runs.flatMap(run => run.softs.map(s => s[soft]))) : 0;
    return {forces: $('forces').value, length: 10 ** (Number($('length').value) / 2), colour, soft, largest,
      cones: $('cones').checked, joints: $('joints').checked, fixed: $('fixed').checked};
  }

  makePlots() {
    const list = this.apart ? [{name: 'distance apart', unit: 'm', log: true, values: [this.apart]}] : [];
    for (const m of measures) list.push({...m, values: this.runs.map(run => run.arrays[m.array])});
    this.plots = list.map(plot => {
      const canvas = document.createElement('canvas');
      canvas.setAttribute('role', 'img');
      canvas.setAttribute('aria-label', `${plot.name} over time`);
      $('curves').append(canvas);
      const scrub = e => {
        const box = canvas.getBoundingClientRect();
        this.goTo(this.start + clamp((e.clientX - box.left) / box.width, 0, 1) * (this.end - this.start));
      };
      canvas.onpointerdown = e => { canvas.setPointerCapture(e.pointerId); scrub(e); };
      canvas.onpointermove = e => { if (e.buttons) scrub(e); };
      return {...plot, canvas};
    });
  }

  drawPlot({name, unit, log, values, canvas}) {
    const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (w === 0) return;
    Object.assign(canvas, {width: w * ratio, height: h * ratio});
    const ctx = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
    const colour = n => style.getPropertyValue(n).trim();
    ctx.scale(ratio, ratio);
    ctx.font = '11px system-ui, sans-serif';
    const level = x => (log ? Math.log10(Math.max(x, 1e-16)) : x), top = 16, bottom = h - 3;
    let low = Infinity, high = -Infinity;
    for (const v of values) for (const x of v) {
      if (Number.isFinite(x) && !(log && x <= 0)) { low = Math.min(low, level(x)); high = Math.max(high, level(x)); }
    }
    if (low > high) [low, high] = [0, 1];
    if (high - low < 1e-12) [low, high] = [low - .5, high + .5];
    const px = t => w * (t - this.start) / (this.end - this.start || 1);
    const py = x => bottom - (bottom - top) * (clamp(level(x), low, high) - low) / (high - low);
    ctx.strokeStyle = colour('--line');
    ctx.strokeRect(.5, top - .5, w - 1, bottom - top + 1);
    values.forEach((v, k) => {
      ctx.strokeStyle = colour(k ? '--second' : '--first');
      ctx.beginPath();
      let pen = false;
      this.runs[k].time.forEach((t, f) => {
        if (!Number.isFinite(v[f])) { pen = false; return; }
        if (pen) ctx.lineTo(px(t), py(v[f])); else ctx.moveTo(px(t), py(v[f]));
        pen = true;
      });
      ctx.stroke();
    });
    ctx.fillStyle = colour('--ink');
    ctx.fillText(name, 0, 11);
    ctx.textAlign = 'right';
    values.slice().reverse().reduce((right, v, i) => {
      const k = values.length - 1 - i, x = v[Math.round(this.runs[k].frameAt(this.time))];
      const text = Number.isFinite(x) ? number(x, unit) : '–';
      ctx.fillStyle = colour(values.length < 2 ? '--ink' : k ? '--second' : '--first');
      ctx.fillText(text, right, 11);
      return right - ctx.measureText(text).width - 8;
    }, w);
    ctx.fillStyle = colour('--accent');
    ctx.fillRect(px(this.time) - .75, top, 1.5, bottom - top);
  }

  goTo(time) {
    this.time = clamp(time, this.start, this.end);
    this.dirty = true;
  }
  play(on) {
    this.playing = on && this.end > this.start;
    if (this.playing && this.time >= this.end) this.time = this.start;
    $('play').textContent = this.playing ? '❚❚' : '▶';
    $('play').setAttribute('aria-label', this.playing ? 'stop' : 'play');
    this.slow = 0;
    this.dirty = true;
  }
  pick(id) {
    this.stage.picked = id > 0 ? id : -1;
    this.dirty = true;
  }

  listen() {
    const canvas = $('stage');
    let drag = null, fingers = new Map();
    const spread = () => { const [p, q] = [...fingers.values()]; return Math.hypot(p.x - q.x, p.y - q.y); };
    canvas.onpointerdown = e => {
      fingers.set(e.pointerId, {x: e.clientX, y: e.clientY});
      drag = {x: e.clientX, y: e.clientY, pans: e.button > 0 || e.shiftKey || fingers.size > 1, moved: 0};
      canvas.setPointerCapture(e.pointerId);
    };
    canvas.onpointermove = e => {
      if (!drag || !fingers.has(e.pointerId)) return;
      const before = fingers.size > 1 ? spread() : 0;
      fingers.set(e.pointerId, {x: e.clientX, y: e.clientY});
      if (fingers.size > 1) this.zoom(before / (spread() || 1));
      const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
      Object.assign(drag, {x: e.clientX, y: e.clientY, moved: drag.moved + Math.abs(dx) + Math.abs(dy)});
      if (drag.pans) this.pan(dx, dy); else this.orbit(dx, dy);
    };
    canvas.onpointerup = canvas.onpointercancel = e => {
      fingers.delete(e.pointerId);
      if (drag && drag.moved < 4 && e.type === 'pointerup' && !drag.pans) {
        this.draw();
        this.pick(this.stage.pickAt(e.clientX, e.clientY, this.shown()));
      }
      drag = null;
    };
    canvas.oncontextmenu = e => e.preventDefault();
    canvas.addEventListener('wheel', e => { e.preventDefault(); this.zoom(Math.exp(.001 * e.deltaY)); }, {passive: false});
    canvas.addEventListener('webglcontextlost', e => {
      e.preventDefault();
      say('The browser took the graphics away from this page. Load it again.');
    });
    $('slider').oninput = () => this.goTo(Number($('slider').value));
    $('play').onclick = () => this.play(!this.playing);
    $('theme').onclick = () => this.theme();
    $('help').onclick = () => $('keys').showModal();
    for (const id of ['forces', 'length', 'colour', 'cones', 'joints', 'fixed', 'follow', 'speed']) {
      $(id).addEventListener('input', () => { this.dirty = true; });
    }
    addEventListener('resize', () => { this.dirty = true; });
    addEventListener('hashchange', () => { if (location.hash !== this.hash) this.readHash(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.dirty = true; });
    addEventListener('keydown', e => this.key(e));
  }

  orbit(dx, dy) {
    const camera = this.stage.camera;
    camera.around -= .008 * dx;
    camera.up = clamp(camera.up + .008 * dy, -1.5, 1.55);
    this.dirty = true;
  }
  pan(dx, dy) {
    const camera = this.stage.camera, z = unit(minus(this.stage.eye(), camera.target));
    const x = unit(cross([0, 0, 1], z)), y = cross(z, x), s = camera.away * .73 / $('stage').clientHeight;
    camera.target = plus(camera.target, plus(times(-s * dx, x), times(s * dy, y)));
    this.dirty = true;
  }
  zoom(factor) {
    const camera = this.stage.camera;
    camera.away = clamp(camera.away * factor, .02 * this.stage.size, 40 * this.stage.size);
    this.dirty = true;
  }
  look() {
    const id = this.stage.picked, run = this.runs[0], pane = this.stage.panes[0];
    if (id <= 0) return;
    const soft = pane.softs[id - 1 - run.head.bodies.length];
    this.stage.camera.target = soft ? [0, 1, 2].map(k => soft.points[k]) : run.position(id - 1, pane.frame);
    this.dirty = true;
  }
  theme() {
    const root = document.documentElement, auto = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme || auto) === 'dark' ? 'light' : 'dark';
    this.dirty = true;
  }
  view(name) {
    const angles = {2: [-Math.PI / 2, .02], 3: [0, .02], 4: [-Math.PI / 2, 1.55]};
    this.stage.reset();
    if (angles[name]) [this.stage.camera.around, this.stage.camera.up] = angles[name];
    this.dirty = true;
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
    const box = id => { $(id).checked = !$(id).checked; this.dirty = true; };
    const next = (id, by) => {
      $(id).selectedIndex = (clamp($(id).selectedIndex + by, 0, $(id).length - 1));
      this.dirty = true;
    };
    const frame = by => {
      const run = this.runs[0];
      this.play(false);
      this.goTo(run.time[clamp(Math.round(run.frameAt(this.time)) + by, 0, run.frames - 1)]);
    };
    const actions = {
      ' ': () => this.play(!this.playing), ArrowRight: () => frame(e.shiftKey ? 10 : 1), ArrowLeft: () => frame(e.shiftKey ? -10 : -1),
      Home: () => this.goTo(this.start), End: () => this.goTo(this.end), ',': () => next('speed', -1), '.': () => next('speed', 1),
      1: () => this.view(1), 2: () => this.view(2), 3: () => this.view(3), 4: () => this.view(4),
      f: () => this.look(), g: () => box('follow'), c: () => box('cones'), j: () => box('joints'), x: () => box('fixed'),
      a: () => { $('forces').selectedIndex = ($('forces').selectedIndex + 1) % 3; this.dirty = true; },
      d: () => this.theme(), Escape: () => this.pick(-1), '?': () => $('keys').showModal(),
    };
    if (!actions[e.key]) return;
    e.preventDefault();
    if (document.activeElement !== document.body) document.activeElement.blur();
    actions[e.key]();
  }

  // #t=1.2&pick=7&camera=around,up,away,x,y,z; pick counts bodies from 0, then soft bodies.
  readHash() {
    const given = new URLSearchParams(location.hash.slice(1)), t = parseFloat(given.get('t')), pick = parseInt(given.get('pick'), 10);
    if (Number.isFinite(t)) this.goTo(t);
    const most = Math.max(...this.runs.map(run => run.head.bodies.length + run.softs.length));
    if (pick >= 0 && pick < most) this.pick(pick + 1);
    const camera = (given.get('camera') || '').split(',').map(Number);
    if (camera.length === 6 && camera.every(Number.isFinite)) {
      const [around, up, away, ...target] = camera;
      this.stage.camera = {around, up, away, target};
    }
    if (given.get('play') === '1') this.play(true);
    this.dirty = true;
  }
  writeHash() {
    const parts = [`t=${Number(this.time.toFixed(4))}`], c = this.stage.camera;
    if (this.stage.picked > 0) parts.push(`pick=${this.stage.picked - 1}`);
    parts.push(`camera=${[c.around, c.up, c.away, ...c.target].map(x => Number(x.toPrecision(4))).join()}`);
    this.hash = '#' + parts.join('&');
    try { history.replaceState(null, '', this.hash); } catch { /* a page within a page has no address */ }
  }

  draw() { this.stage.draw(this.runs.map(run => run.frameAt(this.time)), this.shown()); }

  refresh() {
    if ($('follow').checked) this.look();
    this.draw();
    $('slider').value = this.time;
    $('clock').textContent = `${this.time.toFixed(2)} / ${this.end.toFixed(2)} s`;
    $('now').textContent = this.runs.map((run, k) => {
      return several(this.stage.contactsOf(this.stage.panes[k]).length, 'contact', 'contacts');
    }).join(' | ') + (this.stage.quality ? ' · simpler picture, to keep up' : '');
    this.legend();
    if ($('plots').open) this.plots.forEach(plot => this.drawPlot(plot));
    this.report();
  }

  legend() {
    const {colour, soft, largest} = this.shown(), on = colour === 'speed' || soft;
    $('legend').className = on ? 'on' : '';
    const most = colour === 'speed' ? number(this.stage.fastest, 'm/s') : number(largest, soft === 'stress' ? 'Pa' : '');
    $('legend').replaceChildren(...(on ? ['0', most] : []).map(text => {
      const span = document.createElement('span');
      span.textContent = text;
      return span;
    }));
  }

  // The picked body in words.
  report() {
    const id = this.stage.picked;
    $('picked').hidden = id <= 0;
    if (id <= 0) return;
    $('picked').replaceChildren(...this.runs.flatMap((run, k) => this.wordsOn(run, this.stage.panes[k], id - 1)));
  }

  wordsOn(run, pane, index) {
    const bodies = run.head.bodies.length, soft = run.softs[index - bodies], body = run.head.bodies[index];
    if (!soft && !body) return [];
    const own = soft ? -2 - soft.i : index, rows = [], title = document.createElement('h2');
    title.textContent = run.nameOf(own);
    const mine = this.stage.contactsOf(pane).filter(c => c.a === own || c.b === own);
    let sum = [0, 0, 0];
    for (const c of mine) sum = plus(sum, times(c.a === own ? 1 : -1, c.force));
    if (soft) {
      rows.push(['soft body', `${soft.tets} tetrahedra`]);
    } else {
      const v = run.velocity(index, pane.frame);
      rows.push([body.kind, `body ${index}` + (body.mass > 0 && body.kind === 'dynamic' ? `, ${number(body.mass, 'kg')}` : '')]);
      rows.push(['position', triple(run.position(index, pane.frame)) + ' m']);
      rows.push(['rotation', triple(run.rotation(index, pane.frame))]);
      rows.push(['velocity', triple(v.linear) + ' m/s'], ['spin', triple(v.angular) + ' rad/s']);
    }
    rows.push(['force', triple(sum) + ' N'], ['contacts', String(mine.length)]);
    const list = document.createElement('ol');
    for (const c of mine.slice(0, 40)) {
      const item = document.createElement('li'), other = c.a === own ? c.b : c.a;
      const normal = Math.abs(dot(c.force, c.normal)), whole = length(c.force);
      item.textContent = `${run.nameOf(other)}: ${['open', 'stick', 'slip'][c.state]}, ` +
        `${number(normal, 'N')} along the normal, ${number(Math.sqrt(Math.max(0, whole * whole - normal * normal)), 'N')} across`;
      list.append(item);
    }
    return [title, table(rows), list];
  }

  // A frame of the browser.
  step(now) {
    const dt = (now - (this.now || now)) / 1000;
    this.now = now;
    if (this.playing) {
      this.time += Math.min(dt, .25) * Number($('speed').value);
      if (this.time >= this.end) {
        this.time = this.end;
        this.play(false);
      }
      this.dirty = true;
      this.slow = dt > .08 ? this.slow + 1 : Math.max(0, this.slow - 1);
      if (this.slow > 5 && this.stage.quality < 2) {
        this.stage.quality++;
        this.slow = 0;
      }
    }
    if (this.dirty) {
      this.dirty = false;
      this.refresh();
      if (!this.playing) this.writeHash();
    }
    requestAnimationFrame(this.step);
  }
}

function table(rows) {
  const out = document.createElement('table');
  for (const [name, value] of rows) {
    const row = out.insertRow(), head = document.createElement('th');
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = value;
  }
  return out;
}

function say(sentence) {
  $('trouble').textContent = sentence;
  $('trouble').hidden = false;
  document.body.classList.add('broken');
}

(async () => {
  try {
    const data = [...document.querySelectorAll('script.run')];
    if (data.length === 0) throw new Trouble('There is no run in this page.');
    const runs = [];
    for (const one of data) runs.push(await readRun(one.textContent));
    window.app = new App(runs);
  } catch (error) {
    say(error instanceof Trouble ? error.message : `This run cannot be shown: ${error.message}`);
  }
})();
