/**
 * What caches may keep of an answer at a position. Door and gateway read the position from headers, so one path has an answer for each
 * tenant: `Vary` names exactly these headers (RFC 9110 §12.5.5), so that a cache on the way keeps tenants apart.
 */
import { POSITION } from './position-parameters.ts';

const VARY = POSITION.join(', ');

export type CachingHeaders = Readonly<Record<'Cache-Control' | 'Vary', string>>;

/** `more`: what else of the request selects the answer. */
export function keptAtPosition(control: string, more = ''): CachingHeaders {
  return { 'Cache-Control': control, Vary: more === '' ? VARY : `${more}, ${VARY}` };
}
