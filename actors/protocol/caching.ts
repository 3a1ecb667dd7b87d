/**
 * What caches may keep of an answer at a position. Door and gateway read the position from headers, so the same path is another answer for another
 * tenant: `Vary` names exactly these (RFC 9110 §12.5.5), and a cache that stands between keeps the tenants apart.
 */
import { POSITION } from './position-parameters.ts';

const VARY = POSITION.join(', ');

export type CachingHeaders = Readonly<Record<'Cache-Control' | 'Vary', string>>;

/** `more`: what else of the request selects the answer. */
export function keptAtPosition(control: string, more = ''): CachingHeaders {
  return { 'Cache-Control': control, Vary: more === '' ? VARY : `${more}, ${VARY}` };
}
