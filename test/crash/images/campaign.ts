/** Takes the power of a recorded node at many instants, recovers each image, and says what is not as it must be. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '#test/kit/random.ts';
import { tally } from '#test/kit/tally.ts';
import { Disk } from './disk.ts';
import { violations, type Facts } from './facts.ts';
import { writeImage } from './image.ts';
import { Judge } from './judge.ts';
import { Ledger, type Note } from './ledger.ts';
import type { Style } from './pick.ts';
import type { RecordedNode } from './recorded.ts';

/** In memory where the machine has it: what images ask of a disk is no part of the test. */
const SHARED_MEMORY = '/dev/shm';
/** A directory in which images with violations are kept, for the one who looks into them. */
const KEEP = process.env['SKEP_TEST_KEEP'];
/** Half of the instants are next to an answer: what it acknowledges was just made durable. */
const NEAR_ANSWERS = 0.5;

export interface ImageWish {
  readonly count: number;
  readonly seed: number;
  /** Syncs of these paths do nothing: a disk that lies. */
  readonly ignores?: (path: string) => boolean;
  /** Recovers an image in another way than a judge alone; may add to what must be there. */
  readonly recover?: (dataDir: string, ledger: Ledger, judge: Judge) => Promise<Facts>;
  /** Ends with the first image that has such a violation. */
  readonly until?: RegExp;
}

export interface BadImage {
  readonly no: number;
  readonly seed: number;
  /** How many records the disk had seen, of how many. */
  readonly instant: string;
  readonly style: Style;
  readonly violations: readonly string[];
}

/** Makes images and recovers them; gives those with violations, none where all is well. */
export async function judgeImages(node: RecordedNode, wish: ImageWish): Promise<BadImage[]> {
  const root = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'skep-image-'));
  const judges = Array.from({ length: wish.recover === undefined ? availableParallelism() : 1 }, () => new Judge());
  const free = [...judges];
  const running = new Set<Promise<void>>();
  const bad: BadImage[] = [];
  const disk = new Disk(node.before, wish.ignores);
  const ledger = new Ledger();
  for (const note of node.notes) ledger.add(note);
  let at = 0;
  try {
    for (const [no, instant] of instantsOf(node, wish).entries()) {
      for (; at < instant; at++) {
        const record = node.records[at]!;
        disk.apply(record);
        if (record.kind === 'note') ledger.add(noteOf(record.bytes));
      }
      if (free.length === 0) await Promise.race(running);
      if (bad.some(({ violations: found }) => found.some((one) => wish.until?.test(one)))) break;
      const dataDir = join(root, String(no), 'data');
      const style = styleOf(no);
      mkdirSync(join(root, String(no)));
      writeImage(disk, dataDir, style, new Random(wish.seed + no));
      if (KEEP !== undefined) cpSync(dataDir, join(KEEP, String(no)), { recursive: true });
      const judge = free.pop()!;
      const due = ledger.copy();
      const run = (wish.recover?.(dataDir, due, judge) ?? judge.recover(dataDir)).then((facts) => {
        // Those of a disk that lies are no part of what was tried.
        if (wish.ignores === undefined) tally({ images: 1, productStarts: wish.recover === undefined ? 0 : 1 });
        const found = violations(facts, due);
        if (found.length > 0)
          bad.push({ no, seed: wish.seed, instant: `${instant} of ${node.records.length}`, style, violations: found });
        else if (KEEP !== undefined) rmSync(join(KEEP, String(no)), { recursive: true });
        rmSync(join(root, String(no)), { recursive: true, force: true });
        free.push(judge);
        running.delete(run);
      });
      running.add(run);
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
    for (const judge of judges) judge.close();
    rmSync(root, { recursive: true, force: true });
  }
  return bad;
}

const noteOf = (bytes: Buffer): Note => JSON.parse(bytes.toString()) as Note;

/** In order: how many records the disk has seen when the power goes. */
function instantsOf({ records }: RecordedNode, { count, seed }: ImageWish): number[] {
  const random = new Random(seed);
  const answers = records.flatMap(({ kind, bytes }, at) =>
    kind === 'note' && noteOf(bytes).phase === 'answered' ? [at + 1] : [],
  );
  return Array.from({ length: count }, () =>
    random.chance(NEAR_ANSWERS) ? random.pick(answers) : random.below(records.length + 1),
  ).toSorted((a, b) => a - b);
}

function styleOf(no: number): Style {
  if (no % 8 === 0) return 'least';
  return no % 16 === 1 ? 'most' : 'mixed';
}
