/** What every backend of the vault must do. Run by lmdb.test.ts, file.test.ts, etcd.test.ts and postgres.test.ts. */
import { randomBytes } from 'node:crypto';
import { fc } from '#test/kit/property.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change, VaultStore } from '#storage/vault/port.ts';

export interface Backend {
  /** Opens the same store again and again. */
  open(): Promise<VaultStore>;
  /** Makes it empty, while it is not open. */
  clear(): Promise<void>;
}

const bytes = (text: string): Buffer => Buffer.from(text);

export function storeCases(backend: Backend): void {
  let store: VaultStore;

  beforeAll(async () => {
    await backend.clear();
    store = await backend.open();
  });

  afterAll(() => store.close());

  const put = (path: string, text: string, expected?: number) =>
    store.commit([{ path, value: bytes(text), ...(expected !== undefined && { expect: expected }) }]);

  test('what was written is there, with the revision of its commit as version', async () => {
    const committed = await put('case/a', 'one');
    const found = await store.get('case/a');
    expect(found).toEqual({ value: bytes('one'), version: (committed as { revision: number }).revision });
    expect(await store.get('case/absent')).toBeUndefined();
  });

  test('bytes come back as they were, also none of them', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await store.commit([
      { path: 'case/bytes', value: all },
      { path: 'case/empty', value: Buffer.alloc(0) },
    ]);
    expect((await store.get('case/bytes'))!.value.equals(all)).toBe(true);
    expect((await store.get('case/empty'))!.value.length).toBe(0);
  });

  test('a commit whose expectation fails changes nothing and names the path', async () => {
    await put('case/cas', 'first', 0);
    const { version } = (await store.get('case/cas'))!;
    const changes: Change[] = [
      { path: 'case/other', value: bytes('never'), expect: 0 },
      { path: 'case/cas', value: bytes('second'), expect: version + 1 },
    ];
    expect(await store.commit(changes)).toEqual({ ok: false, conflict: 'case/cas' });
    expect(await store.get('case/other')).toBeUndefined();
    expect(await put('case/cas', 'again', 0)).toEqual({ ok: false, conflict: 'case/cas' });
    expect(await put('case/cas', 'second', version)).toMatchObject({ ok: true });
  });

  test('a deleted path is gone, and may be expected to be', async () => {
    await put('case/gone', 'x');
    await store.commit([{ path: 'case/gone', value: undefined }]);
    expect(await store.get('case/gone')).toBeUndefined();
    expect(await put('case/gone', 'y', 0)).toMatchObject({ ok: true });
  });

  test('a path that comes twice, is no text of ours or too long, is a mistake', async () => {
    const twice = [{ path: 'a', value: bytes('1') }, { path: 'a', value: undefined }]; // prettier-ignore
    await expect(Promise.resolve().then(() => store.commit(twice))).rejects.toThrow('twice');
    for (const path of ['', 'a b', 'ä', 'a\n', 'x'.repeat(1025)])
      await expect(Promise.resolve().then(() => put(path, ''))).rejects.toThrow('not a path');
  });

  test('lists a prefix in byte order, in pages', async () => {
    const paths = ['list/a', 'list/a.b', 'list/a/b', 'list/a:1', 'list/aa', 'list/b~'];
    await store.commit(paths.map((path) => ({ path, value: bytes(path) })));
    await put('lisu', 'behind');
    const sorted = paths.toSorted();
    expect((await store.list('list/', null, 100)).map(({ path }) => path)).toEqual(sorted);
    const paged: string[] = [];
    for (let after: string | null = null; ; after = paged.at(-1)!) {
      const page = await store.list('list/', after, 2);
      paged.push(...page.map(({ path }) => path));
      if (page.length < 2) break;
    }
    expect(paged).toEqual(sorted);
    expect((await store.list('list/a/', null, 9)).map(({ value }) => value.toString())).toEqual(['list/a/b']);
    expect(await store.list('list/', null, 0)).toEqual([]);
  });

  test('of 32 raced writers of one path exactly one wins, and each of 32 counters counts once', async () => {
    const raced = await Promise.all(Array.from({ length: 32 }, (_, i) => put('race/one', String(i), 0)));
    expect(raced.filter(({ ok }) => ok)).toHaveLength(1);
    await put('race/count', '0');
    await Promise.all(Array.from({ length: 32 }, () => countUp()));
    expect((await store.get('race/count'))!.value.toString()).toBe('32');
  });

  async function countUp(): Promise<void> {
    for (;;) {
      const { value, version } = (await store.get('race/count'))!;
      if ((await put('race/count', String(Number(value) + 1), version)).ok) return;
    }
  }

  test('revisions only rise, also across a new opening, and everything is still there', async () => {
    const first = (await put('again/a', '1')) as { revision: number };
    const second = (await put('again/b', '2')) as { revision: number };
    expect(second.revision).toBeGreaterThan(first.revision);
    await store.close();
    store = await backend.open();
    const health = await store.healthy();
    expect(health).toMatchObject({ ok: true });
    expect((health as { revision: number }).revision).toBeGreaterThanOrEqual(second.revision);
    expect((await store.get('again/b'))!.value.toString()).toBe('2');
    expect(((await put('again/c', '3')) as { revision: number }).revision).toBeGreaterThan(second.revision);
  });

  test('behaves as a map, whatever is done to it', async () => {
    const model = new Map<string, string>();
    const path = fc.constantFrom('m/a', 'm/b', 'm/c/d', 'm/c:1', 'm/c');
    const change = fc.record({ path, value: fc.option(fc.string(), { nil: undefined }), right: fc.boolean() });
    const commits = fc.array(fc.uniqueArray(change, { selector: (one) => one.path, minLength: 1, maxLength: 4 }), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(commits, async (plan) => {
        for (const changes of plan) await applyTo(model, changes);
        const listed = await store.list('m/', null, 100);
        expect(listed.map((one) => [one.path, one.value.toString()])).toEqual(
          [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      }),
      { numRuns: 20 },
    );
  });

  async function applyTo(
    model: Map<string, string>,
    changes: readonly { path: string; value: string | undefined; right: boolean }[],
  ): Promise<void> {
    const asked: Change[] = [];
    for (const { path, value, right } of changes) {
      const version = (await store.get(path))?.version ?? 0;
      asked.push({
        path,
        value: value === undefined ? undefined : bytes(value),
        expect: right ? version : version + 7,
      });
    }
    const { ok } = await store.commit(asked);
    expect(ok).toBe(changes.every(({ right }) => right));
    if (!ok) return;
    for (const { path, value } of changes) if (value === undefined) model.delete(path); else model.set(path, value); // prettier-ignore
  }

  test('values are the caller’s own: changing one changes nothing', async () => {
    const value = randomBytes(64);
    await store.commit([{ path: 'own', value }]);
    const before = Buffer.from(value);
    (await store.get('own'))!.value.fill(0);
    expect((await store.get('own'))!.value.equals(before)).toBe(true);
  });
}
