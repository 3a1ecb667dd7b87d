/** A log file that is renamed when it is large, compressed, and deleted when there are too many or it is too old. */
import { mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { createRequire } from 'node:module';
import type * as Rotating from 'rotating-file-stream';

export interface RotationRules {
  readonly maxSizeMb: number;
  /** 0 keeps all files. */
  readonly maxBackups: number;
  /** 0 keeps them for ever. */
  readonly maxAgeDays: number;
  readonly compress: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

export class RotatingFile {
  readonly #path: string;
  readonly #rules: RotationRules;
  #stream: Rotating.RotatingFileStream;

  constructor(path: string, rules: RotationRules) {
    this.#path = path;
    this.#rules = rules;
    mkdirSync(dirname(path), { recursive: true });
    this.#stream = this.#open();
  }

  write(line: string): void {
    this.#stream.write(line);
  }

  /** Opens the file anew, after it was moved away (SIGHUP). */
  reopen(): void {
    const old = this.#stream;
    this.#stream = this.#open();
    old.end();
  }

  #open(): Rotating.RotatingFileStream {
    const { createStream } = createRequire(import.meta.url)('rotating-file-stream') as typeof Rotating;
    const { maxSizeMb, maxBackups, compress } = this.#rules;
    const stream = createStream((time, index) => this.#nameOf(time, index), {
      path: dirname(this.#path),
      size: `${maxSizeMb}M`,
      ...(maxBackups === 0 ? {} : { maxFiles: maxBackups }),
      ...(compress ? { compress: 'gzip' as const } : {}),
    });
    stream.on('error', () => {}); // a log that cannot be written must not end the thread
    stream.on('rotated', () => void this.#expire().catch(() => undefined));
    void this.#expire().catch(() => undefined);
    return stream;
  }

  /** `intake.log`; rotated files are `intake-2026-01-31T10-00-00-000.1.log.gz`. */
  #nameOf(time: number | Date | null, index: number | undefined): string {
    const name = basename(this.#path);
    if (time === null) return name;
    const extension = extname(name);
    const stamp = new Date(time).toISOString().slice(0, -1).replaceAll(/[:.]/g, '-');
    return `${basename(name, extension)}-${stamp}.${index}${extension}${this.#rules.compress ? '.gz' : ''}`;
  }

  /** The library bounds the number of files but not their age. */
  async #expire(): Promise<void> {
    const { maxAgeDays } = this.#rules;
    if (maxAgeDays === 0) return;
    const directory = dirname(this.#path);
    const stem = basename(this.#path, extname(this.#path));
    const before = Date.now() - maxAgeDays * DAY_MS;
    for (const name of await readdir(directory)) {
      if (!name.startsWith(`${stem}-`)) continue;
      const path = join(directory, name);
      if ((await stat(path)).mtimeMs < before) await rm(path, { force: true });
    }
  }
}
