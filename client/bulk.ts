/** Many rows at once, in and out: `bulk(client)` (docs/contract/data.md §7). */
import type { Client } from './create-client.ts';
import type { WriteOptions } from './entity.ts';
import { linesIn } from './lines.ts';
import { queryOf } from './parameters.ts';
import type { Create, EntityName, Field, Row, SchemaTypes } from './schema.ts';
import type { Ask } from './transport.ts';

export type BulkFormat = 'csv' | 'json' | 'jsonl';

export interface ImportOptions extends WriteOptions {
  /** Of a text or a Blob: `json` unless set. Rows leave as lines of JSON. */
  readonly format?: BulkFormat;
  /** Goes on past rows that are refused; else the first one ends the import, and its chunk is not written. */
  readonly skipErrors?: boolean;
  /** Rows that are written together, whole or not at all: 1,000 unless set. */
  readonly chunk?: number;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
  /** How long the whole import may take: 600,000 ms unless set. */
  readonly timeoutMs?: number;
}

export interface ImportResult {
  readonly imported: number;
  readonly skipped: number;
  /** Refused rows, of which the node names a bounded number; `omitted` more were refused. */
  readonly errors: readonly RowError[];
  readonly omitted: number;
  /** False where a refused row has ended the import before its end. */
  readonly isWhole: boolean;
}

export interface RowError {
  /** Both from 1: the row among all of the data, and the line on which it begins. */
  readonly row: number;
  readonly line: number;
  readonly error: string;
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ExportQuery<S extends SchemaTypes, E extends EntityName<S>, F extends string> {
  readonly fields?: readonly (F & Field<S, E>)[];
  /** Fields and the values that they must have. */
  readonly where?: { readonly [G in Field<S, E>]?: string | number | boolean };
  readonly orderBy?: string | readonly string[];
  /** At most so many rows: 10,000 unless set. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface Bulk<S extends SchemaTypes> {
  /**
   * Creates rows by the same rules as single creates, chunk by chunk. `data`: rows, or a text or a Blob in `format`. Throws 400 `v2.bad_format` where the
   * data cannot be read (chunks before it stay), 403 `v2.create_failed`.
   */
  importRows<E extends EntityName<S>>(
    entity: E,
    data: readonly Create<S, E>[] | string | Blob,
    options?: ImportOptions,
  ): Promise<ImportResult>;
  /** The rows, one after the other as they arrive: a million of them need no memory. Throws `client.network` where the answer breaks off. */
  exportRows<E extends EntityName<S>, const F extends Field<S, E> = Field<S, E>>(
    entity: E,
    query?: ExportQuery<S, E, F>,
  ): AsyncGenerator<Pick<Row<S, E>, F & keyof Row<S, E>>, void>;
  /** The same as one file. */
  exportFile<E extends EntityName<S>>(
    entity: E,
    format: BulkFormat,
    query?: ExportQuery<S, E, Field<S, E>>,
  ): Promise<Blob>;
}

/** A query whose names have been checked by their types. */
interface AnyExport extends Omit<ExportQuery<SchemaTypes, string, string>, 'where'> {
  readonly where?: Readonly<Record<string, string | number | boolean | undefined>>;
}

const PATH = '/data/bulk';
const IMPORT_MS = 600_000;

export function bulk<S extends SchemaTypes>({ transport }: Client<S>): Bulk<S> {
  return {
    importRows: async (entity, data, options = {}) => {
      const { status, json } = await transport.send(importOf(entity, data, options));
      const { errors_omitted: omitted = 0, ...report } = json as Omit<ImportResult, 'omitted'> & {
        readonly errors_omitted?: number;
      };
      return {
        imported: report.imported,
        skipped: report.skipped,
        errors: report.errors,
        omitted,
        isWhole: status !== 207,
      };
    },
    exportRows: async function* (entity, query = {}) {
      const response = await transport.open(exportOf(entity, 'jsonl', query));
      for await (const line of linesIn(response.body!)) yield JSON.parse(line) as never;
    },
    exportFile: async (entity, format, query = {}) => (await transport.open(exportOf(entity, format, query))).blob(),
  };
}

function importOf(entity: string, data: readonly object[] | string | Blob, options: ImportOptions): Ask {
  const { key, signal, skipErrors, chunk, dryRun, timeoutMs = IMPORT_MS } = options;
  const isRows = Array.isArray(data);
  const query = queryOf({
    entity,
    format: isRows ? 'jsonl' : (options.format ?? 'json'),
    skiperrors: skipErrors === true || undefined,
    dryrun: dryRun === true || undefined,
    chunk,
  });
  const body = isRows ? data.map((row) => JSON.stringify(row)).join('\n') : data;
  return { method: 'POST', path: PATH, query, body, key, signal, timeoutMs };
}

function exportOf(entity: string, format: BulkFormat, given: object): Ask {
  const { fields, where = {}, orderBy, limit, signal } = given as AnyExport;
  const orderby = orderBy && [orderBy].flat().join();
  const query = queryOf({ entity, format, fields: fields?.join(), orderby, limit });
  for (const [field, value] of Object.entries(where)) {
    if (value === undefined) throw new TypeError(`where: ${field} is undefined. Name a value, or leave the key out.`);
    query.append('filter', `${field}=${value}`);
  }
  return { method: 'PATCH', path: PATH, query, signal };
}
