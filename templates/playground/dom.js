// Elements from text. No text is parsed as HTML.

/** Control characters and characters that change the direction of text, which could hide parts of it. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g;

export const seen = (text) =>
  String(text).replace(UNSEEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** An element with attributes, listeners where the name begins with `on`, and children; strings are shown as they are. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().map((child) => (typeof child === "string" ? seen(child) : child)));
  return element;
}

/** Text in which backticks mark code. */
export function prose(text) {
  return text.split(/`([^`]*)`/).flatMap((part, i) => {
    if (part === "") return [];
    return [i % 2 === 1 ? h("code", {}, part) : document.createTextNode(seen(part))];
  });
}

export const byId = (id) => document.getElementById(id);

/** Downloads a text as a file. */
export function download(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Copies a text to the clipboard, if there is one. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "sr", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
