/** Rows of one entity behind keys and versions, as the contract states them for a node, and a network in front of them that fails as a test says. */
import { KEY_KEPT_MS } from '#client/limits.ts';
import { fakeNode, type FakeNode, type Sent, type Told } from './fake-node.ts';

/** `before` and `after`: the connection breaks before or after the node has the request. `hang...`: no answer ever comes. */
export type Network = 'works' | 'before' | 'after' | 'hangBefore' | 'hangAfter' | 'portal' | 'busy';

interface Stored {
  readonly row: Record<string, unknown>;
  readonly version: number;
}

const no = (status: number, code: string, details = {}): Told => [status, { error: 'no', code, details }];

export class KeyedNode {
  readonly rows = new Map<string, Stored>();
  /** What was carried out: the `mark` of each write, in order. */
  readonly carried: { readonly id: string; readonly mark: unknown; readonly by: string | null }[] = [];
  readonly #kept = new Map<string, { readonly told: Told; readonly endsAt: number }>();
  network: Network = 'works';
  /** A filter between the page and the node: what it answers in place of the node; null for what it lets pass. */
  filter: ((body: Record<string, unknown>) => Told | null) | null = null;
  readonly fake: FakeNode = fakeNode((sent) => this.#through(sent));

  #through(sent: Sent): Told | Promise<Told> {
    const gone = new Error('the connection broke off');
    if (this.network === 'portal') return new Response('<html>log in to the hotel</html>', { status: 200 });
    if (this.network === 'busy') return [503, { error: 'busy', code: 'v2.busy' }];
    if (this.network === 'before') return gone;
    if (this.network === 'hangBefore') return new Promise(() => undefined);
    const filtered = sent.method === 'GET' ? null : this.filter?.((sent.body ?? {}) as Record<string, unknown>);
    if (filtered) return filtered;
    const told = this.#keyed(sent);
    if (this.network === 'after') return gone;
    return this.network === 'hangAfter' ? new Promise(() => undefined) : told;
  }

  #keyed(sent: Sent): Told {
    const key = sent.headers.get('idempotency-key');
    if (key === null) return this.#answer(sent);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.endsAt > Date.now()) return kept.told;
    const told = this.#answer(sent) as readonly [number];
    if (told[0] < 400) this.#kept.set(key, { told, endsAt: Date.now() + KEY_KEPT_MS });
    return told;
  }

  #answer({ method, path, headers, body }: Sent): Told {
    const row = (body ?? {}) as Record<string, unknown>;
    const id = path.split('/id/')[1] ?? String(row['id']);
    const held = this.rows.get(id);
    if (method === 'POST' && (held !== undefined || row['title'] === 'bad')) return no(422, 'v2.create_failed');
    if (method !== 'POST' && held === undefined) return no(404, 'v2.row_not_found');
    const match = headers.get('if-match');
    if (match !== null && match !== `"${held?.version}"`)
      return no(412, 'v2.precondition_failed', { version: held?.version });
    const version = (held?.version ?? 0) + 1;
    if (method === 'GET') return [200, { data: [held!.row] }, { etag: `"${held!.version}"` }];
    this.carried.push({ id, mark: row['mark'] ?? null, by: headers.get('authorization') });
    const now = { ...held?.row, ...row, id };
    if (method === 'DELETE') this.rows.delete(id);
    else this.rows.set(id, { row: now, version });
    return [method === 'POST' ? 201 : 200, { data: [now] }, { etag: `"${version}"` }];
  }
}
