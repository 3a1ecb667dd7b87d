/** Join tokens, nodes and identities over the vault's listener, with replies that get lost. Contract: docs/contract/vault-pki.md §5, §6. */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CuttingProxy } from '#test/kit/cutting-proxy.ts';
import { TRUST_DOMAIN, HiveVault, newCsr, type Badge } from '#test/kit/hive-vault.ts';

const vault = new HiveVault();
let proxy: CuttingProxy;
let proxyPort = 0;
beforeAll(async () => {
  await vault.start();
  proxy = new CuttingProxy(vault.port);
  proxyPort = await proxy.open();
}, 60_000);
afterAll(async () => {
  proxy.close();
  expect(await vault.end()).toBe(0);
  vault.close();
});

interface Papers {
  readonly node_id: string;
  readonly certificate: string;
  readonly refresh_token: string;
  readonly not_after: string;
}

const scope = { datacenter: 'dc1', cluster: 'main' };
let names = 0;
const nextName = (): string => `node-${++names}`;

async function token(more: object = {}): Promise<{ id: string; token: string }> {
  const made = await vault.call('POST', '/join-token', { scope: 'dc=dc1,cluster=main', ...more });
  expect(made.status, made.bytes.toString()).toBe(201);
  return made.json;
}

const join = (text: string, csr: string, name = nextName(), more: object = {}) =>
  vault.call('POST', '/node/join', { token: text, csr, name, ...scope, ...more }, null);

/** A node that has joined. */
async function member(name = nextName()): Promise<Papers & { name: string; badge: Badge; key: string }> {
  const { key, csr } = newCsr();
  const papers = (await join((await token()).token, csr, name)).json as Papers;
  return { ...papers, name, key, badge: { cert: papers.certificate, key } };
}

/** Sends a request whose reply gets lost, after the vault has answered it. */
async function lose(send: () => Promise<unknown>): Promise<void> {
  const before = proxy.cuts;
  vault.through = proxyPort;
  proxy.cutting = true;
  try {
    await expect(send()).rejects.toThrow();
  } finally {
    proxy.cutting = false;
    vault.through = null;
  }
  expect(proxy.cuts).toBe(before + 1);
}

const usesOf = async (id: string): Promise<number> => {
  const { json } = await vault.call('GET', '/join-token?limit=1000');
  return (json as { join_tokens: { id: string; uses: number }[] }).join_tokens.find((one) => one.id === id)!.uses;
};

test('a node joins with a token: a certificate for 24 hours, its id, a refresh token for 30 days', async () => {
  const made = await vault.call('POST', '/join-token', { scope: 'dc=dc1,cluster=main', ttl: '10m', uses: 2 });
  expect(made).toMatchObject({ status: 201, json: { scope: 'dc=dc1,cluster=main', uses_max: 2, uses: 0 } });
  const { token: text, id } = made.json as { token: string; id: string };
  expect(text).toMatch(new RegExp(`^hj_v1_${id}_[A-Za-z0-9_-]{43}$`));
  const joined = await join(text, newCsr().csr);
  expect(joined.status).toBe(201);
  const papers = joined.json as Papers & { spiffe_id: string; refresh_expires_at: string };
  expect(new X509Certificate(papers.certificate).subjectAltName).toBe(`URI:${papers.spiffe_id}`);
  expect(papers.spiffe_id).toBe(`spiffe://${TRUST_DOMAIN}/node/${papers.node_id}`);
  const hours = (text: string): number => Math.round((Date.parse(text) - Date.now()) / 3_600_000);
  expect([hours(papers.not_after), hours(papers.refresh_expires_at)]).toEqual([24, 720]);
  const listed = await vault.call('GET', '/join-token?limit=1000');
  expect(listed.bytes.toString()).toContain(papers.node_id);
  expect(listed.bytes.toString()).not.toContain(text);
});

test('the reply to a join gets lost: the same key gets the same node, and no use is burned', async () => {
  const { token: text, id } = await token();
  const { csr, key } = newCsr();
  const name = nextName();
  await lose(() => join(text, csr, name));
  expect(await usesOf(id)).toBe(1);
  const again = await join(text, csr, name);
  expect(again.status).toBe(201);
  expect(await usesOf(id)).toBe(1);
  const papers = again.json as Papers;
  expect((await join(text, newCsr().csr)).json).toMatchObject({ code: 'vault.join_token_spent' });
  const asked = await vault.call('GET', '/workload/identities', undefined, { cert: papers.certificate, key });
  expect(asked.status).toBe(200);
});

test('the reply to a renewal gets lost: the same request once more, and both rotate', async () => {
  const node = await member();
  const { csr, key } = newCsr();
  const renew = (refresh_token: string, request: string, badge: Badge) =>
    vault.call('POST', '/node/renew', { refresh_token, csr: request }, badge);
  await lose(() => renew(node.refresh_token, csr, node.badge));
  const again = await renew(node.refresh_token, csr, node.badge);
  expect(again.status, again.bytes.toString()).toBe(200);
  const next = again.json as Papers;
  expect(next.node_id).toBe(node.node_id);
  const badge = { cert: next.certificate, key };
  expect((await renew(next.refresh_token, newCsr().csr, badge)).status).toBe(200);
});

test('a spent refresh token: the node is sent away, and its certificates open nothing any more', async () => {
  const node = await member();
  const renew = () =>
    vault.call('POST', '/node/renew', { refresh_token: node.refresh_token, csr: newCsr().csr }, node.badge);
  expect((await renew()).status).toBe(200);
  expect(await renew()).toMatchObject({ status: 401, json: { code: 'vault.refresh_token_reused' } });
  expect((await renew()).status).toBe(401);
  expect((await vault.call('GET', '/workload/identities', undefined, node.badge)).status).toBe(401);
  const serial = new X509Certificate(node.certificate).serialNumber;
  expect(await vault.call('GET', `/certificate/internal/${serial}`)).toMatchObject({ json: { state: 'revoked' } });
});

test('a lost reply to a revocation: asking again gives the same', async () => {
  const node = await member();
  const serial = new X509Certificate(node.certificate).serialNumber;
  const revoke = () => vault.call('DELETE', '/certificate/internal', { serial, reason: 'superseded' });
  await lose(revoke);
  const first = await revoke();
  expect(first).toMatchObject({ status: 200, json: { reason: 'superseded' } });
  expect((await revoke()).json).toEqual(first.json);
});

test('32 racing callers spend exactly the allowed uses', async () => {
  const { token: text, id } = await token({ uses: 4 });
  const answers = await Promise.all(Array.from({ length: 32 }, () => join(text, newCsr().csr)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
  expect(answers.filter(({ json }) => (json as { code: string }).code === 'vault.join_token_spent')).toHaveLength(28);
  expect(await usesOf(id)).toBe(4);
});

test('what does not join says why', async () => {
  const { token: text } = await token();
  const { csr } = newCsr();
  const refused = async (body: object) => {
    const { status, json } = await vault.call(
      'POST',
      '/node/join',
      { token: text, csr, name: nextName(), ...scope, ...body },
      null,
    );
    return `${status} ${(json as { code: string }).code}`;
  };
  expect(await refused({ datacenter: 'dc2' })).toBe('403 vault.join_token_scope');
  expect(await refused({ token: `${text.slice(0, -1)}${text.endsWith('A') ? 'E' : 'A'}` })).toBe(
    '401 vault.join_token_invalid',
  );
  expect(await refused({ csr: 'x' })).toBe('400 vault.bad_request');
  expect(await refused({ name: 'Not A Name' })).toBe('400 vault.bad_request');
  const short = await token({ ttl: '1s' });
  await expect.poll(() => refused({ token: short.token }), { timeout: 10_000 }).toBe('403 vault.join_token_expired');
  expect((await vault.call('POST', '/join-token', { scope: 'everywhere' })).status).toBe(400);
  expect((await vault.call('POST', '/join-token', { scope: 'dc=a,cluster=b', uses: 0 })).status).toBe(400);
});

test('evicted may join again, banned may not', async () => {
  const node = await member();
  expect((await join((await token()).token, newCsr().csr, node.name)).json).toMatchObject({
    code: 'vault.node_name_taken',
  });
  const evicted = await vault.call('POST', `/nodes/${node.node_id}/evict`, { reason: 'lost' });
  expect(evicted).toMatchObject({ status: 200, json: { state: 'evicted', reason: 'lost' } });
  const back = await join((await token()).token, newCsr().csr, node.name);
  expect(back.json).toMatchObject({ node_id: node.node_id });
  expect((await vault.call('POST', `/nodes/${node.node_id}/ban`, {})).json).toMatchObject({ state: 'banned' });
  expect((await join((await token()).token, newCsr().csr, node.name)).json).toMatchObject({
    code: 'vault.node_banned',
  });
  expect((await vault.call('POST', '/nodes/x/ban', {})).status).toBe(404);
});

test('a join token is of this vault’s datacenter and cluster; an identity without a node is of its whole cluster by its own word', async () => {
  const elsewhere = await vault.call('POST', '/join-token', { scope: 'dc=dc9,cluster=main' });
  expect(elsewhere).toMatchObject({ status: 400, json: { code: 'vault.bad_request' } });
  expect(elsewhere.bytes.toString()).toContain('this vault is dc=dc1,cluster=main');
  const order = { spiffe_id: `spiffe://${TRUST_DOMAIN}/everywhere`, selectors: { uid: 5 } };
  expect((await vault.call('POST', '/identity', order)).status).toBe(400);
  const made = await vault.call('POST', '/identity', { ...order, scope: 'dc=dc1,cluster=main' });
  expect(made).toMatchObject({ status: 201, json: { scope: 'dc=dc1,cluster=main', node: null } });
  const node = await member();
  const { identities } = (await vault.call('GET', '/workload/identities', undefined, node.badge)).json as {
    identities: { spiffe_id: string }[];
  };
  expect(identities.map(({ spiffe_id }) => spiffe_id)).toContain(order.spiffe_id);
});

test('evicting a node takes the certificates of its workloads, too', async () => {
  const node = await member();
  const order = { spiffe_id: `spiffe://${TRUST_DOMAIN}/evicted`, selectors: { uid: 9 }, node: node.name };
  const { id: identity_id } = (await vault.call('POST', '/identity', order)).json as { id: string };
  const svid = await vault.call('POST', '/workload/certificate', { identity_id, csr: newCsr().csr }, node.badge);
  const { serial } = svid.json as { serial: string };
  expect((await vault.call('POST', `/nodes/${node.node_id}/evict`, {})).status).toBe(200);
  expect((await vault.call('GET', `/certificate/internal/${serial}`)).json).toMatchObject({ state: 'revoked' });
});

test('identities: registered once, handed out on their node, gone with their certificates', async () => {
  const [here, there] = [await member(), await member()];
  const order = { spiffe_id: `spiffe://${TRUST_DOMAIN}/api`, selectors: { uid: 7 }, node: here.name, ttl: '10m' };
  const made = await vault.call('POST', '/identity', order);
  expect(made).toMatchObject({ status: 201, json: { ttl_seconds: 600 } });
  expect(await vault.call('POST', '/identity', order)).toMatchObject({ status: 200, json: made.json });
  const { id: identity_id } = made.json as { id: string };
  const certify = (badge: Badge | null) =>
    vault.call('POST', '/workload/certificate', { identity_id, csr: newCsr().csr }, badge);
  const svid = await certify(here.badge);
  expect(svid.status).toBe(200);
  expect((await certify(there.badge)).status).toBe(404);
  expect((await certify(vault.operator)).status).toBe(403);
  expect((await certify(null)).status).toBe(401);
  const jwt = await vault.call('POST', '/workload/jwt', { identity_id, audience: ['db'] }, here.badge);
  const { token: text } = jwt.json as { token: string };
  expect((await vault.call('POST', '/jwt/verify', { token: text })).json).toMatchObject({
    claims: { sub: order.spiffe_id, aud: 'db' },
  });
  expect(await vault.call('DELETE', `/identity/${identity_id}`)).toMatchObject({ json: { revoked_certificates: 1 } });
  const { serial } = svid.json as { serial: string };
  expect((await vault.call('GET', `/certificate/internal/${serial}`)).json).toMatchObject({ state: 'revoked' });
  expect((await vault.call('DELETE', `/identity/${identity_id}`)).status).toBe(404);
});

test.each<[object, string]>([
  [{ selectors: {} }, 'selectors'],
  [{ selectors: { path: 'relative' } }, 'path'],
  [{ selectors: { sha256: 'XY' } }, 'sha256'],
  [{ spiffe_id: 'https://x/y' }, 'spiffe://'],
  [{ spiffe_id: 'spiffe://hive.test/node/x' }, '/node/'],
  [{ ttl: '1s' }, 'ttl'],
  [{ scope: undefined }, 'name one parent'],
  [{ node: 'a' }, 'name one parent'],
  [{ scope: 'dc=dc9,cluster=main' }, 'this vault is dc=dc1,cluster=main'],
])('an identity that cannot be is refused: %j', async (more, why) => {
  const answer = await vault.call('POST', '/identity', {
    spiffe_id: 'spiffe://hive.test/a',
    selectors: { uid: 1 },
    scope: 'dc=dc1,cluster=main',
    ...more,
  });
  expect(answer.status).toBe(400);
  expect(answer.bytes.toString()).toContain(why);
});

test('no token, key or refresh token is in the log or on the disk', async () => {
  const node = await member();
  const { execFileSync } = await import('node:child_process');
  for (const secret of [node.refresh_token.slice(-43)]) {
    expect(vault.stderr()).not.toContain(secret);
    expect(() => execFileSync('grep', ['-r', '-a', '-l', secret, vault.dir], { stdio: 'pipe' })).toThrow();
  }
});
