/** Ten free ports in a row, as SKEP_PORT_BASE wants them. */
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 20_000;
const LAST = 32_000;
const SPAN = 10;
const ATTEMPTS = 50;

export async function freePortBase(random: () => number = Math.random): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const base = FIRST + SPAN * Math.floor((random() * (LAST - FIRST)) / SPAN);
    if (await allFree(base)) return base;
  }
  throw new Error(`no ${SPAN} free ports in a row between ${FIRST} and ${LAST}`);
}

async function allFree(base: number): Promise<boolean> {
  for (let port = base; port < base + SPAN; port++) if (!(await isFree(port))) return false;
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}
