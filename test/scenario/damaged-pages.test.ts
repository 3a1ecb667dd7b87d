/** Damage in LMDB's own pages, over which LMDB ends the process or gives up: the verbs of a stopped directory name shard, tenants and what to do, and go on. */
import { execFile } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { DYNAMIC_TABLE_FIRST, TABLES } from '#storage/catalogue.ts';
import { damagePages, damageRoot, type PageDamageKind } from '#test/kit/damaged-pages.ts';
import { entriesOf, writeEntries } from '#test/kit/damage.ts';
import { unpackDirectory, type OldDirectory } from '#test/kit/old-directory.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

/** The shard of the fixture's first tenant, and one of another tenant with a fault of its rows. */
const HURT = 2;
const MENDABLE = 3;
const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const LIMIT = { timeout: 60_000 };

let old: OldDirectory;
let data: string;

beforeEach(async () => {
  old = unpackDirectory('clean');
  data = join(old.dir, 'data');
  const counts = await entriesOf(data, ({ table }) => table === TABLES.row_count.no);
  const count = counts.find(({ shard }) => shard === MENDABLE)!;
  await writeEntries(data, MENDABLE, [count.key, null]);
});

afterEach(() => old.remove());

const DAMAGE: readonly (readonly [PageDamageKind, RegExp])[] = [
  ['a leaf that says it is none', /reading it ended the process by SIG/],
  ['a value without end', /reading it ended the process by SIG/],
  ['a file cut short', /reading it ended the process by SIG/],
  ['a child far away', /MDB_PAGE_NOTFOUND/],
];

describe.each(DAMAGE)('%s', (kind, why) => {
  const expectNamed = (text: string, file: string): void => {
    const said = text.split('\n').join(' ');
    expect(said).toContain(`shard ${HURT}: the pages of ${file} are damaged so that they cannot be read`);
    expect(said).toMatch(why);
    expect(said).toContain(`it holds ${old.found.tenants[0]!}`);
    expect(said).toContain('skep tenant restore -f <platform file> <backup>');
    expect(said).not.toContain(old.found.tenants[1]!);
    expect(said).not.toContain('    at ');
  };

  test('check names it, and what is wrong in other shards', LIMIT, async () => {
    const file = damagePages(data, HURT, kind);
    const { code, err, out } = await skep(`storage check ${data} -o json`);
    expect(code).toBe(1);
    expectNamed(err, file);
    const report = JSON.parse(out) as { shards: { no: number }[]; kinds: object };
    expect(report.kinds).toEqual({ environment: 1, count: 1 });
    expect(report.shards.map(({ no }) => no)).toEqual([0, 1, 3, 4, 5, 6, 7]);
  });

  test('repair names it, mends other shards and leaves it as it is', LIMIT, async () => {
    const file = damagePages(data, HURT, kind);
    const { code, err, out } = await skep(`storage repair ${data} -o json`);
    expect(code).toBe(1);
    expectNamed(err, file);
    expect(JSON.parse(out)).toMatchObject({ mended: { count: 1 }, rewritten: [], unread: { [HURT]: { pages: true } } });
    const again = await skep(`storage check ${data} -o json`);
    expect(JSON.parse(again.out)).toMatchObject({ kinds: { environment: 1 }, faultCount: 1 });
  });

  test('dump names it, and prints the other shards', LIMIT, async () => {
    const file = damagePages(data, HURT, kind);
    const { code, err, out } = await skep(`storage dump ${data}`);
    expect(code).toBe(1);
    expectNamed(err, file);
    const shards = out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { shard: number }).shard]));
    for (const no of [0, MENDABLE, 4]) expect(shards).toContain(no);
  });
});

test('a leaf that no branch leads to any more is missed: the shard is not written anew without it', LIMIT, async () => {
  damagePages(data, HURT, 'a child of another');
  const missed = /shard 2: the pages of .* LMDB counts \d+ entries, and \d+ can be reached/;
  expect(await skep(`storage check ${data}`)).toMatchObject({ code: 1, err: expect.stringMatching(missed) });
  const { code, err, out } = await skep(`storage repair ${data} -o json`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(missed) });
  expect(JSON.parse(out)).toMatchObject({ rewritten: [], unread: { [HURT]: { pages: true } } });
});

test('where the registry is among what cannot be read, the whole directory comes from a backup', LIMIT, async () => {
  damageRoot(data, 0);
  damagePages(data, HURT, 'a value without end');
  const { code, err } = await skep(`storage check ${data}`);
  expect(code).toBe(1);
  expect(err).toMatch(/shard 0: .*cannot be read.*\n {4}the registry of all tenants lies in it: restore the data dir/);
  expect(err).toMatch(/shard 2: .*cannot be read.*\n {4}its tenants are unknown/);
});

test('giving up records over such a shard says which command names it', LIMIT, async () => {
  old.remove();
  old = unpackDirectory('killed');
  data = join(old.dir, 'data');
  damageRoot(data, HURT);
  const { code, err } = await skep(`storage repair ${data} --drop-records`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('skep storage check') });
});

test('the way back that it names brings the tenant back, and the others stay', { timeout: 180_000 }, async () => {
  const [tenant] = old.found.tenants;
  const backup = join(old.dir, 'main.skep');
  // The fixture's product lies where its process starts.
  const run = (line: string): Promise<unknown> => promisify(execFile)(launcher, line.split(' '), { cwd: old.dir });
  await run(`tenant backup -f ${old.file} ${tenant!} --to ${backup}`);
  const before = await entriesOf(data, ({ table }) => table >= DYNAMIC_TABLE_FIRST);
  const file = damagePages(data, HURT, 'a value without end');
  renameSync(file, join(old.dir, 'damaged.mdb'));
  await run(`tenant delete -f ${old.file} ${tenant!} --confirm ${tenant!}`);
  await run(`tenant restore -f ${old.file} ${backup}`);
  const after = await entriesOf(data, ({ table }) => table >= DYNAMIC_TABLE_FIRST);
  expect(after).toHaveLength(before.length);
  // The other tenant's count, which was made wrong above.
  await run(`storage repair ${data}`);
  await run(`storage check ${data}`);
});
