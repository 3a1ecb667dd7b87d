/** `gateway.tls`: its paths, the names that ACME orders for, and rules that involve several keys. */
import { isLoopback, parseBind } from './bind.ts';
import { limits } from './limits.ts';
import type { Platform, PlatformFile } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { pathFrom, type Surroundings } from './surroundings.ts';
import type { Tree } from './tree.ts';
import { suggestion } from './values/suggest.ts';

type Tls = NonNullable<PlatformFile['gateway']['tls']>;

const ROOT = ['gateway', 'tls'] as const;

/** The section with absolute paths. */
export function tlsFrom(around: Surroundings, tls: Tls): Tls {
  const placed = (at: Path, value: string): string => pathFrom(around, [...ROOT, ...at], value);
  const optional = (at: Path, value: string | undefined): string | undefined =>
    value === undefined ? undefined : placed(at, value);
  const { acme } = tls;
  return {
    ...tls,
    cert: optional(['cert'], tls.cert),
    key: optional(['key'], tls.key),
    others: tls.others.map((pair, i) => ({
      cert: placed(['others', i, 'cert'], pair.cert),
      key: placed(['others', i, 'key'], pair.key),
    })),
    ...(acme?.ca_file !== undefined && { acme: { ...acme, ca_file: placed(['acme', 'ca_file'], acme.ca_file) } }),
  };
}

/** The names whose certificates the node orders by itself: names of sites alone. */
export function acmeNames({ gateway: { sites, tls } }: Pick<Platform, 'gateway'>): readonly string[] {
  if (tls?.acme === undefined) return [];
  return [...new Set(tls.acme.names ?? Object.keys(sites))];
}

export function tlsProblems(platform: Platform, { tree }: { readonly tree: Tree }): Problem[] {
  const { tls } = platform.gateway;
  if (tls === undefined) return [];
  const problems: Problem[] = [];
  const say = (at: Path, side: 'key' | 'value', message: string, mend: string): void => {
    const path = [...ROOT, ...at];
    problems.push(problemAt(tree.placeOf(path, side), path, message, mend));
  };
  for (const [one, other] of [
    ['cert', 'key'],
    ['key', 'cert'],
  ] as const)
    if (tls[one] === undefined && (tls[other] !== undefined || tls.acme === undefined))
      say([one], 'key', `the key "${one}" is missing`, `add \`${one}: ./tls/${one}.pem\` (the path of a PEM file)`);
  if (tls.acme !== undefined) acmeProblems(platform, tls.acme, say);
  return problems;
}

type Say = (at: Path, side: 'key' | 'value', message: string, mend: string) => void;

function acmeProblems(platform: Platform, acme: NonNullable<Tls['acme']>, say: Say): void {
  const { gateway, listeners } = platform;
  if (!acme.agree_terms)
    say(
      ['acme', 'agree_terms'],
      'value',
      'nothing is ordered until you agree to the terms of the authority',
      'read them (the directory names them as termsOfService), and write agree_terms: true',
    );
  const { port } = parseBind(acme.http_bind)!;
  for (const [name, bind] of Object.entries({ gateway: gateway.bind, ...listeners }))
    if (bind === acme.http_bind && port !== 0)
      say(['acme', 'http_bind'], 'value', `${bind} is the address of ${name} too`, 'give one of them another port');
  if (acme.eab !== undefined && !isBase64Url(acme.eab.hmac))
    say(
      ['acme', 'eab', 'hmac'],
      'value',
      'the HMAC key is not base64url of at least 16 bytes',
      'copy it as the authority shows it',
    );
  nameProblems(platform, acme, say);
}

/** A reference to the vault becomes a value only when the node has read it. */
const isBase64Url = (text: string): boolean => text.startsWith('vault:') || /^[A-Za-z0-9_-]{22,}={0,2}$/.test(text);

function nameProblems(platform: Platform, acme: NonNullable<Tls['acme']>, say: Say): void {
  const { sites } = platform.gateway;
  const names = acmeNames(platform);
  const place = (name: string): Path =>
    acme.names === undefined ? ['acme'] : ['acme', 'names', acme.names.indexOf(name)];
  const side = acme.names === undefined ? 'key' : 'value';
  if (names.length === 0)
    say(
      acme.names === undefined ? ['acme'] : ['acme', 'names'],
      side,
      'certificates are ordered for names of gateway.sites, and there is none',
      'add for example gateway.sites: { app.example.org: { tenant: acme:atlas:dev:main } }',
    );
  if (names.length > limits.acme.namesMax)
    say(
      acme.names === undefined ? ['acme'] : ['acme', 'names'],
      side,
      `${names.length} names are more than the ${limits.acme.namesMax} for which a node orders certificates`,
      'list some of them in gateway.tls.acme.names, or use a wildcard certificate (gateway.tls.cert)',
    );
  for (const name of names) {
    if (!Object.hasOwn(sites, name)) {
      say(place(name), side, `${name} is no name of gateway.sites`, suggestion(name, Object.keys(sites)));
      continue;
    }
    const why = whyNot(name, acme.ca_file === undefined);
    if (why !== null) say(place(name), side, `no certificate can be ordered for ${name}: ${why}`, MEND);
  }
}

const MEND = 'list the other names in gateway.tls.acme.names, and use gateway.tls.cert for this one';

/** Names that no public authority can reach (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476). */
const PRIVATE = /\.(?:test|example|invalid|local|internal|onion|alt|home\.arpa)$/;

/** Why no authority would certify a name of a site; null where one may. Wildcards, addresses and other spellings are no names of sites. */
function whyNot(name: string, isPublic: boolean): string | null {
  if (isLoopback(name) || name.endsWith('.localhost')) return 'it is this machine itself';
  if (!name.includes('.')) return 'it is a single label, and authorities certify names with a domain';
  if (isPublic && PRIVATE.test(name))
    return 'its domain is private, and only an authority of your own (ca_file) can certify it';
  return null;
}
