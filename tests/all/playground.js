// Uses the playground as a person does, and says what is seen.
const say = (...words) => console.log(`SAYS ${words.join(" ")}`);
const sleep = (ms) => new Promise((come) => setTimeout(come, ms));
let seen = "0";
async function built() {
  while (document.body.dataset.built === undefined || document.body.dataset.built === seen) await sleep(15);
  seen = document.body.dataset.built;
}
const yaml = () => part("yaml").value.trim().replaceAll("\n", "; ");
const ticks = () => [...document.querySelectorAll("#programs tr")].slice(1).map((row) => row.children[2].textContent).join(",");
const refusal = () => part("refusal").innerText.replaceAll("\n", " ").trim();
async function choose(id, value) {
  part(id).value = value;
  part(id).dispatchEvent(new Event("change"));
  await built();
}
async function type(text) {
  part("yaml").value = text;
  part("yaml").dispatchEvent(new Event("input"));
  await built();
}
async function click(element) {
  element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  await built();
}
const key = (name, more = {}) => part("map").dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, ...more }));

/** The archive that the button hands out. */
async function archive() {
  const make = URL.createObjectURL;
  const blob = await new Promise((come) => {
    URL.createObjectURL = (blob) => {
      come(blob);
      return make.call(URL, blob);
    };
    HTMLAnchorElement.prototype.click = () => {};
    part("zip").click();
  });
  URL.createObjectURL = make;
  return new DataView(await blob.arrayBuffer());
}

/** Files of an archive that stores them, by its directory. */
async function hashes(view) {
  const text = (at, length) => new TextDecoder().decode(new Uint8Array(view.buffer, at, length));
  let end = view.byteLength - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end--;
  const lines = [];
  let at = view.getUint32(end + 16, true);
  for (let entry = 0; entry < view.getUint16(end + 10, true); entry++) {
    const [size, named, extra, said] = [view.getUint32(at + 24, true), view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true)];
    const local = view.getUint32(at + 42, true);
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(view.buffer, begin, size)));
    lines.push(`${text(at + 46, named)} ${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`);
    at += 46 + named + extra + said;
  }
  return lines;
}

async function use() {
  await built();
  say("first", yaml(), ticks());
  await choose("collective", "broadcast");
  say("collective", yaml(), ticks());
  document.querySelector("input[value=root]").checked = true;
  await click(document.querySelector("#map [data-node='9']"));
  say("root", yaml(), document.querySelector("#map .root").dataset.node);
  await click([...document.querySelectorAll("button")].find(({ id }) => id === "anew"));
  document.querySelector("input[value=link]").checked = true;
  await click(document.querySelector("#map [data-link='0,0 x2+']"));
  say("broken", yaml(), ticks());
  part("map").focus();
  key("ArrowRight");
  key("ArrowDown");
  say("keys", part("map-state").textContent);
  key("ArrowDown", { shiftKey: true });
  await built();
  say("broken by key", yaml());
  await click(document.querySelector("#map [data-link='0,0 x2+']"));
  say("mended", yaml());
  await type("topology: { torus: [4, 4] }\ncollective: all-reduce\n");
  say("wrong", refusal(), document.body.classList.contains("stale"));
  await click(document.querySelector("#refusal button"));
  say("cured", yaml(), ticks(), document.body.classList.contains("stale"));
  await type("topology: { torus: [4, 4\n");
  say("torn", refusal().slice(0, 60));
  await type("topology: { torus: [64, 64] }\n");
  say("large", refusal());
  await type("topology: { torus: [4, 4] }\n");
  part("schemes-box").open = true;
  while (!document.querySelector("#schemes button")) await sleep(15);
  say("schemes", [...document.querySelectorAll("#schemes button")].map(({ textContent }) => textContent).join(","));
  await click([...document.querySelectorAll("#schemes button")].find(({ textContent }) => textContent === "optimal"));
  say("scheme", yaml(), ticks());
  await click(part("add"));
  say("list", yaml(), ticks());
  say("report", part("report").srcdoc.includes("</html>"), part("report").srcdoc.includes("Packets on their way"));
  const address = location.hash;
  location.hash = new URLSearchParams({ yaml: "topology: { path: 3 }" });
  await built();
  say("address", yaml(), ticks());
  location.hash = address;
  await built();
  say("back", yaml());
  await type(START);
  while (!part("text").textContent.includes("endmodule")) await sleep(15);
  say("shown", part("files").value, part("text").querySelectorAll(".word").length > 100);
  for (const text of DESIGNS) {
    await type(text);
    if (refusal()) say("refused", refusal());
    for (const line of await hashes(await archive())) say("file", line);
  }
  await type("topology: { torus: [8, 8] }\n");
  const begun = performance.now();
  await type("topology: { torus: [32, 32] }\n");
  say("32x32", ticks(), Math.round(performance.now() - begun));
  const outside = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !/^(blob|data|file):/.test(name));
  say("requests", outside.length);
  say("errors", part("error").hidden);
}
use().catch((error) => say("failed", error.stack)).finally(() => say("end"));
