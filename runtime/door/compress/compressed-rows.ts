/** Which routes' answers may leave compressed: a fact of the row, else of its service. */
import type { CompiledRoute } from '#actors/host/call.ts';

/**
 * Services whose answers are rows, documents and records. Those of identity, the vault and intake hold tokens, keys and secrets, and what an endpoint of
 * the BFF passes on is not known here: a secret beside a text that the caller chose can be guessed by the length of the compressed answer (BREACH).
 */
const SERVICES: ReadonlySet<string> = new Set(['data', 'content', 'audit']);

export function mayBeCompressed({ service, row }: Pick<CompiledRoute, 'service' | 'row'>): boolean {
  return row.compressed ?? SERVICES.has(service);
}
