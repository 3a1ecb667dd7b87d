/** What is known of a file that a row holds, and the line that fetches its bytes, for a shell: no stored byte is at this listener. Pure. */
import { wordOf } from '../node/command.ts';

/** As rows show it (docs/contract/data.md §5.9). */
export interface StoredFile {
  readonly name: string;
  readonly content_type: string;
  /** In bytes. */
  readonly size: number;
}

export function fileIn(value: unknown): StoredFile | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, content_type: type, size } = value as Partial<StoredFile>;
  return typeof name === 'string' && typeof type === 'string' && typeof size === 'number'
    ? { name, content_type: type, size }
    : null;
}

interface FileAt {
  /** Where the gateway is. */
  readonly at: string;
  /** `customer:product:env:tenant`. */
  readonly key: string;
  readonly entity: string;
  readonly id: string;
  readonly field: string;
}

const HEADERS = ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'];

/** `TOKEN` is left to the reader's shell. */
export function fileLine({ at, key, entity, id, field }: FileAt): string {
  const names = key.split(':');
  const heads = HEADERS.map((head, i) => `-H ${wordOf(`${head}: ${names[i] ?? ''}`)}`).join(' ');
  const query = new URLSearchParams({ download: 'true', field });
  const url = `${at}/data/rest/${encodeURIComponent(entity)}/id/${encodeURIComponent(id)}?${query.toString()}`;
  return `curl -OJ ${heads} -H "Authorization: Bearer $TOKEN" ${wordOf(url)}`;
}
