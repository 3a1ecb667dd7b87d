/** SPIFFE IDs (the SPIFFE-ID standard, §2): `spiffe://<trust domain>/<path>`. */

const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
const SEGMENT = /^[A-Za-z0-9._-]+$/;
const BYTES_MAX = 2048;

export interface SpiffeId {
  readonly trustDomain: string;
  /** With its leading slash; '' for the trust domain itself. */
  readonly path: string;
}

/** The parts of an ID; null when the text is not one. */
export function parseSpiffeId(text: string): SpiffeId | null {
  const match = /^spiffe:\/\/([^/]*)(\/.*)?$/.exec(text);
  if (match === null || text.length > BYTES_MAX) return null;
  const [, trustDomain = '', path = ''] = match;
  const segments = path.split('/').slice(1);
  const isSound = segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..');
  return TRUST_DOMAIN.test(trustDomain) && isSound ? { trustDomain, path } : null;
}

export const spiffeId = (trustDomain: string, path: string): string => `spiffe://${trustDomain}${path}`;
