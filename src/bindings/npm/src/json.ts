/** Values in JSON, as they are: what JSON would change or drop is an error, since the gate would decide about another value. */

function checked(this: unknown, key: string, value: unknown): unknown {
  const place = key === "" ? "the value" : `\`${key}\``;
  switch (typeof value) {
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${place} is ${value}, which JSON does not have`);
      return value;
    case "function":
    case "symbol":
    case "bigint":
      throw new TypeError(`${place} is a ${typeof value}, which JSON does not have`);
    case "object":
      if (value instanceof Map || value instanceof Set || value instanceof Promise) {
        throw new TypeError(`${place} is a ${value.constructor.name}, which JSON does not have`);
      }
  }
  return value;
}

/** A value in JSON. Entries that are `undefined` are left out. */
export function json(value: unknown): string {
  return JSON.stringify(value, checked);
}

/** A value if JSON has it, else nothing. */
export function jsonOrNothing(value: unknown): unknown {
  try {
    const text = json(value);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
