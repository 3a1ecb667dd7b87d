/**
 * A network namespace for a node, joined to the machine by two cables (veth): one to its database, which is pulled, and one to its clients. A pulled cable loses packets in the kernel, in both
 * directions and without a word to either side, as a real one.
 */
import { spawnSync } from 'node:child_process';

/** One for each run at a time: interfaces and addresses are the machine's. */
const RUN = process.pid % 10_000;
const NET = `10.${200 + (process.pid % 50)}.${(process.pid >> 6) % 250}`;
/** Where nodes reach a server of the tests, from every namespace. */
export const SHARED_ADDRESS = `${NET}.250`;

const run = (...words: readonly string[]): boolean => spawnSync('ip', words, { stdio: 'ignore' }).status === 0;

function must(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words.join(' ')} ended with ${status}: ${stderr}`);
}

/** Two interfaces of 30 bits each: the machine's end, and the node's. */
function ends(no: number): readonly [string, string] {
  return [`${NET}.${no * 4 + 1}`, `${NET}.${no * 4 + 2}`];
}

export class Cable {
  readonly #name: string;
  readonly #database: string;
  /** The node's, for its clients. */
  readonly address: string;
  /** The machine's, where the node reaches its database. */
  readonly databaseAddress: string;

  private constructor(no: number) {
    this.#name = `skep-${RUN}-${no}`;
    this.#database = `sk${RUN}d${no}`;
    this.address = ends(2 * no)[1];
    this.databaseAddress = ends(2 * no + 1)[0];
  }

  /** Cables for so many nodes; null where this process may not make namespaces, or there is no `ip`. */
  static lay(count: number): readonly Cable[] | null {
    const cables = Array.from({ length: count }, (_, no) => new Cable(no));
    const [first] = cables;
    if (!run('netns', 'add', first!.#name)) return null;
    const isJoined = run('link', 'add', first!.#database, 'type', 'veth', 'peer', 'name', `${first!.#database}x`);
    run('netns', 'del', first!.#name);
    if (!isJoined) return null;
    run('link', 'del', first!.#database);
    // It is there where an earlier run with this number was killed.
    run('address', 'add', `${SHARED_ADDRESS}/32`, 'dev', 'lo');
    for (const [no, cable] of cables.entries()) cable.#lay(no);
    return cables;
  }

  /** Removes namespaces, and with them every cable. */
  static clear(cables: readonly Cable[]): void {
    for (const cable of cables) run('netns', 'del', cable.#name);
    run('address', 'del', `${SHARED_ADDRESS}/32`, 'dev', 'lo');
  }

  /** Words before a program that runs behind the cable; its process is the program's own. */
  get within(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  /** From its database. */
  pull(): void {
    must('link', 'set', this.#database, 'down');
  }

  plug(): void {
    must('link', 'set', this.#database, 'up');
  }

  #lay(no: number): void {
    must('netns', 'add', this.#name);
    must('-n', this.#name, 'link', 'set', 'lo', 'up');
    for (const [kind, [here, there]] of [
      ['c', ends(2 * no)],
      ['d', ends(2 * no + 1)],
    ] as const) {
      const name = `sk${RUN}${kind}${no}`;
      must('link', 'add', name, 'type', 'veth', 'peer', 'name', `${kind}0`, 'netns', this.#name);
      must('address', 'add', `${here}/30`, 'dev', name);
      must('link', 'set', name, 'up');
      must('-n', this.#name, 'address', 'add', `${there}/30`, 'dev', `${kind}0`);
      must('-n', this.#name, 'link', 'set', `${kind}0`, 'up');
    }
    must('-n', this.#name, 'route', 'add', SHARED_ADDRESS, 'via', ends(2 * no)[0]);
  }
}
