/**
 * Random writes of several callers against random subscribers with rules, filters and page sizes. The oracle knows neither log nor hub: it reads all rows
 * before and after each commit, and says in its own words which rows a subscriber sees. Every subscriber is told exactly what it says: no gap, no
 * double, no phantom; and what it has put together from it is what a list shows (docs/contract/changes.md §5).
 */
import { expect, test } from 'vitest';
import { INTERNAL, type Principal } from '#actors/protocol/principal.ts';
import { dataService } from '#actors/data/service.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly level: number | null;
  readonly open: boolean;
  readonly deleted_at: string | null;
  readonly version: number;
}

const PEOPLE = ['ann', 'bob', 'cleo'] as const;
const principals = new Map<string, Principal>(PEOPLE.map((subject) => [subject, { ...USER, subject }]));
const note = entityOf(
  'note',
  {
    id: { type: 'string' },
    owner: { type: 'string' },
    level: { type: 'integer', nullable: true, index: true },
    open: { type: 'boolean' },
  },
  {
    traits: ['soft_delete', 'versioned'],
    changes: true,
    access: {
      create: 'true',
      read: "principal.subject != 'cleo' || row.level != 2",
      update: 'true',
      delete: 'true',
      purge: 'true',
      restore: 'true',
    },
    rowRule: 'row.open || row.owner == principal.subject',
  },
);
/** Its rows are no business of the subscribers'. */
const other = entityOf('other', { id: { type: 'string' } }, { changes: true });

/** The oracle's own words for the rules above and the filters below. */
const FILTERS = {
  '': (_row: Row) => true,
  '&level[gte]=2': ({ level }: Row) => level !== null && level >= 2,
  '&filter=owner=ann': ({ owner }: Row) => owner === 'ann',
  '&[or]=%5B%7B%22level%22%3A1%7D%2C%7B%22open%22%3Atrue%7D%5D': ({ level, open }: Row) => level === 1 || open,
} as const;
type Filter = keyof typeof FILTERS;

function sees(who: string, filter: Filter, row: Row | undefined): boolean {
  if (row === undefined || row.deleted_at !== null) return false;
  return (row.open || row.owner === who) && (who !== 'cleo' || row.level !== 2) && FILTERS[filter](row);
}

/** A change as its subscriber is told of it. */
interface Told extends Pick<Row, 'id' | 'version'> {
  readonly seq: number;
  readonly op: string;
  readonly row: Row | null;
}

interface Committed {
  readonly id: string;
  readonly op: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const values = fc.record({
  owner: fc.constantFrom(...PEOPLE),
  level: fc.constantFrom(null, 1, 2, 3),
  open: fc.boolean(),
});
const by = fc.constantFrom(...PEOPLE);
const one = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create'), by, id, values }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('update'), by, id, values }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), by, id, values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), by, id, values }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore'), by, id, values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('other'), by, id, values }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('many'), by, id, values }) },
);
const subscriber = fc.record({
  who: by,
  filter: fc.constantFrom(...(Object.keys(FILTERS) as Filter[])),
  limit: fc.constantFrom(1, 2, 100),
  /** At which steps it looks. */
  every: fc.constantFrom(1, 3, 7),
  snapshot: fc.boolean(),
  joins: fc.nat(10),
});
type Step = typeof one extends fc.Arbitrary<infer T> ? T : never;
type Asked = typeof subscriber extends fc.Arbitrary<infer T> ? T : never;

interface Seen {
  readonly wish: Asked;
  after: number | null;
  /** How many commits had been made when it last looked. */
  at: number;
  readonly mirror: Map<string, number>;
}

const reached = { told: 0, gone: 0, hidden: 0, superseded: 0, pages: 0, snapshots: 0, resumed: 0, several: 0 };

class World {
  readonly tenant: DataTenant;
  rows = new Map<string, Row>();
  readonly log: Committed[] = [];

  constructor(tenant: DataTenant) {
    this.tenant = tenant;
  }

  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, who: string, body?: unknown) {
    const principal = principals.get(who) ?? INTERNAL;
    return this.tenant.send(method, path, body, { principal, authorization: `Bearer ${who}` });
  }

  async write({ kind, by: who, id: key, values: row }: Step): Promise<void> {
    const path = `/data/rest/note/id/${key}`;
    if (kind === 'create') await this.send('POST', '/data/rest/note', who, { id: key, ...row });
    else if (kind === 'update') await this.send('PATCH', path, who, row);
    else if (kind === 'delete') await this.send('DELETE', path, who);
    else if (kind === 'purge') await this.send('DELETE', `${path}?purge=true`, who);
    else if (kind === 'restore') await this.send('POST', `${path}/restore`, who);
    else if (kind === 'other') await this.send('POST', '/data/rest/other', who, { id: key });
    else
      await this.send(
        'POST',
        '/data/rest/note',
        who,
        [key, `${key}${key}`].map((own) => ({ id: own, ...row })),
      );
    await this.look();
  }

  /** What the commit changed, by the rows alone. */
  async look(): Promise<void> {
    const { body } = await this.send('GET', '/data/rest/note?deleted=true&limit=1000', 'the node');
    const now = new Map<string, Row>(body.data.map((row: Row) => [row.id, row]));
    const changed: Committed[] = [];
    for (const key of new Set([...this.rows.keys(), ...now.keys()])) {
      const [before, after] = [this.rows.get(key), now.get(key)];
      if (before?.version === after?.version && (before === undefined) === (after === undefined)) continue;
      const [was, is] = [before?.deleted_at === null, after?.deleted_at === null];
      if (!was && !is) continue;
      const op = was ? (is ? 'update' : 'delete') : before === undefined ? 'create' : 'restore';
      changed.push({ id: key, op, before: was ? before : undefined, after: is ? after : undefined });
    }
    if (changed.length > 1) reached.several++;
    this.log.push(...changed);
    this.rows = now;
  }

  /** Reads all that there is, page by page, and compares it with the oracle. */
  async read(seen: Seen): Promise<void> {
    const { who, filter, limit, snapshot } = seen.wish;
    const asked = `/data/changes?entity=note${filter}&limit=${limit}`;
    if (seen.after === null) {
      const { status, body } = await this.send('GET', `${asked}${snapshot ? '&snapshot=true' : ''}`, who);
      expect([status, body.changes, body.more]).toEqual([200, [], false]);
      if (snapshot) {
        const rows = [...this.rows.values()].filter((row) => sees(who, filter, row));
        expect(body.rows.map(({ id: key }: Row) => key)).toEqual(rows.map(({ id: key }) => key).toSorted());
        for (const { id: key, version } of rows) seen.mirror.set(key, version);
        reached.snapshots++;
      }
      seen.after = body.after;
      seen.at = this.log.length;
      return;
    }
    const told: Told[] = [];
    for (let more = true; more;) {
      const { status, body } = await this.send('GET', `${asked}&after=${seen.after}`, who);
      expect(status).toBe(200);
      expect(body.changes.length).toBeLessThanOrEqual(limit);
      told.push(...body.changes);
      expect(body.after).toBeGreaterThanOrEqual(seen.after!);
      more = body.more;
      if (more) reached.pages++;
      seen.after = body.after;
    }
    const expected = this.log.slice(seen.at).flatMap((change) => this.#toldOf(change, who, filter));
    reached.hidden += this.log.length - seen.at - expected.length;
    seen.at = this.log.length;
    reached.told += told.length;
    expect(told.map(({ id: key, op, version, row }) => ({ id: key, op, version, row: row?.version ?? null }))).toEqual(
      expected,
    );
    expect(told.every(({ seq }, i) => i === 0 || seq > told[i - 1]!.seq)).toBe(true);
    for (const { id: key, op, row } of told)
      if (op === 'gone') seen.mirror.delete(key);
      else if (row !== null) seen.mirror.set(key, row.version);
  }

  #toldOf({ id: key, op, before, after }: Committed, who: string, filter: Filter): object[] {
    const [was, is] = [sees(who, filter, before), sees(who, filter, after)];
    if (!was && !is) return [];
    const now = this.rows.get(key);
    const shown = is && sees(who, filter, now) ? now!.version : null;
    if (!is) reached.gone++;
    if (is && now?.version !== after!.version) reached.superseded++;
    const deleted = this.#versionOfDeleted(key, before, after);
    return [{ id: key, op: is ? op : 'gone', version: deleted, row: shown }];
  }

  /** The version that a change has: of the row after it; of a soft delete the one that the delete gave, of a purge the last one. */
  #versionOfDeleted(key: string, before: Row | undefined, after: Row | undefined): unknown {
    return after?.version ?? expect.toSatisfy((version: number) => version >= before!.version, key);
  }

  /** What a subscriber has put together is what a list of the same conditions shows. */
  async compare(seen: Seen): Promise<void> {
    const { who, filter, snapshot } = seen.wish;
    const { body } = await this.send('GET', `/data/rest/note?limit=1000${filter}`, who);
    const listed = new Map<string, number>(body.data.map(({ id: key, version }: Row) => [key, version]));
    if (snapshot) expect(seen.mirror).toEqual(listed);
    else for (const [key, version] of seen.mirror) expect([key, listed.get(key)]).toEqual([key, version]);
  }
}

test('each subscriber is told what the oracle says, once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { minLength: 10, maxLength: 40 }),
      fc.array(subscriber, { minLength: 1, maxLength: 4 }),
      async (steps, wishes) => {
        const service = dataService({
          bearers: () => ({ check: (authorization) => principals.get(authorization.slice('Bearer '.length)) ?? null }),
        });
        const world = new World(await DataTenant.open(productOf([note, other]), { service }));
        const subscribers: Seen[] = wishes.map((wish) => ({ wish, after: null, at: 0, mirror: new Map() }));
        for (const [n, step] of steps.entries()) {
          for (const seen of subscribers)
            if (n >= seen.wish.joins && (n - seen.wish.joins) % seen.wish.every === 0) {
              if (seen.after !== null) reached.resumed++;
              await world.read(seen);
            }
          await world.write(step);
          world.tenant.clock.advance(n % 3);
        }
        for (const seen of subscribers) {
          await world.read(seen);
          if (seen.at === world.log.length) await world.read(seen);
          await world.compare(seen);
        }
      },
    ),
    { numRuns: 100 },
  );
  for (const [what, count] of Object.entries(reached))
    expect([what, count]).toEqual([what, expect.toSatisfy((n) => n > 10)]);
}, 120_000);
