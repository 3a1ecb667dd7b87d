/** A real node that serves the depot product, and the requests of the tests of writes. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { startTestNode, type Answer, type Headers, type TestNode } from './test-node.ts';

interface Seen {
  readonly data: Record<string, unknown>[];
  readonly operations: { data: Record<string, unknown>[]; affected_rows: number; action: string; entity: string }[];
  readonly code: string;
  readonly error: string;
  readonly details: Record<string, unknown>;
  readonly count: number;
  readonly stats: Record<string, unknown>;
  readonly total: number;
}
export type DepotReply = Omit<Answer, 'json'> & { readonly json: Seen };

export class Depot {
  readonly node: TestNode;
  readonly bearer: Headers;
  #unique = 0;

  private constructor(node: TestNode, bearer: Headers) {
    this.node = node;
    this.bearer = bearer;
  }

  static async open(): Promise<Depot> {
    const node = await startTestNode({ localdir: fileURLToPath(new URL('./products/depot', import.meta.url)) });
    return new Depot(node, await node.service());
  }

  /** A request under `/data/`, as a service unless headers say otherwise. */
  async send(method: string, path: string, body?: unknown, headers: Headers = this.bearer): Promise<DepotReply> {
    return this.node.call(method, `/data/${path}`, headers, body);
  }

  /** As the service, with further headers. */
  as(extra: Headers): Headers {
    return { ...this.bearer, ...extra };
  }

  /** A body that is no text: `call` would not send it as it is. */
  async raw(method: string, path: string, body: Uint8Array): Promise<DepotReply> {
    const headers = this.as({ 'Content-Type': 'application/json' });
    const response = await fetch(`${this.node.gateway}/data/${path}`, { method, headers, body });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) as Seen };
  }

  /** The key of a row that was made for one test. */
  async make(entity: string, row: Record<string, unknown>): Promise<string> {
    const { status, json, text } = await this.send('POST', `rest/${entity}`, row);
    expect(status, text).toBe(201);
    return json.data[0]!['id'] as string;
  }

  box(row: Record<string, unknown> = {}): Promise<string> {
    return this.make('box', { name: 'b', ...row });
  }

  shelf(row: Record<string, unknown> = {}): Promise<string> {
    return this.make('shelf', { label: `s${++this.#unique}`, ...row });
  }

  /** Rows of an entity, soft-deleted ones too. */
  async total(entity: string): Promise<number> {
    return (await this.send('GET', `rest/${entity}?deleted=true&stats=true&limit=0`)).json.total;
  }
}
