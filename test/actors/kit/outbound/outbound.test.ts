import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import type { OutboundOptions } from '#actors/kit/outbound/outbound.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An outbound that may reach this one host, and a GET through it. */
function reaching(host: string, options: OutboundOptions = {}) {
  const outbound = new Outbound({ allowPrivate: [host], ...options });
  return (path = '/', base = `http://${host}`) => outbound.fetch(new URL(base + path), { method: 'GET', headers: {} });
}

const why = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error as { why?: string }).why,
  );

describe('outbound requests', () => {
  test('carry method, headers and body, and bring back the whole answer', async () => {
    const host = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(201, { 'x-seen': `${request.method} ${request.headers['x-a'] as string}` });
        response.end(JSON.stringify({ body }));
      });
    });
    const outbound = new Outbound({ allowPrivate: [host] });
    const asked = { method: 'POST', headers: { 'x-a': '1' }, body: 'a=1' };
    const answer = await outbound.fetch(new URL(`http://${host}/token`), asked);
    expect([answer.status, answer.headers.get('x-seen'), await answer.json()]).toEqual([
      201,
      'POST 1',
      { body: 'a=1' },
    ]);
  });

  test('follow no redirect; an answer without a body is one', async () => {
    const host = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    );
    expect((await reaching(host)()).status).toBe(302);
    const empty = await serve((_request, response) => response.writeHead(204).end());
    expect((await reaching(empty)()).status).toBe(204);
  });

  test('reach loopback only where the platform names it, by address or by name', async () => {
    const host = await serve((_request, response) => response.end('secret'));
    const port = host.split(':')[1]!;
    const none = new Outbound();
    for (const base of [
      `http://${host}`,
      `http://localhost:${port}`,
      `https://${host}`,
      `http://[::ffff:127.0.0.1]:${port}`,
    ])
      expect([base, await why(none.fetch(new URL(base), { method: 'GET', headers: {} }))]).toEqual([base, 'forbidden']);
    expect(await why(reaching(`127.0.0.1:${Number(port) === 1 ? 2 : 1}`)('/', `http://${host}`))).toBe('forbidden');
    expect(await (await reaching(`localhost:${port}`)('/', `http://localhost:${port}`)).text()).toBe('secret');
  });

  test('go over plain HTTP to nobody else', async () => {
    expect(await why(new Outbound().fetch(new URL('http://1.1.1.1/'), { method: 'GET', headers: {} }))).toBe(
      'forbidden',
    );
  });

  test('fail at a closed door, and at a server that hangs up', async () => {
    const host = await serve((request) => request.socket.destroy());
    expect(await why(reaching(host)())).toBe('failed');
    servers.pop()!.close();
    expect(await why(reaching(host)())).toBe('failed');
  });

  test('have a deadline, for the head and for the body', async () => {
    const silent = await serve(() => undefined);
    expect(await why(reaching(silent, { deadlineMs: 20 })())).toBe('deadline');
    const slow = await serve((_request, response) => void response.write('a'));
    expect(await why(reaching(slow, { deadlineMs: 20 })())).toBe('deadline');
  });

  test('have a bounded answer', async () => {
    const host = await serve((_request, response) => response.end('x'.repeat(1001)));
    expect(await why(reaching(host, { responseBytesMax: 1000 })())).toBe('too_large');
    expect(await why(reaching(host, { responseBytesMax: 1001 })())).toBe('answered');
  });

  test('are bounded in number; one that ended makes room', async () => {
    const waiting: (() => void)[] = [];
    const host = await serve((_request, response) => void waiting.push(() => response.end()));
    const get = reaching(host, { inFlightMax: 1 });
    const first = get();
    expect(await why(get())).toBe('busy');
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]!();
    expect((await first).status).toBe(200);
    const third = get();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!();
    expect((await third).status).toBe(200);
  });
});
