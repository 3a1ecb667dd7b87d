/** `skep audit witness` as a process of its own, which cosigns the logs that `logs.txt` in its directory names. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

export const WITNESS_NAME = 'witness.example/1';

export class WitnessProcess {
  /** Its verifier key, and where it serves. */
  readonly key: string;
  readonly url: string;
  readonly #dir: string;
  readonly #child: ChildProcess;

  private constructor(dir: string, child: ChildProcess, [key, told]: readonly string[]) {
    [this.#dir, this.#child] = [dir, child];
    this.key = key!;
    this.url = told!.split(' ').at(-1)!;
  }

  /** Resolves when it says where it serves. `logs`: verifier keys. Its own key is in `<dir>/witness`. */
  static async start(dir: string, logs: readonly string[], listen = '127.0.0.1:0'): Promise<WitnessProcess> {
    writeFileSync(join(dir, 'logs.txt'), `# one line a log\n${logs.join('\n')}\n`);
    const places = ['--logs', join(dir, 'logs.txt'), '--dir', join(dir, 'witness')];
    const words = ['audit', 'witness', ...places, '--name', WITNESS_NAME, '--listen', listen];
    const child = spawn(launcher, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
    return new WitnessProcess(dir, child, lines);
  }

  /** Kills it, and starts it at the same address. */
  async again(logs: readonly string[]): Promise<WitnessProcess> {
    await this.kill();
    return WitnessProcess.start(this.#dir, logs, this.url.replace('http://', ''));
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.kill('SIGKILL')) await gone;
  }
}
