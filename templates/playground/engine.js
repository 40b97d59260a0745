// A worker that answers one question after the other and can be stopped.

/** The error of a question whose work was stopped. */
export class Stopped extends Error {}

/** The bytes of the module, decompressed if the host has not done that already. */
async function bytes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const packed = await response.arrayBuffer();
  const [first, second] = new Uint8Array(packed, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return packed;
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** The module of the engine, compiled once for all workers. */
export const compiled = async (url) => WebAssembly.compile(await bytes(url));

export class Engine {
  #module;
  #worker = null;
  #waiting = [];
  #running = null;
  #number = 0;
  #changed;

  /** `changed` is called whenever the engine becomes busy or idle. */
  constructor(module, changed) {
    this.#module = module;
    this.#changed = changed;
    this.#start();
  }

  get busy() {
    return this.#running !== null;
  }

  #start() {
    const worker = new Worker(new URL("worker.js", document.baseURI));
    worker.postMessage({ module: this.#module });
    worker.onmessage = ({ data }) => {
      if (this.#running?.id !== data.id) return;
      const { resolve } = this.#running;
      this.#running = null;
      resolve(data.crash === undefined ? data.answer : { error: data.crash, crash: true });
      this.#next();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.stop(`the worker does not start (${event.message ?? "no reason given"})`);
    };
    this.#worker = worker;
  }

  #next() {
    if (this.#running === null && this.#waiting.length > 0) {
      this.#running = this.#waiting.shift();
      this.#worker.postMessage({ id: this.#running.id, question: this.#running.question });
    }
    this.#changed();
  }

  /** The answer; rejects with `Stopped` if the work was stopped. */
  ask(question) {
    return new Promise((resolve, reject) => {
      this.#number += 1;
      this.#waiting.push({ id: this.#number, question, resolve, reject });
      this.#next();
    });
  }

  /** Drops all questions. A busy worker is terminated and replaced by a new one. */
  stop(why = "stopped") {
    const dropped = [this.#running, ...this.#waiting].filter((job) => job !== null);
    if (this.#running !== null) {
      this.#worker.terminate();
      this.#running = null;
      this.#start();
    }
    this.#waiting = [];
    for (const { reject } of dropped) reject(new Stopped(why));
    this.#changed();
  }
}
