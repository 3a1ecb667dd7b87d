/**
 * What a request carries to another node besides what a thread gets: the tenant's position by name, since only the node that serves knows who is there; the caller's address, by which that node charges its
 * buckets; and the trace that it is part of. Lines ahead of the further headers of a request, `name:value\n` each.
 */
import type { Arrival } from '#runtime/door/arrival.ts';

const POSITION = ':at';
const CALLER = ':from';
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

/** Within the handler's synchronous part. */
export function carriedLines(arrival: Arrival): string {
  const { tenant, visit } = arrival;
  let lines = `${CALLER}:${arrival.callerIp()}\n`;
  if (tenant !== undefined) lines += `${POSITION}:${tenant.position.key}\n`;
  for (const name of TRACE) {
    const value = visit.header(name);
    if (value !== '') lines += `${name}:${value}\n`;
  }
  return lines + END;
}

/** Null for what does not begin with such lines. */
export function readCarried(extra: string): Carried | null {
  const end = extra.startsWith(END) ? 0 : extra.indexOf(`\n${END}`) + 1;
  if (end === 0 && !extra.startsWith(END)) return null;
  const trace = new Map<string, string>();
  let position = '';
  let caller = '';
  for (let from = 0; from < end;) {
    const to = extra.indexOf('\n', from);
    const colon = extra.indexOf(':', from + 1);
    const value = extra.slice(colon + 1, to);
    const name = extra.slice(from, colon);
    if (name === POSITION) position = value;
    else if (name === CALLER) caller = value;
    else trace.set(name, value);
    from = to + 1;
  }
  return { position, caller, trace, rest: extra.slice(end + END.length) };
}
