/** Takes out of a text what must not leave the machine: the secrets that the configuration holds, tokens, and addresses of people. */
import type { Platform } from '#config/platform.ts';
import { MASK, redacted, shownWhole } from '#config/redact.ts';

/** A shorter one would be found in innocent words. */
const SECRET_CHARS_MIN = 4;

const PATTERNS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/gu, MASK], // mail addresses
  [/\bv[1-4]\.(?:public|local)\.[\w-]{8,}(?:\.[\w-]+)?/g, MASK], // PASETO
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, MASK], // JWT
  [/\b(Bearer|ApiKey|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g, MASK],
  [/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]*@/gim, `$1${MASK}@`], // user and password in a URL
];
const CALLER = /("(?:source_ip|ip|address|remote_address|client)":\s*")[^"]+"/g;

/** A function that scrubs texts by this platform's secrets. */
export function scrubber(platform: Platform): (text: string) => string {
  const secrets = secretsOf(shownWhole(platform), redacted(platform)).sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, MASK);
    for (const [pattern, by] of PATTERNS) clean = clean.replaceAll(pattern, by);
    return clean;
  };
}

/** Addresses of callers in log lines: they are personal. */
export const withoutCallers = (lines: string): string => lines.replaceAll(CALLER, `$1${MASK}"`);

/** Every text that is masked on the other side, and what it becomes in JSON. */
function secretsOf(whole: unknown, masked: unknown): string[] {
  if (typeof whole === 'string') {
    if (whole === masked || whole.length < SECRET_CHARS_MIN) return [];
    const inUrl = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i.exec(whole)?.[1];
    const plain = masked === MASK ? [whole] : inUrl === undefined ? [] : [inUrl];
    return [...new Set(plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]))];
  }
  if (typeof whole !== 'object' || whole === null) return [];
  const beside = (typeof masked === 'object' && masked !== null ? masked : {}) as Record<string, unknown>;
  return Object.entries(whole).flatMap(([key, value]) => secretsOf(value, beside[key]));
}
