import { fc } from '#test/kit/property.ts';
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { join } from '#actors/vault/node/join.ts';
import type { NodePapers } from '#actors/vault/node/node-certificate.ts';
import { readNode } from '#actors/vault/node/node-record.ts';
import { renew } from '#actors/vault/node/renew.ts';
import { newRequest, newWorld, type World } from '../pki-world.ts';

const scope = { datacenter: 'dc1', cluster: 'main' };
let world: World;
let papers: NodePapers;

async function start(): Promise<void> {
  world = newWorld();
  const { token } = await world.tokens.issue(scope, limits.node.joinTokenMs, 1, 'operator');
  papers = (await join(world, { token, request: newRequest(), scope, name: 'node-a' })) as NodePapers;
}
beforeEach(start);

const use = (refreshToken: string, request = newRequest()) =>
  renew(world, { nodeId: papers.node.id, refreshToken, request });
const stateNow = async () => (await readNode(world.store, papers.node.id))!.record.state;

test('certificate and refresh token change at once, and the old certificate still counts', async () => {
  const next = (await use(papers.refreshToken)) as NodePapers;
  expect(next.refreshToken).not.toBe(papers.refreshToken);
  expect(next.certificate.serial).not.toBe(papers.certificate.serial);
  expect((await world.book.read(papers.certificate.serial))?.revoked_at).toBeUndefined();
  expect(next.node.certificates.map(({ serial }) => serial)).toEqual([
    papers.certificate.serial,
    next.certificate.serial,
  ]);
});

test('a lost reply: the same token and key once more within a minute', async () => {
  const request = newRequest();
  const lost = (await use(papers.refreshToken, request)) as NodePapers;
  world.clock.advance(limits.node.graceMs - 1);
  const got = (await use(papers.refreshToken, request)) as NodePapers;
  expect(got.node.id).toBe(papers.node.id);
  expect(await use(got.refreshToken)).toMatchObject({ node: { state: 'active' } });
  expect(await use(lost.refreshToken)).toBe('reused');
});

test.each<[string, (request: ReturnType<typeof newRequest>) => Promise<unknown>]>([
  ['a second time', async (request) => (await use(papers.refreshToken, request), use(papers.refreshToken, request))],
  ['with another key', () => use(papers.refreshToken)],
  ['after a minute', (request) => (world.clock.advance(limits.node.graceMs), use(papers.refreshToken, request))],
])('the token before, %s: the node is sent away and its certificates are revoked', async (_name, again) => {
  const request = newRequest();
  const next = (await use(papers.refreshToken, request)) as NodePapers;
  expect(await again(request)).toBe('reused');
  expect(await stateNow()).toBe('evicted');
  for (const { serial } of [papers.certificate, next.certificate])
    expect((await world.book.read(serial))?.revoked_at).toBeDefined();
  expect(await use(next.refreshToken)).toBe('away');
});

test('a token of another node, a wrong one and an expired one change nothing', async () => {
  expect(await use(`hr_v1_01JAAAAAAAAAAAAAAAAAAAAAAA_${'A'.repeat(43)}`)).toBe('invalid');
  expect(await use(`hr_v1_${papers.node.id}_${'A'.repeat(43)}`)).toBe('invalid');
  world.clock.advance(limits.node.refreshMs);
  expect(await use(papers.refreshToken)).toBe('expired');
  expect(await stateNow()).toBe('active');
});

test('a key that is renewed in a race on two instances: one token counts in the end', async () => {
  const request = newRequest();
  const other = newWorld(world);
  const order = { nodeId: papers.node.id, refreshToken: papers.refreshToken, request };
  const outcomes = (await Promise.all([renew(world, order), renew(other, order)])) as NodePapers[];
  const { refresh } = (await readNode(world.store, papers.node.id))!.record;
  const counting = outcomes.filter(({ node }) => node.refresh.digest === refresh.digest);
  expect(counting).toHaveLength(1);
});

/** What a node does with its papers, step by step, against what must hold: it never locks itself out while one reply in a row is lost. */
test('any order of renewals with at most one lost reply in a row keeps the node', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ lost: fc.boolean(), waitMs: fc.nat(50_000) }), { maxLength: 12 }),
      async (steps) => {
        await start();
        let token = papers.refreshToken;
        let pending: ReturnType<typeof newRequest> | null = null;
        for (const { lost, waitMs } of steps) {
          world.clock.advance(waitMs);
          const request: ReturnType<typeof newRequest> = pending ?? newRequest();
          const outcome = (await use(token, request)) as NodePapers;
          expect(outcome).toMatchObject({ node: { state: 'active' } });
          if (lost && pending === null) pending = request;
          else {
            token = outcome.refreshToken;
            pending = null;
          }
        }
      },
    ),
    { numRuns: 25 },
  );
});
