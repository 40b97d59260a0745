// A specification in the fragment of the address: JSON, compressed with deflate, in base64url (RFC 4648, section 5).

/** Longer texts are not unpacked. */
const LONGEST = 4 * 1024 * 1024;

async function through(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new Error("it is too long");
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const unbase64url = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** The fragment for a specification. */
export async function packed({ name, text }) {
  const bytes = new TextEncoder().encode(JSON.stringify({ name, text }));
  return `#s=${base64url(await through(bytes, new CompressionStream("deflate-raw"), Infinity))}`;
}

/** The specification of a fragment that `packed` made. */
export async function unpacked(fragment) {
  const bytes = await through(unbase64url(fragment.replace(/^#s=/, "")), new DecompressionStream("deflate-raw"), LONGEST);
  const { name, text } = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  if (typeof name !== "string" || typeof text !== "string") throw new Error("it has no text");
  return { name, text };
}
