/** What an agent keeps for its workloads: when it asks for a fresh certificate, and what it says once the vault refuses its node. */
import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { plainPath } from '#runtime/agent/forward.ts';
import { GrpcCall } from '#runtime/agent/grpc.ts';
import { AgentMeter } from '#runtime/agent/meter.ts';
import { Standing } from '#runtime/agent/standing.ts';
import { SvidKeeper } from '#runtime/agent/svid-keeper.ts';
import { VaultAway, VaultRefused, type VaultCalls } from '#runtime/agent/vault-calls.ts';
import { newAuthority } from '#test/actors/vault/pki/authority.ts';

const MINUTE_MS = 60_000;

function keeperOver(clock: SimulatedClock, json: (path: string) => Promise<unknown>, random = 0.5) {
  const calls = { json: (_method: string, path: string) => json(path) } as unknown as VaultCalls;
  const lines: [level: string, message: string][] = [];
  const say = (level: string) => (_data: object, message: string) => void lines.push([level, message]);
  const standing = new Standing({ info: say('info'), warn: say('warn'), error: say('error') });
  const badge = () => ({ cert: '', key: '' });
  const meter = new AgentMeter();
  const ports = { calls, badge, isAlive: () => true, clock, random: () => random, meter, standing };
  return { keeper: new SvidKeeper(ports), standing, lines, meter };
}

test('a certificate of one minute, which began a minute ago, is renewed after half of the minute that it has left', async () => {
  for (const random of [0, 0.5, 1]) {
    const clock = new SimulatedClock();
    const authority = newAuthority(clock.now());
    const { keeper, meter } = keeperOver(
      clock,
      () => Promise.resolve({ certificate: authority.leaf({ nowMs: clock.now(), lifetimeMs: MINUTE_MS }).pem }),
      random,
    );
    const identity = { id: 'i', spiffe_id: 's', selectors: {} };
    const svid = await keeper.x509(identity);
    expect(svid.untilMs - clock.now()).toBe(MINUTE_MS);
    expect((svid.renewAtMs - clock.now()) / MINUTE_MS).toBeCloseTo(0.4 + 0.2 * random, 6);
    clock.advance(0.39 * MINUTE_MS);
    expect(await keeper.x509(identity)).toBe(svid);
    expect(meter.issued.x509).toBe(1);
  }
});

test('a node that its vault refuses is logged once, with the reason; so is its return', async () => {
  let answer: () => Promise<unknown> = () =>
    Promise.resolve({ identities: [{ id: 'i', spiffe_id: 's', selectors: {} }] });
  const { keeper, standing, lines } = keeperOver(new SimulatedClock(), () => answer());
  await keeper.refresh();
  expect([standing.kind, keeper.count]).toEqual(['up', 1]);
  answer = () => Promise.reject(new VaultAway('cut'));
  await keeper.refresh();
  expect([standing.kind, keeper.count]).toEqual(['away', 1]);
  answer = () => Promise.reject(new VaultRefused(403, 'vault.node_away', 'evicted'));
  await keeper.refresh();
  await keeper.refresh();
  expect([standing.kind, standing.why, keeper.count]).toEqual(['refused', 'vault.node_away: evicted', 0]);
  answer = () => Promise.resolve({ identities: [] });
  await keeper.refresh();
  expect(lines.map(([level]) => level)).toEqual(['info', 'warn', 'error', 'info']);
  expect(lines[2]![1]).toContain('the vault refuses this node');
});

test('a call that waits again and again leaves no listener behind', () => {
  const stream = new EventEmitter() as unknown as ServerHttp2Stream;
  const call = new GrpcCall(stream, {});
  for (let i = 0; i < 100; i++) call.onClose(() => undefined)();
  expect(stream.listenerCount('close')).toBe(0);
});

test.each([
  ['/secret/../nodes', '/nodes'],
  ['/secret/%2e%2e/nodes', '/nodes'],
  ['/secret/.%2E/nodes', '/nodes'],
  [String.raw`/secret\..\nodes`, '/nodes'],
  ['/secret/a/../../identity', '/identity'],
  ['/secret/\t../nodes', '/nodes'],
  ['/secret/a%2Fb?version=1', '/secret/a%2Fb?version=1'],
  ['//other/secret/a', null],
  ['http://other/secret/a', null],
  ['*', null],
])('the path %j is judged as %j', (path, judged) => {
  expect(plainPath(path)).toBe(judged);
});
