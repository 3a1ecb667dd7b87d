/** Pages and searches of a tenant's users, inside the host, over a store on the disk with very many users. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createUser } from '#actors/identity/create-user.ts';
import { pageOf, type UserQuery } from '#actors/identity/people/list-users.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import type { Store } from '#storage/port.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { functionMs, timeCalls } from './kit/function-bench.ts';
import { openBenchArchive } from './kit/bench-archive.ts';

const TENANT_NO = 2;
const USERS = 100_000;
const PER_TURN = 400;
const FILL_SECONDS = 30;
const NAMES = ['Ada', 'Grace', 'Edith', 'Alan', 'Barbara', 'Donald', 'Radia', 'Ken'];

export const userPages: BenchCase = {
  name: 'user-pages',
  measures: `pages and searches of ${USERS.toLocaleString('en')} users in the host`,
  target: 'p99 < 5 ms',
  http: false,
  seconds: (options) => FILL_SECONDS + (4 * 1.25 * functionMs(options)) / 1000,
  async run({ options, dataDir }) {
    const dir = await mkdtemp(join(dataDir, 'people-'));
    const archive = await openBenchArchive(dir);
    try {
      const store = archive.store(0, TENANT_NO);
      await fill(store);
      // The timed calls never give way: a sync that was under way would be taken for one without an answer.
      await archive.drain();
      const figures: Figure[] = [];
      for (const ask of ASKED) figures.push(await timePages(store, ask, functionMs(options)));
      return figures;
    } finally {
      await archive.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

interface Ask {
  readonly name: string;
  readonly query: UserQuery;
  readonly rows: number;
}

const ALL: UserQuery = { start: null, limit: 50, after: null };
const ASKED: readonly Ask[] = [
  { name: 'page of all', query: ALL, rows: 50 },
  { name: 'largest page of all', query: { ...ALL, limit: 200 }, rows: 200 },
  { name: 'a name that an eighth has', query: { ...ALL, start: 'ada' }, rows: 50 },
  { name: 'one address', query: { ...ALL, start: 'user77777@' }, rows: 1 },
];

async function timePages(store: Store, { name, query, rows }: Ask, ms: number): Promise<Figure> {
  const ask = () => pageOf(store.begin(), query).users;
  if (ask().length !== rows) throw new Error(`${name}: ${ask().length} users`);
  const figure = await timeCalls(`user-pages ${name}`, () => Promise.resolve(ask()), ms);
  return { ...figure, target: { of: 'p99Ms', bound: 'max', than: 5 } };
}

async function fill(store: Store): Promise<void> {
  const source = { clock: systemClock, ids: new IdSource(systemClock) };
  for (let at = 0; at < USERS; at += PER_TURN) {
    const turn = store.begin();
    for (let n = at; n < at + PER_TURN; n++) {
      const firstname = NAMES[n % NAMES.length]!;
      const wish = {
        email: `user${n}@example.org`,
        firstname,
        lastname: `Name${n}`,
        passwordHash: '',
        roles: ['tenant_user'],
      };
      createUser(turn, source, wish);
    }
    turn.commit();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
