/** What the browser says that it signed for (WebAuthn §5.8.1): type, challenge, origin. Pure. */
import { z } from 'zod';
import { parseJson } from '#actors/kit/json.ts';

const clientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});
export type ClientData = z.output<typeof clientData>;

export function readClientData(base64url: string): ClientData | null {
  const parsed = parseJson(Buffer.from(base64url, 'base64url').toString('utf8'));
  const read = parsed.ok ? clientData.safeParse(parsed.value) : null;
  return read?.success === true ? read.data : null;
}

/** Why it does not count at a product whatever the user is, for the developer of the page; null when it does. */
export function clientDataFault(
  { type, origin, crossOrigin }: ClientData,
  expected: 'webauthn.create' | 'webauthn.get',
  origins: readonly string[],
): string | null {
  if (type !== expected) return `clientDataJSON has the type "${type.slice(0, 40)}", not "${expected}"`;
  if (crossOrigin === true) return 'the page lies in a frame of another origin: a passkey is used by a page of its own';
  if (origins.includes(origin)) return null;
  return `the origin ${origin.slice(0, 200)} is none of passkeys.origins in product.yaml`;
}
