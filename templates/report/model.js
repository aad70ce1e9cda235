// The program, played in the browser: the rules of src/program.rs and src/play, and who knows what.
"use strict";

/** Nodes, ports and links, numbered as in src/net: a product of cycles and paths, or a lattice and every node's neighbours. */
class Topology {
  constructor({ sides, wraps, lattice, neighbours, aslant }) {
    this.sides = sides;
    this.wraps = wraps;
    this.lattice = lattice ?? sides.map((side, axis) => sides.map((_, other) => (other === axis ? side : 0)));
    this.neighbours = neighbours;
    this.aslant = aslant; // the way along x1, if that stays in the plane
    this.axes = sides.length;
    this.ports = 2 * sides.length;
    this.strides = sides.map((_, axis) => sides.slice(axis + 1).reduce((a, b) => a * b, 1));
    this.nodes = this.strides[0] * sides[0];
  }

  coord(node, axis) {
    return Math.floor(node / this.strides[axis]) % this.sides[axis];
  }

  show(node) {
    return this.sides.map((_, axis) => this.coord(node, axis)).join(",");
  }

  /** Whether `port` looks over the border of the grid. */
  isBorder(node, port) {
    return this.coord(node, port >> 1) === (port & 1 ? this.sides[port >> 1] - 1 : 0);
  }

  /** The node at the other end of the link at `port`, null if the port looks out of the grid. */
  neighbour(node, port) {
    if (this.neighbours) {
      const there = this.neighbours[node * this.ports + port];
      return there < 0 ? null : there;
    }
    const axis = port >> 1;
    const side = this.sides[axis];
    const at = this.coord(node, axis);
    if (!this.wraps[axis] && this.isBorder(node, port)) return null;
    return node + (((at + (port & 1 ? 1 : side - 1)) % side) - at) * this.strides[axis];
  }

  /** The node so far away, reduced by the lattice. */
  away(node, offset) {
    const point = offset.map((by, axis) => this.coord(node, axis) + by);
    let there = 0;
    this.lattice.forEach((row, axis) => {
      const times = Math.floor(point[axis] / row[axis]);
      for (let other = axis; other < this.axes; other++) point[other] -= times * row[other];
      there += point[axis] * this.strides[axis];
    });
    return there;
  }
}

/**
 * Who has which tokens and who wants them, numbered as in src/program/demand.rs. A token is a packet, or a flit where packets
 * have lengths. A message is [from, to] or [from, to, flits]: a node's number or null for every node; a node's number, null
 * for everybody of the sender's group, or how far from the sender along each axis; its tokens.
 */
class Demand {
  constructor(topology, messages, groups) {
    this.topology = topology;
    // number of each node's group; nothing if all nodes are one
    this.groups = groups;
    // for each node where each of its packets begins, and where the last one ends
    this.starts = [];
    this.to = [];
    for (let node = 0; node < topology.nodes; node++) {
      const starts = [this.to.length];
      for (const [from, to, flits = 1] of messages) {
        if (from !== null && from !== node) continue;
        for (let flit = 0; flit < flits; flit++) this.to.push(to);
        starts.push(this.to.length);
      }
      this.starts.push(starts);
    }
    this.tokens = this.to.length;
    this.isForAll = !groups && messages.every(([, to]) => to === null);
    this.origin = new Int32Array(this.tokens);
    this.starts.forEach((starts, node) => this.origin.fill(node, starts[0], starts.at(-1)));
    // number of tokens that each node is to know in the end
    this.goals = new Int32Array(topology.nodes);
    for (let node = 0; node < topology.nodes; node++) {
      this.goals[node] = this.tokensOf(node);
      if (this.isForAll) this.goals[node] = this.tokens;
      else for (let token = 0; token < this.tokens; token++) this.goals[node] += this.wants(node, token) ? 1 : 0;
    }
  }

  first(node) {
    return this.starts[node][0];
  }

  tokensOf(node) {
    return this.starts[node].at(-1) - this.first(node);
  }

  /** What a node has at first counts where everybody wants everything, and not where a node has what it wants from others. */
  uncounted(node) {
    return this.isForAll ? 0 : this.tokensOf(node);
  }

  /** What the n-th tick, from 0, of a run of a node's packets sends: they begin again after the last. */
  sent(node, [packet, through = packet], tick) {
    const start = this.starts[node][packet];
    const length = this.starts[node][through + 1] - start;
    return length === 0 ? NOTHING : start + (tick % length);
  }

  /** Nobody wants what it has. */
  wants(node, token) {
    const { topology, origin } = this;
    const to = this.to[token];
    if (origin[token] === node) return false;
    if (to === null) return this.areTogether(origin[token], node);
    return (Number.isInteger(to) ? to : topology.away(origin[token], to)) === node;
  }

  areTogether(one, other) {
    return !this.groups || this.groups[one] === this.groups[other];
  }

  /** Number of tokens that a node's group has. */
  tokensNear(node) {
    if (!this.groups) return this.tokens;
    return this.origin.reduce((tokens, from) => tokens + (this.areTogether(from, node) ? 1 : 0), 0);
  }
}

const NOTHING = -1;
const IDLE = { inputs: [] };

/** Every register and every node's knowledge, tick after tick. All that changes is in `now`. */
class Machine {
  constructor(program) {
    const topology = (this.topology = new Topology(program));
    this.ticks = program.ticks;
    this.combining = program.combining;
    this.demand = new Demand(topology, program.messages, program.groups);
    this.tokens = this.demand.tokens;
    this.classOf = program.classOf;
    this.windows = program.windows ?? [];
    this.lanes = program.lanes ?? 1;
    this.outputs = topology.ports * this.lanes;
    // a run is [ticks] if idle, [ticks, packet] or [ticks, [packet, through]] if own, [ticks, input, age] or
    // [ticks, [input, ...], age] if it repeats an input, or the one of some that brings anything
    const listed = ([ticks, what = [], age = 0]) => [ticks, [what].flat(), age];
    this.tracks = program.classes.flat().map((track) => ({ ...track, runs: track.runs.map(listed) }));
    this.words = Math.ceil(this.tokens / 32);
    // one more than there are, for ports that look out of the grid: it never holds anything
    this.registers = topology.nodes * this.outputs + 1;
    // number of tokens that each node is to know, or of values to combine
    this.goals = this.demand.goals;
    this.planes = 1;
    for (const track of this.tracks) {
      for (const [, , age] of track.runs) this.planes = Math.max(this.planes, age + 1);
    }
    this.wires = new Int32Array(this.registers).fill(this.registers - 1);
    for (let node = 0, wire = 0; node < topology.nodes; node++) {
      for (let port = 0; port < topology.ports; port++) {
        const neighbour = topology.neighbour(node, port);
        for (let lane = 0; lane < this.lanes; lane++, wire++) {
          if (neighbour !== null) this.wires[wire] = neighbour * this.outputs + (port ^ 1) * this.lanes + lane;
        }
      }
    }
    this.actions = this.tracks.map(() => IDLE);
    this.now = this.before();
  }

  /** Before tick 1: no register holds anything, every node knows its own tokens. */
  before() {
    const { nodes } = this.topology;
    const { demand } = this;
    const now = {
      tick: 0,
      run: new Int32Array(this.tracks.length),
      played: new Int32Array(this.tracks.length),
      held: new Int32Array(this.planes * this.registers).fill(NOTHING),
      known: new Uint32Array(nodes * this.words),
      // known tokens among those that each node is to know
      counts: Int32Array.from({ length: nodes }, (_, node) => demand.tokensOf(node)),
      sum: this.tokens,
      complete: 0,
    };
    for (let token = 0; token < this.tokens; token++) {
      now.known[demand.origin[token] * this.words + (token >>> 5)] |= 1 << (token & 31);
    }
    for (let node = 0; node < nodes; node++) now.complete += now.counts[node] === demand.goals[node] ? 1 : 0;
    return now;
  }

  /** What each output of each class does in the coming tick: it sends own packets, or what some inputs brought in a tick. */
  choose() {
    const { now, actions } = this;
    this.tracks.forEach((track, index) => {
      if (now.played[index] === track.runs[now.run[index]][0]) {
        now.played[index] = 0;
        if (++now.run[index] === track.runs.length) now.run[index] = track.repeat;
      }
      now.played[index]++;
      const [, what, age] = track.runs[now.run[index]];
      if (what.length === 0 || age >= now.tick) actions[index] = IDLE;
      else if (age === 0) actions[index] = { own: what, played: now.played[index] - 1 };
      else actions[index] = { inputs: what, plane: ((now.tick - age) % this.planes) * this.registers };
    });
  }

  step() {
    const { now, actions, wires, registers, outputs } = this;
    const { nodes } = this.topology;
    now.tick++;
    this.choose();
    const newest = (now.tick % this.planes) * registers;
    for (let node = 0, register = newest; node < nodes; node++) {
      for (let output = 0; output < outputs; output++, register++) {
        now.held[register] = this.sent(node, actions[this.classOf[node] * outputs + output]);
      }
    }
    this.windows.forEach((window, node) => this.inject(node, window, newest + node * outputs));
    for (let wire = 0; wire < registers; wire++) {
      const token = now.held[newest + wires[wire]];
      if (token !== NOTHING) this.learn(Math.floor(wire / outputs), token);
    }
  }

  sent(node, { own, played, inputs, plane }) {
    if (own) return this.demand.sent(node, own, played);
    for (const input of inputs) {
      const token = this.now.held[plane + this.wires[node * this.outputs + input]];
      if (token !== NOTHING) return token;
    }
    return NOTHING;
  }

  /** While a node's window is open, the outputs that inject a packet send it instead of what their runs bring. */
  inject(node, [first, ticks], registers) {
    const since = this.now.tick - first;
    if (since < 0 || since >= ticks) return;
    for (let output = 0; output < this.outputs; output++) {
      const packet = this.tracks[this.classOf[node] * this.outputs + output].inject;
      if (packet !== undefined) this.now.held[registers + output] = this.demand.sent(node, [packet], since);
    }
  }

  learn(node, token) {
    const word = node * this.words + (token >>> 5);
    const bit = 1 << (token & 31);
    if (this.now.known[word] & bit) return;
    this.now.known[word] |= bit;
    if (!this.demand.isForAll && !this.demand.wants(node, token)) return;
    this.now.sum++;
    if (++this.now.counts[node] === this.demand.goals[node]) this.now.complete++;
  }

  knows(node, token) {
    return (this.now.known[node * this.words + (token >>> 5)] >>> (token & 31)) & 1;
  }

  /** What arrived at a node's input, a lane of a port, in the last tick. */
  arrived(node, input) {
    const newest = (this.now.tick % this.planes) * this.registers;
    return this.now.held[newest + this.wires[node * this.outputs + input]];
  }
}

/**
 * The part of a reduction in which values are combined, told tick by tick what every register sends. A node has one value for
 * every token. What it sends of a token is its own value with all that it has received, and it sends that once. Where every node
 * combines all tokens, the page is told by how many values each grows.
 */
class Combining extends Machine {
  constructor(program) {
    super(program);
    const { sends, gains, values } = this.combining;
    this.sends = sends;
    this.gains = gains;
    const { demand } = this;
    this.goals = this.goals.map((_, node) => (gains ? demand.tokensNear(node) : demand.tokensOf(node)) * values[node]);
    this.combines = true;
  }

  before() {
    const now = super.before();
    now.known = new Int32Array(this.topology.nodes * this.tokens);
    const { combining } = this;
    for (let node = 0; node < this.topology.nodes; node++) {
      if (combining.values[node] > 0) now.known.fill(1, node * this.tokens, (node + 1) * this.tokens);
      if (combining.gains) now.counts[node] = this.demand.tokensNear(node);
    }
    if (combining.gains) now.sum = now.counts.reduce((sum, count) => sum + count, 0);
    now.complete = 0;
    return now;
  }

  step() {
    const { now, outputs, tokens } = this;
    const sends = this.sends[now.tick++] ?? [];
    const newest = (now.tick % this.planes) * this.registers;
    now.held.fill(NOTHING, newest, newest + this.registers);
    const partials = [];
    for (let index = 0; index < sends.length; index += 2) {
      const [register, token] = [sends[index], sends[index + 1]];
      const node = Math.floor(register / outputs);
      const there = this.topology.neighbour(node, Math.floor((register % outputs) / this.lanes));
      now.held[newest + register] = token;
      if (this.gains) continue;
      partials.push([there, token, now.known[node * tokens + token]]);
      now.known[node * tokens + token] = 0;
    }
    for (const [node, token, values] of partials) {
      now.known[node * tokens + token] += values;
      if (this.demand.origin[token] !== node) continue;
      now.counts[node] += values;
      now.sum += values;
      if (now.counts[node] === this.goals[node]) now.complete++;
    }
    const grown = this.gains?.[now.tick - 1] ?? [];
    for (let index = 0; index < grown.length; index += 2) {
      const [place, values] = [grown[index], grown[index + 1]];
      const node = Math.floor(place / tokens);
      now.known[place] += values;
      now.counts[node] += values;
      now.sum += values;
      if (now.counts[node] === this.goals[node]) now.complete++;
    }
  }

  /** Whether a node still has a value for a token; where every node combines all, none has for others. */
  knows(node, token) {
    if (this.gains) return 0;
    return this.now.known[node * this.tokens + token] > 0 ? 1 : 0;
  }
}

/** Plays the parts of a program, one after the other. */
class Player {
  constructor(program) {
    const { combining } = program;
    this.parts = combining ? [new Part(new Combining(program), 0, combining.sends.length)] : [];
    const begins = combining ? combining.sends.length + 1 : 0;
    if (begins <= program.ticks) this.parts.push(new Part(new Machine(program), begins, program.ticks - begins));
    this.part = this.parts[0];
  }

  get machine() {
    return this.part.machine;
  }

  get tick() {
    return this.part.begins + this.part.tick;
  }

  /** Goes towards `tick` for at most `milliseconds`; whether it got there. */
  seek(tick, milliseconds) {
    this.part = this.parts.findLast((part) => part.begins <= tick);
    return this.part.seek(tick - this.part.begins, milliseconds);
  }
}

/** A machine that plays forward when asked, and keeps a state every so many ticks to go back to. */
class Part {
  constructor(machine, begins, ticks) {
    const BUDGET = 64e6; // bytes of kept states
    this.machine = machine;
    this.begins = begins;
    const { held, known, counts } = machine.now;
    const most = Math.floor(BUDGET / (held.byteLength + known.byteLength + counts.byteLength));
    this.every = Math.ceil(ticks / Math.max(most, 1));
    this.kept = [structuredClone(machine.now)];
  }

  get tick() {
    return this.machine.now.tick;
  }

  /** Goes towards `tick` for at most `milliseconds`; whether it got there. */
  seek(tick, milliseconds) {
    const machine = this.machine;
    const nearest = this.kept.findLast((state) => state.tick <= tick);
    if (tick < this.tick || nearest.tick > this.tick) machine.now = structuredClone(nearest);
    const end = performance.now() + milliseconds;
    while (this.tick < tick) {
      machine.step();
      if (this.tick === this.kept.at(-1).tick + this.every) this.kept.push(structuredClone(machine.now));
      if (performance.now() > end) return this.tick === tick;
    }
    return true;
  }
}
