/**
 * kill -9 while writes run scripts that write, too: what a move's script made is there with the move, or neither is. Stateflow
 * actions that create rows, a chain of scripts that cause scripts, and an endpoint's script around several of them.
 * Rounds: test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { rounds, within } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 2, ci: 4 });
const CALLERS = 12;
const NOTES = 3;
const PAGE = 1000;
const wish = {
  localdir: fileURLToPath(new URL('../kit/products/moves', import.meta.url)),
  extra: 'jobs: { threads: 2 }',
};
const dir = mkdtempSync(join(tmpdir(), 'skep-script-crash-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Ticket {
  readonly id: string;
  readonly mode: 'note' | 'notes';
  readonly status: string;
  readonly closed_by: string | null;
  readonly note_id: string | null;
}
interface Note {
  readonly id: string;
  readonly ticket: string;
}
interface Link {
  readonly id: string;
  readonly state: 'slack' | 'tight';
  readonly next: string | null;
}

/** Ids whose move was answered 200. */
class Ledger {
  readonly closed = new Set<string>();
  readonly pulled = new Set<string>();
}

class Caller {
  readonly #base: string;
  readonly #headers: Headers;

  constructor(base: string, token: string) {
    this.#base = base;
    this.#headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
  }

  send(method: string, path: string, body?: unknown) {
    return call(this.#base, method, `/data/${path}`, this.#headers, body);
  }

  async made(entity: string, row: object): Promise<string> {
    const { json } = await this.send('POST', `rest/${entity}`, row);
    return (json as { data: { id: string }[] }).data[0]!.id;
  }

  async all<T>(entity: string): Promise<T[]> {
    const rows: T[] = [];
    for (;;) {
      const answer = await this.send('GET', `rest/${entity}?orderby=id&limit=${PAGE}&offset=${rows.length}`);
      expect(answer.status, answer.text).toBe(200);
      const { data } = answer.json as { data: T[] };
      rows.push(...data);
      if (data.length < PAGE) return rows;
    }
  }

  /** Tickets that write one note or three as they close, and three links that an endpoint pulls, until the node is gone. */
  async drive(ledger: Ledger): Promise<void> {
    try {
      for (let i = 0; ; i++) {
        const id = await this.made('ticket', { title: 't', mode: i % 2 === 0 ? 'note' : 'notes' });
        const closed = await this.send('PATCH', `rest/ticket/id/${id}`, { status: 'closed' });
        if (closed.status === 200) ledger.closed.add(id);
        const end = await this.made('link', {});
        const first = await this.made('link', { next: await this.made('link', { next: end }) });
        const pulled = await this.send('POST', 'x/pull', { ids: [first] });
        if (pulled.status === 200 && (pulled.json as unknown[])[0] === 1) ledger.pulled.add(first);
      }
    } catch {
      // the node was killed: what was not answered may or may not be there
    }
  }

  /** Whole or not there, whatever was answered; and there, when it was answered so. */
  async verify(ledger: Ledger): Promise<void> {
    const [tickets, notes, links] = [
      await this.all<Ticket>('ticket'),
      await this.all<Note>('note'),
      await this.all<Link>('link'),
    ];
    const notesOf = Map.groupBy(notes, ({ ticket }) => ticket);
    for (const { id, mode, status, closed_by, note_id } of tickets) {
      const own = notesOf.get(id) ?? [];
      const whole = mode === 'note' ? [{ id: note_id }] : Array.from({ length: NOTES }, () => ({}));
      if (status === 'open') expect([closed_by, note_id, own]).toEqual([null, null, []]);
      else expect([status, closed_by, own]).toMatchObject(['closed', 'script', whole]);
      expect(own).toHaveLength(status === 'open' ? 0 : whole.length);
      if (ledger.closed.has(id)) expect(status).toBe('closed');
    }
    const byId = new Map(links.map((link) => [link.id, link]));
    for (const { next, state } of links) if (next !== null) expect(byId.get(next)?.state).toBe(state);
    for (const id of ledger.pulled) expect(byId.get(id)?.state).toBe('tight');
    expect(tickets.filter(({ id }) => ledger.closed.has(id))).toHaveLength(ledger.closed.size);
  }
}

test(`writes with scripts are whole or not there in ${ROUNDS} kills`, within(60_000 + ROUNDS * 15_000), async () => {
  const prepared = await startTestNode({ ...wish, dir });
  const key = prepared.serviceKey;
  await prepared.stop();
  const file = writePlatformFile(dir, wish);
  const ledger = new Ledger();
  for (let round = 0; ; round++) {
    const node = await startProcess(file);
    const gateway = node.listeners['gateway']!;
    const caller = new Caller(gateway, await exchange(gateway, key));
    await caller.verify(ledger);
    if (round === ROUNDS) {
      expect(await node.end('SIGTERM')).toBe(0);
      break;
    }
    const load = Array.from({ length: CALLERS }, () => caller.drive(ledger));
    // On a busy machine the first answers may take longer than a round.
    await expect.poll(() => ledger.pulled.size, { timeout: 20_000 }).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 400 + Math.random() * 800));
    await node.end('SIGKILL');
    await Promise.all(load);
  }
  tally({ acknowledged: ledger.closed.size + ledger.pulled.size });
  expect(ledger.closed.size).toBeGreaterThan(0);
  expect(ledger.pulled.size).toBeGreaterThan(0);
});
