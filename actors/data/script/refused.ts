/** Refusals as a script sees them: with the code, status and message that a request would get. */
import type { Refusal, RefusalOptions } from '#actors/protocol/refusal.ts';
import type { Failure } from '#actors/engine/rows/failure.ts';
import { refuse } from '../refusals.ts';

/** An error as the script sees it. */
export interface Refused {
  readonly message: string;
  readonly code: string;
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The code of each operation whose failure has none of its own: that of the route that does the same. */
const CODES: Readonly<Record<string, string>> = {
  'db.create': 'v2.create_failed',
  'db.update': 'v2.update_failed',
  'db.delete': 'v2.delete_failed',
};

export function refusedBy(operation: string, { status, message, details }: Failure): Refused {
  const { code, status: own, ...others } = details ?? {};
  return {
    message,
    code: typeof code === 'string' ? code : (CODES[operation] ?? 'v2.query_failed'),
    status: typeof own === 'number' ? own : status,
    ...(details !== undefined && { details: others }),
  };
}

/**
 * The refusals that an endpoint with `refusals: pass` hands on. Left out are mistakes of the script itself: an unknown action or stateflow, a
 * verb that the action lacks.
 */
export const PASSED = [
  'v2.query_failed',
  'v2.create_failed',
  'v2.update_failed',
  'v2.delete_failed',
  'v2.bad_params',
  'v2.forbidden',
  'v2.action_failed',
] as const;
export type Passed = (typeof PASSED)[number];

/** The refusal as the route that does the same answers it; null for one that is not handed on. */
export function passed({ code, status, message, details }: Refused): Refusal<Passed> | null {
  if (!isPassed(code)) return null;
  if (code === 'v2.action_failed') return refuse(code, { message, details: { ...details, status } });
  const options: RefusalOptions = { status, message, ...(details !== undefined && { details }) };
  return refuse(code, options as Parameters<typeof refuse<Passed>>[1]);
}

function isPassed(code: string): code is Passed {
  return (PASSED as readonly string[]).includes(code);
}
