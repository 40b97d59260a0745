/** Policies and stores. */
import { ask, backend, owns } from "./backend.js";
import { GateError, PolicyError, type Finding } from "./errors.js";

interface MadePolicy {
  number: number;
  name: string;
  sha256: string;
  laws: string[];
  warnings: Finding[];
}

/** A policy that gates decide by. One policy serves all sessions of a process. */
export class Policy {
  /** @internal */
  readonly number: number;
  /** The name of the text. */
  readonly name: string;
  /** SHA-256 of the text. */
  readonly sha256: string;
  /** The ids of the laws, in the order of the text. */
  readonly laws: readonly string[];
  /** Warnings and notes about the text. */
  readonly warnings: readonly Finding[];

  private constructor(made: MadePolicy) {
    this.number = owns(this, made.number);
    this.name = made.name;
    this.sha256 = made.sha256;
    this.laws = made.laws;
    this.warnings = made.warnings;
  }

  /**
   * Reads and compiles the policy in a file: TOML, JSON of the same shape, or a JSON list of laws. Where the addon decides,
   * gates take up what is edited in the file from their next decision on, or deny everything if the policy says
   * `on_change = "deny"`; the fields of this object are those of the text that was read here.
   */
  static load(path: string): Policy {
    const { read, kind } = backend();
    if (kind === "native") return new Policy(ask({ ask: "policy", path }));
    if (read === undefined) throw new PolicyError("there are no files here: `Policy.parse` takes the text of a policy");
    let text: string;
    try {
      text = read(path);
    } catch (error) {
      throw new PolicyError(`cannot read \`${path}\`: ${error instanceof Error ? error.message : String(error)}`);
    }
    return Policy.parse(text, path);
  }

  /** Reads and compiles a policy; the name is for messages and journals. */
  static parse(text: string, name = "policy.toml"): Policy {
    return new Policy(ask({ ask: "policy", name, text }));
  }
}

/** A home of sessions. All gates of a session in one store agree about what was granted. */
export class Store {
  /** @internal */
  readonly number: number;

  private constructor(request: { folder?: string; user?: boolean; durable?: boolean }) {
    const { withoutFiles } = backend();
    if (withoutFiles !== undefined && (request.folder !== undefined || request.user)) throw new GateError(withoutFiles);
    this.number = owns(this, ask<{ number: number }>({ ask: "store", ...request }).number);
  }

  /** Sessions in memory: for one process, and for as long as the store is used. */
  static memory(): Store {
    return new Store({});
  }

  /**
   * Sessions in the files of a folder, for all processes of this machine, also `tsl-synth shield` and programs in other
   * languages. With `durable`, each decision waits until the disk has its record. Needs Node.js with the native part of
   * this package.
   */
  static files(folder: string, { durable = false }: { durable?: boolean } = {}): Store {
    return new Store({ folder, durable });
  }

  /** Sessions in the folder of the user's state, or in that of `TSL_SYNTH_STATE`. */
  static ofUser({ durable = false }: { durable?: boolean } = {}): Store {
    return new Store({ user: true, durable });
  }

  /**
   * Removes the sessions whose last event is older than the policy says that decided last in them (`retain`); returns how
   * many. A session that another process is deciding in stays.
   */
  removeOld(): number {
    return ask<{ count: number }>({ ask: "remove-old", store: this.number }).count;
  }

  /** The file with the journal of a session. */
  journal(session: string): string {
    return ask<{ path: string }>({ ask: "journal", store: this.number, session }).path;
  }
}
