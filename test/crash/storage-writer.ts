/**
 * The victim of the crash tests: commits turns over and over and prints `ack <id>` when a turn is durable.
 * Arguments: data directory, turns in flight. Exit 70 on a fault, after the line `fatal`.
 */
import { writeSync } from 'node:fs';
import { openArchive } from '#storage/archive.ts';
import { findJournals, nextEpoch } from '#storage/journal/directories.ts';
import { bodyOf, keysOf } from './storage-rows.ts';

const [, , dataDir, window] = process.argv;
const say = (line: string): void => void writeSync(1, `${line}\n`);

const archive = await openArchive({
  dataDir: dataDir!,
  shards: [0, 1],
  replay: findJournals(dataDir!),
  epoch: nextEpoch(dataDir!),
  name: 'victim',
  onFatal: () => {
    say('fatal');
    process.exit(70);
  },
  limits: { segmentBytes: 256 * 1024, followGatherMs: 2, commitPutsMax: 120, freeBytesMin: 1 },
});
const stores = [archive.store(0, 1), archive.store(1, 1)] as const;
let id = 0;
for (const store of stores) {
  for (const { key } of store.begin().range('r', 's', true)) {
    id = Math.max(id, Number(key.slice(1)));
    break;
  }
}

/** A row, its index entry, the counter, and the end of an older row. */
function next(): void {
  const own = ++id;
  const store = stores[own % 2]!;
  const turn = store.begin();
  for (const key of keysOf(own)) turn.put(key, bodyOf(own));
  turn.put('count', Buffer.from(String(own)));
  if (own > 400) for (const key of keysOf(own - 400)) turn.del(key);
  turn.commit();
  store.whenDurable(turn.newest, () => {
    say(`ack ${own}`);
    setImmediate(next);
  });
}

say('open');
for (let i = 0; i < Number(window); i++) next();
