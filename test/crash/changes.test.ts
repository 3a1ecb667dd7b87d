/**
 * kill -9 under subscribers that go on where they were: what each has been told in all is what it may see of the acknowledged writes, each change
 * once and in order, and nothing that a crash took back. Rounds: SKEP_CRASH_ROUNDS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEvents, type EventStream } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';

const ROUNDS = rounds({ suite: 3, ci: 5 });
const SUBSCRIBERS = 10;
const WRITERS = 4;
const WRITES_MIN = 40;
const SOON = { timeout: 60_000, interval: 50 };

interface Told {
  readonly seq: number;
  readonly op: string;
  readonly id: string;
  readonly version: number;
}

/** One subscriber over all rounds. */
interface Subscriber {
  readonly filter: string;
  lastId: string | null;
  readonly told: Told[];
  stream: EventStream | null;
}

test(`${ROUNDS} kills under ${SUBSCRIBERS} subscribers`, { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-changes-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: writeNoteProduct(dir) };
  const prepared = await startTestNode({ ...wish, dir });
  await prepared.stop();
  const file = writePlatformFile(dir, wish);
  /** Versions that were acknowledged, by row: `title` says the version. */
  const acknowledged = new Map<string, number>();
  const subscribers = Array.from({ length: SUBSCRIBERS }, (_, n): Subscriber => {
    return { filter: n % 2 === 0 ? '' : '&open=true', lastId: null, told: [], stream: null };
  });
  let cut = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    const gateway = node.listeners['gateway']!;
    const headers = {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${await exchange(gateway, prepared.serviceKey)}`,
    };
    for (const one of subscribers) await open(one, gateway, headers);
    const end = { killed: false };
    let writes = 0;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !end.killed; n++) {
        const body = { title: '1', open: n % 3 !== 0 };
        try {
          const made = await call(gateway, 'POST', '/data/rest/note', headers, body);
          if (made.status !== 201) continue;
          const { id } = (made.json as { data: { id: string }[] }).data[0]!;
          acknowledged.set(id, 1);
          writes++;
          const changed = await call(gateway, 'PATCH', `/data/rest/note/id/${id}`, headers, {
            title: `2 of ${writer}`,
          });
          if (changed.status === 200) acknowledged.set(id, 2);
        } catch {
          cut++; // the node is gone: whether this write was kept is not known
        }
      }
    };
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    await expect.poll(() => writes, SOON).toBeGreaterThan(WRITES_MIN);
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    end.killed = true;
    await Promise.all(writing);
    for (const one of subscribers) await close(one);
  }

  const last = await startProcess(file);
  onTestFinished(async () => void (await last.end('SIGTERM')));
  const gateway = last.listeners['gateway']!;
  const headers = {
    ...positionHeaders(TENANT),
    Authorization: `Bearer ${await exchange(gateway, prepared.serviceKey)}`,
  };
  const kept = await rowsOf(gateway, headers);
  for (const one of subscribers) {
    await open(one, gateway, headers);
    const isAll = one.filter === '';
    const expected = kept.flatMap(({ id, version, open: isOpen }) =>
      isAll || isOpen ? Array.from({ length: version }, (_, n) => `${id} ${n + 1}`) : [],
    );
    const told = () => [...one.told, ...toldBy(one.stream!)];
    await expect.poll(() => told().length, SOON).toBeGreaterThanOrEqual(expected.length);
    // Each change once: no gap, no double, no phantom.
    expect(
      told()
        .map(({ id, version }) => `${id} ${version}`)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(told().every(({ seq }, n) => n === 0 || seq > told()[n - 1]!.seq)).toBe(true);
    one.stream!.leave();
  }
  const versions = new Map(kept.map(({ id, version }) => [id, version]));
  for (const [id, version] of acknowledged) expect(versions.get(id)).toBeGreaterThanOrEqual(version);
  tally({ acknowledged: acknowledged.size });
  expect(acknowledged.size).toBeGreaterThan(ROUNDS * WRITES_MIN);
  expect(cut).toBeGreaterThan(0);
});

async function open(one: Subscriber, gateway: string, headers: Headers): Promise<void> {
  // The first time from the position of now, which a poll gives: a stream has no position before its first event.
  if (one.lastId === null) {
    const { json } = await call(gateway, 'GET', `/data/changes?entity=note${one.filter}`, headers);
    one.lastId = String((json as { after: number }).after);
  }
  one.stream = await openEvents(`${gateway}/data/changes?entity=note${one.filter}`, headers, one.lastId);
  expect(one.stream.status).toBe(200);
}

/** What a stream told before it broke off counts: whole events alone. */
async function close(one: Subscriber): Promise<void> {
  await expect.poll(one.stream!.isOver, SOON).toBe(true);
  one.told.push(...toldBy(one.stream!));
  one.lastId = one.stream!.lastId();
}

const toldBy = ({ events }: EventStream): Told[] =>
  events.map(({ event, data }) => {
    if (event !== 'change') throw new Error(`the stream said ${event} ${JSON.stringify(data)}`);
    return data as Told;
  });

async function rowsOf(gateway: string, headers: Headers): Promise<{ id: string; version: number; open: boolean }[]> {
  const answer = await fetch(`${gateway}/data/bulk?entity=note&format=json`, { method: 'PATCH', headers });
  return (await answer.json()) as { id: string; version: number; open: boolean }[];
}
