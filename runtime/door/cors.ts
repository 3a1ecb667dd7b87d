/**
 * Cross-origin calls (the Fetch standard, "CORS protocol"): an allowlist of origins, never `*`, no credentials. A page of any other
 * origin gets no CORS header, so its browser does not let it read the answer. Forms have one list (docs/contract/intake.md §6.3), the
 * services a list per product (page-origins.ts).
 */
import { limits } from '#config/limits.ts';
import type { Visit } from './port.ts';

export const VARY = 'Vary: Origin\n';

/** The line that lets pages of an origin read an answer. */
export const allowLine = (origin: string): string => `Access-Control-Allow-Origin: ${origin}\n`;

/** The lines that say which of the answer's headers pages may read, and what they may send, each list as the header has it. */
export const exposeLine = (headers: string): string => `Access-Control-Expose-Headers: ${headers}\n`;
export const sendLines = (methods: string, headers: string): string =>
  `Access-Control-Allow-Methods: ${methods}\nAccess-Control-Allow-Headers: ${headers}\nAccess-Control-Max-Age: ${limits.door.preflightAgeSeconds}\n`;

/** The CORS header lines of an answer; '' where the route declares no origins. */
export function corsLines(visit: Visit, origins: readonly string[] | undefined): string {
  if (origins === undefined || origins.length === 0) return '';
  const origin = visit.header('origin');
  if (!origins.includes(origin)) return VARY;
  return `${VARY}${allowLine(origin)}${exposeLine('Retry-After, X-Request-Id')}`;
}

/** The same for the answer to OPTIONS, with what a page of an allowed origin may send. */
export function preflightLines(visit: Visit, origins: readonly string[] | undefined): string {
  const lines = corsLines(visit, origins);
  if (lines === '' || lines === VARY) return lines;
  return `${lines}${sendLines('POST', 'Content-Type, Idempotency-Key, X-Request-Id')}`;
}
