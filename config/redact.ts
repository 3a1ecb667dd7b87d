/** The effective configuration for display: in the shape of the file, secrets masked. Spec: docs/contract/intake.md §8. */
import { hasLog } from './journal-problems.ts';
import { platformFile, type Platform } from './platform.ts';
import type { Path } from './problem.ts';
import { metaAt } from './schema-walk.ts';

export const MASK = '********';

/** Names of keys whose values must not be shown, in any service. */
const SECRET_NAME =
  /token|secret|passw|passphrase|credential|webhook|api_?key|access_?key|private_?key|root_?key|signing_?key|unseal|share|authorization|cookie|dsn/i;
/** Endings that mark the place of a secret, not the secret itself. */
const HARMLESS_ENDING = /(_url|_header|_path|_file|_dir|_template|_name|_id|_ttl|_expiry|_bytes|_max)$/i;
/** Sections without a schema: there the names decide. */
const OPEN_SECTIONS: ReadonlySet<string | number> = new Set(['bff']);
/** The user and password in a URL, `https://user:password@host`. */
const URL_PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i;

/**
 * The platform in the shape of its file. When nothing was masked, it loads again to the same platform. Tokens, passwords, secrets, webhook URLs and
 * credentials inside other URLs are shown as `********`.
 */
export function redacted(platform: Platform): Record<string, unknown> {
  return mask(fileShape(platform), [], false) as Record<string, unknown>;
}

/** The same with its secrets: never to be shown. It says what must be kept out of other texts. */
export function shownWhole(platform: Platform): unknown {
  return fileShape(platform);
}

/** Whether a value of the shown configuration stands for a secret. */
export function isMasked(value: unknown): boolean {
  return value === MASK;
}

/** The intake part alone, in the shape of a file given to `skep intake`. */
export function redactedIntake(platform: Platform): Record<string, unknown> {
  return redacted(platform).intake as Record<string, unknown>;
}

/** The platform file that gives this platform. */
function fileShape(platform: Platform): Record<string, unknown> {
  const { file: _file, service: _service, listeners, console: page, rates, intake, cluster, ...rest } = platform;
  const open = Object.entries(listeners).map(([name, bind]) => [
    name,
    name === 'console' && bind !== null ? { bind, ...page } : listenerShape(name, bind),
  ]);
  // A node on files is alone, and its file has no such section.
  const among = hasLog(platform) ? { cluster } : {};
  const shape = { ...rest, ...among, listeners: Object.fromEntries(open), intake };
  return { ...shape, rates: { ...rates.profiles, ipv6_prefix: rates.ipv6_prefix } };
}

/** Intake's address is in its own section, as the contract has it. */
function listenerShape(name: string, bind: string | null): unknown {
  if (bind === null) return false;
  return name === 'intake' ? true : { bind };
}

function mask(value: unknown, path: Path, secret: boolean): unknown {
  const hidden = secret || secretAt(path);
  if (Array.isArray(value)) return value.map((item, at) => mask(item, [...path, at], hidden));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, mask(item, [...path, key], hidden)]));
  }
  if (hidden) return value === '' || value === null || typeof value === 'boolean' ? value : MASK;
  return typeof value === 'string' ? value.replace(URL_PASSWORD, `$1${MASK}@`) : value;
}

/** Whether the value at a path is a secret, there or not. */
export function secretAt(path: Path): boolean {
  if (metaAt(platformFile, path)?.secret === true) return true;
  const name = path.at(-1);
  if (typeof name !== 'string' || path.length < 2 || !OPEN_SECTIONS.has(path[0]!)) return false;
  return SECRET_NAME.test(name) && !HARMLESS_ENDING.test(name);
}
