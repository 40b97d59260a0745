/** Questions about specifications, answered by the engine in WebAssembly. */
import { TslSynthError } from "./errors.js";
import { json } from "./json.js";

/** A question about a specification has no answer; the message says why. */
export class SpecificationError extends TslSynthError {
  override name = "SpecificationError";
}

/** A specification: its text in TSL, or a text with the name of its file, whose ending says the language. */
export type Specification = string | { name: string; text: string };

/** What a text alone does not say. */
export interface SpecificationOptions {
  /** The language of a text without a name; default: `tsl`. */
  language?: "tsl" | "ltl" | "tlsf";
  /** The inputs of LTL. */
  inputs?: readonly string[];
  /** The outputs of LTL. */
  outputs?: readonly string[];
  /** The parameters of TLSF. */
  parameters?: Readonly<Record<string, number>>;
  /** A limit on the counted work. */
  work?: number;
}

/** Target languages of `synthesize`: `rust`, `js`, `ts`, `python`, `c`, `hoa`, `aiger` and others of `tsl-synth help emit`. */
export type Language = string;

type Document = Record<string, unknown>;
type Ask = (question: string) => string;

/** The answer to a question about a specification. */
export class Answer {
  readonly #page: () => string;
  /** `REALIZABLE`, `UNREALIZABLE`, `UNKNOWN` or `ERROR`. */
  readonly verdict: "REALIZABLE" | "UNREALIZABLE" | "UNKNOWN" | "ERROR";
  /** Whether there is a controller. */
  readonly realizable: boolean;
  /** Why there is no controller, or no answer; empty if there is a controller. */
  readonly reason: string;
  /** The findings about the text. */
  readonly findings: readonly string[];
  /** The whole document, as `--format json` of the program writes it. */
  readonly document: Readonly<Document>;

  /** @internal */
  constructor(document: Document, result: Document, page: () => string) {
    const text = (value: unknown) => (typeof value === "string" ? value : "");
    this.verdict = result["verdict"] as Answer["verdict"];
    this.realizable = this.verdict === "REALIZABLE";
    this.reason = text(result["reason"]) || text(result["sentence"]);
    this.findings = ((result["diagnostics"] ?? []) as { message: string }[]).map(({ message }) => message);
    this.document = document;
    this.#page = page;
  }

  /** A page in HTML that draws and plays the controller or the counter-strategy. */
  page(): string {
    return this.#page();
  }
}

/** A controller as code, as an automaton or as a circuit. */
export interface Emitted {
  /** The main file. */
  readonly text: string;
  /** The texts of all files by their paths. */
  readonly files: Readonly<Record<string, string>>;
}

/** What the engine answers. */
export interface Engine {
  /** Is there a controller? The answer is certified. */
  check(spec: Specification, options?: SpecificationOptions & { hints?: "none" | "brief" | "full" }): Answer;
  /** Why is there no controller? The document has cores, a counterexample and repairs. */
  explain(spec: Specification, options?: SpecificationOptions): Answer;
  /** The controller in a target language; with `counter` the counter-strategy. Throws if there is none. */
  synthesize(spec: Specification, lang?: Language, options?: SpecificationOptions & { counter?: boolean }): Emitted;
  /** Answers a question of the document `question` of `tsl-synth schema`. */
  question(question: Readonly<Document>): Document;
}

function asked(spec: Specification, options: SpecificationOptions): Document {
  const { language = "tsl", inputs = [], outputs = [], parameters = {} } = options;
  const text = typeof spec === "string" ? { name: `spec.${language}`, text: spec } : spec;
  return { texts: [text], ins: inputs, outs: outputs, parameters };
}

/** An engine that answers questions in JSON. */
export function engineOf(answer: Ask): Engine {
  const question = (given: Readonly<Document>): Document => JSON.parse(answer(json(given))) as Document;
  const ask = (given: Readonly<Document>): Document => {
    const document = question(given);
    if (typeof document["error"] === "string") throw new SpecificationError(document["error"]);
    return document;
  };
  const answered = (spec: Document, document: Document, result: Document) =>
    new Answer(document, result, () => String(ask({ ask: "view", spec })["html"]));
  return {
    question,
    check(spec, { hints = "brief", ...options } = {}) {
      const own = asked(spec, options);
      const document = ask({ ask: "check", spec: own, hints, work: options.work });
      return answered(own, document, (document["results"] as Document[])[0] ?? {});
    },
    explain(spec, options = {}) {
      const own = asked(spec, options);
      const document = ask({ ask: "explain", spec: own, work: options.work });
      return answered(own, document, document);
    },
    synthesize(spec, lang = "js", { counter = false, ...options } = {}) {
      const document = ask({ ask: "emit", spec: asked(spec, options), lang, counter, work: options.work });
      const files = document["files"] as { path: string; text: string; main: boolean }[];
      const main = files.find((file) => file.main);
      return { text: main?.text ?? "", files: Object.fromEntries(files.map(({ path, text }) => [path, text])) };
    },
  };
}
