/**
 * kill -9 of the node under writers and subscribers of `@skep/client` that go on by themselves: each write is carried out once, and each subscriber is told
 * each kept change once and in order. Rounds: SKEP_CRASH_ROUNDS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Change, type ClientOptions } from '#client/index.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { exchange, startTestNode } from '#test/kit/test-node.ts';

const ROUNDS = rounds({ suite: 3, ci: 5 });
const WRITERS = 3;
const WRITES_MIN = 30;
const SOON = { timeout: 60_000, interval: 50 };
const PASSWORD = 'correct horse battery';

interface Note {
  readonly id: string;
  readonly title: string;
  readonly open: boolean;
  readonly version: number;
}

interface Schema {
  readonly entities: {
    readonly note: {
      readonly row: Note;
      readonly create: { readonly title: string; readonly open: boolean };
      readonly update: { readonly title: string };
      readonly one: {};
      readonly many: {};
      readonly changes: true;
    };
  };
}

/** What a subscriber was told, and the rows as it holds them. */
class Follower {
  readonly told: Change<Note>[] = [];
  readonly rows = new Map<string, Note>();

  async follow(changes: AsyncIterable<Change<Note>>): Promise<void> {
    for await (const one of changes) {
      this.told.push(one);
      if (one.type === 'row') this.rows.set(one.row.id, one.row);
      else if (one.type === 'reset') this.rows.clear();
      else if (one.type === 'change' && one.row !== null) this.rows.set(one.row.id, one.row);
    }
  }

  /** Changes as `id version`. */
  changes(): string[] {
    return this.told.flatMap((one) => (one.type === 'change' ? [`${one.id} ${one.version}`] : []));
  }

  seqs(): number[] {
    return this.told.flatMap((one) => (one.type === 'change' ? [one.seq] : []));
  }
}

test(`${ROUNDS} kills under clients that go on`, { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: writeNoteProduct(dir) };
  const prepared = await startTestNode({ ...wish, dir });
  const ann = { email: 'ann@example.org', password: PASSWORD, roles: ['tenant_user'] };
  await prepared.node.ask(TENANT, 'identity', 'person.ensure', ann);
  await prepared.stop();
  const file = writePlatformFile(dir, wish);
  let node: ProcessNode = await startProcess(file);
  onTestFinished(async () => void (await node.end('SIGKILL')));
  const gateway = (): string => node.listeners['gateway']!;

  /** Each start listens on another port. */
  const moving: typeof fetch = (input, init) =>
    fetch((input as string).replace('http://node.invalid', gateway()), init);
  const of = (more: Partial<ClientOptions>) =>
    createClient<Schema>({
      url: 'http://node.invalid',
      position: 'acme:shop:dev:main',
      fetch: moving,
      retry: { attempts: 100, firstMs: 50, mostMs: 500 },
      ...more,
    } as ClientOptions);
  const token = await exchange(gateway(), prepared.serviceKey);
  const service = of({ token });
  const user = of({});
  await user.auth.login({ login: ann.email, password: PASSWORD });

  const leaving = new AbortController();
  const { signal } = leaving;
  const [all, mine, held] = [new Follower(), new Follower(), new Follower()];
  await service.from('note').create({ title: 'there before', open: true });
  const following = [
    all.follow(service.from('note').changes({ signal })),
    mine.follow(user.from('note').changes({ signal, where: { open: true } })),
    held.follow(service.from('note').changes({ signal, snapshot: true })),
  ];
  // Those that begin with the changes of now have begun once they are told of one.
  await expect
    .poll(async () => {
      await service.from('note').create({ title: 'begin', open: true });
      return [all, mine, held].every(({ told }) => told.length > 0);
    }, SOON)
    .toBe(true);

  const over = { isOver: false };
  const acknowledged = new Map<string, number>();
  const write = async (writer: number): Promise<void> => {
    const notes = service.from('note');
    for (let n = 0; !over.isOver; n++) {
      const { id } = await notes.create({ title: `writer ${writer} note ${n}`, open: n % 2 === 0 });
      acknowledged.set(id, 1);
      acknowledged.set(id, (await notes.update(id, { title: `writer ${writer} note ${n} again` })).version);
    }
  };
  const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size - before, SOON).toBeGreaterThan(WRITES_MIN);
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    node = await startProcess(file);
  }
  over.isOver = true;
  await Promise.all(writing);

  const kept: Note[] = [];
  for await (const note of service.from('note').each({ limit: 500 })) kept.push(note);
  // A create whose answer was lost was not carried out again.
  const titles = kept.map(({ title }) => title).filter((title) => title.startsWith('writer'));
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.every((title) => title.endsWith('again'))).toBe(true);
  expect(new Map(kept.map(({ id, version }) => [id, version]))).toEqual(new Map([...acknowledged, ...others(kept)]));
  const expected = (isOpen: boolean) =>
    kept.filter(({ open }) => open || !isOpen).flatMap(({ id, version }) => versionsOf(id, version));
  for (const [follower, isOpen] of [
    [all, false],
    [mine, true],
  ] as const) {
    // Ids rise: what came before the first that it was told of came before it began.
    const behind = expected(isOpen).filter((one) => one >= follower.changes()[0]!);
    await expect.poll(() => follower.changes().length, SOON).toBeGreaterThanOrEqual(behind.length);
    expect(follower.changes().toSorted()).toEqual(behind.toSorted());
    expect(follower.told.every(({ type }) => type === 'change')).toBe(true);
    expect(follower.seqs().every((seq, n) => n === 0 || seq > follower.seqs()[n - 1]!)).toBe(true);
  }
  const versions = (notes: Iterable<Note>) => new Map([...notes].map(({ id, version }) => [id, version]));
  await expect.poll(() => versions(held.rows.values()), SOON).toEqual(versions(kept));
  leaving.abort(new Error('over'));
  for (const one of following) await expect(one).rejects.toThrow('over');
  tally({ acknowledged: acknowledged.size });
  expect(acknowledged.size).toBeGreaterThan(ROUNDS * WRITES_MIN);
});

const versionsOf = (id: string, version: number): string[] =>
  Array.from({ length: version }, (_, n) => `${id} ${n + 1}`);

/** Rows that no writer made. */
const others = (kept: readonly Note[]): [string, number][] =>
  kept.filter(({ title }) => !title.startsWith('writer')).map(({ id, version }) => [id, version]);
