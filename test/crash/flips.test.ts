/**
 * Bit flips: a bit of a byte of each kind of file of a node is turned. Its reader notices, or the byte lies in a range that is named as one in which
 * nothing can (flips/readers.ts). So many bytes of each kind, from a seed; more of them in the campaign `damage`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keepJournal, keptPath } from '#storage/journal/kept.ts';
import { runLoad } from '#test/crash/images/load.ts';
import { kindOf, KINDS } from '#test/crash/matrix/kinds.ts';
import { Acknowledged, runMore } from '#test/crash/matrix/more-clients.ts';
import { copyOf, makeMatrixSite } from '#test/crash/matrix/sites.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { tally } from '#test/kit/tally.ts';
import { exchange, positionHeaders } from '#test/kit/test-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { FLIP_READERS, NOT_FLIPPED, type FlipReader } from '#test/crash/flips/readers.ts';

/** Bytes of each kind. */
const FLIPS = rounds({ suite: 60, ci: 250 }, 'SKEP_FLIPS');
const FILES_OF_A_KIND = 3;
const SEED = testSeed();
const LIMIT = { timeout: 120_000 + FLIPS * 500 };

test('each kind of file of the matrix is read here, or says why not', () => {
  const declared = [...Object.keys(FLIP_READERS), ...Object.keys(NOT_FLIPPED)];
  const kinds = KINDS.map(({ name }) => name).filter((name) => !name.endsWith(', new') && !name.endsWith('readers'));
  expect(declared.toSorted()).toEqual(kinds.toSorted());
});

const namesIn = (place: string): string[] => readdirSync(place, { recursive: true }) as string[];

/** Bytes that were changed and not noticed, though no range has them. */
async function flipped(path: string, { read, mayBe, blind }: FlipReader, places: Iterable<number>) {
  const bytes = readFileSync(path);
  const { mode } = statSync(path);
  const before = await read(path);
  const bad: string[] = [];
  let count = 0;
  chmodSync(path, 0o600);
  for (const at of places) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 << (at % 8);
    writeFileSync(path, changed);
    count++;
    let now: string;
    try {
      now = await read(path);
    } catch {
      continue;
    }
    if (now !== before ? mayBe?.(now, before) === true : blind.some(({ has }) => has(at, bytes))) continue;
    bad.push(`${at} of ${bytes.length}: ${now === before ? 'not noticed' : `${before} is ${now}`}`);
  }
  writeFileSync(path, bytes);
  chmodSync(path, mode);
  tally({ damages: count });
  return bad;
}

/** Every n-th byte, so that there are about so many; of a file whose end is empty, up to a little behind what it holds. */
function* placesIn(bytes: Buffer, count: number, random: Random): Generator<number> {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  end = Math.min(bytes.length, end + 8);
  const step = Math.max(1, Math.floor(end / count));
  for (let at = random.below(step); at < end; at += step) yield at;
}

describe('a bit that is turned', LIMIT, () => {
  let scratch: string;
  const files = new Map<string, string[]>();

  /** Serves a node under clients and ends it; its files by kind. */
  async function serve(site: 'plain' | 'filed' | 'vault', how: 'SIGKILL' | 'SIGTERM', kinds: readonly string[]) {
    const made = await makeMatrixSite(scratch, site);
    const place = join(mkdtempSync(join(scratch, 'served-')), 'files');
    mkdirSync(place);
    const file = copyOf(made, place);
    const node = await startProcess(file, { SKEP_PORT_BASE: String(await freePortBase()) });
    const wish = { serviceKey: made.serviceKey, rounds: 1, name: 'f', note: () => undefined };
    try {
      const token = await exchange(node.listeners['gateway']!, made.serviceKey);
      const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
      const refused = ({ text }: { readonly text: string }): never => expect.fail(text);
      const acknowledged = new Acknowledged();
      await runMore({ node, headers, rounds: 1, name: 'f', acknowledged, refused });
      await runLoad(node, { ...wish, hasAudit: site === 'plain' });
      expect((await skep(`backup now -f ${file}`)).code).toBe(0);
      // Written once the journal is idle, and once a second.
      const awaited = ['journal mark', 'journal copy'];
      const areThere = (): boolean => awaited.every((kind) => namesIn(place).some((name) => kindOf(name) === kind));
      await vi.waitUntil(areThere, { timeout: 20_000 });
    } finally {
      await node.end(how);
    }
    for (const name of namesIn(place)) {
      const kind = kindOf(name);
      if (kind === null || !kinds.includes(kind) || !statSync(join(place, name)).isFile()) continue;
      files.set(kind, [...(files.get(kind) ?? []), join(place, name)].slice(0, FILES_OF_A_KIND));
    }
  }

  /** The end of a journal: a node that stops in order copies its own and removes it. */
  function endedJournal(): string {
    const journal = join(scratch, 'data', 'journal', '0000000042-host-0');
    mkdirSync(journal, { recursive: true });
    keepJournal(journal, 120_431);
    return join(keptPath(journal), 'closed');
  }

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'skep-flips-'));
    await serve('plain', 'SIGKILL', ['journal segment', 'journal mark', 'journal shards', 'kept journal']);
    const own = ['clock', 'format', 'epoch', 'outside mark', 'asset', 'revision', 'backup set', 'backup part'];
    const notes = ['partial note', 'asset note', 'audit key', 'audit personal values'];
    await serve('plain', 'SIGTERM', [...own, ...notes, 'blob', 'journal copy']);
    files.get('kept journal')!.push(endedJournal());
    await serve('filed', 'SIGTERM', ['vault file', 'vault mark']);
  }, LIMIT.timeout);
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test.each(Object.entries(FLIP_READERS))('in a file of the kind %s is noticed', LIMIT, async (kind, reader) => {
    const random = new Random(SEED);
    const found = files.get(kind) ?? [];
    expect(found.length, kind).toBeGreaterThan(0);
    const bad: object[] = [];
    for (const path of found) {
      const places = placesIn(readFileSync(path), Math.ceil(FLIPS / found.length), random);
      const unnoticed = await flipped(path, reader, places);
      if (unnoticed.length > 0) bad.push({ path, seed: SEED, unnoticed });
    }
    expect(bad).toEqual([]);
  });
});
