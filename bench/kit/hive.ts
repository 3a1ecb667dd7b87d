/** A node with very many tenants: made once in a directory, then started on it as often as wanted, a process of its own each time. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { LAUNCHED_ARGS, LAUNCHED_ENV } from './as-launched.ts';

/** What the node sends once it serves. */
export interface Hive {
  readonly gateway: string;
  readonly pid: number;
  /** From the start of the process until that message, milliseconds. */
  readonly startMs: number;
  /** Keys that are exchanged for tokens, by tenant: of the active ones only. */
  readonly keys: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

export interface HiveWish {
  readonly dir: string;
  readonly tenants: number;
  /** The first so many have a key. */
  readonly active: number;
  /** Tenant hosts; the product's default when absent. */
  readonly hosts?: number | undefined;
}

const run = ({ dir, tenants, active, hosts }: HiveWish): ChildProcess =>
  fork(new URL('./hive.process.ts', import.meta.url), [dir, String(tenants), String(active), String(hosts ?? '')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...LAUNCHED_ARGS],
    env: { ...process.env, ...LAUNCHED_ENV },
  });

/** A bench that is interrupted leaves no node behind. */
function watched(child: ChildProcess): Promise<number> {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return once(child, 'exit').then(([code]) => {
    process.off('exit', kill);
    return code as number;
  });
}

/** Makes the tenants in an empty directory; nothing runs afterwards. */
export async function makeHive(wish: HiveWish): Promise<void> {
  const code = await watched(run(wish));
  if (code !== 0) throw new Error(`making the tenants ended with ${code}`);
}

/** Starts a node on tenants that were made. */
export async function startHive(wish: HiveWish): Promise<Hive> {
  const began = performance.now();
  const child = run(wish);
  const ended = watched(child);
  const gone = ended.then((code) => Promise.reject(new Error(`the node ended with ${code}`)));
  gone.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), gone])) as [Pick<Hive, 'gateway' | 'keys'>];
  return {
    ...ready,
    pid: child.pid!,
    startMs: performance.now() - began,
    stop: async () => {
      if (child.connected) child.send('stop');
      await ended;
    },
  };
}

/** `acme:bench:dev:t<no>`. */
export function tenantKey(no: number): string {
  return `acme:bench:dev:t${no}`;
}

/** The four headers of a tenant's position. */
export function positionOf(key: string): Record<string, string> {
  const [customer = '', product = '', env = '', tenant = ''] = key.split(':');
  return { 'X-Customer': customer, 'X-Product': product, 'X-Env': env, 'X-Tenant': tenant };
}
