/** The lines of intake's JSONL log, as a test reads them from the outside. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LogLine {
  readonly id: string;
  readonly form: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The log's files in order of writing; torn tails that were put aside are none of them. */
export function logFiles(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
}

/** Every line of the log. Throws on one that is no JSON. */
export function readLog(dir: string): LogLine[] {
  const text = logFiles(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
  const lines = text.join('').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogLine);
}
