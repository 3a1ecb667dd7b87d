/** One of the nodes as a process, which serves or stands by, with its link to the database; its log goes to a file. What was overtaken is started again, as a service manager does. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tally } from '#test/kit/tally.ts';
import type { Link } from './link.ts';

const launcher = fileURLToPath(new URL('../../../runtime/cli/skep', import.meta.url));

export interface NodePlace {
  readonly name: string;
  /** Its platform file. */
  readonly file: string;
  readonly logFile: string;
  readonly operations: string;
  readonly gateway: string;
  /** To its database. */
  readonly link: Link;
  /** From the other nodes to it; null where they do not reach it. */
  readonly between: Link | null;
  /** Whether its cluster has the machine for itself. */
  readonly isAlone: boolean;
}

export type Role = 'serves' | 'stands by' | 'neither';

/** The exit code of a node that another one has overtaken. */
const OVERTAKEN = 70;
/** A node that gave up waiting for a thread of its own, or was ended before it served, beside many others: a service manager starts it again. With the machine for itself it is a finding. */
const LATE = { code: 1, says: /no answer within \d+ ms|was ended by another node: start it again/ } as const;
/** So often in a row; then it is a finding. */
const LATE_MAX = 5;

export class NodeProcess {
  readonly place: NodePlace;
  #child: ChildProcess | null = null;
  #ended: Promise<number | string> = Promise.resolve('not started');
  /** The signal that it was last sent to end it. */
  #asked: NodeJS.Signals | null = null;
  #fault: Error | null = null;
  /** Where in its log the present life begins. */
  #logFrom = 0;
  /** Lives in a row that ended so before they stood by or served. */
  #late = 0;
  /** How often another node has overtaken it. */
  overtaken = 0;

  constructor(place: NodePlace) {
    this.place = place;
  }

  start(): void {
    const log = openSync(this.place.logFile, 'a');
    this.#logFrom = fstatSync(log).size;
    const { file, link } = this.place;
    const [program, ...args] = [...(link.cable?.within ?? []), launcher, '-f', file, '-l', 'info'];
    const child = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    this.#child = child;
    this.#asked = null;
    this.#ended = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        resolve(signal ?? code ?? 'lost');
        this.#left(code);
      }),
    );
  }

  /** Sends a signal that does not end it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  /** Ends it; the exit code, or the signal that ended it. */
  end(name: 'SIGTERM' | 'SIGKILL'): Promise<number | string> {
    this.#asked = name;
    if (this.#child?.kill(name) === true && name === 'SIGKILL') tally({ kills: 1 });
    return this.#ended;
  }

  /** Rejects where it has ended by itself with anything but the code of a node that was overtaken. */
  async role(): Promise<Role> {
    if (this.#fault !== null) throw this.#fault;
    const text = await fetch(`${this.place.operations}/readyz`, { signal: AbortSignal.timeout(1000) }).then(
      (answer) => answer.text(),
      () => '',
    );
    const role = roleIn(text);
    if (role !== 'neither') this.#late = 0;
    return role;
  }

  #left(code: number | null): void {
    if (this.#asked !== null) return;
    if (code === OVERTAKEN) {
      this.overtaken++;
      this.start();
    } else if (!this.place.isAlone && code === LATE.code && this.#late < LATE_MAX && this.#saysLate()) {
      this.#late++;
      this.start();
    } else this.#fault = new Error(`${this.place.name} ended by itself with ${code}`);
  }

  #saysLate(): boolean {
    return LATE.says.test(readFileSync(this.place.logFile).subarray(this.#logFrom).toString());
  }
}

/** By what `/readyz` says. */
function roleIn(text: string): Role {
  if (text.includes('standby, ')) return 'stands by';
  return text.includes('ready:true') ? 'serves' : 'neither';
}
