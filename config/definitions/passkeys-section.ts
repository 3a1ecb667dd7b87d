/** `passkeys` of `product.yaml`: turns passkeys on for the product's tenants. Source: docs/contract/identity-users.md §3.2. */
import * as z from 'zod';
import { limits } from '../limits.ts';
import { problemAt, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import type { Tree } from '../tree.ts';

const DOMAIN =
  /^(?=.{1,253}$)(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/** What a browser writes as an origin: scheme, host and port, nothing else; plain HTTP on this machine only. */
function isOrigin(text: string): boolean {
  if (!kit.isHttpUrl(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || hostname === 'localhost');
}

const origin = z.string().refine(isOrigin).meta({
  description: 'the origin of a page: https://, host and port, nothing behind them (http:// for localhost alone)',
  example: 'https://app.example.org',
});

export const passkeysSection = kit.entry({
  rp_id: kit.pattern(DOMAIN, 'a domain in lower case, without scheme and port', 'example.org').meta({
    about: 'the domain whose sites may use the passkeys',
  }),
  rp_name: kit.text('the name that a browser shows', 'Example').meta({ about: 'what people read when they use one' }),
  origins: z
    .array(origin)
    .min(1)
    .max(limits.passkeys.originsMax)
    .meta({
      description: `a list of 1 to ${limits.passkeys.originsMax} origins of pages`,
      example: '[https://app.example.org]',
      about: 'the pages of the product',
    }),
  user_verification: kit
    .oneOf(['preferred', 'required'])
    .default('preferred')
    .meta({ about: 'whether the device must ask for a PIN or a finger' }),
});

/** Origins whose pages a browser would not let use passkeys of `rp_id` (WebAuthn §5.1.3: the domain, or one below it). */
export function passkeyProblems(tree: Tree): Problem[] {
  const origins = tree.get(['passkeys', 'origins']);
  const rpId = String(tree.get(['passkeys', 'rp_id']));
  const problems: Problem[] = [];
  for (const [i, text] of (Array.isArray(origins) ? origins : []).entries()) {
    const { hostname } = new URL(String(text));
    if (hostname === rpId || hostname.endsWith(`.${rpId}`)) continue;
    const path = ['passkeys', 'origins', i];
    const message = `passkeys.origins[${i}] is not within rp_id: ${hostname} is neither ${rpId} nor below it`;
    const mend = `take an origin of ${rpId}, or set rp_id to ${hostname} or to a domain above it`;
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  }
  return problems;
}
