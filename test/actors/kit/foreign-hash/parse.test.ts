/** Hashes as other systems store them: vectors of their own documentation, and what is refused. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { costOf, decoyOf } from '#actors/kit/foreign-hash/form.ts';
import { ALLOWED, parseHash } from '#actors/kit/foreign-hash/parse.ts';
import { hashesRun, runForeign } from '#actors/kit/foreign-hash/run.ts';
import { VECTORS } from '#test/kit/foreign-hashes.ts';

const parsed = (text: string) => {
  const result = parseHash(text);
  if (!result.ok) throw new Error(result.fault);
  return result.hash;
};

/** What one run adds to the counts. */
async function runsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = hashesRun();
  await work();
  const after = [...hashesRun()].map(([form, units]) => [form, units - (before.get(form) ?? 0)] as const);
  return Object.fromEntries(after.filter(([, units]) => units > 0));
}

test.each(VECTORS)('$name: the right password fits, another does not', async ({ hash, password }) => {
  const one = parsed(hash);
  const { units } = costOf(one);
  expect(await runForeign(one, password, units)).toBe(true);
  expect(await runForeign(one, `${password}x`, units)).toBe(false);
  expect(await runForeign(one, '', units)).toBe(false);
  expect(await runForeign(one, 'a\0b', units)).toBe(false);
});

test.each(VECTORS)('$name: a decoy costs as much, and fits nothing', async ({ hash, password }) => {
  const one = parsed(hash);
  const cost = costOf(one);
  const decoy = decoyOf(cost);
  expect(costOf(decoy)).toEqual(cost);
  let fits = true;
  const real = await runsOf(() => runForeign(one, password, cost.units));
  expect(await runsOf(async () => (fits = await runForeign(decoy, password, cost.units)))).toEqual(real);
  expect(fits).toBe(false);
});

test('PBKDF2 with fewer iterations costs as much as the dearest of the tenant', async () => {
  const [cheap, dear] = [1000, 30_000].map((count) => decoyOf({ form: 'pbkdf2 sha256', units: count }));
  const most = 30_000;
  const first = await runsOf(() => runForeign(cheap!, 'x', most));
  expect(first).toEqual({ 'pbkdf2 sha256': most + 1 });
  expect(await runsOf(() => runForeign(dear!, 'x', most))).toEqual(first);
});

const { bcryptCostMax, pbkdf2IterationsMax } = limits.userImport;
const SUM = 'A'.repeat(43);

test.each([
  ['', 'not known'],
  ['correct horse', 'not known'],
  ['5f4dcc3b5aa765d61d8327deb882cf99', ALLOWED],
  ['$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', 'not known'],
  ['$6$rounds=5000$salt$hash', 'not known'],
  ['$2x$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', 'not known'],
  [`$2b$${bcryptCostMax + 1}$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`, '4 to 14'],
  ['$2b$03$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', '4 to 14'],
  [`$pbkdf2-sha256$${pbkdf2IterationsMax + 1}$c2FsdA$${SUM}`, '1 to 2000000'],
  [`$pbkdf2-sha256$0$c2FsdA$${SUM}`, '1 to 2000000'],
  [`$pbkdf2-sha1$1000$c2FsdA$${SUM}`, 'not known'],
  [`$pbkdf2-sha256$1000$c2FsdA$${'A'.repeat(86)}`, '16 to 32'],
  [`$pbkdf2-sha256$1000$c2FsdA$AAAA`, '16 to 32'],
  [`pbkdf2_sha256$9999999$salt$${SUM}=`, '1 to 2000000'],
  [`$scrypt$ln=18,r=8,p=1$c2FsdA$${SUM}`, '128'],
  [`$scrypt$ln=17,r=8,p=5$c2FsdA$${SUM}`, '512'],
  [`$scrypt$ln=0,r=8,p=1$c2FsdA$${SUM}`, 'begin at 1'],
  [`$scrypt$ln=99,r=8,p=1$c2FsdA$${SUM}`, '128'],
  [`$firebase-scrypt$ln=14,r=8$c2FsdA$Bw==$${SUM}=$AAAA`, 'different lengths'],
  [`$argon2id$v=19$m=131073,t=1,p=1$c29tZXNhbHQ$${SUM}`, '128'],
  [`$argon2id$v=19$m=131072,t=5,p=1$c29tZXNhbHQ$${SUM}`, '512'],
  [`$argon2id$v=19$m=19456,t=2,p=17$c29tZXNhbHQ$${SUM}`, '1 to 16 lanes'],
  [`$argon2id$v=19$m=4,t=2,p=1$c29tZXNhbHQ$${SUM}`, '8 KiB'],
  [`$argon2id$v=19$m=64,t=2,p=1$c2FsdA$${SUM}`, 'salts of 8 to 48'],
  [`$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$${'A'.repeat(2000)}`, '1024 characters'],
])('%j is refused, and the message says what is allowed', (hash, told) => {
  const result = parseHash(hash);
  expect(result.ok).toBe(false);
  const { fault } = result as { fault: string };
  expect(fault).toContain(told);
  expect(hash.length > 5 && fault.includes(hash)).toBe(false);
});
