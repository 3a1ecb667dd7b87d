/** The JSONL log as the writer uses it: lines of submissions, and an end to waiting for a disk that does not answer. */
import { limits } from '#config/limits.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { readLog } from '#storage/log/jsonl-log.ts';
import type { JsonlLog, LogOptions } from '#storage/log/jsonl-log.ts';
import type { Place } from '#storage/log/read-back.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { lineOf, parseLine } from '../submission.ts';
import type { Submission } from '../submission.ts';
import type { LogPort } from '../writer.ts';

/** First part of the log files' names. */
const STEM = 'submissions';

/** Where the next line of the log starts; the database keeps it with what it took from before it. */
export type LogEnd = Place;

export interface LogSettings {
  readonly disk: LogDisk;
  readonly rotate: 'daily' | 'none';
  /** A write or a sync unanswered for so long counts as failed; limits.storage.commitAnswerMs unless given. */
  readonly answerMs?: number;
}

/** Every submission of a log in order, without touching it; resolves to whether a write was cut short at its end. */
export async function eachSubmission(
  dir: string,
  each: (submission: Submission) => void | Promise<void>,
): Promise<{ readonly torn: boolean }> {
  const end = await readLog({ disk: openDirectory(dir), stem: STEM }, ({ body }) => each(parseLine(body)));
  return { torn: end.torn !== null };
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

/** Rejects when the disk does not answer in time, as LMDB's commits do: a hanging disk acknowledges nothing more. */
async function answered<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`intake's log gave no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
