/** Clients of a recorded node: each notes what it asks for before it asks, and what was answered after it was. */
import { createHash } from 'node:crypto';
import { holdAgainstDocument } from '#test/kit/documented.ts';
import { upload } from '#test/kit/magazine.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';
import type { Act, Note } from './ledger.ts';
import { LOG } from './site.ts';

/** Rows of an envelope. */
export const ENVELOPE_ROWS = 40;
/** Bytes of text in each, so that a journal of small segments goes on in the next one. */
const ROW_BYTES = 8000;
/** Bytes of the largest asset. */
const ASSET_BYTES = 40_000;
const RECORDS = `/audit/logs/${encodeURIComponent(LOG)}/records`;

export interface LoadWish {
  readonly serviceKey: string;
  /** How often each client does each of its acts. */
  readonly rounds: number;
  readonly note: (note: Note) => void;
  /** Part of every key, so that two loads of one directory do not meet. */
  readonly name: string;
  /** Whether the node has audit logs; it has when absent. */
  readonly hasAudit?: boolean;
  /** What another answer than the expected one is; then its act ends. When left out, the load fails. */
  readonly refused?: (answer: Answer) => void;
}

type Clients = ((key: string, round: number) => Promise<void>)[];
type Done = (value?: string | number) => void;

/** An act that the node has refused. */
class Refused extends Error {}

class Client {
  readonly #gateway: string;
  readonly #headers: Headers;
  readonly #wish: LoadWish;

  constructor(gateway: string, headers: Headers, wish: LoadWish) {
    this.#gateway = gateway;
    this.#headers = headers;
    this.#wish = wish;
  }

  async #act(act: Act, key: string, asked: string | number | undefined, run: (done: Done) => Promise<void>) {
    const { note } = this.#wish;
    note({ phase: 'asked', act, key, ...(asked !== undefined && { value: asked }) });
    try {
      await run((value) => note({ phase: 'answered', act, key, ...(value !== undefined && { value }) }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  #expect(answer: Answer, status: number): Answer {
    if (answer.status === status) return answer;
    if (this.#wish.refused === undefined) throw new Error(`${answer.status} and not ${status}: ${answer.text}`);
    this.#wish.refused(answer);
    throw new Refused();
  }

  #call(method: string, path: string, body: unknown, headers = this.#headers): Promise<Answer> {
    return call(this.#gateway, method, path, headers, body);
  }

  async row(key: string): Promise<void> {
    let id = '';
    await this.#act('item', key, undefined, async (done) => {
      const body = { name: key, token: `t-${key}` };
      const made = this.#expect(await this.#call('POST', '/data/rest/item', body), 201);
      id = (made.json as { data: { id: string }[] }).data[0]!.id;
      done(id);
    });
    if (id === '') return;
    for (const stock of [1, 2])
      await this.#act('stock', key, stock, async (done) => {
        this.#expect(await this.#call('PATCH', `/data/rest/item/id/${id}`, { stock }), 200);
        done(stock);
      });
  }

  envelope(key: string): Promise<void> {
    const note = 'x'.repeat(ROW_BYTES);
    const rows = Array.from({ length: ENVELOPE_ROWS }, (_, row) => ({
      id: `${key}/${row}`,
      title: `${key}/${row}`,
      note,
    }));
    return this.#act('envelope', key, undefined, async (done) => {
      this.#expect(await this.#call('POST', '/data/rest', { operations: [{ data: { paper: rows } }] }), 200);
      done();
    });
  }

  submission(key: string): Promise<void> {
    return this.#act('submission', key, undefined, async (done) => {
      const message = 'm'.repeat(key.length * 40);
      const body = { name: key, email: 'a@example.org', message };
      done((this.#expect(await this.#call('POST', '/f/contact', body, {}), 200).json as { id: string }).id);
    });
  }

  record(key: string, isSealed: boolean): Promise<void> {
    return this.#act('record', key, undefined, async (done) => {
      const path = isSealed ? `${RECORDS}?wait=checkpoint` : RECORDS;
      const body = { action: key, target: 'x'.repeat(400) };
      done((this.#expect(await this.#call('POST', path, body), 200).json as { index: number }).index);
    });
  }

  asset(key: string, size: number): Promise<void> {
    const bytes = Buffer.alloc(size, key);
    return this.#act('asset', key, undefined, async (done) => {
      const wish = { fields: { title: key } };
      const path = '/store/media/asset';
      const { status, headers, json } = await upload(this.#gateway + path, this.#headers, new Uint8Array(bytes), wish);
      const answer = { status, headers, json: json as never, text: json === undefined ? '' : JSON.stringify(json) };
      holdAgainstDocument({ method: 'POST', path, status, type: headers.get('content-type'), text: answer.text });
      const made = this.#expect(answer, 201).json as { id: string };
      done(`${made.id} ${createHash('sha256').update(bytes).digest('hex')}`);
    });
  }
}

/** All clients at once, each its acts one after the other; rejects with what ended one, once all have ended. */
export async function runLoad(node: ProcessNode, wish: LoadWish): Promise<void> {
  const gateway = node.listeners['gateway']!;
  const token = await exchange(gateway, wish.serviceKey);
  const client = new Client(gateway, { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` }, wish);
  const records: Clients = [
    (key, round) => client.record(`test.${key}.a`, round % 4 === 3),
    (key) => client.record(`test.${key}.b`, false),
  ];
  const acts: Clients = [
    (key) => client.row(`${key}.r`),
    (key) => client.row(`${key}.s`),
    (key) => client.submission(`${key}.f`),
    (key) => client.submission(`${key}.g`),
    (key) => client.submission(`${key}.h`),
    ...(wish.hasAudit === false ? [] : records),
    (key, round) => (round % 3 === 0 ? client.envelope(`${key}.e`) : client.row(`${key}.t`)),
    (key, round) =>
      round % 2 === 0 ? client.asset(`${key}.i`, 1 + ((round * 7919) % ASSET_BYTES)) : client.row(`${key}.u`),
  ];
  const runs = acts.map(async (act) => {
    for (let round = 0; round < wish.rounds; round++) await act(`${wish.name}${round}`, round);
  });
  await Promise.allSettled(runs);
  await Promise.all(runs);
}
