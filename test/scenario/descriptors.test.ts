/** Idle connections against the limit of open files, in a real process. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call } from '#test/kit/test-node.ts';

const OPEN_FILES = 200;
const CALLERS = 400;

/** Connects and says nothing. */
function idle(port: number): Socket {
  return connect(port, '127.0.0.1')
    .on('error', () => undefined)
    .resume();
}

test(
  '400 idle connections under ulimit -n 200: the node goes on, probes get in, and others when these have left',
  { timeout: 120_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-descriptors-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const node = await startProcess(writePlatformFile(dir), {}, [
      'sh',
      '-c',
      `ulimit -n ${OPEN_FILES}; exec "$@"`,
      'sh',
    ]);
    onTestFinished(() => node.end('SIGKILL').then(() => undefined));
    const { gateway, operations } = node.listeners as { gateway: string; operations: string };
    const sockets: Socket[] = [];
    const metric = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name} (.*)$`, 'm').exec((await call(operations, 'GET', '/metrics')).text)?.[1]);
    /** Those that the door closes come again. */
    const flood = (): void => {
      for (const socket of sockets) if (socket.destroyed) sockets.splice(sockets.indexOf(socket), 1);
      while (sockets.length < CALLERS) sockets.push(idle(Number(new URL(gateway).port)));
    };
    flood();
    const flooding = setInterval(flood, 200);
    await expect.poll(() => metric('skep_connections_refused_total'), { timeout: 30_000 }).toBeGreaterThan(CALLERS);
    expect(await metric('skep_connections')).toBeLessThanOrEqual(await metric('skep_connections_max'));
    expect(readdirSync(`/proc/${node.pid}/fd`).length).toBeLessThan(OPEN_FILES);
    // A warm spare says so by a beat less: its thread is there, whatever the callers hold.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const listed = await call(operations, 'GET', '/readyz', { Accept: 'application/json' });
    const { degraded } = listed.json as { degraded: { scope: string; name: string }[] };
    expect([listed.status, degraded.map(({ scope, name }) => `${scope} ${name}`)]).toEqual([
      200,
      ['descriptors connections'],
    ]);
    expect(node.logged()).not.toContain('is gone');
    clearInterval(flooding);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => metric('skep_connections'), { timeout: 10_000 }).toBe(0);
    expect((await call(gateway, 'GET', '/none')).status).toBe(404); // the door answers
    expect(await node.end('SIGTERM')).toBe(0);
  },
);
