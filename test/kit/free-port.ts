/** Ports that are free on the loopback address, below those that the kernel gives to outgoing connections, which come and go. */
import { createServer } from 'node:net';
import { PORT_ORDER } from '#config/defaults.ts';

const FIRST_BASE = 10_000;
const BASES = 1800;
const FIRST = 28_100;
const LAST = 32_700;
const TRIES = 200;

/** Given by this process: others may listen at them later than the next one is asked for. */
const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}

/** The first of as many ports in a row as a node has listeners, for SKEP_PORT_BASE. */
export async function freePortBase(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const base = FIRST_BASE + PORT_ORDER.length * Math.floor(Math.random() * BASES);
    const free = await Promise.all(PORT_ORDER.map((_, i) => isFree(base + i)));
    if (!free.includes(false)) return base;
  }
  throw new Error('no free ports in a row');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
