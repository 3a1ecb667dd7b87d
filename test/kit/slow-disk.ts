/** A process whose disk is slow on command: the library of bench/kit/slow-sync.c, compiled for the test that preloads it. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#runtime/place.ts';

export class SlowDisk {
  /** What the process's environment needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly #control: string;

  /** `library`: from `compileSlowSync`. The process may read `dir`. `isReal`: it waits for the disk of the machine as well. */
  constructor(library: string, dir: string, isReal = true) {
    this.#control = join(dir, 'sync-delay');
    this.env = { LD_PRELOAD: library, SKEP_SYNC_DELAY_FILE: this.#control, ...(!isReal && { SKEP_SYNC_NONE: '1' }) };
  }

  /** From now on each sync takes so much longer. */
  delay(ms: number): void {
    writeFileSync(this.#control, String(Math.round(ms * 1000)));
  }

  mend(): void {
    rmSync(this.#control, { force: true });
  }
}

/** Gives the library's path. */
export function compileSlowSync(dir: string): string {
  const library = join(dir, 'slow-sync.so');
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, `${ROOT}bench/kit/slow-sync.c`, '-ldl']);
  return library;
}
