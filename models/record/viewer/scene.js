// Draws one or two runs side by side with WebGL 2: one program, a shadow map, instanced arrows and cones.
const vertexShader = `#version 300 es
layout(location=0) in vec3 point; layout(location=1) in vec3 normal; layout(location=2) in float value;
layout(location=3) in vec4 m0; layout(location=4) in vec4 m1; layout(location=5) in vec4 m2;
layout(location=6) in vec4 m3; layout(location=7) in vec4 tint;
uniform mat4 view, light, model; uniform bool many; uniform vec4 colour;
out vec3 N, W, P; out vec4 S, C; out float V;
void main() {
  mat4 m = many ? mat4(m0, m1, m2, m3) : model;
  vec4 w = m * vec4(point, 1);
  W = w.xyz; P = point; N = mat3(m) * normal; S = light * w; C = many ? tint : colour; V = value;
  gl_Position = view * w;
}`;
const fragmentShader = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 N, W, P; in vec4 S, C; in float V;
uniform vec3 eye, sun, back; uniform sampler2DShadow shadows; uniform int mode; uniform bool shaded;
uniform float grid, far;
out vec4 o;
const int LIT = 0, DEPTH = 1, FLAT = 2, FLOOR = 3, VALUE = 4;
vec3 scale(float t) {  // from blue over grey to red
  t = clamp(t, 0., 1.);
  return t < .5 ? mix(vec3(.23,.30,.75), vec3(.87), 2. * t) : mix(vec3(.87), vec3(.71,.02,.15), 2. * t - 1.);
}
float lit() {
  vec3 s = S.xyz / S.w * .5 + .5;
  if (!shaded || any(lessThan(s, vec3(0))) || any(greaterThan(s, vec3(1)))) return 1.;
  float sum = 0.;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(shadows, vec3(s.xy + vec2(i, j) / 2048., s.z - .0015));
  return sum / 9.;
}
void main() {
  if (mode == DEPTH) { o = vec4(1); return; }
  vec3 n = normalize(N), v = normalize(eye - W);
  if (dot(n, v) < 0.) n = -n;
  if (mode == FLAT) { o = vec4(C.rgb * (C.a < 1. ? 1. : .8 + .2 * abs(dot(n, v))), C.a); return; }
  vec3 c = mode == VALUE ? scale(V) : C.rgb;
  float s = lit(), d = max(dot(n, sun), 0.);
  if (mode == FLOOR) {
    vec2 at = P.xy / grid, g = abs(fract(at - .5) - .5) / fwidth(at);
    c = mix(c, c * .82, .7 * (1. - min(min(g.x, g.y), 1.)));
    vec3 floor_colour = c * (.62 + .38 * s);
    o = vec4(mix(floor_colour, back, smoothstep(.3 * far, far, length(W - eye))), 1);
    return;
  }
  vec3 colour = c * (.46 + .12 * n.z + .56 * d * s);
  colour += .10 * pow(max(dot(n, normalize(v + sun)), 0.), 40.) * s;
  o = vec4(pow(colour, vec3(1. / 1.1)), 1);
}`;
const LIT = 0, DEPTH = 1, FLAT = 2, FLOOR = 3, VALUE = 4;

const palette = [[.33, .52, .78], [.86, .55, .32], [.44, .67, .46], [.76, .42, .45], [.56, .49, .73], [.62, .55, .44],
  [.45, .68, .72], [.78, .68, .36]];
const stateColours = [[.55, .58, .63, 1], [.16, .62, .29, 1], [.91, .35, .05, 1]];  // open, stick, slip
const SHADOWS = 2048, MOST = 16384;

// Normals that leave an edge sharper than 30 degrees as it is; round shapes have none.
function withNormals(points, triangles, round) {
  const sharpest = round ? -1 : 0.86, faces = [], at = new Map();
  const corner = i => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
  const key = i => corner(i).map(x => x.toFixed(6)).join();
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map(k => corner(triangles[t + k]));
    faces.push(cross(minus(b, a), minus(c, a)));
    for (let k = 0; k < 3; k++) {
      const name = key(triangles[t + k]);
      if (!at.has(name)) at.set(name, []);
      at.get(name).push(t / 3);
    }
  }
  const units = faces.map(unit), out = new Float32Array(triangles.length * 7);
  for (let t = 0; t < triangles.length; t++) {
    const own = units[Math.floor(t / 3)];
    let n = [0, 0, 0];
    for (const f of at.get(key(triangles[t]))) if (dot(units[f], own) > sharpest) n = plus(n, faces[f]);
    out.set([...corner(triangles[t]), ...unit(n), 0], 7 * t);
  }
  return out;
}

// A ball; the facets of its mesh are too coarse for the eye.
function ball(radius) {
  const rings = 16, rows = [];
  for (let i = 0; i < rings; i++) {
    const [a, b] = [i, i + 1].map(k => Math.PI * (k / rings - .5));
    rows.push([Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)]);
  }
  const out = turned(rows, 28);
  for (let n = 0; n < out.length; n += 7) {
    for (let k = 0; k < 3; k++) {
      out[n + 3 + k] = out[n + k];
      out[n + k] *= radius;
    }
  }
  return out;
}

// Of a unit along z: a shaft and a head, or a cone with its tip at the origin.
function turned(rings, sides = 14) {
  const out = [];
  for (const [r0, z0, r1, z1] of rings) {
    for (let i = 0; i < sides; i++) {
      const [a, b] = [i, i + 1].map(k => 2 * Math.PI * k / sides);
      const on = (r, z, t) => [r * Math.cos(t), r * Math.sin(t), z];
      const n = t => unit([Math.cos(t), Math.sin(t), (r0 - r1) / (z1 - z0 || 1e-9)]);
      for (const [p, t] of [[on(r0, z0, a), a], [on(r0, z0, b), b], [on(r1, z1, b), b],
        [on(r0, z0, a), a], [on(r1, z1, b), b], [on(r1, z1, a), a]]) out.push(...p, ...n(t), 0);
    }
  }
  return new Float32Array(out);
}

class Stage {
  constructor(canvas, runs) {
    const gl = canvas.getContext('webgl2', {antialias: true, preserveDrawingBuffer: true});
    if (!gl) {
      throw new Trouble('The run is in this page, but the browser does not offer WebGL 2, which draws it. ' +
        'Turn on hardware acceleration, or open the page in another browser.');
    }
    Object.assign(this, {canvas, gl, runs, picked: -1, quality: 0});
    this.program = this.compile();
    this.uniform = Object.fromEntries(['view', 'light', 'model', 'many', 'colour', 'eye', 'sun', 'back', 'shadows',
      'mode', 'shaded', 'grid', 'far'].map(name => [name, gl.getUniformLocation(this.program, name)]));
    this.makeShadowMap();
    this.instances = gl.createBuffer();
    this.numbers = new Float32Array(MOST * 20);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, this.numbers.byteLength, gl.DYNAMIC_DRAW);
    this.arrow = this.mesh(turned([[.5, 0, .5, .8], [1, .8, 0, 1]]), {many: true});
    this.cone = this.mesh(turned([[0, 0, 1, 1]]), {many: true});
    this.rod = this.mesh(turned([[1, -1, 1, 1]]), {many: true});
    const quad = [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]].flatMap(([x, y]) => [x, y, 0, 0, 0, 1, 0]);
    this.unitFloor = new Float32Array(quad);
    this.panes = runs.map(run => this.makePane(run));
    const views = runs.map(run => run.head.view);
    this.size = Math.max(...views.map(v => v.size));
    this.home = times(1 / views.length, views.map(v => v.centre).reduce(plus));
    this.force = Math.max(...views.map(v => v.force));
    this.fastest = Math.max(1e-9, ...this.panes.map(pane => pane.fastest));
    this.reset();
  }

  compile() {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
        throw new Trouble(`The graphics driver refuses a program of this page: ${gl.getShaderInfoLog(shader)}`);
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    return program;
  }

  makeShadowMap() {
    const gl = this.gl;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, SHADOWS, SHADOWS, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.shadowTarget = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // Seven numbers a vertex: point, normal, value.
  mesh(data, {changes = false, many = false} = {}) {
    const gl = this.gl, array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, changes ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
    [[0, 3, 0], [1, 3, 12], [2, 1, 24]].forEach(([place, size, offset]) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 28, offset);
    });
    if (many) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
      for (let k = 0; k < 5; k++) {
        gl.enableVertexAttribArray(3 + k);
        gl.vertexAttribPointer(3 + k, 4, gl.FLOAT, false, 80, 16 * k);
        gl.vertexAttribDivisor(3 + k, 1);
      }
    }
    return {array, buffer, count: data.length / 7};
  }

  makePane(run) {
    const meshes = new Map(), floors = [], shapes = [];
    for (const shape of run.head.shapes) {
      const thing = {...shape, local: placed(shape.offset, shape.rotation)};
      if (shape.mesh < 0) {
        floors.push(thing);
        continue;
      }
      const round = shape.kind === 'sphere' || shape.kind === 'capsule', key = `${shape.mesh} ${round}`;
      if (!meshes.has(key)) {
        const points = run.arrays['p' + shape.mesh];
        const data = shape.kind === 'sphere' ? ball(length(points.subarray(0, 3))) :
          withNormals(points, run.arrays['t' + shape.mesh], round);
        meshes.set(key, this.mesh(data));
      }
      thing.mesh = meshes.get(key);
      thing.colour = run.dynamic(shape.body) ? palette[shape.body % palette.length] : [.62, .64, .68];
      thing.id = shape.body + 1;
      shapes.push(thing);
    }
    const softs = run.softs.map(soft => {
      const data = new Float32Array(7 * soft.triangle.length);
      return {...soft, data, points: new Float32Array(3 * soft.vertices), mesh: this.mesh(data, {changes: true}),
        colour: palette[(soft.i + 3) % palette.length], id: run.head.bodies.length + 1 + soft.i};
    });
    let fastest = 0;
    for (let f = 0; f < run.frames; f += 4) {
      run.head.bodies.forEach((b, i) => { if (run.dynamic(i)) fastest = Math.max(fastest, length(run.velocity(i, f).linear)); });
    }
    return {run, shapes, softs, floors, fastest, frame: 0};
  }

  reset() { this.camera = {around: -1.1, up: 0.32, away: (this.panes.length > 1 ? 1.9 : 1.5) * this.size, target: [...this.home]}; }

  eye() {
    const {around, up, away, target} = this.camera;
    return plus(target, times(away, [Math.cos(up) * Math.cos(around), Math.cos(up) * Math.sin(around), Math.sin(up)]));
  }

  // Left, bottom, width and height of a pane in pixels of the canvas: side by side, or one above the other.
  area(k) {
    const {width, height} = this.canvas, n = this.panes.length;
    if (width >= height) return [Math.round(k * width / n), 0, Math.round(width / n), height];
    return [0, Math.round((n - 1 - k) * height / n), width, Math.round(height / n)];
  }

  paneAt(x, y) {
    return this.panes.findIndex((_, k) => {
      const [left, bottom, width, height] = this.area(k);
      return x >= left && x < left + width && y >= bottom && y < bottom + height;
    });
  }

  // Everything of a pane that casts shadows and can be picked.
  things(pane, shown) {
    const {run, frame} = pane, poses = new Map();
    const list = pane.softs.filter(s => run.there(s, frame)).map(s => ({...s, model: identity, value: shown.soft}));
    for (const shape of pane.shapes) {
      const moves = run.dynamic(shape.body);
      if (!run.there(shape, frame) || !(moves || shown.fixed)) continue;
      if (!poses.has(shape.body)) poses.set(shape.body, run.pose(shape.body, frame));
      list.push({...shape, model: product(poses.get(shape.body), shape.local), moves});
    }
    return list;
  }

  updateSofts(pane, shown) {
    const gl = this.gl, {run} = pane;
    for (const soft of pane.softs) {
      const x = soft.points, n = new Float32Array(x.length), T = soft.triangle;
      run.softPoints(soft.i, pane.frame, x);
      const corner = v => [x[3 * v], x[3 * v + 1], x[3 * v + 2]];
      for (let t = 0; t < T.length; t += 3) {
        const a = corner(T[t]), face = cross(minus(corner(T[t + 1]), a), minus(corner(T[t + 2]), a));
        for (let k = 0; k < 3; k++) for (let i = 0; i < 3; i++) n[3 * T[t + k] + i] += face[i];
      }
      const values = shown.soft && run.arrays[(shown.soft === 'strain' ? 'se' : 'ss') + soft.i];
      const largest = shown.soft ? soft[shown.soft] / (shown.largest || 1) : 0, f = Math.round(pane.frame);
      for (let t = 0; t < T.length; t++) {
        const v = T[t], value = values ? largest * values[v * run.frames + f] / 255 : 0;
        soft.data.set([x[3 * v], x[3 * v + 1], x[3 * v + 2], n[3 * v], n[3 * v + 1], n[3 * v + 2], value], 7 * t);
      }
      gl.bindBuffer(gl.ARRAY_BUFFER, soft.mesh.buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, soft.data);
    }
  }

  draw(frames, shown) {
    const gl = this.gl, u = this.uniform, {canvas} = this;
    const ratio = this.quality > 0 ? (this.quality > 1 ? 0.6 : 1) : Math.min(devicePixelRatio || 1, 2);
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
    const style = getComputedStyle(document.documentElement);
    const rgb = name => style.getPropertyValue(name).trim().match(/\w\w/g).map(x => parseInt(x, 16) / 255);
    this.back = rgb('--back');
    this.sun = unit([-.3, -.6, .95]);
    const eye = this.eye();
    gl.useProgram(this.program);
    gl.enable(gl.DEPTH_TEST);
    gl.uniform3fv(u.eye, eye);
    gl.uniform3fv(u.sun, this.sun);
    gl.uniform3fv(u.back, this.back);
    gl.uniform1f(u.far, this.size * 9 + this.camera.away);
    gl.uniform1f(u.grid, 10 ** Math.floor(Math.log10(this.size / 2)));
    gl.uniform1i(u.shadows, 0);
    gl.uniform1i(u.shaded, this.quality === 0 ? 1 : 0);
    this.panes.forEach((pane, k) => {
      pane.frame = frames[k];
      this.updateSofts(pane, shown);
      this.drawPane(pane, k, eye, shown, rgb('--floor'));
    });
  }

  drawPane(pane, k, eye, shown, floorColour) {
    const gl = this.gl, u = this.uniform, list = this.things(pane, shown);
    const from = plus(this.home, times(4 * this.size, this.sun));
    const light = product(orthographic(1.1 * this.size, .1, 8 * this.size), lookAt(from, this.home, [0, 1, 0]));
    gl.uniformMatrix4fv(u.light, false, light);
    if (this.quality === 0) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowTarget);
      gl.viewport(0, 0, SHADOWS, SHADOWS);
      gl.disable(gl.SCISSOR_TEST);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.bindTexture(gl.TEXTURE_2D, null);
      gl.uniformMatrix4fv(u.view, false, light);
      for (const thing of list) this.one(thing.mesh, thing.model, DEPTH);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    }
    const [left, bottom, width, height] = this.area(k);
    gl.viewport(left, bottom, width, height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(left + (k > 0 && left > 0 ? 1 : 0), bottom, width, height);
    gl.clearColor(...this.back, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    pane.view = this.viewOf(width / height);
    gl.uniformMatrix4fv(u.view, false, pane.view);
    for (const plane of pane.floors) this.drawFloor(pane, plane, eye, floorColour);
    for (const thing of list) this.one(thing.mesh, thing.model, ...this.paint(pane, thing, shown));
    this.drawSigns(pane, shown);
    gl.disable(gl.SCISSOR_TEST);
  }

  viewOf(aspect) {
    const {away, target} = this.camera, narrow = Math.max(1, 1.1 / aspect);
    const near = Math.max(away - 12 * this.size, 0.01 * away);
    return product(perspective(2 * Math.atan(Math.tan(.35) * Math.min(narrow, 3)), aspect, near, away + 12 * this.size),
      lookAt(this.eye(), target, [0, 0, 1]));
  }

  // [mode, colour]
  paint(pane, thing, shown) {
    if (thing.id === this.picked) return [LIT, [1, .82, .25]];
    if (thing.value && shown.soft) return [VALUE, thing.colour];
    if (shown.colour === 'speed' && thing.moves) {
      const t = length(pane.run.velocity(thing.body, pane.frame).linear) / this.fastest;
      const [a, b] = t < .5 ? [[.23, .30, .75], [.87, .87, .87]] : [[.87, .87, .87], [.71, .02, .15]];
      return [LIT, plus(a, times(2 * (t < .5 ? t : t - .5), minus(b, a)))];
    }
    return [LIT, thing.colour];
  }

  one(mesh, model, mode, colour = [1, 1, 1]) {
    const gl = this.gl, u = this.uniform;
    gl.uniform1i(u.mode, mode);
    gl.uniform1i(u.many, 0);
    gl.uniform4f(u.colour, ...colour, 1);
    gl.uniformMatrix4fv(u.model, false, model);
    gl.bindVertexArray(mesh.array);
    gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
  }

  drawFloor(pane, plane, eye, colour) {
    const {run, frame} = pane, model = product(run.pose(plane.body, frame), plane.local);
    const normal = turn(model, [0, 0, 1]), origin = move(model, [0, 0, 0]);
    if (!run.there(plane, frame) || dot(normal, minus(eye, origin)) <= 0) return;  // seen from below
    if (!plane.mesh3d) {
      const half = 24 * this.size, v = minus(this.home, origin);
      const centre = [0, 1].map(i => dot(v, turn(model, [1 - i, i, 0])));
      const data = this.unitFloor.slice();
      for (let n = 0; n < data.length; n += 7) for (let i = 0; i < 2; i++) data[n + i] = centre[i] + half * data[n + i];
      plane.mesh3d = this.mesh(data);
    }
    this.one(plane.mesh3d, model, FLOOR, colour);
  }

  // Matrices of many equal things: [tip direction and length, radius, base, colour] each.
  drawMany(mesh, list) {
    const gl = this.gl, n = Math.min(list.length, MOST);
    if (n === 0) return;
    list.slice(0, n).forEach(({along, radius, base, colour}, i) => {
      const z = unit(along), x = across(z), y = cross(z, x);
      this.numbers.set([...times(radius, x), 0, ...times(radius, y), 0, ...along, 0, ...base, 1, ...colour], 20 * i);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.numbers.subarray(0, 20 * n));
    gl.uniform1i(this.uniform.many, 1);
    gl.uniform1i(this.uniform.mode, FLAT);
    gl.bindVertexArray(mesh.array);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.count, n);
  }

  // The body number that a contact of the list calls its own, as `picked` counts.
  numberOf(run, body) { return body < -1 ? run.head.bodies.length - 1 - body : body + 1; }

  contactsOf(pane) {
    const key = Math.round(pane.frame);
    if (pane.key !== key) Object.assign(pane, {key, list: pane.run.contacts(key)});
    return pane.list;
  }

  drawSigns(pane, shown) {
    const gl = this.gl, {run} = pane, width = .005 * this.size;
    const ofPicked = c => [c.a, c.b].some(body => this.numberOf(run, body) === this.picked);
    const contacts = this.contactsOf(pane);
    const seen = shown.forces === 'none' ? [] : shown.forces === 'all' ? contacts : contacts.filter(ofPicked);
    const arrows = [], cones = [];
    for (const c of seen) {
      // On what moves; on the picked body, if it is one of the two.
      const flip = this.numberOf(run, c.b) === this.picked || !run.dynamic(c.a) ? -1 : 1;
      const size = length(c.force);
      const reach = .15 * this.size * shown.length * (size > 0 ? Math.sqrt(size / this.force) : 0);
      if (reach > .004 * this.size) {
        arrows.push({along: times(flip * reach / size, c.force), radius: width, base: c.point, colour: stateColours[c.state]});
      } else {
        arrows.push({along: times(flip * .012 * this.size, c.normal), radius: width, base: c.point, colour: stateColours[c.state]});
      }
    }
    if (shown.cones) {
      for (const c of contacts.filter(c => this.picked > 0 ? ofPicked(c) : c.state > 0).slice(0, 600)) {
        const flip = this.numberOf(run, c.b) === this.picked || !run.dynamic(c.a) ? -1 : 1;
        const high = .07 * this.size * shown.length;
        cones.push({along: times(flip * high, c.normal), radius: Math.max(c.mu, .01) * high, base: c.point,
          colour: [...stateColours[c.state].slice(0, 3), .28]});
      }
    }
    gl.disable(gl.DEPTH_TEST);
    if (shown.joints) this.drawMany(this.rod, this.axes(pane));
    this.drawMany(this.arrow, arrows);
    if (cones.length > 0) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      this.drawMany(this.cone, cones);
      gl.depthMask(true);
      gl.disable(gl.BLEND);
    }
    gl.enable(gl.DEPTH_TEST);
  }

  axes(pane) {
    const {run, frame} = pane;
    return run.head.joints.filter(joint => run.there(joint, frame)).map(joint => {
      const pose = run.pose(joint.a, frame);
      return {along: times(.035 * this.size, turn(pose, joint.axis)), radius: .0035 * this.size,
        base: move(pose, joint.origin), colour: [.15, .35, .85, 1]};
    });
  }

  // Number of what is drawn at a place of the window (body + 1, then soft bodies); 0: nothing.
  pickAt(clientX, clientY, shown) {
    const gl = this.gl, {canvas} = this, box = canvas.getBoundingClientRect();
    const x = Math.floor((clientX - box.left) * canvas.width / box.width);
    const y = canvas.height - 1 - Math.floor((clientY - box.top) * canvas.height / box.height);
    const k = this.paneAt(x, y);
    if (k < 0) return 0;
    const [left, bottom, width, height] = this.area(k), pane = this.panes[k];
    const target = gl.createFramebuffer(), parts = [gl.createRenderbuffer(), gl.createRenderbuffer()];
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]].forEach(([format, place], i) => {
      gl.bindRenderbuffer(gl.RENDERBUFFER, parts[i]);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, canvas.width, canvas.height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, parts[i]);
    });
    gl.viewport(left, bottom, width, height);
    gl.clearColor(0, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(this.uniform.view, false, pane.view);
    for (const thing of this.things(pane, shown)) {
      // .8 to 1 of a flat colour is shading: ids are drawn half transparent instead, which has none.
      gl.uniform1i(this.uniform.mode, FLAT);
      gl.uniform1i(this.uniform.many, 0);
      gl.uniform4f(this.uniform.colour, (thing.id & 255) / 255, (thing.id >> 8 & 255) / 255, (thing.id >> 16) / 255, .5);
      gl.uniformMatrix4fv(this.uniform.model, false, thing.model);
      gl.bindVertexArray(thing.mesh.array);
      gl.drawArrays(gl.TRIANGLES, 0, thing.mesh.count);
    }
    const pixel = new Uint8Array(4);
    gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(target);
    parts.forEach(part => gl.deleteRenderbuffer(part));
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2];
  }
}
