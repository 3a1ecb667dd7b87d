/** A process whose disk breaks on command: the library of failing-disk.c, compiled for the test that preloads it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./failing-disk.c', import.meta.url));

export class FailingDisk {
  /** What the process's environment needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly #control: string;

  /** Compiles the library into `dir`. */
  constructor(dir: string) {
    const library = join(dir, 'failing-disk.so');
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'inherit' });
    this.#control = join(dir, 'disk-fault');
    this.env = { LD_PRELOAD: library, SKEP_DISK_FAULT: this.#control };
  }

  /** From now on a sync of a file whose path contains `part` fails. */
  breakFor(part: string): void {
    writeFileSync(this.#control, part);
  }

  /** From now on a sync of a file whose path contains `part` never returns. */
  hangFor(part: string): void {
    writeFileSync(this.#control, `!${part}`);
  }

  /** From now on the disk is full for writes to a file whose path contains `part`. */
  fillFor(part: string): void {
    writeFileSync(this.#control, `=${part}`);
  }

  /** From now on a sync of a file whose path contains `part` is said to be done, and is not. */
  feignFor(part: string): void {
    writeFileSync(this.#control, `~${part}`);
  }

  mend(): void {
    rmSync(this.#control, { force: true });
    rmSync(`${this.#control}.failed`, { force: true });
  }

  /** When the first failure was reported: milliseconds since the epoch. */
  get failedAt(): number {
    return Number(readFileSync(`${this.#control}.failed`, 'utf8'));
  }
}

/** Whether the library can be compiled. In CI a missing compiler fails the run instead: the drill must not be lost silently. */
export function canBreakDisk(): boolean {
  const found = (process.env['PATH'] ?? '').split(':').some((dir) => existsSync(join(dir, 'gcc')));
  if (found && process.platform === 'linux') return true;
  if (process.env['CI'] === 'true') throw new Error('the EIO drill needs Linux and gcc: install it where CI runs');
  console.warn('SKIPPED: the EIO drill needs Linux and gcc');
  return false;
}
