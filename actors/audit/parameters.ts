/**
 * Checks before every verb: unknown query parameters are refused (a filter that is ignored would answer another question), and an unavailable
 * signing key is answered as 503, not as a fault of the service.
 */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { KeyUnavailable } from './key-port.ts';
import { refuse } from './refusals.ts';

type Before = Refusal<'audit.bad_request' | 'audit.unavailable'>;

/** The handler, behind the check that the call has only these parameters, each at most once. */
export function only<X>(known: readonly string[], handler: (call: Call) => Promise<X>) {
  return async (call: Call): Promise<X | Before> => {
    const fault = call.rawQuery === '' ? null : faultOf(call.query, known);
    if (fault !== null) return refuse('audit.bad_request', { message: fault });
    try {
      return await handler(call);
    } catch (error) {
      if (!(error instanceof KeyUnavailable)) throw error;
      // The error names the vault: it goes to the service's log and not to the caller.
      const message = 'the signing key of the log is not available now; try again later';
      return refuse('audit.unavailable', { message });
    }
  };
}

function faultOf(query: URLSearchParams, known: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (!known.includes(name))
      return `${shown} is not a parameter of this route${known.length === 0 ? '' : `: ${known.join(', ')} are`}`;
    if (seen.has(name)) return `${shown} is given twice`;
    seen.add(name);
  }
  return null;
}
