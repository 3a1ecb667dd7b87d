/** The callers of a route, in words and in OpenAPI's terms, made from the row's declaration. */
import type { Callers, Impersonation, Place, Rule } from '#actors/protocol/callers.ts';

type Json = Readonly<Record<string, unknown>>;

const FROM: Readonly<Record<Place, string>> = {
  here: 'of the position',
  anywhere: 'of any tenant',
  at: 'of the named tenant',
  'at or over': 'of the named tenant, of its operator plane or of the control plane',
  over: 'of the named tenant’s operator plane or of the control plane',
  plane: 'of the named tenant’s operator plane',
  control: 'of the control plane',
};
const BORROWED: Readonly<Record<Impersonation, string>> = {
  none: '',
  full: ', also under full impersonation',
  readonly: ', also under impersonation',
};

const COVER = {
  here: 'that cover the position',
  anywhere: 'of any tenant',
  at: 'that cover the named tenant',
} as const;

/** One phrase for each kind of caller; with `further` they name every caller that is admitted. */
export function describeCallers(row: Callers): string[] {
  const { auth, anonymous, instead, unread, users, service, keys, certificates, further } = row;
  const lines: string[] = [];
  if (unread)
    lines.push(auth === 'none' ? 'everybody' : 'everybody; the credential is not read, and an API key is refused');
  else if (anonymous) lines.push('everybody without a credential');
  lines.push(...users.map((rule) => `users ${ruleText(rule)}`));
  if (service !== null) lines.push(`service tokens ${COVER[service]}`);
  if (keys !== null) lines.push(`${keys.scoped ? 'service keys' : 'keys'} ${ruleText(keys)}`);
  if (row.static.length > 0) lines.push(`the static key (${row.static.join(', ')})`);
  if (certificates.length > 0) lines.push(`certificates of ${certificates.join(', ')}`);
  if (instead !== null) lines.push(`any caller with ${instead}`);
  return further === null ? lines : [...lines, `then: ${further}`];
}

function ruleText({ roles, from, impersonation }: Rule): string {
  const which = roles === null ? '' : `with the role ${roles.join(' or ')} `;
  return `${which}${FROM[from]}${BORROWED[impersonation]}`;
}

/** OpenAPI's `security`: a caller shows one of these. */
export function securityOf({ auth, unread, users, service, keys, static: statics, certificates }: Callers): Json[] {
  if (auth === 'none') return [];
  const shown: Json[] = auth === 'optional' ? [{}] : [];
  if (!unread && (users.length > 0 || service !== null)) shown.push({ bearer: [] });
  if (keys !== null) shown.push({ apiKey: [] });
  if (statics.length > 0) shown.push({ staticKey: [] });
  if (certificates.length > 0) shown.push({ certificate: [] });
  return shown;
}

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'PASETO v4.public' },
  apiKey: { type: 'http', scheme: 'ApiKey', description: '`Authorization: ApiKey <key>`' },
  staticKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The static key of the product' },
  certificate: { type: 'mutualTLS', description: 'A client certificate with a SPIFFE id that the service trusts' },
} as const;
