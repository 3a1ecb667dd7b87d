/** Rules of a sign-in provider that involve its preset, and secrets that stand in the file. Source: docs/contract/identity-users.md §2. */
import { createPrivateKey } from 'node:crypto';
import { problemAt, type Problem } from '../problem.ts';
import { isHttpUrl } from '../schema-kit.ts';
import { isMap, type Tree } from '../tree.ts';
import { PRESETS } from './oauth-presets.ts';
import { providerName } from './oauth-section.ts';

interface Provider {
  readonly base: readonly string[];
  readonly preset: unknown;
}

const SECRETS = ['client_secret', 'private_key'] as const;

/** Secrets in the file itself: a checkout is shared, so they must come from the environment. */
export function writtenSecrets(tree: Tree): Problem[] {
  const ofProviders = providersOf(tree).flatMap(({ base }) => SECRETS.map((key) => [...base, key]));
  return [...ofProviders, ['accounts', 'captcha', 'secret']].flatMap((path) => {
    if (!tree.has(path) || tree.looseSource(path) !== null) return [];
    const key = String(path.at(-1));
    const message = `${key} must come from the environment`;
    const mend = `write \`${key}: \${NAME}\` and set NAME`;
    return [problemAt(tree.placeOf(path, 'value'), path, message, mend)];
  });
}

/** What the preset of a provider needs, and what it does not take. Providers with an unknown preset or a wrong name are left to their own problem. */
export function providerProblems(tree: Tree): Problem[] {
  return providersOf(tree)
    .filter(({ base, preset }) => isPreset(preset) && providerName.safeParse(base[2]).success)
    .flatMap((one) => [
      ...NEEDED.filter(({ of }) => of(one.preset)).flatMap(({ key, text }) => missing(tree, [...one.base, key], text)),
      ...UNUSED.filter(({ of }) => !of(one.preset)).flatMap((unfit) => unused(tree, one.base, unfit)),
      ...unlistedAddresses(tree, one),
      ...withoutOpenId(tree, one),
      ...longIssuer(tree, one),
      ...brokenKey(tree, one),
    ]);
}

const isPreset = (preset: unknown): boolean =>
  preset === undefined || (typeof preset === 'string' && Object.hasOwn(PRESETS, preset));
const isPlain = (preset: unknown): boolean => preset === 'github' || preset === 'discord';
const isApple = (preset: unknown): boolean => preset === 'apple';
const isMicrosoft = (preset: unknown): boolean => preset === 'microsoft';

const NEEDED = [
  {
    key: 'issuer',
    of: (preset: unknown) => preset === undefined,
    text: '`issuer: https://example.org` (the URL of the issuer)',
  },
  {
    key: 'client_secret',
    of: (preset: unknown) => !isApple(preset),
    text: '`client_secret: ${NAME}` (the secret that the provider gave the product)',
  },
  { key: 'team_id', of: isApple, text: '`team_id: A1B2C3D4E5` (the id of the team at Apple)' },
  { key: 'key_id', of: isApple, text: '`key_id: F6G7H8I9J0` (the id of the key at Apple)' },
  { key: 'private_key', of: isApple, text: '`private_key: ${NAME}` (the private key of the team, PEM)' },
];

interface Unfit {
  readonly key: string;
  /** Whether the preset takes the key. */
  readonly of: (preset: unknown) => boolean;
  readonly message: string;
  readonly mend: string;
}

const only = (key: string, preset: string, of: (preset: unknown) => boolean): Unfit => ({
  key,
  of,
  message: `${key} belongs to the preset ${preset}`,
  mend: `leave it out, or set preset: ${preset}`,
});

const UNUSED: readonly Unfit[] = [
  only('tenant', 'microsoft', isMicrosoft),
  only('team_id', 'apple', isApple),
  only('key_id', 'apple', isApple),
  only('private_key', 'apple', isApple),
  {
    key: 'endpoints',
    of: isPlain,
    message: 'endpoints belongs to the presets github and discord',
    mend: 'leave it out: other providers are found by their issuer',
  },
  {
    key: 'issuer',
    of: (preset) => !isPlain(preset),
    message: 'issuer belongs to providers of OpenID Connect, which this preset is not',
    mend: 'leave it out; for a server of your own write endpoints: authorization, token and user',
  },
  {
    key: 'client_secret',
    of: (preset) => !isApple(preset),
    message: 'the preset apple has no client_secret: private_key signs one for each sign-in',
    mend: 'leave it out',
  },
];

function missing(tree: Tree, path: readonly string[], text: string): Problem[] {
  if (tree.has(path)) return [];
  const base = path.slice(0, -1);
  return [problemAt(tree.placeOf(base, 'key'), base, `the key "${path.at(-1)}" is missing`, `add ${text}`)];
}

function unused(tree: Tree, base: readonly string[], { key, message, mend }: Unfit): Problem[] {
  const path = [...base, key];
  return tree.has(path) ? [problemAt(tree.placeOf(path, 'key'), path, message, mend)] : [];
}

/** The answer of GitHub's `user` does not say which address is verified. */
function unlistedAddresses(tree: Tree, { base, preset }: Provider): Problem[] {
  const path = [...base, 'endpoints'];
  if (preset !== 'github' || !isMap(tree.get(path))) return [];
  return missing(tree, [...path, 'emails'], "`emails: https://example.org` (the URL of the user's addresses)");
}

function withoutOpenId(tree: Tree, { base, preset }: Provider): Problem[] {
  const path = [...base, 'scopes'];
  const given = tree.get(path);
  if (isPlain(preset) || !Array.isArray(given) || given.includes('openid')) return [];
  const message = 'scopes must be a list of scopes with openid among them, not a list';
  const mend = 'write for example `scopes: [openid, email, profile]`';
  return [problemAt(tree.placeOf(path, 'value'), path, message, mend)];
}

/** A directory in the issuer would be passed over, and every directory be admitted. */
function longIssuer(tree: Tree, { base, preset }: Provider): Problem[] {
  const path = [...base, 'issuer'];
  const given = tree.get(path);
  if (!isMicrosoft(preset) || typeof given !== 'string' || !isHttpUrl(given)) return [];
  const { pathname, search } = new URL(given);
  if (pathname === '/' && search === '') return [];
  const message = 'issuer of the preset microsoft must have no path';
  const mend = 'write `issuer: https://login.microsoftonline.us`, and the directory as `tenant: …`';
  return [problemAt(tree.placeOf(path, 'value'), path, message, mend)];
}

/** Only a key from the environment is read: one that stands in the file is a problem already. */
function brokenKey(tree: Tree, { base, preset }: Provider): Problem[] {
  const path = [...base, 'private_key'];
  const given = tree.get(path);
  const source = tree.looseSource(path);
  if (!isApple(preset) || typeof given !== 'string' || source === null || isP256(given)) return [];
  const message = 'private_key must be a private key of the curve P-256 in PEM';
  return [problemAt(tree.placeOf(path, 'value'), path, message, `set ${source} to the text of AuthKey_….p8`)];
}

function isP256(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

function providersOf(tree: Tree): Provider[] {
  const providers = tree.get(['oauth', 'providers']);
  return (isMap(providers) ? Object.keys(providers) : []).map((key) => {
    const base = ['oauth', 'providers', key];
    return { base, preset: tree.get([...base, 'preset']) };
  });
}
