/** `gateway.cors` of the platform file: per product, the origins whose pages may call it. Spec: docs/contract/platform.md §3.4. */
import * as z from 'zod';
import * as kit from './schema-kit.ts';

interface Fault {
  readonly message: string;
  readonly mend: string;
}

/** What is wrong with an origin: it is compared as it is written, so only what browsers send (RFC 6454 §6.2) can ever match. */
function faultOf(text: string): Fault | null {
  if (text.includes('*'))
    return { message: '* would let pages of any site read answers', mend: 'name each origin by itself' };
  if (text === 'null')
    return { message: 'null is an origin that every site can take', mend: 'serve the page under an origin of its own' };
  const quoted = JSON.stringify(text);
  if (!kit.isHttpUrl(text))
    return { message: `${quoted} is not an origin`, mend: 'write for example https://shop.example.org' };
  const url = new URL(text);
  return url.origin === text ? null : { message: `${quoted} ${differenceOf(url, text)}`, mend: `write ${url.origin}` };
}

function differenceOf({ pathname, search, hash, username, password }: URL, text: string): string {
  if (pathname !== '/' || `${search}${hash}${username}${password}` !== '')
    return 'has more than a scheme, a host and a port';
  return text.endsWith('/') ? 'ends with a slash' : 'is not what browsers send';
}

const pageOrigin = z
  .string()
  .superRefine((text, context) => {
    const fault = faultOf(text);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault.message, params: { mend: fault.mend } });
  })
  .meta({ description: 'an origin as browsers send it', example: 'https://shop.example.org' });

/**
 * By product, the second segment of its tenants' keys; cors-problems.ts has the rules that involve other keys.
 *
 * Who may call: the same callers as without it; an origin is no credential. What it costs: nothing in a node without the key, else one look
 * for `Origin`, and a lookup in a map where there is one. Whom it can hurt: pages of a listed origin read what their own credential opens in
 * that product; cookies are never allowed. docs/decisions/runtime.md RT-32
 */
export const corsSection = z
  .record(z.string(), kit.entry({ origins: kit.list(pageOrigin, 'origins') }))
  .meta({ description: 'a map of products', example: '{ shop: { origins: [https://shop.example.org] } }' })
  .default({});
