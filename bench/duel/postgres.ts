/** Debian's PostgreSQL as a private cluster: its own directory, its own port, its own user, everything durable as by default. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePortBase } from '#bench/kit/ports.ts';
import { endChild, endWithUs } from './peer.ts';

export interface Postgres {
  readonly connectionString: string;
  /** Version and what decides durability, as the server itself reports it. */
  readonly settings: string;
  stop(): Promise<void>;
}

const VERSIONS = '/usr/lib/postgresql';
const SHOWN = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
];

/** The newest installed. Throws with how to mend it when there is none. */
function binaries(): string {
  try {
    const newest = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))[0]!;
    return join(VERSIONS, newest, 'bin');
  } catch {
    throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  }
}

/** PostgreSQL refuses to run as root: then it runs as Debian's user for it, or as the system's user without rights. */
function identity(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = ['postgres', 'nobody'].map((name) => users.find((user) => user.startsWith(`${name}:`)));
  const [, , uid, gid] = (line[0] ?? line[1] ?? '').split(':').map(Number);
  if (uid === undefined || gid === undefined) throw new Error('PostgreSQL needs a user that is not root');
  return { uid, gid };
}

/** A cluster in a directory of its own in `parent`, which PostgreSQL's user must be able to enter. */
export async function startPostgres(parent: string): Promise<Postgres> {
  const bin = binaries();
  const who = identity();
  const dir = mkdtempSync(join(parent, 'skep-bench-postgres-'));
  if (who.uid !== undefined) chownSync(dir, who.uid, who.gid!);
  const env = { ...process.env, LC_ALL: 'C' };
  const options = { ...who, cwd: dir, env };
  try {
    const cluster = join(dir, 'cluster');
    const init = ['-D', cluster, '-A', 'trust', '-U', 'bench', '-E', 'UTF8'];
    execFileSync(join(bin, 'initdb'), init, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const port = await freePortBase();
    const flags = ['-D', cluster, '-h', '127.0.0.1', '-p', String(port), '-k', dir, '-c', 'fsync=on'];
    const child = spawn(join(bin, 'postgres'), flags, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    endWithUs(child, 'SIGQUIT');
    await ready(child.stderr, once(child, 'exit'));
    const connectionString = `postgres://bench@127.0.0.1:${port}/postgres`;
    const show = SHOWN.flatMap((name) => ['-c', `show ${name}`]);
    const values = execFileSync(join(bin, 'psql'), ['-X', '-At', '-d', connectionString, ...show], {
      encoding: 'utf8',
    });
    const shown = values.trim().split('\n');
    return {
      connectionString,
      settings: SHOWN.map((name, i) => `${name} ${shown[i]}`).join(', '),
      stop: async () => {
        await endChild(child, () => child.kill('SIGINT'));
        rmSync(dir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

async function ready(log: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<void> {
  let said = '';
  const up = new Promise<void>((resolve) =>
    log.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-4000);
      if (said.includes('ready to accept connections')) resolve();
    }),
  );
  const gone = ended.then(() => Promise.reject(new Error(`PostgreSQL did not start: ${said}`)));
  gone.catch(() => undefined);
  await Promise.race([up, gone]);
}

/** A directory of a peer's own below the measured one. */
export function peerDir(dataDir: string, name: string): string {
  const dir = join(dataDir, `peer-${name}`);
  mkdirSync(dir, { recursive: true });
  return dir;
}
