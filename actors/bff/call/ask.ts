/** One call as it is declared: with kept answers, sharing of identical reads, and what its failure means for the answer. */
import { limits } from '#config/limits.ts';
import type { BffCall } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import type { BffPart } from '../part.ts';
import type { CallEnd } from './end.ts';
import { askService } from './inside.ts';
import { askOutside } from './outside.ts';
import type { Rendered } from './render.ts';

export interface Asking {
  readonly from: Call;
  readonly part: BffPart;
  /** Key of caller and endpoint: an answer that is kept for one is not given to another. */
  readonly whose: () => string;
}

/** The answer of a call, kept or fresh. */
export async function ask(asking: Asking, call: BffCall, rendered: Rendered): Promise<CallEnd> {
  const { from, part } = asking;
  const isKept = call.cacheMs > 0 || call.onError === 'stale';
  const key = isKept || isShared(call) ? keyOf(asking, call, rendered) : '';
  const now = from.activation.context.clock.now();
  const kept = call.cacheMs > 0 ? part.kept.get(key, now, call.cacheMs) : undefined;
  if (kept !== undefined) {
    from.saw(kept.seen);
    return { ok: true, value: kept.value, chars: kept.chars };
  }
  const end = isShared(call) ? await together(asking, call, rendered, key) : await once(asking, call, rendered);
  if (end.ok && isKept) {
    const { clock } = from.activation.context;
    part.kept.set(key, { value: end.value, chars: end.chars, seen: from.seen }, clock.now());
  }
  return end;
}

/** The last good answer to the same request of the same principal, where the declaration allows a stale one. */
export function stale(asking: Asking, call: BffCall, rendered: Rendered): { readonly value: unknown } | undefined {
  const { from, part } = asking;
  const now = from.activation.context.clock.now();
  const kept = part.kept.get(keyOf(asking, call, rendered), now, limits.bff.staleMsMax);
  if (kept !== undefined) from.saw(kept.seen);
  return kept;
}

/**
 * Identical reads of one principal that are under way at the same time share one call. Outside only: a service of this node answers within
 * its turn, and a caller that has just written must not get a read that began before the write.
 */
const isShared = ({ to, writes }: BffCall): boolean => to.kind === 'outside' && !writes;

function together(asking: Asking, call: BffCall, rendered: Rendered, key: string): Promise<CallEnd> {
  const { flights } = asking.part;
  const present = flights.get(key);
  if (present !== undefined) return present;
  const flight = once(asking, call, rendered).finally(() => flights.delete(key));
  flights.set(key, flight);
  return flight;
}

function once({ from, part }: Asking, call: BffCall, rendered: Rendered): Promise<CallEnd> {
  const { to } = call;
  return to.kind === 'service'
    ? askService(from, to.service, call, rendered)
    : askOutside(from, part, to.origin, call, rendered);
}

function keyOf({ whose }: Asking, { name, method }: BffCall, { path, query, headers, body }: Rendered): string {
  return JSON.stringify([whose(), name, method, path, query, headers, body]);
}
