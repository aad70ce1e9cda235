// Places of nodes and packets on the page.
"use strict";

/** Places of nodes: on a ring if they are a cycle, else on planes of rows and columns, side by side if there are more than two axes. */
class Sheet {
  constructor(topology, width, height) {
    const { axes, sides } = topology;
    this.topology = topology;
    this.columns = sides[axes - 1];
    this.rows = axes > 1 ? sides[axes - 2] : 1;
    this.planes = topology.nodes / (this.rows * this.columns);
    // the radius in units of the pitch; between two nodes two links would lie upon each other
    const isRing = axes === 1 && topology.wraps[0] && topology.nodes > 2;
    this.radius = isRing ? 0.5 / Math.sin(Math.PI / topology.nodes) : null;
    // between planes there is room for their names
    this.gap = this.planes > 1 ? 1.5 : 1.1;
    // left of each plane, pixels for a name: "x1 = 0" is wider than what the pitch leaves
    this.beside = this.radius === null && this.rows > 1 ? 24 : 0;
    this.pitch = 0;
    for (let across = 1; across <= this.planes; across++) {
      const [wide, high] = this.extent(across);
      const pitch = Math.min((width - across * this.beside) / wide, height / high);
      if (pitch <= this.pitch) continue;
      this.pitch = pitch;
      this.across = across;
    }
    // a tall sheet may scroll rather than be tiny
    const [wide, high] = this.extent(this.across);
    const fits = (width - this.across * this.beside) / wide;
    this.pitch = Math.min(Math.max(this.pitch, Math.min(fits, 15)), 84);
    this.width = wide * this.pitch + this.across * this.beside;
    this.height = high * this.pitch;
    this.links = this.pitch >= 9;
    this.size = this.links ? this.pitch * 0.46 : this.pitch;
  }

  /** Width and height in units of the pitch. */
  extent(across) {
    if (this.radius !== null) return Array(2).fill(2 * (this.radius + 1.1));
    return [across * (this.columns + 1.1), Math.ceil(this.planes / across) * (this.rows + this.gap)];
  }

  /** The middle of a plane's first node. */
  corner(plane) {
    const [right, down] = [plane % this.across, Math.floor(plane / this.across)];
    return [
      (right * (this.columns + 1.1) + 1.05) * this.pitch + (right + 1) * this.beside,
      (down * (this.rows + this.gap) + this.gap - 0.05) * this.pitch,
    ];
  }

  /** The way outwards, on a ring; its first node is on top. */
  outwards(node) {
    const { aslant } = this.topology;
    if (aslant) return aslant.map((along) => sign * along);
    const angle = (2 * Math.PI * node) / this.topology.nodes;
    return [Math.sin(angle), -Math.cos(angle)];
  }

  /** A point on the ring, or so many pitches outside of it. */
  round(node, outside = 0) {
    const [x, y] = this.outwards(node);
    const far = (this.radius + outside) * this.pitch;
    return [this.width / 2 + x * far, this.height / 2 + y * far];
  }

  at(node) {
    if (this.radius !== null) return this.round(node);
    const inPlane = this.rows * this.columns;
    const [x, y] = this.corner(Math.floor(node / inPlane));
    const within = node % inPlane;
    return [x + (within % this.columns) * this.pitch, y + Math.floor(within / this.columns) * this.pitch];
  }

  /** The way out of a port, in units of the pitch; axes that lead out of the plane are oblique. */
  way(node, port) {
    if (this.radius !== null) {
      const [[x, y], [nx, ny]] = [this.at(node), this.at(this.topology.neighbour(node, port))];
      return [(nx - x) / this.pitch, (ny - y) / this.pitch];
    }
    const sign = port & 1 ? 1 : -1;
    const fromLast = this.topology.axes - 1 - (port >> 1);
    if (fromLast === 0) return [sign, 0];
    if (fromLast === 1) return [0, sign];
    const { aslant } = this.topology;
    if (aslant) return aslant.map((along) => sign * along);
    const angle = (-Math.PI / 2) * ((fromLast - 1) / (this.topology.axes - 1));
    return [sign * 1.1 * Math.cos(angle), sign * 1.1 * Math.sin(angle)];
  }

  /** Whether the link at a port leaves the plane here and comes back elsewhere. */
  wraps(node, port) {
    if (this.radius !== null) return false;
    if (this.topology.aslant && port < 2) {
      const [[x, y], [nx, ny], [dx, dy]] = [this.at(node), this.at(this.topology.neighbour(node, port)), this.way(node, port)];
      return Math.hypot(nx - x - dx * this.pitch, ny - y - dy * this.pitch) > 1;
    }
    return this.topology.axes - 1 - (port >> 1) > 1 || this.topology.isBorder(node, port);
  }

  /** A point of a lane of the link out of `port`, `along` of the way from the node to its neighbour. */
  on(node, port, lane, along) {
    const [x, y] = this.way(node, port);
    // the border of the squares is where the link begins and ends
    const path = 0.26 + 0.48 * along;
    const returns = path > 0.5 && this.wraps(node, port);
    const [x0, y0] = this.at(returns ? this.topology.neighbour(node, port) : node);
    const far = (returns ? path - 1 : path) * this.pitch;
    const aside = (0.085 + 0.17 * lane) * this.pitch; // traffic keeps to the right
    return [x0 + x * far - y * aside, y0 + y * far + x * aside];
  }

  nodeAt(x, y) {
    for (let node = 0; node < this.topology.nodes; node++) {
      const [nx, ny] = this.at(node);
      if (Math.max(Math.abs(nx - x), Math.abs(ny - y)) <= this.pitch / 2) return node;
    }
    return null;
  }
}
