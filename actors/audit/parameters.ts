/** Query parameters that a route knows. One that it does not know is refused: a filter that is passed over answers another question. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from './refusals.ts';

/** The handler, behind the check that the call says nothing but these parameters, each once. */
export function only<X>(known: readonly string[], handler: (call: Call) => X) {
  return (call: Call): X | Refusal<'audit.bad_request'> => {
    const fault = call.rawQuery === '' ? null : faultOf(call.query, known);
    return fault === null ? handler(call) : refuse('audit.bad_request', { message: fault });
  };
}

function faultOf(query: URLSearchParams, known: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (!known.includes(name))
      return `${shown} is no parameter here${known.length === 0 ? '' : `: ${known.join(', ')} are`}`;
    if (seen.has(name)) return `${shown} is given twice`;
    seen.add(name);
  }
  return null;
}
