/** Calls of the bulk routes of a node. */
import type { DataNode } from '#test/kit/data-node.ts';
import { answerOf, type Answer, type Headers } from '#test/kit/test-node.ts';

/** What an import answers. */
export interface BulkReport {
  readonly imported: number;
  readonly skipped: number;
  readonly errors: readonly { line: number; error: string; code: string; details?: { fields?: object } }[];
  readonly errors_omitted?: number;
  readonly code?: string;
  readonly error?: string;
  readonly details?: { readonly line: number; readonly imported: number };
}

export type Row = Record<string, unknown>;
export type Data = string | Uint8Array<ArrayBuffer> | ReadableStream;

export interface BulkCalls {
  readonly bulk: (method: string, query: string, body?: Data, headers?: Headers) => Promise<Answer>;
  /** Imports with a service token. */
  readonly load: (query: string, body: Data) => Promise<{ status: number; report: BulkReport }>;
  /** The papers that a filter finds. */
  readonly rows: (filter: string) => Promise<Row[]>;
}

/** The calls of a node of the shop. */
export function bulkCalls(on: DataNode): BulkCalls {
  const bulk: BulkCalls['bulk'] = async (method, query, body, headers = on.bearer) => {
    const streams = body instanceof ReadableStream ? { duplex: 'half' } : {};
    const init = { method, headers, ...(body !== undefined && { body }), ...streams } as RequestInit;
    return answerOf(await fetch(`${on.it.gateway}/data/bulk?${query}`, init));
  };
  return {
    bulk,
    load: async (query, body) => {
      const answer = await bulk('POST', query, body);
      return { status: answer.status, report: answer.json };
    },
    rows: async (filter) => ((await on.ask('GET', `rest/paper?limit=10000&${filter}`)).json as { data: Row[] }).data,
  };
}

/** Rows as JSON lines. */
export const lines = (list: readonly object[]): string => list.map((row) => JSON.stringify(row)).join('\n');
