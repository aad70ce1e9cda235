// Holds the engine, and answers one request after the other: { id, request } with { id, bytes }.
"use strict";

let engine = null;

async function load(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {});
  return instance.exports;
}

/** Writes a request into the engine's buffer, and copies the answer from there. */
function ask(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  const length = engine.answer();
  return new Uint8Array(engine.memory.buffer, engine.bytes(), length).slice();
}

async function handle(data) {
  try {
    if (data.engine) {
      engine = await load(data.engine);
      postMessage({ id: data.id });
      return;
    }
    const bytes = ask(data.request);
    postMessage({ id: data.id, bytes }, [bytes.buffer]);
  } catch (error) {
    postMessage({ id: data.id, failed: String(error) });
  }
}

// one after the other: the engine is there before it is asked
let handled = Promise.resolve();
onmessage = ({ data }) => {
  handled = handled.then(() => handle(data));
};
