/** `skep upgrade check` on directories of earlier versions and of a running node: it says whether to go, and changes nothing. Spec: docs/contract/platform.md §1.6. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FORMAT } from '#storage/format.ts';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { writeArchive } from '#runtime/product-archive.ts';
import { Revisions } from '#runtime/revisions.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory, type HowItEnded, type OldVersion } from '#test/kit/old-directory.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

interface Finding {
  readonly state: string;
  readonly check: string;
  readonly detail: string;
  readonly mend: string;
}

const LIMIT = { timeout: 120_000 };

/** The directory of a released version whose platform file names its product wherever the check runs. */
async function old(how: HowItEnded, version?: OldVersion) {
  const unpacked = unpackDirectory(how, version);
  onTestFinished(() => unpacked.remove());
  const { dir, file } = unpacked;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/proc/self/cwd/product', './product'));
  const env = { SKEP_PORT_BASE: String(await freePortBase()) };
  return { dir, data: join(dir, 'data'), file, env };
}

async function check(words: string, env: Readonly<Record<string, string>>) {
  const { code, out, err } = await skep(`upgrade check ${words} -o json`, env);
  const findings = out === '' ? [] : (JSON.parse(out) as Finding[]);
  const of = (name: string) => findings.filter(({ check: one }) => one.startsWith(name));
  return { code, err, of, faults: findings.filter(({ state }) => state === 'fault') };
}

/** Everything that a writer would change: names, modes, times of change, and bytes. */
function tree(dir: string): Record<string, string> {
  const paths = ['', ...(readdirSync(dir, { recursive: true }) as string[])];
  return Object.fromEntries(
    paths.map((path) => {
      const at = lstatSync(join(dir, path), { bigint: true });
      const bytes = at.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(dir, path)))
            .digest('hex')
        : '';
      return [path, `${at.mode} ${at.size} ${at.mtimeNs} ${at.ctimeNs} ${bytes}`];
    }),
  );
}

test.each(['clean', 'killed'] as const)(
  'a %s directory of 0.1.0: go, and not a byte is changed',
  LIMIT,
  async (how) => {
    const { dir, file, env } = await old(how);
    const before = tree(dir);
    const { code, err, of, faults } = await check(`-f ${file}`, env);
    expect([code, err, faults]).toEqual([0, '', []]);
    expect(tree(dir)).toEqual(before);
    expect(of('platform file')).toMatchObject([{ state: 'ok' }]);
    expect(of('served by')).toMatchObject([{ detail: expect.stringMatching(/^skep 0\.1\.0/) }]);
    expect(of('records').map(({ state }) => state)).toEqual(of('records').map(() => 'warning'));
    expect(of('records')).toContainEqual(
      expect.objectContaining({ detail: 'user: version 1 is read, 2 is written from the first change on' }),
    );
    expect(of('product ')).toMatchObject([{ state: 'ok' }]);
    expect(of('disk space')).toMatchObject([{ state: 'ok' }]);
    expect(of('backup')).toMatchObject([{ state: 'warning', mend: expect.stringContaining('--backups') }]);
    expect(of('way back')).toMatchObject([{ state: 'warning' }]);
  },
);

test('a directory of 0.2.0: this version opens it, and 0.2.0 opens it again', LIMIT, async () => {
  const { dir, file, env } = await old('killed', '0.2.0');
  const before = tree(dir);
  const { code, of } = await check(`-f ${file}`, env);
  expect(code).toBe(0);
  expect(tree(dir)).toEqual(before);
  expect(of('served by')).toMatchObject([{ detail: expect.stringMatching(/^skep 0\.2\.0; this is skep /) }]);
  expect(of('revision ')).toMatchObject([{ state: 'ok', check: expect.stringMatching(/ of museum$/) }]);
  expect(of('way back')).toMatchObject([
    { state: 'ok', detail: expect.stringContaining('skep 0.2.0 opens the directory again') },
  ]);
});

test(
  'beside a node that serves: it keeps its lock and serves on; its revisions and its backup are looked at',
  LIMIT,
  async () => {
    const { dir, data, file, env } = await old('clean');
    const node = await startProcess(file, env, ['env', '-C', dir]); // the registry names /proc/self/cwd/product
    const tenants = ['acme:museum:dev:main', 'acme:museum:dev:other', 'zoo:museum:dev:main'];
    const backups = join(dir, 'backups');
    mkdirSync(backups);
    try {
      expect((await skep(`tenant backup -f ${file} ${tenants[0]!} --to ${backups}/one`, env)).code).toBe(0);
      const some = await check(`-f ${file} --backups ${backups}`, env);
      expect(some.code).toBe(1);
      expect(some.faults.map(({ detail }) => detail)).toEqual(
        tenants.slice(1).map((one) => `${one}: none in ${backups}`),
      );
      for (const tenant of tenants.slice(1))
        expect((await skep(`tenant backup -f ${file} ${tenant} --to ${backups}/${tenant}`, env)).code).toBe(0);
      const all = await check(`-f ${file} --backups ${backups}`, env);
      expect([all.code, all.faults]).toEqual([0, []]);
      expect(all.of('backup').map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
      expect(all.of('revision ')).toMatchObject([{ state: 'ok', check: expect.stringMatching(/ of museum$/) }]);
      expect(all.of('way back')).toMatchObject([{ state: 'ok' }]);
      expect((await check(`-f ${file} --backups ${backups} --backup-age 0`, env)).faults).toHaveLength(3);
      await expect(lockDirectory(data)).rejects.toThrow(DirectoryHeld);
      expect((await fetch(`${node.listeners['operations']!}/readyz`)).status).toBe(200);
    } finally {
      expect(await node.end('SIGTERM')).toBe(0);
    }
  },
);

test('a checkout or a kept revision that does not compile: do not', LIMIT, async () => {
  const { dir, data, file, env } = await old('clean');
  const broken = 'name: hall\nfields: [wrong]\n';
  const files = { 'product.yaml': 'name: museum\n', 'entities/hall.yaml': broken };
  const archive = writeArchive(Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) })));
  await new Revisions(data).keep(archive);
  const { code, err, of } = await check(`-f ${file}`, env);
  expect([code, err]).toEqual([1, 'skep: do not upgrade yet: mend the faults first (1)\n']);
  expect(of('revision ')).toMatchObject([{ state: 'fault', detail: expect.stringContaining('entities/hall.yaml:2') }]);
  writeFileSync(join(dir, 'product', 'entities', 'hall.yaml'), broken);
  expect((await check(`-f ${file}`, env)).faults.map(({ check: name }) => name)).toEqual([
    `product ${dir}/product`,
    expect.stringMatching(/^revision /),
  ]);
});

test('a directory of a newer format, and a file that this version does not take: do not', LIMIT, async () => {
  const { data, file, env } = await old('clean');
  writeFileSync(join(data, 'format'), `{"format":${FORMAT + 1},"skep":"9.9.9"}`);
  expect((await check(`-f ${file}`, env)).faults).toMatchObject([
    { check: 'format', mend: expect.stringContaining('start skep 9.9.9') },
  ]);
  const elsewhere = await check(`-f ${file} ${data}/none`, env);
  expect([elsewhere.code, elsewhere.of('served by')]).toMatchObject([
    0,
    [{ detail: expect.stringContaining('nothing to upgrade') }],
  ]);
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nunheard_of: 1\n`);
  const { code, faults } = await check(`-f ${file}`, env);
  expect([code, faults]).toMatchObject([
    1,
    [{ check: 'platform file', detail: expect.stringContaining('unheard_of') }],
  ]);
});

test('wrong usage is 2: no file, a file that is not there, a duration that is none', async () => {
  for (const words of ['', '-f /nowhere/platform.yaml', '-f package.json --backups /nowhere', '-f p --backup-age soon'])
    expect((await skep(`upgrade check ${words}`.trim())).code).toBe(2);
});
