/**
 * What a request carries to another node besides what a thread gets: the tenant's position by name, since only the node that serves knows which tenants there are; the caller's address, by which that node charges its
 * buckets; and the trace that it is part of. Lines ahead of the further headers of a request, `name:value\n` each, in this order.
 */
import { VERB } from '#actors/protocol/frame.ts';
import { METHODS } from '#actors/protocol/method.ts';
import type { Arrival } from '#runtime/door/arrival.ts';

const POSITION = ':at:';
const CALLER = ':from:';
/** The W3C's Trace Context §3. */
const TRACE = ['traceparent', 'tracestate'] as const;
/** Ends these lines. */
const END = ':\n';

export interface Carried {
  /** '' where the request names none, or none that is well-formed. */
  readonly position: string;
  readonly caller: string;
  /** By name, of TRACE. */
  readonly trace: ReadonlyMap<string, string>;
  /** The further headers. */
  readonly rest: string;
}

const UNTRACED: ReadonlyMap<string, string> = new Map();

/** Within the handler's synchronous part. */
export function carriedLines(arrival: Arrival): string {
  const { tenant, visit } = arrival;
  let lines = `${CALLER}${arrival.callerIp()}\n`;
  if (tenant !== undefined) lines += `${POSITION}${tenant.position.key}\n`;
  for (const name of TRACE) {
    const value = visit.header(name);
    if (value !== '') lines += `${name}:${value}\n`;
  }
  // A verb that its row does not declare has no number, and what a read-only tenant admits goes by it.
  return arrival.method < METHODS.length ? lines + END : `${lines}${END}${VERB}:${visit.method}\n`;
}

/** The verb of a request whose row does not declare it; '' where none is told. */
export function verbIn({ rest }: Carried): string {
  return rest.startsWith(`${VERB}:`) ? rest.slice(VERB.length + 1, rest.indexOf('\n')) : '';
}

/** Null for what does not begin with such lines. */
export function readCarried(extra: string): Carried | null {
  if (!extra.startsWith(CALLER)) return null;
  let at = extra.indexOf('\n') + 1;
  const caller = extra.slice(CALLER.length, at - 1);
  let position = '';
  if (extra.startsWith(POSITION, at)) {
    const from = at + POSITION.length;
    at = extra.indexOf('\n', from) + 1;
    position = extra.slice(from, at - 1);
  }
  if (extra.startsWith(END, at)) return { position, caller, trace: UNTRACED, rest: extra.slice(at + END.length) };
  const trace = new Map<string, string>();
  for (const name of TRACE) {
    if (!extra.startsWith(`${name}:`, at)) continue;
    const from = at + name.length + 1;
    at = extra.indexOf('\n', from) + 1;
    trace.set(name, extra.slice(from, at - 1));
  }
  return extra.startsWith(END, at) ? { position, caller, trace, rest: extra.slice(at + END.length) } : null;
}
