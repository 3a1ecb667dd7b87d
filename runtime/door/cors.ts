/**
 * Cross-origin calls (the Fetch standard, "CORS protocol"): an allowlist of origins, never `*`, no credentials. A page of any other
 * origin gets no CORS header, so its browser does not let it read the answer. Spec: docs/contract/intake.md §6.3.
 */
import type { Visit } from './port.ts';

const VARY = 'Vary: Origin\n';
/** How long a browser may remember a preflight. */
const MAX_AGE_SECONDS = 600;

/** The CORS header lines of an answer; '' where the route declares no origins. */
export function corsLines(visit: Visit, origins: readonly string[] | undefined): string {
  if (origins === undefined || origins.length === 0) return '';
  const origin = visit.header('origin');
  if (!origins.includes(origin)) return VARY;
  return `${VARY}Access-Control-Allow-Origin: ${origin}\nAccess-Control-Expose-Headers: Retry-After, X-Request-Id\n`;
}

/** The same for the answer to OPTIONS, with what a page of an allowed origin may send. */
export function preflightLines(visit: Visit, origins: readonly string[] | undefined): string {
  const lines = corsLines(visit, origins);
  if (lines === '' || lines === VARY) return lines;
  return `${lines}Access-Control-Allow-Methods: POST\nAccess-Control-Allow-Headers: Content-Type, Idempotency-Key, X-Request-Id\nAccess-Control-Max-Age: ${MAX_AGE_SECONDS}\n`;
}
