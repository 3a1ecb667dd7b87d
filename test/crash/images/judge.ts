/** The process that recovers images. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Facts } from './facts.ts';

const PROGRAM = fileURLToPath(new URL('./judge.process.ts', import.meta.url));
const NOTHING = { items: [], envelopes: [], submissions: [], records: [], assets: [] };

export class Judge {
  #child: ChildProcess | null = null;

  /** What a data directory holds after its recovery. One at a time. */
  recover(dataDir: string): Promise<Facts> {
    const child = (this.#child ??= fork(PROGRAM, { execArgv: ['--disable-warning=ExperimentalWarning'] }));
    return new Promise((resolve) => {
      const ended = (code: number | null, signal: string | null): void => {
        this.#child = null;
        resolve({ faults: [`the process ended over it: ${signal ?? code}`], ...NOTHING });
      };
      child.once('exit', ended);
      child.once('message', (facts) => {
        child.off('exit', ended);
        resolve(facts as Facts);
      });
      child.send(dataDir);
    });
  }

  close(): void {
    this.#child?.kill();
    this.#child = null;
  }
}
