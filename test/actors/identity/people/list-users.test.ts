/** `GET /auth/admin/users`: pages, searches, cursors, and users of before the index. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { createUser } from '#actors/identity/create-user.ts';
import { indexProgress, termsOf } from '#actors/identity/people/store.ts';
import { Random } from '#test/kit/random.ts';
import { messageOf, PeopleWorld, said } from './kit.ts';

async function withPeople(people: readonly (readonly [string, string | null, string | null])[]): Promise<PeopleWorld> {
  const world = await PeopleWorld.open();
  const turn = world.store.begin();
  for (const [email, firstname, lastname] of people)
    createUser(turn, world.context, { email, passwordHash: '', roles: ['tenant_user'], firstname, lastname });
  turn.commit();
  return world;
}

const PEOPLE = [
  ['Ada@Example.org', 'Ada', 'Lovelace'],
  ['grace@example.org', 'Grace', 'Hopper'],
  ['hopper@example.org', 'Edward', 'Ada'],
  ['emoji@example.org', 'Édith', null],
  ['nul@example.org', 'a\u0000b', null],
] as const;

describe('a search', () => {
  test.each([
    ['ada', ['hopper@example.org', 'Ada@Example.org']],
    ['ADA L', ['Ada@Example.org']],
    ['hop', ['grace@example.org', 'hopper@example.org']],
    ['éd', ['emoji@example.org']],
    ['E\u0301dith', ['emoji@example.org']],
    ['a\u0000', ['nul@example.org']],
    ['lovelace', ['Ada@Example.org']],
    ['example', []],
    ['zz', []],
    ['%', []],
    ['\u0000', []],
    ['\uffff', []],
  ])('%j finds %j: by the beginning of address, first or last name, each user once', async (q, expected) => {
    const world = await withPeople(PEOPLE);
    expect((await world.found(`q=${encodeURIComponent(q)}`)).toSorted()).toEqual([...expected].toSorted());
  });

  test('a text longer than the index has is compared with the record', async () => {
    const long = 'x'.repeat(limits.people.termCharsMax);
    const world = await withPeople([
      ['a@example.org', `${long}one`, null],
      ['b@example.org', `${long}two`, null],
    ]);
    expect(await world.found(`q=${long}`)).toHaveLength(2);
    expect(await world.found(`q=${long}two`)).toEqual(['b@example.org']);
  });

  test('what changed is found by what it is now, and by nothing that it was', async () => {
    const world = await withPeople(PEOPLE);
    const { body } = await world.list('q=grace');
    const [{ id }] = body['users'] as [{ id: string }];
    expect((await world.change(id, { lastname: 'Murray' })).status).toBe(200);
    expect(await world.found('q=murr')).toEqual(['grace@example.org']);
    expect(await world.found('q=hopp')).toEqual(['hopper@example.org']);
    expect((await world.remove(id)).status).toBe(200);
    expect(await world.found('q=grace')).toEqual([]);
    expect(await world.found('q=murr')).toEqual([]);
  });
});

describe('pages', () => {
  const people = Array.from({ length: 23 }, (_, n) => [`p${n}@example.org`, 'Same', `Name${n % 3}`] as const);

  test.each(['', 'q=same&', 'q=p&', 'q=name1&'])('%s: every user once, whatever the page size', async (q) => {
    const world = await withPeople(people);
    const all = (await world.found(`${q}limit=200`)).toSorted();
    expect(all.length).toBe(q === '' ? 24 : q === 'q=name1&' ? 8 : 23);
    for (const limit of [1, 2, 7, 23, 24]) {
      const seen: string[] = [];
      let after = '';
      do {
        const { body } = await world.list(`${q}limit=${limit}${after}`);
        seen.push(...(body['users'] as { email: string }[]).map(({ email }) => email));
        after = body['next'] === null ? '' : `&after=${body['next'] as string}`;
      } while (after !== '');
      expect(seen.toSorted()).toEqual(all);
    }
  });

  test('a cursor outlives the user that it names', async () => {
    const world = await withPeople(people);
    const { body } = await world.list('q=same&limit=5');
    const users = body['users'] as { id: string; email: string }[];
    await world.remove(users[4]!.id);
    const rest = await world.found(`q=same&limit=200&after=${String(body['next'])}`);
    expect(rest).toHaveLength(18);
    expect(rest.some((email) => users.some((user) => user.email === email))).toBe(false);
  });

  test.each([
    ['limit=0', /^"limit: /],
    ['limit=201', /^"limit: /],
    ['limit=abc', /^"limit: /],
    ['limit=1e2', /^"limit: /],
    ['after=x', /^"after: /],
    ['after=WyJ4IiwieSJd', /^"after: /],
    ['q=a&after=WyJ4Il0', /^"after: /],
    ['name=ada', /unknown parameter/],
  ])('?%s is refused, and says why', async (query, why) => {
    const world = await withPeople([]);
    const answer = await world.list(query);
    expect(said(answer)).toEqual([400, 'bad_request']);
    expect(messageOf(answer)).toMatch(why);
  });

  test.each(['q', 'after'])('a long ?%s= is refused', async (name) => {
    const answer = await (await withPeople([])).list(`${name}=${'A'.repeat(2000)}`);
    expect(said(answer)).toEqual([400, 'bad_request']);
    expect(messageOf(answer)).toMatch(new RegExp(`^"${name}: `));
  });

  test('no row has a hash, a password or a secret', async () => {
    const { text } = await (await withPeople(PEOPLE)).list();
    expect(text).not.toMatch(/argon2|password_hash|secret/);
  });
});

describe('users of before the index', () => {
  const old = (world: PeopleWorld, count: number): void => {
    for (let n = 0; n < count; n++)
      world.addOldUser({
        id: `0000000000000000000000${String(n).padStart(4, '0')}`,
        email: `old${n}@example.org`,
        firstname: `Old${n}`,
      });
  };

  test('are found at the first search, in as many turns as they need', async () => {
    const world = await PeopleWorld.open();
    const count = 2 * limits.people.indexSliceRows + 50;
    old(world, count);
    const first = world.list('q=old44&limit=200');
    await drained(world, first);
    expect(await world.found('q=old449')).toEqual(['old449@example.org']);
    expect(indexProgress(world.store.begin())).toEqual({ after: null });
    expect((await world.found('limit=200')).length).toBe(200);
  });

  test('one who changed before the search is found by the new name only', async () => {
    const world = await PeopleWorld.open();
    old(world, 3);
    const changing = world.change('00000000000000000000000001', { firstname: 'New' });
    await drained(world, changing);
    expect((await changing).status).toBe(200);
    expect(await world.found('q=old1')).toEqual(['old1@example.org']);
    expect(await world.found('q=new')).toEqual(['old1@example.org']);
  });

  test('a stop in between loses nothing: the next tenant goes on', async () => {
    const world = await PeopleWorld.open();
    old(world, limits.people.indexSliceRows + 5);
    void world.list('q=old');
    expect(indexProgress(world.store.begin())).toMatchObject({ after: expect.any(String) });
    const next = await PeopleWorld.open({ store: world.store });
    await drained(next, next.list('q=old'));
    expect(await next.found(`q=old${limits.people.indexSliceRows + 4}`)).toHaveLength(1);
  });

  test('an administrator among them counts as another one', async () => {
    const world = await PeopleWorld.open();
    world.addOldUser({ id: '00000000000000000000000001', email: 'old@example.org', roles: ['tenant_admin'] });
    expect((await world.change(world.adminId, { disabled: true })).status).toBe(200);
  });
});

test('the index says after any writes what a look at all users says', async () => {
  const world = await PeopleWorld.open();
  const random = new Random(7);
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const ids: string[] = [];
  const emails = new Map<string, string>();
  for (let step = 0; step < 150; step++) {
    const names = { firstname: pick(['Ann', 'Bob', null, 'Anna']), lastname: pick(['Annan', 'Bo', null]) };
    const what = pick(['add', 'add', 'change', 'remove']);
    if (what === 'add' || ids.length === 0) {
      const email = `${pick(['ann', 'bo', 'x'])}${step}@example.org`;
      const { body } = await world.add({ email, ...names });
      ids.push(body['id'] as string);
      emails.set(body['id'] as string, email);
    } else if (what === 'change') await world.change(pick(ids), names);
    else {
      const id = pick(ids);
      await world.remove(id);
      ids.splice(ids.indexOf(id), 1);
    }
  }
  for (const q of ['a', 'ann', 'anna', 'annan', 'b', 'bo', 'bob', 'x']) {
    const expected = ids.filter((id) => termsOf(world.user(id)!).some((term) => term.startsWith(q)));
    const all = await world.found(`q=${q}&limit=200`);
    const ours = all.filter((email) => email !== 'boss@example.org');
    expect(ours.toSorted(), q).toEqual(expected.map((id) => emails.get(id)!).toSorted());
  }
});

/** Runs what waits for the end of turns until the call has answered. */
async function drained(world: PeopleWorld, call: Promise<unknown>): Promise<void> {
  const state = { done: false };
  void call.finally(() => (state.done = true));
  while (!state.done) {
    world.settle();
    await Promise.resolve();
  }
}
