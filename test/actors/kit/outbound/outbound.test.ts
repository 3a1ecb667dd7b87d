import type { lookup, LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { KeptConnections } from '#actors/kit/outbound/kept-connections.ts';
import { Outbound, type OutboundOptions } from '#actors/kit/outbound/outbound.ts';

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

  test.each([
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['hexadecimal', '0x7f.1'],
    ['short', '127.1'],
    ['nothing', '0'],
    ['IPv6', '[::1]'],
    ['mapped into IPv6', '[::ffff:7f00:1]'],
    ['translated (NAT64)', '[64:ff9b::7f00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['link-local', '[fe80::1]'],
    ['the metadata service', '169.254.169.254'],
    ['the metadata service by IPv6', '[fd00:ec2::254]'],
    ['private', '10.0.0.1'],
    ['full-width digits', '１２７.0.0.1'],
  ])('reach no address of the inside, however it is written: %s', async (_form, host) => {
    for (const scheme of ['http', 'https'])
      expect(await why(new Outbound().fetch(new URL(`${scheme}://${host}/`), { method: 'GET', headers: {} }))).toBe(
        'forbidden',
      );
  });

  test('go where their check has looked: a name that changes its mind gains nothing', async () => {
    const host = await serve((_request, response) => response.end('here'));
    const port = host.split(':')[1]!;
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2']];
    const asked: string[] = [];
    const resolve = ((name: string, _options: object, done: (error: null, found: LookupAddress[]) => void) => {
      asked.push(name);
      done(
        null,
        (answers[asked.length - 1] ?? ['127.0.0.2']).map((address) => ({ address, family: 4 })),
      );
    }) as unknown as typeof lookup;
    const outbound = new Outbound({ allowPrivate: ['127.0.0.1/32'], resolve });
    const get = () => outbound.fetch(new URL(`http://rebinding.example:${port}/`), { method: 'GET', headers: {} });
    expect(await (await get()).text()).toBe('here');
    expect(asked).toHaveLength(1); // no second look after the check
    expect(await why(get())).toBe('forbidden');
    expect(await why(get())).toBe('forbidden'); // one bad address among good ones
    expect(asked).toEqual(Array(3).fill('rebinding.example'));
  });

  test('go over plain HTTP to no other host', async () => {
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

  test('end when their signal says so, before their deadline and as no fault of it', async () => {
    const ending = new AbortController();
    const host = await serve(() => ending.abort());
    const outbound = new Outbound({ allowPrivate: [host] });
    const asked = outbound.fetch(new URL(`http://${host}/`), { method: 'GET', headers: {}, signal: ending.signal });
    expect(await why(asked)).toBe('failed');
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

describe('kept connections', () => {
  /** A server that counts its connections, and a request of which only the status is wanted. */
  async function receiver(listener: RequestListener, options: OutboundOptions = {}) {
    const host = await serve(listener);
    let connections = 0;
    servers.at(-1)!.on('connection', () => connections++);
    const outbound = new Outbound({ allowPrivate: [host], kept: new KeptConnections(), ...options });
    const wish = { method: 'POST', headers: {}, body: 'x', wants: 'status' } as const;
    const post = async (): Promise<number> => (await outbound.fetch(new URL(`http://${host}/`), wish)).status;
    return { post, connections: () => connections };
  }

  test('serve one request after another', async () => {
    const { post, connections } = await receiver((_request, response) => void response.end('taken'));
    for (let no = 0; no < 5; no++) expect(await post()).toBe(200);
    expect(connections()).toBe(1);
  });

  test('are given up where the receiver ends them, and the request goes over a new one', async () => {
    let asked = 0;
    const { post, connections } = await receiver((request, response) => {
      if (++asked === 2) request.socket.resetAndDestroy();
      else response.end();
    });
    expect([await post(), await post()]).toEqual([200, 200]);
    expect([asked, connections()]).toEqual([3, 2]);
  });

  test('a new one that breaks is a fault: it is not tried again here', async () => {
    const { post, connections } = await receiver((request) => request.socket.resetAndDestroy());
    expect(await why(post())).toBe('failed');
    expect(connections()).toBe(1);
  });

  test('end with an answer that is too long to be read away', async () => {
    const { post, connections } = await receiver((_request, response) => void response.end('x'.repeat(1 << 20)));
    expect([await post(), await post()]).toEqual([200, 200]);
    expect(connections()).toBe(2);
  });

  test('are kept for so many origins: a further one has a new connection for each request, and those that are kept stay', async () => {
    const kept = new KeptConnections();
    const all: Awaited<ReturnType<typeof receiver>>[] = [];
    while (all.length <= limits.outbound.keptOriginsMax)
      all.push(await receiver((_request, response) => void response.end(), { kept }));
    for (const { post } of all) await post();
    await all[0]!.post();
    await all.at(-1)!.post();
    expect([all[0]!.connections(), all.at(-1)!.connections()]).toEqual([1, 2]);
  });

  test('an answer that does not end counts by its status once the deadline is over', async () => {
    const endless: RequestListener = (_request, response) => void response.writeHead(202).write('x');
    const { post } = await receiver(endless, { deadlineMs: 1000 });
    expect(await post()).toBe(202);
  });
});
