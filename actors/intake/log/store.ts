/** The JSONL log as the writer uses it: lines of submissions, and a deadline for a disk that does not answer. */
import { limits } from '#config/limits.ts';
import { afterRunning } from '#storage/after-running.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { openLine } from '#storage/log/chain.ts';
import { readLines } from '#storage/log/read-lines.ts';
import { readLog, type JsonlLog, type LogOptions } from '#storage/log/jsonl-log.ts';
import type { Place } from '#storage/log/read-back.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { Serial } from '#actors/kit/serial.ts';
import { entryOf, ErasedLines, type LogEntry } from '../erasure/log-entry.ts';
import { keptUntilMs, type Retentions } from '../retention.ts';
import { lineOf, type Submission } from '../submission.ts';
import type { LogPort } from '../writer.ts';

/** First part of the log files' names. */
const STEM = 'submissions';

/** The database must have a line before its file is deleted: a commit answers within half of this, or the process ends. */
const KEPT_MS_MIN = 2 * limits.storage.commitAnswerMs;

/** Where the next line of the log starts; the database stores it in the commit of the lines before it. */
export type LogEnd = Place;

export interface LogSettings {
  readonly disk: LogDisk;
  readonly rotate: 'daily' | 'none';
  /** A write or a sync unanswered for so long counts as failed; limits.storage.commitAnswerMs unless given. */
  readonly answerMs?: number;
}

/** Reads every submission of a log in order and changes nothing; `torn`: the last write was cut short. */
export async function eachSubmission(
  dir: string,
  each: (submission: Submission) => void | Promise<void>,
): Promise<{ readonly torn: boolean; readonly erased: ErasedLines }> {
  const erased = new ErasedLines();
  const end = await readLog({ disk: openDirectory(dir), stem: STEM }, (line) => {
    const entry = entryOf(line);
    if (entry.kind === 'submission') return each(entry.submission);
    if (entry.kind === 'erasure') erased.named(entry.lines);
    else erased.add(line.place.hash, entry);
  });
  return { torn: end.torn !== null, erased };
}

export function logOptions({ disk, rotate }: LogSettings, clock: Clock): LogOptions {
  return { disk, rotate, stem: STEM, now: () => clock.now() };
}

export function logPort(log: JsonlLog, answerMs: number = limits.storage.commitAnswerMs): LogPort<Submission, Place> {
  return {
    append: (batch) => answered(log.append(batch.map(lineOf)), answerMs),
    sync: () => answered(log.sync(), answerMs),
  };
}

/** Adds a line that is no submission. Null when the disk is full, and then nothing of it stays. */
export async function appendDurably(log: JsonlLog, body: string): Promise<Place | null> {
  const { commitAnswerMs } = limits.storage;
  const place = await answered(log.append([body]), commitAnswerMs);
  if (place !== null) await answered(log.sync(), commitAnswerMs);
  return place;
}

/**
 * Deletes files of the log whose lines have all expired. A line cannot be removed from the chain, so a file is deleted as a whole, and never before an
 * older one. A file is read again only when the line that kept it expires.
 */
export class ExpiredFiles {
  readonly #log: JsonlLog;
  readonly #disk: LogDisk;
  readonly #clock: Clock;
  readonly #keptUntil = new Map<string, number>();
  readonly #turns = new Serial();
  #retentions: Retentions | null = null;

  constructor(log: JsonlLog, disk: LogDisk, clock: Clock) {
    this.#log = log;
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Deletes expired files, and gives how many. */
  drop(retentions: Retentions): Promise<number> {
    if (retentions !== this.#retentions) this.#keptUntil.clear();
    this.#retentions = retentions;
    return retentions.size === 0
      ? Promise.resolve(0)
      : this.alone(() => this.#log.dropOldest((name) => this.#isExpired(name, retentions)));
  }

  /** Runs a task while no file is deleted. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#turns.run(task);
  }

  /** The file was written anew, without a line that may have kept it. */
  forget(name: string): void {
    this.#keptUntil.delete(name);
  }

  async #isExpired(name: string, retentions: Retentions): Promise<boolean> {
    const now = this.#clock.now();
    const known = this.#keptUntil.get(name);
    if (known !== undefined && known > now) return false;
    const until = await this.#firstKept(name, retentions, now);
    this.#keptUntil.set(name, until);
    return until <= now;
  }

  /** Until when the first line that has not expired is kept, else 0; a file with a damaged line is kept for ever, so that it can be examined. */
  async #firstKept(name: string, retentions: Retentions, now: number): Promise<number> {
    for await (const raw of readLines(this.#disk, name, 0)) {
      const line = openLine(raw.bytes);
      if (line === null) return Infinity;
      const until = keptUntil(entryOf(line), retentions);
      if (until > now) return until;
    }
    return 0;
  }
}

/** A file goes no earlier than those before it, and so an erasure no earlier than the erased lines that it names. */
function keptUntil(entry: LogEntry, retentions: Retentions): number {
  if (entry.kind === 'submission') return keptUntilMs(entry.submission, retentions, KEPT_MS_MIN);
  return entry.kind === 'erased' ? 0 : Date.parse(entry.at) + KEPT_MS_MIN;
}

/** Rejects when the disk does not answer in time, as LMDB's commits do: nothing more is acknowledged then. */
async function answered<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const isAnswered = afterRunning(ms, () => reject(new Error(`intake's log gave no answer within ${ms} ms`)));
  try {
    return await Promise.race([work, promise]);
  } finally {
    isAnswered();
  }
}
