/** Connections to upstreams: which addresses they may reach, in any spelling, and what they bear. Real sockets; only names are resolved by the test. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Pools, type OutsideRequest } from '#actors/bff/outside/pools.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import type { Resolve } from '#actors/kit/outbound/guard.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

let server: Receiver;
beforeEach(async () => {
  server = await startReceiver();
});
afterEach(() => server.stop());

/** A resolver that gives each name its addresses, one answer after the other; the last one stays. */
function resolverOf(answers: Readonly<Record<string, string[]>>): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  const resolve = (name: string, _options: object, done: (error: Error | null, found: object[]) => void): void => {
    asked.push(name);
    const left = answers[name]!;
    const address = left.length > 1 ? left.shift()! : left[0]!;
    done(
      null,
      address.split(' ').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 })),
    );
  };
  return { resolve: resolve as unknown as Resolve, asked };
}

const ask = (pools: Pools, origin: string, more: Partial<OutsideRequest> = {}, signal = AbortSignal.timeout(20_000)) =>
  pools.exchange({ origin, method: 'GET', target: '/', headers: {}, body: null, ...more }, signal);
const why = (end: Promise<unknown>): Promise<string> =>
  end.then(
    () => 'answered',
    (error: unknown) => (error instanceof OutboundFault ? error.why : String(error)),
  );

describe('addresses that may not be reached', () => {
  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '017700000001',
    '127.1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '[fe80::1]',
    '[fd00:ec2::254]',
    'localhost',
  ])('%s', async (host) => {
    for (const scheme of ['http', 'https'])
      expect(await why(ask(new Pools([]), `${scheme}://${host}:${server.port}`))).toBe('forbidden');
    expect(server.received).toEqual([]);
  });

  test('a name that has one private address among others, or changes its mind', async () => {
    const { resolve, asked } = resolverOf({
      'rebind.example': ['93.184.215.14', '127.0.0.1'],
      'both.example': ['93.184.215.14 ::1'],
    });
    const pools = new Pools(['rebind.example:1'], resolve);
    const origin = `http://rebind.example:${server.port}`;
    expect(await why(ask(pools, origin))).toBe('forbidden'); // plain HTTP is not for the world
    expect(await why(ask(pools, `https://rebind.example:${server.port}`))).toBe('forbidden');
    expect(await why(ask(pools, `https://both.example:${server.port}`))).toBe('forbidden');
    expect(asked).toEqual(['rebind.example', 'rebind.example', 'both.example']);
    expect(server.received).toEqual([]);
  });

  test('the platform file names host and port, and nothing beside them', async () => {
    const { resolve } = resolverOf({ 'inner.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] });
    const pools = new Pools([`inner.example:${server.port}`], resolve);
    expect(await ask(pools, `http://inner.example:${server.port}`)).toEqual({ status: 200, text: '' });
    expect(await why(ask(pools, `http://other.example:${server.port}`))).toBe('forbidden');
    expect(await why(ask(pools, `http://inner.example:${server.port + 1}`))).toBe('forbidden');
    expect(await why(ask(pools, `http://127.0.0.1:${server.port}`))).toBe('forbidden');
    expect(server.received).toHaveLength(1);
  });
});

describe('what an upstream may do', () => {
  const allowed = () => new Pools([`127.0.0.1:${server.port}`]);
  const origin = () => `http://127.0.0.1:${server.port}`;
  const answering = (answer: (response: ServerResponse) => void): void => {
    server.answer = (_, response) => answer(response);
  };

  test('a redirect is an answer and is not followed', async () => {
    const target = await startReceiver();
    answering((response) => void response.writeHead(302, { Location: `http://127.0.0.1:${target.port}/` }).end('go'));
    expect(await ask(allowed(), origin())).toEqual({ status: 302, text: '' });
    expect(target.received).toEqual([]);
    await target.stop();
  });

  test('an answer that is too large is cut, whatever it announces', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    answering((response) => {
      for (let sent = 0; sent <= limits.bff.answerBytesMax; sent += piece.length) response.write(piece);
      response.end();
    });
    expect(await why(ask(allowed(), origin()))).toBe('too_large');
    answering((response) => void response.writeHead(200, { 'Content-Length': String(2 ** 40) }).write('x'));
    expect(await why(ask(allowed(), origin()))).toBe('too_large');
  });

  test('one that stops in the middle, hangs up or never begins ends with the signal, and others go on', async () => {
    const pools = allowed();
    answering((response) => void response.socket!.destroy());
    expect(await why(ask(pools, origin()))).toBe('failed');
    const stop = new AbortController();
    const arrived = new Promise<void>((resolve) => {
      answering((response) => {
        response.write('{');
        resolve();
      });
    });
    const hanging = ask(pools, origin(), {}, stop.signal).then(
      () => 'answered',
      () => 'stopped',
    );
    await arrived;
    answering((response) => void response.end('1'));
    expect(await ask(pools, origin())).toEqual({ status: 200, text: '1' });
    stop.abort();
    expect(await hanging).toBe('stopped');
  });
});
