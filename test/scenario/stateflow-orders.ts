/** Orders of test/kit/products/orders, which has two machines, over HTTP. */
import { expect } from 'vitest';
import type { DataNode } from '#test/kit/data-node.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

/** A row of the contract, and what proves it. */
export type Proof = readonly [row: string, proof: () => Promise<void>];

type Row = Readonly<Record<string, unknown>> & { readonly id: string };
interface Body {
  readonly data: readonly Row[];
  readonly states: readonly unknown[];
  readonly code: string;
  readonly details: { readonly allowed: readonly string[]; readonly current?: unknown };
}

export const bodyOf = (answer: Answer): Body => answer.json;
export const codeOf = (answer: Answer): unknown => [answer.status, (answer.json as Partial<Body> | undefined)?.code];

export interface Orders {
  /** Creates an order. */
  readonly order: (fields?: object) => Promise<Row>;
  readonly write: (id: string, fields: object, headers?: Headers) => Promise<Answer>;
  readonly statusOf: (id: string) => Promise<unknown>;
}

export function ordersOf({ ask }: DataNode): Orders {
  return {
    order: async (fields = {}) => {
      const made = await ask('POST', 'rest/order', fields);
      expect(made.status).toBe(201);
      return bodyOf(made).data[0]!;
    },
    write: (id, fields, headers) => ask('PATCH', `rest/order/id/${id}`, fields, headers),
    statusOf: async (id) => bodyOf(await ask('GET', `rest/order/id/${id}?deleted=true`)).data[0]!['status'],
  };
}
