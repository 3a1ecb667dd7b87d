/** A real PostgreSQL on loopback, alone or with a synchronous standby, where the machine has one. In CI its absence fails, elsewhere the cases say loudly that they were skipped. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { canBreakDisk } from './failing-disk.ts';
import { compileSlowSync, SlowDisk } from './slow-disk.ts';
import { freePort } from './free-port.ts';

const BIN = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().map(dirname).at(-1);

export const hasPostgres = BIN !== undefined;

if (!hasPostgres) {
  const message = 'skipped: no PostgreSQL on this machine, so the log engine in it was NOT tested';
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}

/** It refuses to run as root. */
const USER = process.getuid!() === 0 ? { uid: 65534, gid: 65534 } : {};

function run(program: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(join(BIN!, program), words, { ...USER, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}

/** Power is not lost in tests, so nothing waits for a disk there. */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
max_wal_senders = 5
wal_level = replica
hot_standby = on
shared_buffers = 16MB
max_connections = 40
log_min_messages = warning
`;

export class PostgresServer {
  readonly port: number;
  /** Null where nothing can make it slow. */
  disk: SlowDisk | null = null;
  readonly #data: string;
  readonly #name: string;
  #child: ChildProcess | null = null;

  constructor(directory: string, name: string, port: number) {
    this.#data = join(directory, name);
    this.#name = name;
    this.port = port;
  }

  get url(): string {
    return `postgres://skep@127.0.0.1:${this.port}/postgres`;
  }

  /** A new database. `isDurable`: it waits for its disk, as those that are measured. */
  create(isDurable: boolean): void {
    run('initdb', '-D', this.#data, '-U', 'skep', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
    appendFileSync(
      join(this.#data, 'postgresql.conf'),
      `${SETTINGS}port = ${this.port}\n${isDurable ? 'fsync = on\n' : ''}`,
    );
  }

  /** A standby of another one, which runs. */
  follow(primary: PostgresServer): void {
    const from = `host=127.0.0.1 port=${primary.port} user=skep application_name=${this.#name}`;
    run('pg_basebackup', '-D', this.#data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync', '-d', from);
    appendFileSync(join(this.#data, 'postgresql.conf'), `port = ${this.port}\n`);
  }

  async start(): Promise<void> {
    const env = { ...process.env, ...this.disk?.env };
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    this.#child = spawn(join(BIN!, 'postgres'), ['-D', this.#data], { ...USER, env, stdio: [...stdio] });
    let said = '';
    this.#child.stderr!.on('data', (bytes: Buffer) => (said += bytes.toString()));
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`postgres ended: ${said}`);
      const isUp = await this.sql('select 1').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Rows of a statement, or of the last of several, by an administrator of the server. */
  async sql(text: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url, options: '-c statement_timeout=0' });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Resolves when new sessions have it: the server reads its files again behind its answer. */
  async set(name: string, value: string): Promise<void> {
    await this.sql(`alter system set ${name} = '${value}'`);
    const [{ loaded }] = (await this.sql('select pg_conf_load_time()::text as loaded from pg_reload_conf()')) as [
      { loaded: string },
    ];
    const isRead = `select pg_conf_load_time() > '${loaded}' as "isRead"`;
    while ((await this.sql(isRead))[0]!['isRead'] !== true) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Whether a text is anywhere in its files, as bytes: tables, its own log, what it wrote to its disk for a moment. */
  async holds(text: string): Promise<boolean> {
    await this.sql('checkpoint');
    const { status } = spawnSync('grep', ['-rqaF', text, this.#data]);
    if (status === 0 || status === 1) return status === 0;
    throw new Error(`grep ended with ${status}`);
  }

  promote(): void {
    run('pg_ctl', 'promote', '-D', this.#data, '-w');
  }

  /** The server and all its processes, for signals. */
  family(): number[] {
    const own = this.#child!.pid!;
    const children = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').split(' ');
    return [own, ...children.filter((pid) => pid.trim() !== '').map(Number)];
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGQUIT');
    });
  }
}

/** A primary and its standby; with `isPair` false the primary alone. */
export class PostgresPair {
  readonly #directory: string;
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;

  private constructor(directory: string, ports: readonly [number, number]) {
    this.#directory = directory;
    this.primary = new PostgresServer(directory, 'primary', ports[0]);
    this.standby = new PostgresServer(directory, 'standby', ports[1]);
  }

  /**
   * `hasDisks`: both wait for their disks, which can be made slow where the machine has a compiler. `isAlone`: and those are the machine's; else they are made slow and nothing more, so that
   * many pairs do not wait for one disk.
   */
  static async start({ isDurable = false, hasDisks = false, isAlone = true } = {}): Promise<PostgresPair> {
    const directory = mkdtempSync(join(tmpdir(), 'skep-postgres-'));
    if (USER.uid !== undefined) chownSync(directory, USER.uid, USER.gid);
    const pair = new PostgresPair(directory, [await freePort(), await freePort()]);
    if (hasDisks && canBreakDisk()) pair.#giveDisks(isAlone);
    pair.primary.create(isDurable || (hasDisks && (isAlone || canBreakDisk())));
    await pair.primary.start();
    pair.standby.follow(pair.primary);
    await pair.standby.start();
    await pair.primary.set('synchronous_standby_names', 'FIRST 1 (standby)');
    return pair;
  }

  #giveDisks(isReal: boolean): void {
    const library = compileSlowSync(this.#directory);
    for (const [name, server] of Object.entries({ primary: this.primary, standby: this.standby })) {
      const dir = join(this.#directory, `${name}-disk`);
      mkdirSync(dir);
      server.disk = new SlowDisk(library, dir, isReal);
    }
  }

  async stop(): Promise<void> {
    await this.standby.kill();
    await this.primary.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
