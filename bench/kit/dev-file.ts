/** The demo's `dev.json`, as far as the benches use it, and what they make of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BodyPart } from './load-script.ts';

export interface DevFile {
  readonly gateway: string;
  readonly operations: string;
  /** The four position headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly api_key: string;
  readonly service_key: string;
  readonly sample: {
    readonly entity: string;
    readonly id: string;
    readonly create: Readonly<Record<string, unknown>>;
    /** Query string. */
    readonly filter: string;
  };
}

/** The file in a data directory, or null while there is none. */
export function readDevFile(dataDir: string): DevFile | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as DevFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function rowUrl({ gateway, sample }: DevFile): string {
  return `${gateway}/data/rest/${sample.entity}/id/${encodeURIComponent(sample.id)}`;
}

/** The sample's list with another number of rows. */
export function listUrl({ gateway, sample }: DevFile, rows: number): string {
  const query = new URLSearchParams(sample.filter);
  query.set('limit', String(rows));
  return `${gateway}/data/rest/${sample.entity}?${query.toString()}`;
}

export function createUrl({ gateway, sample }: DevFile): string {
  return `${gateway}/data/rest/${sample.entity}`;
}

const POPULATION_BELOW = 10_000_000;

/**
 * The sample row as a body that differs each time: a new `name`, and where the sample has one a random `population`, so that
 * two of its three index entries land anywhere in their index. Throws when the sample has no name.
 */
export function changingRow(sample: Readonly<Record<string, unknown>>): BodyPart[] {
  if (typeof sample['name'] !== 'string') throw new Error('sample.create has no name to make unique');
  const { name: _, population, ...rest } = sample;
  const fixed = Object.entries(rest).map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const parts: BodyPart[] = ['{"name":"', { kind: 'unique' }, `"${fixed.join('')}`];
  if (population !== undefined) parts.push(',"population":', { kind: 'random', below: POPULATION_BELOW });
  return [...parts, '}'];
}

/** Exchanges the service key for a token (docs/contract/identity.md §5.3). It lives 15 minutes. */
export async function exchangeToken(dev: Pick<DevFile, 'gateway' | 'headers' | 'service_key'>): Promise<string> {
  const answer = await fetch(`${dev.gateway}/auth/token`, {
    method: 'POST',
    headers: { ...dev.headers, Authorization: `ApiKey ${dev.service_key}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST /auth/token answered ${answer.status} ${text}`);
  return (JSON.parse(text) as { token: string }).token;
}
