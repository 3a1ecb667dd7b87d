import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changedPaths, Settling, snapshotOf, watchFiles, type Snapshot } from '#runtime/dev/file-watch.ts';
import { ownFolder } from '#test/kit/demo-process.ts';
import { fc } from '#test/kit/property.ts';

const of = (files: Readonly<Record<string, string>>): Snapshot => new Map(Object.entries(files));

test('what came, went or changed is named in order', () => {
  expect(changedPaths(of({ a: '1', b: '1', c: '1' }), of({ d: '1', c: '2', a: '1' }))).toEqual(['b', 'c', 'd']);
});

test('a change is told once, and when nothing changes any more', () => {
  const settling = new Settling(of({ a: '1' }));
  expect(settling.look(of({ a: '2' }))).toEqual([]);
  expect(settling.look(of({ a: '3', b: '1' }))).toEqual([]);
  expect(settling.look(of({ a: '3', b: '1' }))).toEqual(['a', 'b']);
  expect(settling.look(of({ a: '3', b: '1' }))).toEqual([]);
  // What came and went between was nothing.
  expect(settling.look(of({ a: '3', b: '1', 'a.tmp': '1' }))).toEqual([]);
  expect(settling.look(of({ a: '3', b: '1' }))).toEqual([]);
  expect(settling.look(of({ a: '3', b: '1' }))).toEqual([]);
});

test('whatever is saved, the last state is told, and nothing that is as it was', () => {
  const state = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'));
  let told = 0;
  fc.assert(
    fc.property(state, fc.array(state, { maxLength: 12 }), (first, states) => {
      const settling = new Settling(of(first));
      const known = new Map(Object.entries(first));
      const looks = [...states, states.at(-1) ?? first];
      for (const now of looks)
        for (const path of settling.look(of(now))) {
          expect(known.get(path)).not.toBe(now[path]);
          if (now[path] === undefined) known.delete(path);
          else known.set(path, now[path]);
          told++;
        }
      expect(known).toEqual(of(looks.at(-1)!));
    }),
  );
  expect(told).toBeGreaterThan(50);
});

test('files of folders, new folders among them; names with a dot are left out, and what is not there is no fault', () => {
  const dir = ownFolder();
  const roots = [join(dir, 'one.yaml'), join(dir, 'entities'), join(dir, 'nowhere')];
  expect(snapshotOf(roots).size).toBe(0);
  mkdirSync(join(dir, 'entities', 'deep'), { recursive: true });
  writeFileSync(join(dir, 'entities', 'deep', 'a.yaml'), 'x');
  writeFileSync(join(dir, 'entities', '.a.yaml.swp'), 'x');
  writeFileSync(join(dir, 'one.yaml'), 'x');
  expect([...snapshotOf(roots).keys()].sort()).toEqual([
    join(dir, 'entities', 'deep', 'a.yaml'),
    join(dir, 'one.yaml'),
  ]);
  const before = snapshotOf(roots);
  writeFileSync(join(dir, 'new'), 'x'); // the same size: another file has its name
  renameSync(join(dir, 'new'), join(dir, 'one.yaml'));
  expect(changedPaths(before, snapshotOf(roots))).toEqual([join(dir, 'one.yaml')]);
  rmSync(join(dir, 'entities'), { recursive: true });
  expect([...snapshotOf(roots).keys()]).toEqual([join(dir, 'one.yaml')]);
});

test('changes are told one call after the other, and no more once it is stopped', async () => {
  const dir = ownFolder();
  const told: string[][] = [];
  let running = 0;
  const stop = watchFiles(
    [dir],
    async (paths) => {
      expect(++running).toBe(1);
      told.push([...paths]);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    },
    5,
  );
  onTestFinished(stop);
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(dir, name), name);
    await expect.poll(() => told.flat()).toContain(join(dir, name));
  }
  stop();
  expect(told).toHaveLength(3);
});
