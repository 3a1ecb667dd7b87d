/** A node whose tenants have many callers, and subscribers of changes at it: raw sockets, so that the load costs little beside what it measures. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { LAUNCHED_ARGS, LAUNCHED_ENV } from './as-launched.ts';
import { COLLECTING } from './collect.ts';
import { exchangeToken } from './dev-file.ts';
import { positionOf } from './hive.ts';

export interface FeedNode {
  readonly gateway: string;
  /** Position and token of each caller, a tenant's callers one behind another. */
  readonly callers: readonly Readonly<Record<string, string>>[];
  /** Resident bytes of the process once its garbage is collected, that of all threads. */
  residentBytes(): Promise<number>;
}

export interface FeedWish {
  readonly tenants: number;
  /** Callers of each tenant. */
  readonly callers: number;
  /** Tenant hosts; the product's default when absent. */
  readonly hosts?: number | undefined;
}

/** Runs `work` with a node that is ended and removed afterwards. */
export async function withFeedNode<T>(
  dataDir: string,
  { tenants, callers, hosts }: FeedWish,
  work: (node: FeedNode) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(dataDir, 'feed-'));
  const args = [dir, String(tenants), String(callers), hosts === undefined ? '' : `hosts: ${hosts}`];
  const child = fork(new URL('./feed-node.process.ts', import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...LAUNCHED_ARGS, ...COLLECTING],
    env: { ...process.env, ...LAUNCHED_ENV },
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const gone = ended.then(([code]) => Promise.reject(new Error(`the node ended with ${String(code)}`)));
  gone.catch(() => undefined);
  const message = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), gone]))[0];
  try {
    const ready = (await message()) as { gateway: string; keys: Readonly<Record<string, readonly string[]>> };
    return await work({
      gateway: ready.gateway,
      callers: await tokensOf(ready.gateway, ready.keys),
      residentBytes: async () => {
        child.send('resident');
        return ((await message()) as { residentBytes: number }).residentBytes;
      },
    });
  } finally {
    if (child.connected) child.send('stop');
    await ended;
    process.off('exit', kill);
    await rm(dir, { recursive: true, force: true });
  }
}

async function tokensOf(
  gateway: string,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<FeedNode['callers']> {
  const callers: Record<string, string>[] = [];
  for (const [tenant, own] of Object.entries(keys)) {
    const headers = positionOf(tenant);
    for (const key of own) {
      const token = await exchangeToken({ gateway, headers, service_key: key });
      callers.push({ ...headers, Authorization: `Bearer ${token}` });
    }
  }
  return callers;
}

/** What subscribers that are not read are sent goes here: with a buffer for each read, collecting them would take the cores that the node works on. */
const DROPPED = Buffer.alloc(64 * 1024);

/** Opens a stream of an entity's changes, and resolves once its first bytes are there. `told`: what follows; without it the bytes are dropped. */
export async function subscribeTo(
  { gateway }: Pick<FeedNode, 'gateway'>,
  headers: Readonly<Record<string, string>>,
  told?: (text: string) => void,
): Promise<Socket> {
  const { host, hostname, port } = new URL(gateway);
  const lines = Object.entries({ Host: host, Accept: 'text/event-stream', ...headers });
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const take = (bytes: Buffer): void => {
      if (isOpen) {
        told?.(bytes.toString('latin1'));
        return;
      }
      const head = bytes.toString('latin1');
      isOpen = true;
      if (head.startsWith('HTTP/1.1 200')) resolve(socket);
      else reject(new Error(`a subscriber was answered ${head.slice(0, 300)}`));
    };
    const onread = {
      buffer: told === undefined ? DROPPED : Buffer.alloc(DROPPED.length),
      callback: (length: number, buffer: Uint8Array): boolean => {
        take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    socket.once('error', reject);
    socket.write(
      `GET /data/changes?entity=signal HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
  });
}
