/** What a wrong login runs, counted where hashes are computed: the same for every account of a tenant and for none. */
import { expect, test } from 'vitest';
import { hashesRun } from '#actors/kit/foreign-hash/run.ts';
import { putUser } from '#actors/identity/store.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { VECTORS } from '#test/kit/foreign-hashes.ts';
import { PeopleWorld } from '../people/kit.ts';

async function runsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = hashesRun();
  await work();
  const after = [...hashesRun()].map(([form, units]) => [form, units - (before.get(form) ?? 0)] as const);
  return Object.fromEntries(after.filter(([, units]) => units > 0));
}

const bcrypt = VECTORS[0]!;
const passlib = VECTORS.find(({ name }) => name === 'PBKDF2 of passlib')!;
const django = VECTORS.find(({ name }) => name === 'PBKDF2 of Django')!;
const scrypt = VECTORS.find(({ name }) => name === 'scrypt as PHC string')!;

/** A tenant with an account of each kind. */
async function village() {
  const world = await PeopleWorld.open();
  const add = (email: string, password_hash: string, more: object = {}): void => {
    const turn = world.store.begin();
    const id = email.toUpperCase();
    putUser(turn, {
      id,
      email,
      firstname: null,
      lastname: null,
      roles: [],
      password_hash,
      allow_impersonation: false,
      created_at: '2026-01-01T00:00:00.000Z',
      ...more,
    });
    turn.commit();
  };
  add('own@example.org', await hashPassword('correct horse'));
  add('none@example.org', '');
  add('bcrypt@example.org', bcrypt.hash);
  add('disabled@example.org', bcrypt.hash, { disabled_at: '2026-01-02T00:00:00.000Z' });
  add('pbkdf2@example.org', passlib.hash);
  add('django@example.org', django.hash);
  add('scrypt@example.org', scrypt.hash);
  return world;
}

const KINDS = ['own', 'none', 'bcrypt', 'disabled', 'pbkdf2', 'django', 'scrypt', 'unknown', 'x'.repeat(200)];

test('every kind of account, and none, runs the same hashes in a wrong login', async () => {
  const world = await village();
  const runs = [];
  for (const kind of KINDS)
    runs.push(await runsOf(() => world.login({ login: `${kind}@example.org`, password: 'a wrong one' })));
  expect(
    new Set(runs.map((one) => JSON.stringify(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))))),
  ).toHaveLength(1);
  expect(runs[0]).toEqual({
    'argon2id of Skep': 1,
    'bcrypt 6': 1,
    'pbkdf2 sha256': 26_001,
    'scrypt plain 10 8 2': 1,
  });
});

test('a tenant without foreign hashes runs argon2id once, as before', async () => {
  const world = await PeopleWorld.open();
  for (const login of ['boss@example.org', 'unknown@example.org'])
    expect(await runsOf(() => world.login({ login, password: 'a wrong one' }))).toEqual({ 'argon2id of Skep': 1 });
});

test('a form ends with the last user who has it: by a login, a new password, or the end of the account', async () => {
  const world = await village();
  const unknown = () => runsOf(() => world.login({ login: 'unknown@example.org', password: 'x' }));
  expect((await world.login({ login: 'django@example.org', password: django.password })).status).toBe(200);
  expect(await unknown()).toMatchObject({ 'pbkdf2 sha256': 8001 });
  expect((await world.login({ login: 'pbkdf2@example.org', password: passlib.password })).status).toBe(200);
  expect(await unknown()).not.toHaveProperty('pbkdf2 sha256');
  await world.remove('SCRYPT@EXAMPLE.ORG');
  await world.remove('BCRYPT@EXAMPLE.ORG');
  expect(await unknown()).toHaveProperty('bcrypt 6'); // the disabled user still has one
  await world.remove('DISABLED@EXAMPLE.ORG');
  expect(await unknown()).toEqual({ 'argon2id of Skep': 1 });
});

test('a second factor does not keep the old hash: the login that asks for a passkey replaces it', async () => {
  const world = await village();
  const right = await runsOf(() => world.login({ login: 'bcrypt@example.org', password: bcrypt.password }));
  expect(right).toMatchObject({ 'argon2id of Skep': 2, 'bcrypt 6': 1 });
});
