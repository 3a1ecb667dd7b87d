/** A small disk of its own for processes: a tmpfs that only they see, in a mount namespace which a sleeping process holds. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { once } from 'node:events';

/** As root, or in a user namespace where the system allows one. */
const UNSHARE = process.getuid!() === 0 ? ['-m'] : ['-r', '-m'];
const ENTER = process.getuid!() === 0 ? ['-m'] : ['-U', '--preserve-credentials', '-m'];

/** Whether a tmpfs can be mounted for a process alone. In CI the run fails where it cannot: the drill must not be lost silently. */
export function canMount(): boolean {
  if (spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /mnt']).status === 0) return true;
  if (process.env['CI'] === 'true') throw new Error('the drill of a full disk needs unshare and the right to mount');
  console.warn('SKIPPED: the drill of a full disk needs unshare and the right to mount');
  return false;
}

export interface SmallDisk {
  /** Before a command: it sees the disk. */
  readonly wrapper: readonly string[];
  /** The same files from outside. */
  readonly outside: string;
  /** Runs a shell line that sees the disk; gives what it prints. Throws where it fails. */
  run(line: string): string;
  close(): Promise<void>;
}

/** Mounts `mib` megabytes at `path`, which is made. */
export async function mountSmallDisk(path: string, mib: number): Promise<SmallDisk> {
  mkdirSync(path, { recursive: true });
  const line = `mount -t tmpfs -o size=${mib}m,mode=0700 tmpfs "$0" && echo ready && exec sleep 86400`;
  const holder = spawn('unshare', [...UNSHARE, 'sh', '-c', line, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await said(holder);
  const wrapper = ['nsenter', '-t', String(holder.pid), ...ENTER, '--'];
  return {
    wrapper,
    outside: `/proc/${holder.pid}/root${path}`,
    run: (command) => {
      const [program, ...words] = [...wrapper, 'sh', '-c', command];
      const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`${command}: ${status} ${stderr}`);
      return stdout;
    },
    close: async () => {
      const gone = once(holder, 'exit');
      holder.kill('SIGKILL');
      await gone;
    },
  };
}

async function said(holder: ChildProcess): Promise<void> {
  await Promise.race([
    once(holder.stdout!, 'data'),
    once(holder, 'exit').then(() => Promise.reject(new Error('no disk could be mounted'))),
  ]);
}
