/** Damage in LMDB's own pages, over which LMDB ends the process or gives up: the verbs of a stopped directory name shard, tenants and what to do, and go on. */
import { join } from 'node:path';
import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { damagePages, damageRoot } from '#test/kit/damaged-pages.ts';
import type { PageDamageKind } from '#test/kit/damaged-pages.ts';
import { entriesOf, writeEntries } from '#test/kit/damage.ts';
import { unpackDirectory } from '#test/kit/old-directory.ts';
import type { OldDirectory } from '#test/kit/old-directory.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

/** The shard of the fixture's first tenant, and one of another tenant with a fault of its rows. */
const HURT = 2;
const MENDABLE = 3;
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

test('where the registry is among what cannot be read, the whole directory comes from a backup', LIMIT, async () => {
  damageRoot(data, 0);
  damagePages(data, HURT, 'a value without end');
  const { code, err } = await skep(`storage check ${data}`);
  expect(code).toBe(1);
  expect(err).toMatch(/shard 0: .*cannot be read.*\n {4}the registry of all tenants lies in it: restore the data dir/);
  expect(err).toMatch(/shard 2: .*cannot be read.*\n {4}its tenants are not known/);
});

test('giving up records over such a shard says which command names it', LIMIT, async () => {
  old.remove();
  old = unpackDirectory('killed');
  data = join(old.dir, 'data');
  damageRoot(data, HURT);
  const { code, err } = await skep(`storage repair ${data} --drop-records`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('skep storage check') });
});
