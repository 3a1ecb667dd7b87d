/**
 * PostgreSQL under Patroni on loopback, as docs/how-to/patroni.md sets it up: members and an etcd, where the machine has them. In CI their absence fails, elsewhere the cases say loudly that they were skipped.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { Etcd, hasEtcd } from './etcd.ts';
import { freePort } from './free-port.ts';

const BIN = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().map(dirname).at(-1);

export const hasPatroni = BIN !== undefined && hasEtcd && spawnSync('patroni', ['--version']).status === 0;

if (!hasPatroni) {
  const message = 'skipped: no patroni, PostgreSQL and etcd on this machine, so a log under Patroni was NOT tested';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

/** PostgreSQL refuses to run as root, and so does what starts it. */
const USER = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};
const SOON_MS = 90_000;

/** Of a member, as `patronictl list` prints it. */
export interface MemberState {
  readonly Member: string;
  readonly Role: string;
  readonly State: string;
}

interface Member {
  readonly name: string;
  readonly port: number;
  readonly file: string;
  child: ChildProcess | null;
}

export class Patroni {
  readonly #dir = mkdtempSync(join(tmpdir(), 'skep-patroni-'));
  readonly #etcd = new Etcd();
  readonly #members: Member[] = [];

  /** `settings`: of a member, as the page shows it; where it listens, and what power does not do to a test, is changed. */
  async start(settings: string, names: readonly string[]): Promise<void> {
    await this.#etcd.start();
    if (USER.uid !== undefined) chownSync(this.#dir, USER.uid, USER.gid);
    for (const name of names) {
      const [port, rest] = [await freePort(), await freePort()];
      const file = join(this.#dir, `${name}.yml`);
      writeFileSync(file, this.#settingsOf(settings, name, port, rest));
      this.#members.push({ name, port, file, child: null });
    }
    for (const { name } of this.#members) this.begin(name);
    await this.until('a leader has a synchronous standby', (all) => isWhole(all, names.length));
  }

  /** One URL for all members. */
  get url(): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`);
    return `postgres://skep@${hosts.join()}/skeplog?target_session_attrs=read-write`;
  }

  /** A statement at a member, by the superuser. */
  sql(name: string, text: string, database = 'postgres'): void {
    const { port } = this.#named(name);
    const words = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', database, '-v', 'ON_ERROR_STOP=1'];
    const { status, stderr } = spawnSync(join(BIN!, 'psql'), [...words, '-c', text], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`psql ended with ${status}: ${stderr}`);
  }

  /** Starts Patroni for a member, which starts its database. */
  begin(name: string): void {
    const member = this.#named(name);
    const log = openSync(join(this.#dir, `${name}.log`), 'a');
    const env = { ...process.env, HOME: this.#dir };
    member.child = spawn('patroni', [member.file], { ...USER, env, stdio: ['ignore', log, log] });
  }

  /** kill -9 of a member's Patroni and of every process of its database. */
  async kill(name: string): Promise<void> {
    const { child } = this.#named(name);
    const gone = new Promise((resolve) => child!.once('exit', resolve));
    const own = Number(readFileSync(join(this.#dir, name, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const sessions = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').split(' ');
    child!.kill('SIGKILL');
    for (const pid of [own, ...sessions.map(Number)]) if (pid > 0) killIfThere(pid);
    await gone;
  }

  /** What `patronictl` prints; throws where it fails. */
  control(...words: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('patronictl', ['-c', this.#members[0]!.file, ...words], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`patronictl ${words.join(' ')} ended with ${status}: ${stderr}${stdout}`);
    return stdout;
  }

  members(): MemberState[] {
    return JSON.parse(this.control('list', '-f', 'json')) as MemberState[];
  }

  get leader(): string | undefined {
    return this.members().find(({ Role }) => Role === 'Leader')?.Member;
  }

  /** Waits until the members are so; rejects with what they are. */
  async until(what: string, test: (all: readonly MemberState[]) => boolean): Promise<void> {
    const deadline = performance.now() + SOON_MS;
    for (;;) {
      const all = this.members();
      if (test(all)) return;
      if (performance.now() > deadline) throw new Error(`not before ${SOON_MS} ms: ${what}: ${JSON.stringify(all)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async stop(): Promise<void> {
    for (const { child } of this.#members) {
      if (child === null || child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    }
    await this.#etcd.remove();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #named(name: string): Member {
    return this.#members.find((member) => member.name === name)!;
  }

  #settingsOf(settings: string, name: string, port: number, rest: number): string {
    const document = parseDocument(settings);
    const [database, api] = [`127.0.0.1:${port}`, `127.0.0.1:${rest}`];
    const values: readonly (readonly [string, unknown])[] = [
      ['name', name],
      ['etcd3.hosts', [this.#etcd.url.replace('http://', '')]],
      ['restapi.listen', api],
      ['restapi.connect_address', api],
      ['postgresql.listen', database],
      ['postgresql.connect_address', database],
      ['postgresql.data_dir', join(this.#dir, name)],
      ['postgresql.bin_dir', BIN],
      ['postgresql.parameters', { unix_socket_directories: '', fsync: 'off', shared_buffers: '16MB' }],
      ['bootstrap.initdb', [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }, 'no-sync']],
      ['bootstrap.pg_hba', ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']],
      ['postgresql.authentication.superuser', { username: 'postgres' }],
      ['postgresql.authentication.replication', { username: 'replicator' }],
      ['postgresql.authentication.rewind', { username: 'rewinder' }],
    ];
    for (const [path, value] of values) document.setIn(path.split('.'), document.createNode(value));
    return document.toString();
  }
}

/** One leads, one is its synchronous standby, and all run. */
export function isWhole(all: readonly MemberState[], count: number): boolean {
  const roles = all.map(({ Role }) => Role);
  return (
    all.length === count &&
    all.every(({ State }) => State === 'running' || State === 'streaming') &&
    roles.includes('Leader') &&
    roles.includes('Sync Standby')
  );
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
