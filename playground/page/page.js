// The playground: controls and a text of YAML in step, a map to click, the report of the design, and its files.
"use strict";

const part = (id) => document.getElementById(id);
const START = "topology: { torus: [6, 8] }\n";

/** A worker that holds the engine; requests are answered in their order. */
class Engine {
  constructor() {
    const text = part("engine").textContent.trim();
    this.packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    this.code = URL.createObjectURL(new Blob([part("worker").textContent], { type: "text/javascript" }));
    this.waiting = new Map();
    this.count = 0;
    this.begin();
  }

  begin() {
    this.worker = new Worker(this.code);
    this.worker.onmessage = ({ data }) => {
      const { come, fail } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.failed) {
        // an engine that failed in the middle is not used again
        console.error(data.failed);
        fail(new Error(data.failed));
        this.stop();
      } else come(data.bytes);
    };
    this.send({ engine: this.packed });
  }

  /** Ends what is under way; who waits for it is told. */
  stop() {
    this.worker.terminate();
    for (const { fail } of this.waiting.values()) fail(new Error("stopped"));
    this.waiting.clear();
    this.begin();
  }

  send(message) {
    const id = ++this.count;
    const answer = new Promise((come, fail) => this.waiting.set(id, { come, fail }));
    this.worker.postMessage({ id, ...message });
    answer.catch(() => {});
    return answer;
  }

  async text(request) {
    return new TextDecoder().decode(await this.send({ request }));
  }

  async json(request) {
    return JSON.parse(await this.text(request));
  }

  bytes(request) {
    return this.send({ request });
  }
}

/** A value as YAML writes it on one line. */
function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (value && typeof value === "object") return `{ ${Object.entries(value).map(([key, one]) => `${flow(key)}: ${flow(one)}`).join(", ")} }`;
  const isPlain = typeof value === "string" && /^[A-Za-z_][\w./-]*$/.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** What of a config is not its default, or nothing. */
function changed(value, defaults) {
  if (JSON.stringify(value) === JSON.stringify(defaults ?? null)) return undefined;
  if (!value || typeof value !== "object" || Array.isArray(value)) return value;
  const kept = Object.entries(value).map(([key, one]) => [key, changed(one, defaults?.[key])]);
  const left = kept.filter(([, one]) => one !== undefined);
  return left.length ? Object.fromEntries(left) : undefined;
}

/** Kinds of networks. */
const SHAPES = {
  torus: [2, 1, 3, 6], mesh: [2, 1, 3, 5], cycle: [1, 1, 1, 8], path: [1, 1, 1, 6], hexagonal: [2, 2, 2, 6], lattice: [2, 2, 3, 4],
}; // axes at first, at least, at most; first side

class Playground {
  constructor() {
    this.engine = new Engine();
    this.config = null; // that of the text, if it is right
    this.design = null; // the last one that could be built
    this.program = 0;
    this.cursor = 0;
    this.round = 0;
    this.file = null;
    this.listen();
    this.start();
  }

  async start() {
    const fields = await this.engine.json({ ask: "fields" });
    this.fields = Object.fromEntries(fields.map((field) => [field.path, field]));
    this.defaults = {};
    for (const { path, default: value } of fields) this.put(this.defaults, path, value);
    this.fromHash();
  }

  put(object, path, value) {
    const keys = path.split(".");
    const last = keys.pop();
    const inner = keys.reduce((object, key) => (object[key] ??= {}), object);
    if (value === undefined || value === null) delete inner[last];
    else inner[last] = value;
  }

  listen() {
    part("yaml").oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.build(), 350);
    };
    part("form").onsubmit = (event) => event.preventDefault();
    part("kind").onchange = () => this.choose((config) => {
      const kind = part("kind").value;
      const [axes, , , side] = SHAPES[kind];
      if (kind === "lattice") config.topology = { lattice: [[side, side / 2], [0, side]] };
      else config.topology = { [kind]: axes === 1 && kind !== "torus" && kind !== "mesh" ? side : Array(axes).fill(side) };
    });
    for (const [id, path] of [["flits", "link.flits"], ["latency", "link.latency"], ["lanes", "link.lanes"], ["width", "link.width"]]) {
      part(id).onchange = () => this.choose((config) => this.put(config, path, Number(part(id).value) || undefined));
    }
    part("nodes").onchange = () => this.choose((config) => {
      const kind = part("nodes").value;
      if (kind === "fabric") {
        if (config.programs) this.unlist(config);
        delete config.host;
      } else {
        config.host = { bus: kind };
      }
      delete config.local;
    });
    part("add").onclick = () => this.choose((config) => {
      if (!config.programs) this.list(config);
      config.programs.push({ collective: "gossip" });
      if (!config.host?.bus) config.host = { bus: "streams" };
      this.program = config.programs.length - 1;
    });
    part("remove").onclick = () => this.choose((config) => {
      config.programs.splice(this.program, 1);
      this.program = 0;
      if (config.programs.length === 1) this.unlist(config);
    });
    part("anew").onclick = () => this.type(START);
    part("stop").onclick = () => this.engine.stop();
    part("zip").onclick = () => this.download();
    part("link").onclick = () => this.copy();
    part("files").onchange = () => this.show(part("files").value);
    part("schemes-box").ontoggle = () => this.tellSchemes();
    part("map").onkeydown = (event) => this.walk(event);
    addEventListener("hashchange", () => this.fromHash());
  }

  fromHash() {
    const yaml = new URLSearchParams(location.hash.slice(1)).get("yaml");
    this.type(yaml ?? START);
  }

  /** Replaces the text. */
  type(yaml) {
    part("yaml").value = yaml;
    this.build();
  }

  /** Changes the config of the text by a control. */
  choose(change) {
    if (!this.config) return;
    const config = structuredClone(this.config);
    change(config);
    this.type(this.written(this.short(config)));
  }

  /** A config without what is said by default. */
  short(config) {
    return { topology: config.topology, ...changed(config, this.defaults) };
  }

  written(config) {
    return Object.entries(config)
      .map(([key, value]) => {
        if (key !== "programs") return `${key}: ${flow(value)}\n`;
        return `programs:\n${value.map((program) => `  - ${flow(program)}\n`).join("")}`;
      })
      .join("");
  }

  /** One collective becomes the first of a list, and the other way round. */
  list(config) {
    const first = { collective: config.collective ?? "gossip" };
    for (const key of ["operation", "root", "count", "scheme", "lengths"]) {
      if (config[key] !== undefined) first[key] = config[key];
      delete config[key];
    }
    delete config.collective;
    config.programs = [first];
  }

  unlist(config) {
    Object.assign(config, config.programs[0]);
    if (config.root === "any") delete config.root;
    delete config.programs;
  }

  /** Builds the design of the text and shows it. */
  async build() {
    const round = ++this.round;
    const begun = performance.now();
    if (this.engine.waiting.size > 1) this.engine.stop();
    const clock = setInterval(() => this.tellBusy(performance.now() - begun), 200);
    try {
      const answer = await this.engine.json({ ask: "design", yaml: part("yaml").value });
      if (round !== this.round) return;
      if (answer.error) {
        this.refuse(answer.error);
        return;
      }
      this.design = answer;
      this.config = this.short(answer.config);
      if (this.program >= answer.programs.length) this.program = 0;
      part("refusal").replaceChildren();
      document.body.classList.remove("stale");
      history.replaceState(null, "", this.address());
      this.tellControls();
      this.tellMap();
      this.tellPrograms();
      this.tellFiles();
      await this.tellReport();
      this.tellSchemes();
    } catch (error) {
      if (round === this.round) this.refuse({ problem: error.message === "stopped" ? "stopped" : `the engine failed: ${error.message}`, help: "" });
    } finally {
      clearInterval(clock);
      if (round === this.round) {
        this.tellBusy(0);
        document.body.dataset.built = round;
      }
    }
  }

  tellBusy(milliseconds) {
    const isLong = milliseconds > 400;
    part("busy").textContent = isLong ? `Working for ${(milliseconds / 1000).toFixed(1)} s.` : "";
    part("stop").hidden = !isLong;
  }

  address() {
    return `#${new URLSearchParams({ yaml: part("yaml").value })}`;
  }

  /** Shows a refusal as the terminal does; each cure that is a field and a value is a button. */
  refuse({ problem, help }) {
    document.body.classList.add("stale");
    const box = part("refusal");
    const line = (label, text) => {
      const line = document.createElement("p");
      const strong = line.appendChild(document.createElement("strong"));
      strong.textContent = label;
      line.append(` ${text}`);
      return line;
    };
    box.replaceChildren(line("error:", problem));
    if (help) box.append(line("help:", help));
    for (const [, path, value] of help.matchAll(/`([a-z_.]+): ([^`]+)`/g)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${path}: ${value}`;
      button.onclick = () => this.cure(path, value);
      box.append(button, " ");
    }
  }

  /** Adds a line to the text, in place of the one that has the field. */
  cure(path, value) {
    const [key, inner] = path.split(".");
    const text = inner ? `${key}: { ${inner}: ${value} }` : `${key}: ${value}`;
    const lines = part("yaml").value.trimEnd().split("\n").filter((line) => !line.startsWith(`${key}:`));
    this.type(`${[...lines, text].join("\n")}\n`);
  }

  /** Sets the controls to the config. */
  tellControls() {
    const { topology, link, host } = this.config;
    const kind = Object.keys(SHAPES).find((kind) => kind in topology);
    part("by-hand").hidden = Boolean(kind);
    if (kind) part("kind").value = kind;
    this.tellSides(kind, topology[kind]);
    part("flits").value = link?.flits ?? 1;
    part("latency").value = link?.latency ?? 1;
    part("lanes").value = link?.lanes ?? 1;
    part("width").value = this.design.config.link.width ?? 32;
    part("nodes").value = host?.bus && [...part("nodes").options].some(({ value }) => value === host.bus) ? host.bus : "fabric";
    part("remove").hidden = !(this.config.programs?.length > 1);
    this.tellProgramFields();
  }

  tellSides(kind, sides) {
    const box = part("sides");
    box.replaceChildren();
    if (!kind) return;
    const isLattice = kind === "lattice";
    const rows = isLattice ? sides : [sides].flat().map((side) => [side]);
    const store = () => this.choose((config) => {
      const values = rows.map((row) => row.slice());
      config.topology[kind] = isLattice ? values : typeof sides === "number" ? values[0][0] : values.flat();
    });
    const focus = document.activeElement?.dataset?.side;
    rows.forEach((row, axis) => row.forEach((value, column) => {
      if (isLattice && column < axis) return;
      const label = document.createElement("label");
      const name = isLattice ? `row ${axis + 1}, x${column + 1}` : `x${axis + 1}`;
      const shown = document.createElement("output");
      shown.textContent = value;
      const heading = document.createElement("span");
      heading.append(`${name}: `, shown);
      label.append(heading);
      const slider = document.createElement("input");
      Object.assign(slider, { type: "range", min: isLattice ? 0 : 2, max: 32, value });
      slider.dataset.side = `${axis},${column}`;
      slider.setAttribute("aria-label", `side along ${name}`);
      slider.oninput = () => {
        row[column] = Number(slider.value);
        shown.textContent = slider.value;
      };
      slider.onchange = store;
      label.append(slider);
      box.append(label);
      if (slider.dataset.side === focus) slider.focus();
    }));
    const [, least, most] = SHAPES[kind];
    const axes = document.createElement("span");
    const change = (name, by) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.disabled = rows.length + by < least || rows.length + by > most;
      button.onclick = () => this.choose((config) => {
        if (isLattice) {
          const n = rows.length + by;
          config.topology.lattice = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => rows[i]?.[j] ?? (i === j ? 4 : 0)));
        } else {
          const flat = rows.flat();
          config.topology[kind] = by > 0 ? [...flat, 3] : flat.slice(0, -1);
        }
        delete config.topology.dead;
      });
      axes.append(button);
    };
    if (least < most) {
      change("more axes", 1);
      change("fewer", -1);
      box.append(axes);
    }
  }

  /** What the library says of a collective. */
  about(collective = "gossip") {
    return this.fields.collective.values.find(({ name }) => name === collective) ?? {};
  }

  /** The program whose fields are shown: one of a list, or the config itself. */
  chosen(config) {
    return config.programs ? config.programs[this.program] : config;
  }

  tellProgramFields() {
    const box = part("program-fields");
    const own = this.chosen(this.config);
    const collective = own.collective ?? "gossip";
    const focus = document.activeElement?.id;
    box.replaceChildren();
    const field = (id, name, control) => {
      const label = document.createElement("label");
      label.textContent = name;
      label.title = this.fields[id]?.about ?? "";
      control.id = id;
      label.append(control);
      box.append(label);
      if (id === focus) control.focus();
    };
    const select = (id, name, values, value, store) => {
      const control = document.createElement("select");
      for (const { name, about } of values) {
        const option = control.appendChild(document.createElement("option"));
        [option.value, option.textContent, option.title] = [name, name, about];
      }
      control.value = value;
      control.onchange = () => this.choose((config) => store(this.chosen(config), control.value));
      field(id, name, control);
    };
    const number = (id, name, value, least, store) => {
      const control = document.createElement("input");
      Object.assign(control, { type: "number", min: least, value });
      control.onchange = () => this.choose((config) => store(this.chosen(config), control.value === "" ? undefined : Number(control.value)));
      field(id, name, control);
    };
    const { values } = this.fields.collective;
    select("collective", "Collective", values, collective, (own, value) => {
      for (const key of ["operation", "root", "count", "scheme", "lengths"]) delete own[key];
      own.collective = value;
      if (this.about(value).combines) own.operation = "sum";
    });
    if (this.about(collective).combines) {
      select("operation", "Operation", this.fields.operation.values, own.operation, (own, value) => (own.operation = value));
    }
    if (["all-reduce", "halo"].includes(collective)) {
      number("count", "Words", own.count ?? "", 1, (own, value) => this.put(own, "count", value));
    }
    const scheme = typeof own.scheme === "string" ? own.scheme : "auto";
    select("scheme", "Scheme", this.fields.scheme.values, scheme, (own, value) => this.put(own, "scheme", value === "auto" ? undefined : value));
  }

  /** Where a node is drawn: planes of rows and columns, side by side. */
  place(node) {
    const { sides } = this.design.network;
    const columns = sides.at(-1);
    const rows = sides.at(-2) ?? 1;
    const across = Math.ceil(Math.sqrt(this.design.network.nodes.length / (rows * columns)));
    const plane = Math.floor(node / (rows * columns));
    const within = node % (rows * columns);
    return [(plane % across) * (columns + 1.2) + (within % columns), Math.floor(plane / across) * (rows + 1.2) + Math.floor(within / columns)];
  }

  tellMap() {
    const map = part("map");
    const { network } = this.design;
    map.replaceChildren();
    if (!network) return;
    const make = (name, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const places = network.nodes.map((_, node) => this.place(node).map((x) => 48 * x));
    const [width, height] = [0, 1].map((axis) => Math.max(...places.map((place) => place[axis])));
    map.setAttribute("viewBox", `-40 -40 ${width + 80} ${height + 80}`);
    map.style.aspectRatio = `${width + 80} / ${height + 80}`;
    const lines = [];
    for (const link of network.links) {
      const [[x, y], [there, down]] = [places[link.from], places[link.to]];
      const title = `${link.name}${link.live ? "" : ", broken"}`;
      const isBeside = Math.hypot(there - x, down - y) < 75;
      // a link that comes back elsewhere is a stub at both ends
      const axis = network.sides.length - 1 - (link.port >> 1);
      const [dx, dy] = axis === 0 ? [22, 0] : axis === 1 ? [0, 22] : [16, -16];
      const ends = isBeside ? [[x, y, there, down]] : [[x, y, x + dx, y + dy], [there, down, there - dx, down - dy]];
      for (const [x1, y1, x2, y2] of ends) {
        lines.push(make("line", { x1, y1, x2, y2, class: link.live ? "link" : "link dead" }));
        const hit = make("line", { x1, y1, x2, y2, class: "hit" });
        hit.append(Object.assign(make("title", {}), { textContent: title }));
        hit.dataset.link = link.name;
        hit.onclick = () => this.click({ link });
        lines.push(hit);
      }
    }
    map.append(...lines);
    const root = this.rootNumber();
    network.nodes.forEach(({ at, live }, node) => {
      const [cx, cy] = places[node];
      const disc = make("circle", { cx, cy, r: 11, class: `node${live ? "" : " gone"}${node === root ? " root" : ""}` });
      disc.append(Object.assign(make("title", {}), { textContent: `node ${at.join(",")}` }));
      disc.dataset.node = node;
      disc.onclick = () => this.click({ node });
      map.append(disc);
    });
    this.ring = map.appendChild(make("circle", { r: 16, class: "cursor" }));
    this.places = places;
    this.cursor = Math.min(this.cursor, network.nodes.length - 1);
    this.tellCursor();
  }

  rootNumber() {
    const own = this.chosen(this.config);
    if (!this.about(own.collective).rooted) return -1;
    const { nodes } = this.design.network;
    const root = own.root ?? nodes.find(({ live }) => live).at;
    return nodes.findIndex(({ at }) => String(at) === String(root));
  }

  tellCursor() {
    const { at, live } = this.design.network.nodes[this.cursor];
    const [cx, cy] = this.places[this.cursor];
    this.ring.setAttribute("cx", cx);
    this.ring.setAttribute("cy", cy);
    const dead = this.design.network.links.filter(({ live }) => !live).map(({ name }) => name);
    const broken = dead.length ? ` Broken: ${dead.slice(0, 8).join("; ")}${dead.length > 8 ? " and more" : ""}.` : "";
    part("map-state").textContent = `Node ${at.join(",")}${live ? "" : ", taken away"}.${broken}`;
  }

  /** The link that leaves a node along an axis, forwards or backwards. */
  linkAt(node, axis, forwards) {
    const { links } = this.design.network;
    return links.find(({ from, to, port }) => port >> 1 === axis && (forwards ? from : to) === node);
  }

  walk(event) {
    const { sides } = this.design?.network ?? { sides: [] };
    const last = sides.length - 1;
    const keys = {
      ArrowRight: [last, true], ArrowLeft: [last, false], ArrowDown: [last - 1, true], ArrowUp: [last - 1, false], PageDown: [last - 2, true], PageUp: [last - 2, false],
    };
    if (event.key === "Enter" || event.key === " ") {
      const mode = document.querySelector("input[name=mode]:checked").value;
      if (mode !== "link") this.click({ node: this.cursor });
    } else if (keys[event.key]) {
      const [axis, forwards] = keys[event.key];
      const link = axis >= 0 ? this.linkAt(this.cursor, axis, forwards) : undefined;
      if (!link) return;
      if (event.shiftKey) this.click({ link });
      else {
        this.cursor = forwards ? link.to : link.from;
        this.tellCursor();
      }
    } else return;
    event.preventDefault();
  }

  /** A click on a link breaks or mends it; on a node it does what is chosen. */
  click({ link, node }) {
    const mode = document.querySelector("input[name=mode]:checked").value;
    if (link) {
      if (mode === "link") this.choose((config) => this.toggle(config, "links", link.name.replace(" ", ":"), link.live, (name) => name.replace(" ", ":")));
      return;
    }
    this.cursor = node;
    this.tellCursor();
    const { at, live } = this.design.network.nodes[node];
    if (mode === "node") this.choose((config) => this.toggle(config, "nodes", at.join(","), live, (name) => String(name)));
    if (mode === "root") {
      this.choose((config) => {
        const own = this.chosen(config);
        if (!this.about(own.collective).rooted) {
          delete own.operation;
          delete own.scheme;
          own.collective = "broadcast";
        }
        own.root = at;
      });
    }
  }

  /** Adds a name to what is dead, or takes it from there. */
  toggle(config, kind, name, isLive, spelling) {
    const dead = (config.topology.dead ??= {});
    const names = dead[kind] ?? [];
    dead[kind] = isLive ? [...names, name] : names.filter((other) => spelling(other) !== name);
    if (dead[kind].length === 0) delete dead[kind];
    if (Object.keys(dead).length === 0) delete config.topology.dead;
  }

  /** A row of cells; the first is a heading. */
  row(cells, isHead) {
    const line = document.createElement("tr");
    cells.forEach((content, index) => {
      const cell = line.appendChild(document.createElement(isHead || index === 0 ? "th" : "td"));
      if (cell.tagName === "TH") cell.scope = isHead ? "col" : "row";
      cell.append(content);
    });
    return line;
  }

  tellPrograms() {
    const { programs } = this.design;
    const rows = programs.map(({ collective, scheme, auto, ticks, bound, because, ratio, classes, correct }, number) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = programs.length > 1 ? `${number}: ${collective}` : collective;
      button.setAttribute("aria-pressed", number === this.program);
      button.onclick = () => this.look(number);
      const named = document.createElement("span");
      [named.textContent, named.title] = [scheme, auto ?? ""];
      const verdict = document.createElement("span");
      [verdict.textContent, verdict.className] = [correct ? "correct" : "wrong", `verdict ${correct ? "fine" : "wrong"}`];
      const least = document.createElement("span");
      [least.textContent, least.title] = [String(bound), because];
      return this.row([button, named, String(ticks), least, ratio.toFixed(3), String(classes), verdict], false);
    });
    const table = part("programs");
    table.replaceChildren(table.caption, this.row(["collective", "scheme", "ticks", "bound", "ratio", "classes", "every packet moved"], true), ...rows);
  }

  /** Chooses a program to look at. */
  async look(number) {
    this.program = number;
    this.tellControls();
    this.tellMap();
    this.tellPrograms();
    await this.tellReport();
    this.tellSchemes();
  }

  async tellReport() {
    part("report").srcdoc = await this.engine.text({ ask: "report", program: this.program });
  }

  async tellSchemes() {
    if (!part("schemes-box").open || !this.design) return;
    const schemes = await this.engine.json({ ask: "schemes", program: this.program });
    if (schemes.error) return;
    const rows = schemes.map(({ name, about, steps, taken }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.setAttribute("aria-pressed", taken);
      button.onclick = () => this.choose((config) => (this.chosen(config).scheme = name));
      return this.row([button, String(steps), about], false);
    });
    part("schemes").replaceChildren(this.row(["scheme", "steps", ""], true), ...rows);
  }

  tellFiles() {
    const list = part("files");
    const options = this.design.files.map(([path, bytes]) => {
      const option = document.createElement("option");
      [option.value, option.textContent] = [path, `${path} (${bytes})`];
      return option;
    });
    list.replaceChildren(...options);
    const paths = this.design.files.map(([path]) => path);
    const first = paths.find((path) => path === `${this.design.name}.v`) ?? paths.find((path) => path.endsWith(".v"));
    this.show(paths.includes(this.file) ? this.file : first);
  }

  async show(path) {
    this.file = path;
    part("files").value = path;
    const text = await this.engine.text({ ask: "file", path });
    const code = part("text").querySelector("code");
    if (/\.s?vh?$/.test(path) && text.length < 400000) code.replaceChildren(...highlighted(text));
    else code.textContent = text;
  }

  async download() {
    const bytes = await this.engine.bytes({ ask: "zip" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
    link.download = `${this.design.name}.zip`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async copy() {
    const address = location.href.split("#")[0] + this.address();
    let said = "copied";
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      said = "the address of this page is the link";
    }
    part("copied").textContent = said;
  }
}

const WORDS = "always assign begin case default else end endcase endfunction endgenerate endmodule endtask for forever function generate genvar if initial input integer localparam module negedge or output parameter posedge reg repeat signed task while wire";
const VERILOG = new RegExp(`(//[^\\n]*|/\\*[^]*?\\*/)|\\b(${WORDS.split(" ").join("|")})\\b|("[^"\\n]*"|\\b\\d*'[bodh][0-9a-fxz_]+|\\b\\d+\\b)`, "g");

/** Pieces of Verilog, those with a meaning in an element of its class. */
function highlighted(text) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(VERILOG)) {
    pieces.push(text.slice(end, match.index));
    const piece = document.createElement("span");
    piece.className = match[1] ? "comment" : match[2] ? "word" : "value";
    piece.textContent = match[0];
    pieces.push(piece);
    end = match.index + match[0].length;
  }
  return [...pieces, text.slice(end)];
}

addEventListener("error", ({ message, lineno }) => {
  part("error").hidden = false;
  part("error").textContent = `The page failed: ${message} (line ${lineno})`;
});

const playground = new Playground();
