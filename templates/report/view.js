// The picture of the moving packets and its controls.
"use strict";

class View {
  constructor(program) {
    this.program = program;
    this.player = new Player(program);
    this.topology = this.player.part.topology;
    this.unit = program.unit;
    this.token = program.token ?? "packet";
    this.chosen = null;
    this.playing = false;
    this.wanted = 0;
    this.opening = true;
    this.along = REST;
    this.parts = Object.fromEntries([...document.querySelectorAll("#play [id]")].map((part) => [part.id, part]));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.listen();
    this.lay();
    this.fromHash();
  }

  listen() {
    const { first, back, toggle, step, last, tick, colour, canvas, table } = this.parts;
    const go = (to) => () => this.pauseAt(to());
    first.onclick = go(() => 0);
    back.onclick = go(() => this.wanted - 1);
    step.onclick = go(() => this.wanted + 1);
    last.onclick = go(() => this.program.ticks);
    toggle.onclick = () => this.toggle();
    tick.oninput = go(() => Number(tick.value));
    colour.onchange = () => {
      this.draw();
      this.tell();
    };
    table.ontoggle = () => this.tell();
    canvas.onclick = (event) => {
      const box = canvas.getBoundingClientRect();
      this.choose(this.sheet.nodeAt(event.clientX - box.left, event.clientY - box.top));
    };
    canvas.onkeydown = (event) => this.walk(event);
    document.getElementById("play").onkeydown = (event) => {
      const idle = !["BUTTON", "SELECT", "SUMMARY", "INPUT"].includes(event.target.tagName);
      if (event.key === " " && (idle || event.target === tick)) {
        event.preventDefault();
        this.toggle();
      }
    };
    addEventListener("resize", () => this.lay());
    addEventListener("hashchange", () => this.fromHash());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** `#tick=12`, `#tick=12&node=3,4&table` */
  fromHash() {
    const hash = new URLSearchParams(location.hash.slice(1));
    if (hash.has("table")) this.parts.table.open = true;
    if (hash.has("node")) {
      const all = [...Array(this.topology.nodes).keys()];
      this.chosen = all.find((node) => this.topology.show(node) === hash.get("node")) ?? null;
    }
    if (hash.has("tick")) this.pauseAt(Number(hash.get("tick")) || 0);
    else if (this.opening) this.pauseAt(1);
    else this.tell();
    this.opening = false;
  }

  /** Fits the picture to the page. */
  lay() {
    const { canvas, stage } = this.parts;
    this.sheet = new Sheet(this.topology, stage.clientWidth, Math.max(360, innerHeight * 0.72));
    const dense = devicePixelRatio || 1;
    canvas.width = Math.round(this.sheet.width * dense);
    canvas.height = Math.round(this.sheet.height * dense);
    canvas.style.width = `${this.sheet.width}px`;
    canvas.style.height = `${this.sheet.height}px`;
    this.parts.hidden.hidden = this.sheet.links;
    this.draw();
  }

  pauseAt(tick) {
    this.playing = false;
    this.along = REST;
    cancelAnimationFrame(this.frame);
    this.want(tick);
  }

  want(tick) {
    const waiting = this.wanted !== this.player.tick;
    this.wanted = Math.min(Math.max(tick, 0), this.program.ticks);
    if (waiting) this.tell();
    else this.arrive();
  }

  /** Computes in slices, so that the page stays alive, until the wanted tick is reached. */
  arrive() {
    if (!this.player.seek(this.wanted, 40)) setTimeout(() => this.arrive());
    this.draw();
    this.tell();
  }

  toggle() {
    if (this.playing) {
      this.pauseAt(this.wanted);
      return;
    }
    this.playing = true;
    this.tell();
    if (this.wanted === this.program.ticks) this.want(0);
    this.along = 1;
    let before = performance.now();
    const frame = (now) => {
      // a program lasts half a minute, or a tick half a second
      const pace = Math.max(2, this.program.ticks / 30) * Number(this.parts.speed.value);
      this.along += (Math.min(now - before, 250) / 1000) * pace;
      before = now;
      if (this.along >= 1 && this.wanted === this.player.tick) {
        if (this.wanted === this.program.ticks) {
          this.pauseAt(this.wanted);
          return;
        }
        const ticks = Math.floor(this.along);
        this.along -= ticks;
        this.want(this.wanted + ticks);
      } else this.draw();
      if (this.playing) this.frame = requestAnimationFrame(frame);
    };
    this.frame = requestAnimationFrame(frame);
  }

  choose(node) {
    this.chosen = node === this.chosen ? null : node;
    this.draw();
    this.tell();
  }

  /** Arrow keys choose a neighbour along the last two axes, Page Up and Down along the one before. */
  walk(event) {
    const last = this.topology.ports - 1;
    const keys = { ArrowRight: last, ArrowLeft: last - 1, ArrowDown: last - 2, ArrowUp: last - 3 };
    const port = { ...keys, PageDown: last - 4, PageUp: last - 5 }[event.key];
    if (event.key === "Escape") this.choose(this.chosen);
    else if (port >= 0) {
      const next = this.chosen === null ? 0 : this.topology.neighbour(this.chosen, port);
      if (next !== null) this.choose(next);
    } else return;
    event.preventDefault();
  }

  draw() {
    const { canvas, colour } = this.parts;
    const context = canvas.getContext("2d");
    const dense = devicePixelRatio || 1;
    const style = getComputedStyle(document.body);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, this.sheet.width, this.sheet.height);
    const cycles = colour.value === "cycle" ? this.program.cycles.map((pair) => pair[dark ? 1 : 0]) : null;
    const colourOf = (name) => style.getPropertyValue(name);
    if (this.sheet.links) {
      this.drawNames(context, colourOf("--soft"));
      this.drawLinks(context, cycles, colourOf("--line"));
    }
    this.drawNodes(context, colourOf("--text"));
    if (this.sheet.links) this.drawPackets(context, dark, cycles, colourOf("--soft"));
  }

  /** Coordinates along the borders, as many as there is room for. */
  drawNames(context, colour) {
    const { pitch, rows, columns, planes } = this.sheet;
    const every = [1, 2, 4, 8, 16, 32].find((every) => every * pitch >= 22) ?? 64;
    const size = Math.min(12, Math.max(8, pitch * 0.3));
    context.font = `${size}px system-ui, sans-serif`;
    context.fillStyle = colour;
    context.textBaseline = "middle";
    if (this.sheet.radius !== null) {
      context.textAlign = "center";
      for (let node = 0; node < columns; node += every) context.fillText(node, ...this.sheet.round(node, 0.66));
      return;
    }
    const beside = 0.76 * pitch;
    const axes = this.program.sides.length;
    const named = (axis, at) => (at === 0 ? `x${axis} = 0` : at);
    for (let plane = 0; plane < planes; plane++) {
      const [x, y] = this.sheet.corner(plane);
      context.textAlign = "center";
      for (let column = 0; column < columns; column += every) context.fillText(named(axes, column), x + column * pitch, y - beside);
      context.textAlign = "right";
      for (let row = 0; row < rows && rows > 1; row += every) context.fillText(named(axes - 1, row), x - 0.6 * pitch, y + row * pitch);
      if (planes === 1) continue;
      const place = this.topology.show(plane * rows * columns).split(",").slice(0, -2);
      context.textAlign = "left";
      const above = beside + Math.max(0.32 * pitch, 1.4 * size);
      context.fillText(place.map((at, axis) => `x${axis + 1} = ${at}`).join(", "), x - pitch / 2, y - above);
    }
  }

  drawLinks(context, cycles, plain) {
    const { nodes, ports } = this.topology;
    const { pitch } = this.sheet;
    const lines = new Map();
    for (let node = 0; node < nodes; node++) {
      const [x, y] = this.sheet.at(node);
      for (let port = 0; port < ports; port++) {
        if (this.topology.neighbour(node, port) === null) continue;
        const [dx, dy] = this.sheet.way(node, port);
        const colour = (cycles && this.cycleColour(cycles, node, port)) ?? plain;
        if (!lines.has(colour)) lines.set(colour, new Path2D());
        lines.get(colour).moveTo(x, y);
        lines.get(colour).lineTo(x + dx * pitch * 0.5, y + dy * pitch * 0.5);
      }
    }
    context.lineWidth = Math.max(0.5, pitch / 50);
    for (const [colour, path] of lines) {
      context.strokeStyle = colour;
      context.stroke(path);
    }
  }

  drawNodes(context, ink) {
    const { part } = this.player;
    const { now, tokens } = part;
    const { sheet } = this;
    const size = sheet.size;
    const shades = this.program.scale.map(() => []);
    for (let node = 0; node < this.topology.nodes; node++) shades[this.shade(node)].push(node);
    shades.forEach((nodes, shade) => {
      context.fillStyle = this.program.scale[shade];
      context.beginPath();
      for (const node of nodes) {
        const [x, y] = sheet.at(node);
        if (size > 6 && sheet.links) context.roundRect(x - size / 2, y - size / 2, size, size, size / 6);
        else context.rect(x - size / 2, y - size / 2, size, size);
      }
      context.fill();
      if (size < 22) return;
      context.fillStyle = this.inkOn(shade);
      context.font = `${Math.min(12, size * 0.42)}px system-ui, sans-serif`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      for (const node of nodes) context.fillText(now.has[node], ...sheet.at(node));
    });
    if (this.chosen === null) return;
    // nodes that know the chosen node's packets
    const many = tokens.of(this.chosen);
    const first = tokens.first[this.chosen];
    for (let node = 0; node < this.topology.nodes; node++) {
      let knows = 0;
      for (let token = 0; token < many; token++) knows += part.knows(node, first + token);
      if (knows === 0 && node !== this.chosen) continue;
      const [x, y] = sheet.at(node);
      context.strokeStyle = sheet.links ? ink : this.inkOn(this.shade(node));
      const half = size / 2 + (sheet.links ? 1.5 : -0.5);
      context.lineWidth = node === this.chosen ? 3.5 : 1.5;
      context.setLineDash(knows < many ? [3, 3] : []);
      context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    }
    context.setLineDash([]);
  }

  /** Nothing has the first shade and everything the last, and only they: as in the pictures. */
  shade(node) {
    const { now, goals } = this.player.part;
    const [count, all] = [now.has[node], goals[node]];
    const shades = this.program.scale.length;
    if (count === 0 && all > 0) return 0;
    return count >= all ? shades - 1 : Math.min(1 + Math.floor((count * (shades - 2)) / all), shades - 2);
  }

  /** What can be read on a shade. */
  inkOn(shade) {
    return 2 * shade < this.program.scale.length ? "#ffffff" : "#1f2328";
  }

  drawPackets(context, dark, cycles, other) {
    const WHEEL = 48;
    const { part } = this.player;
    const { nodes } = this.topology;
    const along = this.calm.matches ? REST : Math.min(this.along, 1);
    const length = Math.max(2.4, Math.min(this.sheet.pitch * 0.13, 8.5));
    const colours = new Map();
    for (let node = 0; node < nodes; node++) {
      for (let input = 0; input < part.outputs; input++) {
        const token = part.arrived(node, input);
        if (token === NOTHING) continue;
        const [port, lane] = [Math.floor(input / part.lanes), input % part.lanes];
        const origin = part.tokens.origin[token];
        let colour = `hsl(${(Math.floor((origin * WHEEL) / nodes) * 360) / WHEEL + 205} 75% ${dark ? 66 : 44}%)`;
        if (cycles) colour = this.cycleColour(cycles, node, port) ?? other;
        if (this.chosen !== null && origin !== this.chosen) colour += "|faint";
        const sender = this.topology.neighbour(node, port);
        if (!colours.has(colour)) colours.set(colour, new Path2D());
        const [at, way] = [this.sheet.on(sender, port ^ 1, lane, along), this.sheet.way(sender, port ^ 1)];
        this.arrow(colours.get(colour), at, way, length);
      }
    }
    for (const [colour, arrows] of colours) {
      const [fill, faint] = colour.split("|");
      context.globalAlpha = faint ? 0.18 : 1;
      context.fillStyle = fill;
      context.fill(arrows);
    }
    context.globalAlpha = 1;
  }

  /** The colour of the cycle that owns the link at a port, undefined if none does. */
  cycleColour(cycles, node, port) {
    return cycles[parseInt(this.program.owners[node * this.topology.ports + port], 10)];
  }

  arrow(path, [x, y], [dx, dy], length) {
    const wide = length * 0.72;
    path.moveTo(x + dx * length, y + dy * length);
    path.lineTo(x - dx * length * 0.6 - dy * wide, y - dy * length * 0.6 + dx * wide);
    path.lineTo(x - dx * length * 0.6 + dy * wide, y - dy * length * 0.6 - dx * wide);
    path.closePath();
  }

  /** Says in words what the picture shows, and sets the controls to it. */
  tell() {
    const { now, goal, gains, everywhere } = this.player.part;
    const live = this.topology.nodes - this.program.dead.length;
    const played = this.player.tick;
    const { tick, toggle, state, node, colours, table, first, back, step, last } = this.parts;
    const percent = goal === 0 ? 100 : Math.floor((100 * now.sum) / goal);
    const combined = `${percent} % of all values are combined, ${now.complete} of ${live} nodes have their results.`;
    const learnt = this.program.isForAll
      ? `${percent} % of all ${this.token}s are known, ${now.complete} of ${live} nodes know everything.`
      : `${percent} % of what nodes want has arrived, ${now.complete} of ${live} nodes have all that they want.`;
    const known = gains ? combined : learnt;
    const waits = played < this.wanted ? ` (computing ${this.unit} ${this.wanted})` : "";
    tick.value = this.wanted;
    tick.setAttribute("aria-valuetext", `${this.unit} ${this.wanted} of ${this.program.ticks}`);
    toggle.textContent = this.playing ? "Pause" : "Play";
    first.disabled = back.disabled = this.wanted === 0;
    step.disabled = last.disabled = this.wanted === this.program.ticks;
    state.setAttribute("aria-live", this.playing ? "off" : "polite");
    const supply = this.program.supplies ? ", grey where it supplies a node beside a cycle" : "";
    colours.textContent =
      this.parts.colour.value === "cycle"
        ? `An arrow has the colour of the cycle whose link it takes${supply}.`
        : everywhere
          ? "Every arrow is a sum on its way."
          : `An arrow has the colour of the node its ${gains ? "partial is for" : `${this.token} comes from`}, once round the wheel from the first node to the last.`;
    state.textContent = `After ${this.unit} ${played} of ${this.program.ticks}${waits}: ${known}`;
    state.dataset.tick = played;
    state.dataset.complete = now.complete;
    state.dataset.sum = now.sum;
    node.textContent = this.chosen === null ? `Choose a node to follow its ${this.token}s.` : this.about(this.chosen);
    if (table.open && !this.playing && played === this.wanted) this.tabulate();
  }

  about(node) {
    const { part } = this.player;
    const { tokens } = part;
    const arrivals = [];
    for (let input = 0; input < part.outputs; input++) {
      const arrived = part.arrived(node, input);
      if (arrived === NOTHING) continue;
      const [port, lane] = [Math.floor(input / part.lanes), input % part.lanes];
      const origin = tokens.origin[arrived];
      const number = arrived - tokens.first[origin];
      const token = part.gains ? "partial" : this.token;
      const which = tokens.of(origin) > 1 ? `${token} ${number}` : `the ${token}`;
      const where = this.program.portNames[port] + (lane > 0 ? ` lane ${lane}` : "");
      arrivals.push(`${which} of ${this.topology.show(origin)} at ${where}`);
    }
    const [has, goal] = [part.now.has[node], part.goals[node]];
    const name = `Node ${this.topology.show(node)} (class ${this.program.classNames[part.classOf[node]]})`;
    const came = arrivals.length ? `; just arrived: ${arrivals.join("; ")}` : "";
    if (part.gains) {
      const framed = part.everywhere ? "" : " Framed nodes still have values for this node.";
      return `${name} has combined ${has} of ${goal} values${came}.${framed}`;
    }
    const told = this.program.isForAll ? `knows ${has} of ${goal} ${this.token}s` : `has ${has} of ${goal} ${this.token}s that it wants`;
    return `${name} ${told}${came}. Framed nodes know ${this.token}s of this node, dashed ones not all of them yet.`;
  }

  /** The picture as a table. */
  tabulate() {
    const columns = this.sheet.columns;
    const row = (cells, head) => {
      const line = document.createElement("tr");
      cells.forEach((text, index) => {
        const cell = line.appendChild(document.createElement(head || index === 0 ? "th" : "td"));
        if (cell.tagName === "TH") cell.scope = head ? "col" : "row";
        cell.textContent = text;
      });
      return line;
    };
    const rows = [row([this.program.corner, ...Array(columns).keys()], true)];
    for (let node = 0; node < this.topology.nodes; node += columns) {
      const place = this.topology.show(node).split(",").slice(0, -1).join(",");
      rows.push(row([place, ...Array.from({ length: columns }, (_, column) => this.player.part.now.has[node + column])], false));
    }
    this.parts.known.replaceChildren(...rows);
  }
}

/** Where packets rest on their links while nothing moves: nearly there. */
const REST = 0.7;

addEventListener("error", (event) => {
  const place = document.getElementById("error");
  place.hidden = false;
  place.textContent = `The animation failed: ${event.message} (line ${event.lineno})`;
});

addEventListener("DOMContentLoaded", () => {
  const data = document.getElementById("program");
  if (data) new View(JSON.parse(data.textContent));
});
