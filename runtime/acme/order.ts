/**
 * One order, from the account to the chain (RFC 8555 §7):
 *
 *   directory ─▶ account ─▶ order ─▶ each authorization: offer the token, be asked for it, valid ─▶ request ─▶ chain
 *
 * Nothing is kept of an order that fails: the authority gives the same one again, or a new one.
 */
import type { KeyObject } from 'node:crypto';
import { setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { AcmeClient, checkedUrl, urlIn, type Answer } from './client.ts';
import { AcmeFault, faultOf, type Problem } from './fault.ts';
import { checkedChain, keyPem, newKey, requestFor } from './paper.ts';
import { base64Url, bindAccount, keyAuthorization } from './signing.ts';

export interface OrderWish {
  readonly name: string;
  readonly directory: string;
  readonly ca: string | undefined;
  readonly contact: readonly string[];
  readonly eab: { readonly kid: string; readonly hmac: string } | undefined;
  readonly accountKey: KeyObject;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The authority's question for a token is answered from when it resolves until the returned function is called. */
  offer(token: string, answer: string): Promise<() => Promise<void>>;
}

/** The new key and the chain, as the text of one PEM file. Throws AcmeFault. */
export async function orderCertificate(wish: OrderWish): Promise<string> {
  const client = new AcmeClient({ ca: wish.ca, accountKey: wish.accountKey, signal: wish.signal, now: wish.now });
  try {
    const directory = await client.directory(wish.directory);
    await enter(client, directory, wish);
    return await gain(client, directory, wish);
  } finally {
    client.close();
  }
}

/** The account of the key; it is made where the authority does not know the key (RFC 8555 §7.3). */
async function enter(
  client: AcmeClient,
  directory: Answer['body'],
  { accountKey, contact, eab }: OrderWish,
): Promise<void> {
  const url = urlIn(directory, 'newAccount');
  const { meta } = directory as { meta?: { externalAccountRequired?: unknown } };
  if (meta?.externalAccountRequired === true && eab === undefined)
    throw faultOf('account', { type: 'urn:ietf:params:acme:error:externalAccountRequired' }, 403, null);
  const { location } = await client.post('account', url, {
    termsOfServiceAgreed: true,
    ...(contact.length > 0 && { contact: contact.map((address) => `mailto:${address}`) }),
    ...(eab !== undefined && { externalAccountBinding: bindAccount(accountKey, eab, url) }),
  });
  client.kid = checkedUrl(location, 'account');
}

async function gain(client: AcmeClient, directory: Answer['body'], wish: OrderWish): Promise<string> {
  const { name } = wish;
  const order = await client.post(`order for ${name}`, urlIn(directory, 'newOrder'), {
    identifiers: [{ type: 'dns', value: name }],
  });
  const orderUrl = checkedUrl(order.location, 'order');
  const authorizations = order.body['authorizations'];
  const [authorization] = Array.isArray(authorizations) ? (authorizations as unknown[]) : []; // one name has one
  await authorize(client, checkedUrl(authorization, 'authorization'), wish);
  await until(client, orderUrl, `order for ${name}`, ['ready'], wish);
  const key = await newKey();
  await client.post(`request for ${name}`, urlIn(order.body, 'finalize'), { csr: base64Url(requestFor(key, name)) });
  const done = await until(client, orderUrl, `order for ${name}`, ['valid'], wish);
  const chain = await client.chain(urlIn(done.body, 'certificate'));
  return keyPem(key) + checkedChain(chain, key, name, wish.now());
}

interface Challenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly error?: Problem;
}

/** RFC 8555 §7.5: shows that this node answers at the name. An authorization that is valid from before needs nothing. */
async function authorize(client: AcmeClient, url: string, wish: OrderWish): Promise<void> {
  const what = `validation of ${wish.name}`;
  const { body } = await client.post(what, url, null);
  if (body['status'] === 'valid') return;
  const challenge = httpChallenge(body, wish.name);
  const withdraw = await wish.offer(challenge.token, keyAuthorization(wish.accountKey, challenge.token));
  try {
    await client.post(what, challenge.url, {});
    await until(client, url, what, ['valid'], wish);
  } finally {
    await withdraw();
  }
}

function httpChallenge({ challenges }: Answer['body'], name: string): Challenge {
  const all = Array.isArray(challenges) ? (challenges as readonly Partial<Challenge>[]) : [];
  const found = all.find(({ type }) => type === 'http-01');
  if (found === undefined)
    throw new AcmeFault(
      `the authority does not offer to validate ${name} over HTTP`,
      'use an authority that offers http-01, or another ACME client and gateway.tls.cert',
    );
  const token = String(found.token);
  if (!/^[A-Za-z0-9_-]+$/.test(token) || token.length > limits.acme.tokenCharsMax)
    throw new AcmeFault(
      'the authority sent a token that is none',
      'it is tried again; where it stays so, ask the authority',
    );
  return { type: 'http-01', token, url: checkedUrl(found.url, 'challenge') };
}

/** Asks for an order or an authorization until it has one of these states; throws when it has become invalid. */
async function until(
  client: AcmeClient,
  url: string,
  what: string,
  wanted: readonly string[],
  { signal }: OrderWish,
): Promise<Answer> {
  for (;;) {
    const answer = await client.post(what, url, null);
    const status = String(answer.body['status']);
    if (wanted.includes(status)) return answer;
    if (status !== 'pending' && status !== 'processing' && status !== 'ready')
      throw faultOf(what, problemIn(answer.body), answer.status, answer.waitMs);
    const { pollMs, pollMsMax } = limits.acme;
    await passed(Math.min(Math.max(answer.waitMs ?? 0, pollMs), pollMsMax), undefined, { signal });
  }
}

/** The error of an invalid order, or of the challenge that failed. */
function problemIn({ challenges, error, status }: Answer['body']): Problem {
  const all = Array.isArray(challenges) ? (challenges as readonly Partial<Challenge>[]) : [];
  const found = (error as Problem | undefined) ?? all.find((one) => one.error !== undefined)?.error;
  return found ?? { detail: `it is ${String(status)} now` };
}
