/** `oauth` of `product.yaml`: the OpenID providers with which users may sign in. Source: docs/contract/identity-users.md §2. */
import * as z from 'zod';
import { problemAt } from '../problem.ts';
import type { Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { isMap } from '../tree.ts';
import type { Tree } from '../tree.ts';
import { isOperatorRole } from './roles-section.ts';

const PROVIDER = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const name = z.string().regex(PROVIDER, 'use lower-case letters, digits, _ and -, at most 63 characters');

const role = z
  .string()
  .min(1)
  .refine((value) => !isOperatorRole(value))
  .meta({ description: 'a role that a product may confer', example: 'tenant_user' });

/** The code is appended as a query, so the address must have no query of its own, and no fragment (RFC 6749 §3.1.2). */
const redirectUri = z
  .string()
  .refine((value) => kit.isHttpUrl(value) && !/[?#]/.test(value))
  .meta({
    description: 'an http or https URL without query and fragment',
    example: 'https://app.example.org/signed-in',
  });

const scopes = z
  .array(z.string().regex(/^[!#-[\]-~]+$/))
  .refine((list) => list.includes('openid'))
  .default(['openid', 'email', 'profile'])
  .meta({ description: 'a list of scopes with openid among them', example: '[openid, email, profile]' });

const provider = kit.entry({
  issuer: kit.httpUrl('the URL of the issuer'),
  client_id: kit.text('the id that the provider gave the product', 'atlas'),
  client_secret: kit.secret('the secret that the provider gave the product'),
  scopes,
  redirect_uri: redirectUri,
  roles: kit.list(role, 'roles').default([]),
  link: kit.oneOf(['none', 'email_verified']).default('none'),
});

export const oauthSection = kit.entry({
  providers: z
    .record(name, provider)
    .meta({ description: 'a map of providers by name', example: '{ corporate: { issuer: … } }' }),
});

/** Client secrets in the file itself: a checkout is shared, so they must come from the environment. */
export function writtenSecrets(tree: Tree): Problem[] {
  const providers = tree.get(['oauth', 'providers']);
  const problems: Problem[] = [];
  for (const name of isMap(providers) ? Object.keys(providers) : []) {
    const path = ['oauth', 'providers', name, 'client_secret'];
    if (!tree.has(path) || tree.looseSource(path) !== null) continue;
    const message = 'client_secret must come from the environment';
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, 'write `client_secret: ${NAME}` and set NAME'));
  }
  return problems;
}
