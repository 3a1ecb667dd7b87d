/** Events that wait for the audit log, as lines of a bounded file: written before they are sent, cut when nothing waits. */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { makeDirectory } from '#storage/directory.ts';
import type { Spool, SpooledEvent } from '#actors/vault/event/emitter.ts';

/** A file shorter than this is not truncated: that would cost more than it saves. */
const CUT_BYTES = 64 * 1024;

/** Opens the spool of a directory. A torn last line is dropped: its event was never sent. */
export function openEventSpool(
  directory: string,
  bytesMax: number = limits.vault.spoolBytesMax,
): Spool & { close(): void } {
  makeDirectory(directory);
  const [lines, counts] = [join(directory, 'events.jsonl'), join(directory, 'numbers.json')];
  const numbers = new Map<string, number>(existsSync(counts) ? (JSON.parse(readFileSync(counts, 'utf8')) as []) : []);
  const left = existsSync(lines) ? readLines(readFileSync(lines, 'utf8')) : [];
  for (const { logId, event } of left) numbers.set(logId, Math.max(numbers.get(logId) ?? 0, event.source_seq));
  const fd = openSync(lines, 'a', 0o600);
  let bytes = Buffer.byteLength(left.map(lineOf).join(''));
  ftruncateSync(fd, bytes); // a torn last line would spoil the next one
  const keepNumbers = (now: ReadonlyMap<string, number>): void => {
    writeFileSync(`${counts}.new`, JSON.stringify([...now]), { mode: 0o600, flush: true });
    renameSync(`${counts}.new`, counts);
  };
  return {
    left,
    numbers,
    append: (one) => {
      const line = lineOf(one);
      const length = Buffer.byteLength(line);
      if (bytes + length > bytesMax) return false;
      writeSync(fd, line);
      bytes += length;
      return true;
    },
    settled: (now) => {
      if (bytes < CUT_BYTES) return;
      keepNumbers(now);
      ftruncateSync(fd);
      bytes = 0;
    },
    close: () => closeSync(fd),
  };
}

const lineOf = (one: SpooledEvent): string => `${JSON.stringify(one)}\n`;

function readLines(text: string): SpooledEvent[] {
  const events: SpooledEvent[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      events.push(JSON.parse(line) as SpooledEvent);
    } catch {
      break;
    }
  }
  return events;
}
