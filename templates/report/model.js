// Films of the registers, as src/draw/report has taken them, and what nodes have after each tick.
"use strict";

/** Nodes, ports and links, numbered as in src/net: a product of cycles and paths, or every node's neighbours. */
class Topology {
  constructor({ sides, wraps, neighbours, aslant }) {
    this.sides = sides;
    this.wraps = wraps;
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
}

const NOTHING = -1;
const EVERYBODY = -1;
const sum = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/**
 * The tokens of all nodes: packets, or flits where packets have lengths, numbered node after node. `own` is how many each node
 * has at first; `groups` has the number of each node's group, and is nothing if all nodes are one.
 */
class Tokens {
  constructor({ own, groups }) {
    this.groups = groups;
    // the first of each node, and the end of them all
    this.first = [0];
    for (const many of own) this.first.push(this.first.at(-1) + many);
    this.all = this.first.at(-1);
    this.origin = new Int32Array(this.all);
    own.forEach((many, node) => this.origin.fill(node, this.first[node], this.first[node + 1]));
  }

  of(node) {
    return this.first[node + 1] - this.first[node];
  }

  /** Whether a token is of a node's group. */
  isNear(token, node) {
    return !this.groups || this.groups[this.origin[token]] === this.groups[node];
  }
}

/**
 * What registers hold and what nodes have, tick after tick, in a part of a program. In a scene, the registers of an output of a
 * class hold nothing, [ticks]; a token of their node, [ticks, number, 0], or each tick the next one, [ticks, number, -1]; or what
 * an input brought some ticks ago, [ticks, input, age]. Patches are of registers that hold something else. All that changes is
 * in `now`.
 */
class Part {
  constructor(program, { film, gains, everywhere, wanted, has, goals }, begins) {
    this.topology = new Topology(program);
    this.tokens = new Tokens(program);
    this.begins = begins;
    this.ticks = film.ticks;
    this.scenes = film.scenes;
    this.patches = new Map(film.patches.map(([tick, ...pairs]) => [tick, pairs]));
    // growth of values by tick, where they are combined; if everywhere, of all tokens at every node
    this.gains = gains;
    this.everywhere = everywhere;
    // the node that wants each token, EVERYBODY if all of the group do
    this.wanted = new Int32Array(this.tokens.all);
    let counted = 0;
    for (const [many, node] of wanted) this.wanted.fill(node, counted, (counted += many));
    this.goals = goals;
    this.goal = sum(goals);
    this.dead = program.dead;
    this.classOf = program.classOf;
    this.lanes = program.lanes;
    this.outputs = this.topology.ports * this.lanes;
    this.registers = this.topology.nodes * this.outputs;
    this.wires = this.wired();
    this.frames = this.scenes.flat().reduce((most, [, , age = 0]) => Math.max(most, age + 1), 1);
    this.words = Math.ceil(this.tokens.all / 32);
    this.now = this.before(has);
    this.keep();
  }

  /** The register at the other end of each input's link; where there is none, one more than there are, which holds nothing. */
  wired() {
    const { topology, lanes, outputs } = this;
    const wires = new Int32Array(this.registers).fill(this.registers);
    for (let node = 0, wire = 0; node < topology.nodes; node++) {
      for (let port = 0; port < topology.ports; port++) {
        const neighbour = topology.neighbour(node, port);
        for (let lane = 0; lane < lanes; lane++, wire++) {
          if (neighbour !== null) wires[wire] = neighbour * outputs + (port ^ 1) * lanes + lane;
        }
      }
    }
    return wires;
  }

  /** Before the first tick: registers hold nothing, and nodes have their own. */
  before(has) {
    const { tokens, words } = this;
    const { nodes } = this.topology;
    const now = {
      tick: 0,
      scene: new Int32Array(this.scenes.length),
      played: new Int32Array(this.scenes.length),
      frames: Array.from({ length: this.frames }, () => new Int32Array(this.registers + 1).fill(NOTHING)),
      // values of each token at each node, or one bit if it is known
      known: this.gains ? new Int32Array(nodes * tokens.all) : new Uint32Array(nodes * words),
      has: Int32Array.from(has),
      sum: sum(has),
      complete: has.filter((has, node) => has === this.goals[node]).length - this.dead.length,
    };
    if (this.gains) {
      now.known.fill(1);
      for (const node of this.dead) now.known.fill(0, node * tokens.all, (node + 1) * tokens.all);
    } else tokens.origin.forEach((node, token) => (now.known[node * words + (token >>> 5)] |= 1 << (token & 31)));
    return now;
  }

  step() {
    const { now } = this;
    now.tick++;
    const frame = this.frame(0);
    for (let register = 0, node = 0; node < this.topology.nodes; node++) {
      for (let output = 0; output < this.outputs; output++, register++) {
        frame[register] = this.shown(node, register, this.classOf[node] * this.outputs + output);
      }
    }
    const patches = this.patches.get(now.tick) ?? [];
    for (let index = 0; index < patches.length; index += 2) frame[patches[index]] = patches[index + 1];
    this.scenes.forEach((scenes, index) => {
      if (++now.played[index] < scenes[now.scene[index]][0]) return;
      now.played[index] = 0;
      now.scene[index]++;
    });
    if (this.gains) this.grow(this.gains[now.tick - 1]);
    else this.learn(frame);
  }

  /** What registers held so many ticks ago. */
  frame(age) {
    return this.now.frames[(this.now.tick + this.frames - age) % this.frames];
  }

  /** What the scene of an output of a class says of a node's register. */
  shown(node, register, index) {
    const { now } = this;
    const [, what, age] = this.scenes[index][now.scene[index]];
    if (age > 0) return this.frame(age)[this.wires[node * this.outputs + what]];
    return age === undefined ? NOTHING : this.tokens.first[node] + what - age * now.played[index];
  }

  /** What arrives is known from then on. */
  learn(frame) {
    const { now, wires, outputs } = this;
    for (let wire = 0; wire < wires.length; wire++) {
      const token = frame[wires[wire]];
      if (token === NOTHING) continue;
      const node = Math.floor(wire / outputs);
      const [word, bit] = [node * this.words + (token >>> 5), 1 << (token & 31)];
      if (now.known[word] & bit) continue;
      now.known[word] |= bit;
      this.count(node, token, 1);
    }
  }

  grow(gains) {
    const { now, tokens } = this;
    for (let index = 0, place = 0; index < gains.length; index += 2) {
      place += gains[index];
      now.known[place] += gains[index + 1];
      this.count(Math.floor(place / tokens.all), place % tokens.all, gains[index + 1]);
    }
  }

  /** Counts what is more of a token, if the node wants it. */
  count(node, token, more) {
    const { now, wanted, tokens } = this;
    if (wanted[token] === EVERYBODY ? !tokens.isNear(token, node) : wanted[token] !== node) return;
    now.has[node] += more;
    now.sum += more;
    if (now.has[node] === this.goals[node]) now.complete++;
  }

  /** Whether a node knows a token, or still has values for it; where every node combines all, none has for others. */
  knows(node, token) {
    const { known } = this.now;
    if (this.gains) return !this.everywhere && known[node * this.tokens.all + token] > 0 ? 1 : 0;
    return (known[node * this.words + (token >>> 5)] >>> (token & 31)) & 1;
  }

  /** What arrived at a node's input, a lane of a port, in the last tick. */
  arrived(node, input) {
    return this.frame(0)[this.wires[node * this.outputs + input]];
  }

  /** States to go back to, every so many ticks. */
  keep() {
    const BUDGET = 64e6; // bytes
    const { frames, known, has } = this.now;
    const bytes = frames.length * frames[0].byteLength + known.byteLength + has.byteLength;
    this.every = Math.ceil(this.ticks / Math.max(Math.floor(BUDGET / bytes), 1));
    this.kept = [structuredClone(this.now)];
  }

  /** Goes towards `tick` for at most `milliseconds`; whether it got there. */
  seek(tick, milliseconds) {
    const nearest = this.kept.findLast((state) => state.tick <= tick);
    if (tick < this.now.tick || nearest.tick > this.now.tick) this.now = structuredClone(nearest);
    const end = performance.now() + milliseconds;
    while (this.now.tick < tick) {
      this.step();
      if (this.now.tick === this.kept.at(-1).tick + this.every) this.kept.push(structuredClone(this.now));
      if (performance.now() > end) return this.now.tick === tick;
    }
    return true;
  }
}

/** Plays the parts of a program, one after the other; between two there is a tick in which nothing moves. */
class Player {
  constructor(program) {
    this.parts = [];
    let begins = 0;
    for (const part of program.parts) {
      this.parts.push(new Part(program, part, begins));
      begins += part.film.ticks + 1;
    }
    this.part = this.parts[0];
  }

  get tick() {
    return this.part.begins + this.part.now.tick;
  }

  /** Goes towards `tick` for at most `milliseconds`; whether it got there. */
  seek(tick, milliseconds) {
    this.part = this.parts.findLast((part) => part.begins <= tick);
    return this.part.seek(tick - this.part.begins, milliseconds);
  }
}
