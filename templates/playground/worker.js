// Answers questions with the module of WebAssembly in a worker, so that it can be stopped at any moment.

/** A module with a larger memory is instantiated again after an answer, since its memory never shrinks. */
const LARGEST = 256 * 1024 * 1024;

let module = null;
let exports = null;

function made() {
  const imports = {};
  // Libraries import the clock of a browser; nothing depends on it.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  return new WebAssembly.Instance(module, imports).exports;
}

function answer(question) {
  exports ??= made();
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const start = exports.question(bytes.length);
  new Uint8Array(exports.memory.buffer, start, bytes.length).set(bytes);
  const length = exports.answer();
  // A copy, since `TextDecoder` does not accept shared memory.
  const text = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.answer_address(), length).slice());
  if (exports.memory.buffer.byteLength > LARGEST) exports = null;
  return JSON.parse(text);
}

self.onmessage = ({ data }) => {
  if (data.module) {
    module = data.module;
    exports = made();
    return;
  }
  try {
    self.postMessage({ id: data.id, answer: answer(data.question) });
  } catch (error) {
    // After a trap nothing in the module can be trusted.
    exports = null;
    const deep = error instanceof RangeError;
    self.postMessage({ id: data.id, crash: deep ? "it nests too deeply for this browser" : `the engine gave up (${error.message})` });
  }
};
