// The program, played in the browser: the rules of src/program.rs and src/play, and who knows what.
"use strict";

/** Nodes, ports and links, numbered as in src/net. */
class Topology {
  constructor({ sides, wraps }) {
    this.sides = sides;
    this.wraps = wraps;
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
    const axis = port >> 1;
    const side = this.sides[axis];
    const at = this.coord(node, axis);
    if (!this.wraps[axis] && this.isBorder(node, port)) return null;
    return node + (((at + (port & 1 ? 1 : side - 1)) % side) - at) * this.strides[axis];
  }
}

/**
 * Who has which packets and who wants them, numbered as in src/program/demand.rs. A message is [from, to]: a node's number
 * or null for every node; a node's number, null for everybody, or how far from the sender along each axis.
 */
class Demand {
  constructor(topology, messages) {
    this.topology = topology;
    this.first = [0];
    this.to = [];
    for (let node = 0; node < topology.nodes; node++) {
      for (const [from, to] of messages) if (from === null || from === node) this.to.push(to);
      this.first.push(this.to.length);
    }
    this.tokens = this.to.length;
    this.isForAll = messages.every(([, to]) => to === null);
    this.origin = new Int32Array(this.tokens);
    for (let node = 0; node < topology.nodes; node++) this.origin.fill(node, this.first[node], this.first[node + 1]);
    // how many packets each node is to know in the end
    this.goals = new Int32Array(topology.nodes);
    for (let node = 0; node < topology.nodes; node++) {
      this.goals[node] = this.packetsOf(node);
      if (this.isForAll) this.goals[node] = this.tokens;
      else for (let token = 0; token < this.tokens; token++) this.goals[node] += this.wants(node, token) ? 1 : 0;
    }
  }

  packetsOf(node) {
    return this.first[node + 1] - this.first[node];
  }

  /** Nobody wants what it has. */
  wants(node, token) {
    const { topology, origin } = this;
    const to = this.to[token];
    if (origin[token] === node) return false;
    if (to === null || Number.isInteger(to)) return to === null || to === node;
    return to.every((by, axis) => (topology.coord(origin[token], axis) + by) % topology.sides[axis] === topology.coord(node, axis));
  }
}

const NOTHING = -1;

/** Every register and every node's knowledge, tick after tick. All that changes is in `now`. */
class Machine {
  constructor(program) {
    const topology = (this.topology = new Topology(program));
    this.ticks = program.ticks;
    this.demand = new Demand(topology, program.messages);
    this.tokens = this.demand.tokens;
    this.classOf = program.classOf;
    this.tracks = program.classes.flat();
    this.words = Math.ceil(this.tokens / 32);
    // one more than there are, for ports that look out of the grid: it never holds anything
    this.registers = topology.nodes * topology.ports + 1;
    // a run is [ticks] if idle, [ticks, packet] if own, [ticks, port, age] if it repeats an input
    this.planes = 1;
    for (const track of this.tracks) {
      for (const run of track.runs) this.planes = Math.max(this.planes, run.length === 3 ? run[2] + 1 : 1);
    }
    this.wires = new Int32Array(this.registers).fill(this.registers - 1);
    for (let node = 0, wire = 0; node < topology.nodes; node++) {
      for (let port = 0; port < topology.ports; port++, wire++) {
        const neighbour = topology.neighbour(node, port);
        if (neighbour !== null) this.wires[wire] = neighbour * topology.ports + (port ^ 1);
      }
    }
    this.actions = new Int32Array(3 * this.tracks.length);
    this.now = this.before();
  }

  /** Before tick 1: no register holds anything, every node knows its own packets. */
  before() {
    const { nodes } = this.topology;
    const { demand } = this;
    const now = {
      tick: 0,
      run: new Int32Array(this.tracks.length),
      played: new Int32Array(this.tracks.length),
      held: new Int32Array(this.planes * this.registers).fill(NOTHING),
      known: new Uint32Array(nodes * this.words),
      // of what each node is to know
      counts: Int32Array.from({ length: nodes }, (_, node) => demand.packetsOf(node)),
      sum: this.tokens,
      complete: 0,
    };
    for (let token = 0; token < this.tokens; token++) {
      now.known[demand.origin[token] * this.words + (token >>> 5)] |= 1 << (token & 31);
    }
    for (let node = 0; node < nodes; node++) now.complete += now.counts[node] === demand.goals[node] ? 1 : 0;
    return now;
  }

  /** What each output of each class does in the coming tick: [0], [1, packet] or [2, port, plane]. */
  choose() {
    const { now, actions } = this;
    this.tracks.forEach((track, index) => {
      if (now.played[index] === track.runs[now.run[index]][0]) {
        now.played[index] = 0;
        if (++now.run[index] === track.runs.length) now.run[index] = track.repeat;
      }
      now.played[index]++;
      const [, what, age] = track.runs[now.run[index]];
      const idle = what === undefined || (age !== undefined && age >= now.tick);
      actions[3 * index] = idle ? 0 : age === undefined ? 1 : 2;
      actions[3 * index + 1] = what;
      actions[3 * index + 2] = ((now.tick - age) % this.planes) * this.registers;
    });
  }

  step() {
    const { now, actions, wires, registers } = this;
    const { nodes, ports } = this.topology;
    now.tick++;
    this.choose();
    const newest = (now.tick % this.planes) * registers;
    for (let node = 0, register = 0; node < nodes; node++) {
      const first = node * ports;
      for (let port = 0; port < ports; port++, register++) {
        const action = 3 * (this.classOf[node] * ports + port);
        let token = NOTHING;
        if (actions[action] === 1) token = this.demand.first[node] + actions[action + 1];
        else if (actions[action] === 2) token = now.held[actions[action + 2] + wires[first + actions[action + 1]]];
        now.held[newest + register] = token;
      }
    }
    for (let wire = 0; wire < registers; wire++) {
      const token = now.held[newest + wires[wire]];
      if (token !== NOTHING) this.learn(Math.floor(wire / ports), token);
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

  /** What arrived at a node's port in the last tick. */
  arrived(node, port) {
    const newest = (this.now.tick % this.planes) * this.registers;
    return this.now.held[newest + this.wires[node * this.topology.ports + port]];
  }
}

/** Plays forward when asked, and keeps a state every so many ticks to go back to. */
class Player {
  constructor(program) {
    const BUDGET = 64e6; // bytes of kept states
    this.machine = new Machine(program);
    const { held, known, counts } = this.machine.now;
    const most = Math.floor(BUDGET / (held.byteLength + known.byteLength + counts.byteLength));
    this.every = Math.ceil(program.ticks / Math.max(most, 1));
    this.kept = [structuredClone(this.machine.now)];
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
