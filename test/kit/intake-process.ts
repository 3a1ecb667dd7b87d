/** `skep intake` as its own process, over a directory with one form. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ServedIntake {
  /** Of its own listener. */
  readonly url: string;
  /** Lines of the node's log up to where it says that it serves. */
  readonly said: readonly string[];
  /** The exit code or the signal's name. */
  readonly ended: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and the end. */
  stop(): Promise<number | string>;
}

export class IntakeProcess {
  readonly file: string;
  readonly forms: string;
  readonly jsonl: string;
  readonly embedded: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(dir: string, form: string, env: Readonly<Record<string, string>> = {}) {
    this.file = join(dir, 'intake.yaml');
    this.forms = join(dir, 'forms');
    this.jsonl = join(dir, 'data', 'intake', 'jsonl');
    this.embedded = join(dir, 'data', 'intake', 'embedded');
    this.#env = { ...process.env, ...env, SKEP_DATA: join(dir, 'data') };
    mkdirSync(this.forms);
    writeFileSync(join(this.forms, 'contact.yaml'), form);
    const open = 'per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000';
    writeFileSync(this.file, `http: { bind: 127.0.0.1:0 }\nratelimit: { ${open} }\n`);
  }

  /** One verb, to its end. */
  run(...args: readonly string[]): Promise<Ran> {
    const child = spawn(launcher, ['intake', ...args], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  }

  /** One verb whose reader goes after the first piece, as `| head` does. */
  cutShort(...args: readonly string[]): Promise<Omit<Ran, 'out'>> {
    const child = spawn(launcher, ['intake', ...args], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stdout.once('data', () => child.stdout.destroy());
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, err })));
  }

  /** Serves until it is stopped; resolves when it says where it listens. */
  async serve(...args: readonly string[]): Promise<ServedIntake> {
    const words = ['intake', '--config', this.file, ...args];
    const child = spawn(launcher, words, { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | string>((resolve) =>
      child.on('exit', (code, signal) => resolve(signal ?? code ?? 'lost')),
    );
    const said: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      void ended.then((how) => reject(new Error(`ended ${how}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line);
        const entry = JSON.parse(line) as { msg?: string; listeners?: Record<string, string> };
        if (entry.msg === 'serving') resolve(entry.listeners!['intake']!);
      });
    });
    const signal = (name: NodeJS.Signals): void => void child.kill(name);
    const stop = (): Promise<number | string> => {
      signal('SIGTERM');
      return ended;
    };
    return { url, said, ended, signal, stop };
  }
}
