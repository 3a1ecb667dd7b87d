/**
 * Preview tokens: `<payload>.<HMAC-SHA256>`, both base64url; they name tenant, app, type, document and expiry, and are good for
 * exactly these (docs/contract/content.md §7; RFC 2104). A second secret verifies while the first takes its place.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '#config/limits.ts';

export interface PreviewClaim {
  /** Key of the tenant. */
  readonly tenant: string;
  readonly app: string;
  readonly type: string;
  readonly document: string;
}

const DOMAIN = 'skep.preview.v1.';

export function mintPreview(secret: string, claim: PreviewClaim, expiresAtMs: number): string {
  const { tenant, app, type, document } = claim;
  const text = JSON.stringify([tenant, app, type, document, Math.floor(expiresAtMs / 1000)]);
  const payload = Buffer.from(text).toString('base64url');
  return `${payload}.${macOf(secret, payload).toString('base64url')}`;
}

/** Whether a token shows this document now. */
export function isPreview(secrets: readonly string[], token: string, claim: PreviewClaim, nowMs: number): boolean {
  if (token.length > limits.content.previewTokenCharsMax) return false;
  const [payload = '', mac = '', ...more] = token.split('.');
  const given = Buffer.from(mac, 'base64url');
  const signed = secrets.some((secret) => {
    const expected = macOf(secret, payload);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!signed || more.length > 0) return false;
  const [tenant, app, type, document, expires] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
  const isSame = tenant === claim.tenant && app === claim.app && type === claim.type && document === claim.document;
  return isSame && typeof expires === 'number' && nowMs < expires * 1000;
}

const macOf = (secret: string, payload: string): Buffer =>
  createHmac('sha256', secret)
    .update(DOMAIN + payload)
    .digest();
