/**
 * Cross-origin calls (the Fetch standard, "CORS protocol"): an allowlist of origins, never `*`, no credentials. A page of another
 * origin gets no line, and its browser keeps the answer from it. Spec: docs/contract/intake.md §6.3.
 */
import type { Visit } from './port.ts';

const VARY = 'Vary: Origin\n';
/** How long a browser may remember a preflight. */
const MAX_AGE_SECONDS = 600;

/** Lines of an answer to a caller of any origin; '' where the route has no origins. */
export function corsLines(visit: Visit, origins: readonly string[] | undefined): string {
  if (origins === undefined || origins.length === 0) return '';
  const origin = visit.header('origin');
  if (!origins.includes(origin)) return VARY;
  return `${VARY}Access-Control-Allow-Origin: ${origin}\nAccess-Control-Expose-Headers: Retry-After, X-Request-Id\n`;
}

/** Lines of the answer to OPTIONS: what a page may send, when its origin is on the list. */
export function preflightLines(visit: Visit, origins: readonly string[] | undefined): string {
  const lines = corsLines(visit, origins);
  if (lines === '' || lines === VARY) return lines;
  return `${lines}Access-Control-Allow-Methods: POST\nAccess-Control-Allow-Headers: Content-Type, Idempotency-Key, X-Request-Id\nAccess-Control-Max-Age: ${MAX_AGE_SECONDS}\n`;
}
