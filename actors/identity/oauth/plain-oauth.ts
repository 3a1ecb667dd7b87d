/** Providers of plain OAuth 2, which have no ID token: who the user is, their API says. The claims are given the names of OpenID Connect. */
import { z } from 'zod';
import type { Configuration } from 'openid-client';
import type { OAuthEndpoints } from '#config/definitions/product.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import type { Claims } from './person.ts';
import { openId } from './providers.ts';

/** GitHub's ids are numbers, Discord's texts; GitHub lists addresses at an endpoint of their own. */
const user = z.object({
  id: z.union([z.string().min(1).max(255), z.int().nonnegative()]),
  email: z.string().nullish(),
  verified: z.boolean().optional(),
});
const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

export async function claimsOf(
  configuration: Configuration,
  endpoints: OAuthEndpoints,
  accessToken: string,
): Promise<Claims & { readonly sub: string }> {
  const { id, email, verified } = await ask(configuration, endpoints.user, accessToken, user);
  const sub = String(id);
  if (endpoints.emails === undefined) return { sub, email, email_verified: verified === true };
  const listed = await ask(configuration, endpoints.emails, accessToken, emails);
  const primary = listed.find((one) => one.primary);
  return { sub, email: primary?.email, email_verified: primary?.verified === true };
}

async function ask<T extends z.ZodType>(
  configuration: Configuration,
  url: string,
  accessToken: string,
  shape: T,
): Promise<z.output<T>> {
  const { fetchProtectedResource } = await openId();
  const headers = new Headers({ accept: 'application/json', 'user-agent': 'skep' });
  const answer = await fetchProtectedResource(configuration, accessToken, new URL(url), 'GET', undefined, headers);
  const body: unknown = answer.status === 200 ? await answer.json().catch(() => null) : null;
  const read = shape.safeParse(body);
  if (!read.success) throw new OutboundFault('failed', `${url}: ${answer.status}, and no user in its answer`);
  return read.data;
}
