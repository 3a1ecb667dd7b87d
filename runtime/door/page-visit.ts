/** A visit whose request names an `Origin`: its answers say whether a page of that origin may read them, refusals too. */
import { AroundVisit } from './around-visit.ts';
import { VARY, exposeLine } from './cors.ts';
import type { Visit } from './port.ts';

/** Headers that every page may read (the Fetch standard, "CORS-safelisted response-header name"). */
const SAFELISTED: ReadonlySet<string> = new Set([
  'Cache-Control',
  'Content-Language',
  'Content-Length',
  'Content-Type',
  'Expires',
  'Last-Modified',
  'Pragma',
]);

export class PageVisit extends AroundVisit {
  /** '' where pages of the origin may not read the answers. */
  readonly #allow: string;

  /** `allow`: the line that lets pages of the origin read the answers, or ''. Within the handler's synchronous part. */
  constructor(visit: Visit, allow: string) {
    super(visit);
    this.#allow = allow;
  }

  protected lined(headers: string): string {
    const varied = variedByOrigin(headers);
    return this.#allow === '' ? varied : `${varied}${this.#allow}${exposeLine(exposed(headers))}`;
  }
}

/** The lines with `Vary: Origin`, once. */
export function variedByOrigin(headers: string): string {
  return headers.endsWith(VARY) ? headers : headers + VARY;
}

/** The headers of this very answer that pages cannot read without being allowed to. The door itself adds X-Request-Id. */
function exposed(headers: string): string {
  const names = headers
    .split('\n')
    .map((line) => line.slice(0, Math.max(0, line.indexOf(':'))))
    .filter((name) => name !== '' && name !== 'Vary' && !SAFELISTED.has(name));
  return [...names, 'X-Request-Id'].join(', ');
}
