/** Errors. */
import type { Decision } from "./gate.js";

/** A finding about the text of a policy. */
export interface Finding {
  /** Its stable code, such as `TSL0504`. */
  readonly code: string;
  readonly severity: "error" | "warning" | "note";
  /** What is wrong. */
  readonly message: string;
  /** The line, from 1 on. */
  readonly line: number | null;
  /** The column in characters, from 1 on. */
  readonly column: number | null;
  /** What to do. */
  readonly hints: readonly string[];
}

/** All errors of this package. */
export class TslSynthError extends Error {
  override name = "TslSynthError";
}

/** There is no policy: its text has errors, or a limit was reached. */
export class PolicyError extends TslSynthError {
  override name = "PolicyError";
  constructor(
    message: string,
    /** The findings about the text. */
    readonly findings: readonly Finding[] = [],
  ) {
    super(message);
  }
}

/** The gate has no answer: a call that was proposed must not be made. */
export class GateError extends TslSynthError {
  override name = "GateError";
}

/** The gate does not permit a call; `decision` says why. */
export class Denied extends TslSynthError {
  override name = "Denied";
  constructor(readonly decision: Decision) {
    super(decision.reason);
  }
}

/** A person must approve the call. */
export class ApprovalNeeded extends Denied {
  override name = "ApprovalNeeded";
}
