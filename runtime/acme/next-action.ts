/**
 * What is to be done next, as a function of what is known: no clock, no file, no network.
 *
 *   no certificate, or two thirds of its life are over ─┐
 *   the last order failed, and its wait is over ────────┴─▶ order, one name at a time
 *   otherwise ──────────────────────────────────────────▶ wait until the first of these moments
 */
import { limits } from '#config/limits.ts';

/** The life of a certificate, in milliseconds since 1970. */
export interface Life {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The last failure of a name, in words for operators. */
export interface Failure {
  readonly atMs: number;
  readonly what: string;
  readonly mend: string;
}

/** What is remembered of a name through a restart. */
export interface Attempts {
  /** Failures in a row. */
  readonly failures: number;
  /** Before this moment the name is left alone. */
  readonly notBeforeMs: number;
  readonly failure: Failure | null;
}

export interface NameFacts {
  readonly name: string;
  /** Of the certificate that is in place; null without one. */
  readonly life: Life | null;
  readonly attempts: Attempts;
}

export type Action =
  | { readonly kind: 'order'; readonly name: string }
  | { readonly kind: 'wait'; readonly untilMs: number };

export const FRESH: Attempts = { failures: 0, notBeforeMs: 0, failure: null };

/** When a certificate is renewed. */
export const renewAtMs = ({ notBeforeMs, notAfterMs }: Life): number =>
  notBeforeMs + (notAfterMs - notBeforeMs) * limits.acme.renewAtShare;

/** When a name is ordered next. An order that failed is made again, also where an operator wanted it before its time. */
export function dueAtMs({ attempts, life }: NameFacts): number {
  if (attempts.failures > 0) return attempts.notBeforeMs;
  return life === null ? 0 : Math.max(renewAtMs(life), attempts.notBeforeMs);
}

/**
 * What is remembered after a success: nothing is ordered for half of the time that usually passes. On a machine whose clock is months ahead each
 * new certificate would be due at once, and the authority asked without end.
 */
export function afterSuccess({ notAfterMs, notBeforeMs }: Life, nowMs: number): Attempts {
  const share = limits.acme.renewAtShare / 2;
  return { failures: 0, notBeforeMs: nowMs + (notAfterMs - notBeforeMs) * share, failure: null };
}

/** Of several names that are due the one whose certificate ends first comes first. Waits are short enough to notice that a clock was set. */
export function nextAction(names: readonly NameFacts[], nowMs: number): Action {
  const due = names.filter((facts) => dueAtMs(facts) <= nowMs).toSorted((a, b) => endOf(a) - endOf(b));
  if (due.length > 0) return { kind: 'order', name: due[0]!.name };
  return { kind: 'wait', untilMs: Math.min(nowMs + limits.acme.lookMsMax, ...names.map(dueAtMs)) };
}

const endOf = ({ life }: NameFacts): number => life?.notAfterMs ?? 0;

/**
 * What is remembered after a further failure: the wait doubles, is spread by `random` (0 to 1), and is no shorter than what the authority asked for.
 */
export function afterFailure(
  { failures }: Attempts,
  failure: Failure,
  askedMs: number | null,
  random: () => number,
): Attempts {
  const { backoffMs, backoffMsMax, backoffSpread, retryAfterMsMax } = limits.acme;
  const wait = Math.min(backoffMs * 2 ** failures, backoffMsMax) * (1 + (2 * random() - 1) * backoffSpread);
  const asked = Math.min(askedMs ?? 0, retryAfterMsMax);
  return { failures: failures + 1, notBeforeMs: failure.atMs + Math.max(wait, asked), failure };
}

/** What was read back from the disk: where the clock was set back meanwhile, no wait becomes longer than the longest one. */
export function remembered(attempts: Attempts, nowMs: number): Attempts {
  const { backoffMsMax, backoffSpread, retryAfterMsMax } = limits.acme;
  const longest = Math.max(retryAfterMsMax, backoffMsMax * (1 + backoffSpread));
  return { ...attempts, notBeforeMs: Math.min(attempts.notBeforeMs, nowMs + longest) };
}

/** Whether an operator should know: no valid certificate is left, or renewals fail again and again. */
export function isTrouble({ attempts, life }: NameFacts, nowMs: number): boolean {
  if (attempts.failures === 0) return false;
  return life === null || life.notAfterMs <= nowMs || attempts.failures >= limits.acme.troubleFailures;
}
