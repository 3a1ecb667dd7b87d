/**
 * `vault:<name>` in the platform file: references to secrets in the node's own vault (docs/contract/platform.md §2.2), which are read at the start.
 */
import { platformFile, type Platform } from './platform.ts';
import type { Path } from './problem.ts';
import { SCHEME } from './reference-name.ts';
import { metaAt } from './schema-walk.ts';

/** Sections without a schema: there every value may be a reference. */
const OPEN_SECTIONS: ReadonlySet<string | number> = new Set(['bff', 'content']);

/** The name in a reference, or null for any other value. */
export function referenceOf(value: unknown, path: Path): string | null {
  if (typeof value !== 'string' || !value.startsWith(SCHEME)) return null;
  const mayRefer = metaAt(platformFile, path)?.secret === true || OPEN_SECTIONS.has(path[0]!);
  return mayRefer ? value.slice(SCHEME.length) : null;
}

/** The names of all references of a platform, each once. */
export function referencesOf(platform: Platform): string[] {
  const names = new Set<string>();
  replaced(platform, [], (name) => {
    names.add(name);
    return name;
  });
  return [...names];
}

/** Secrets that doors compare or send; all others are for threads. */
const OF_DOORS: readonly Path[] = [['intake', 'security', 'gateway_secret']];

/** The names of references that the doors of a node need. */
export function doorReferencesOf(platform: Platform): string[] {
  const names = OF_DOORS.map((path) => {
    let value: unknown = platform;
    for (const key of path) value = (value as Record<string | number, unknown>)[key];
    return referenceOf(value, path);
  });
  return [...new Set(names.filter((name) => name !== null))];
}

/** The platform with each reference replaced by its secret. Frozen. */
export function withSecrets(platform: Platform, secrets: ReadonlyMap<string, string>): Platform {
  return replaced(platform, [], (name) => secrets.get(name)!) as Platform;
}

function replaced(value: unknown, path: Path, secretOf: (name: string) => string): unknown {
  const name = referenceOf(value, path);
  if (name !== null) return secretOf(name);
  if (Array.isArray(value)) return Object.freeze(value.map((item, at) => replaced(item, [...path, at], secretOf)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, replaced(item, [...path, key], secretOf)]);
  return Object.freeze(Object.fromEntries(entries));
}
