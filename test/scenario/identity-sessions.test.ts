/** Sessions over HTTP to a real node: logins, the gate of every service, revocation under load, hosts that die. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, untilWhole, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const PASSWORD = 'correct horse battery';
interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly session_id: string;
}

let dir: string;
let it: TestNode;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'skep-sessions-'));
  const settings =
    'token: { claims: { plan: gold }, expiry: 10m }\nsessions: { mode: managed, max: 3, on_limit: reject }';
  it = await startTestNode({ dir, localdir: writeManagedProduct(dir, settings) });
  for (const [login, roles] of [
    ['ann', ['tenant_user']],
    ['bob', ['tenant_user']],
    ['eve', ['tenant_admin']],
  ] as const)
    await it.node.ask(TENANT, 'identity', 'user.ensure', { login: `${login}@shop.example`, password: PASSWORD, roles });
});
afterAll(async () => {
  await it.stop();
  rmSync(dir, { recursive: true, force: true });
});

const bearer = (token: string): Headers => ({ ...it.position(), Authorization: `Bearer ${token}` });
const list = (token: string, body: object = {}): Promise<Answer> =>
  it.call('POST', '/internal/session/list', bearer(token), body);
const revoke = (token: string, id: string): Promise<Answer> =>
  it.call('POST', '/internal/session/revoke', bearer(token), { id });
const read = (token: string): Promise<Answer> => it.call('GET', '/data/rest/item', bearer(token));

async function login(who: string): Promise<Tokens> {
  const body = { login: `${who}@shop.example`, password: PASSWORD };
  const agent = { ...it.position(), 'User-Agent': `${who}'s browser` };
  const answer = await it.call('POST', '/auth/login', agent, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}

const whole = (): Promise<void> => untilWhole(it.node);

describe('a login in a managed tenant', () => {
  test('opens a session that both services ask for; the limit rejects with 409; a logout makes room', async () => {
    const tokens = [await login('bob'), await login('bob'), await login('bob')];
    const [first] = tokens as [Tokens];
    expect(first.expires_in).toBe(600);
    const claims = JSON.parse(
      Buffer.from(first.access_token.split('.')[2]!, 'base64url').subarray(0, -64).toString(),
    ) as Record<string, unknown>;
    expect(claims).toMatchObject({ plan: 'gold', sid: first.session_id, type: 'user', tenant: TENANT });
    expect((await read(first.access_token)).status).toBe(200);
    const shown = (await list(first.access_token)).json as { sessions: Record<string, unknown>[]; count: number };
    expect(shown.count).toBe(3);
    expect(shown.sessions[2]).toMatchObject({
      id: first.session_id,
      ip: '127.0.0.1',
      user_agent: "bob's browser",
      kind: 'user',
    });
    const body = { login: 'bob@shop.example', password: PASSWORD };
    const refused = await it.call('POST', '/auth/login', it.position(), body);
    expect([refused.status, (refused.json as { code: string }).code]).toEqual([409, 'session_limit']);
    expect((await it.call('POST', '/auth/logout', bearer(first.access_token))).status).toBe(200);
    expect((await read(first.access_token)).status).toBe(401);
    for (const { access_token } of [...tokens.slice(1), await login('bob')])
      expect((await it.call('POST', '/auth/logout', bearer(access_token))).status).toBe(200);
  });

  test('rotation: the old id is over at once, the refresh gives a token with the new one', async () => {
    const { access_token, refresh_token, session_id } = await login('bob');
    const rotated = await it.call('POST', '/internal/session/rotate', bearer(access_token), { id: session_id });
    const { id } = rotated.json as { id: string };
    expect([(await read(access_token)).status, (await list(access_token)).status]).toEqual([401, 401]);
    const refreshed = await it.call('POST', '/auth/refresh', it.position(), { refresh_token });
    const next = refreshed.json as Tokens;
    expect(next.session_id).toBe(id);
    expect((await read(next.access_token)).status).toBe(200);
    await revoke(next.access_token, id);
    const body = { refresh_token: next.refresh_token };
    expect((await it.call('POST', '/auth/refresh', it.position(), body)).status).toBe(401);
  });
});

test('revocation holds from the next request on, under load', async () => {
  const admin = await login('eve');
  for (let round = 0; round < 5; round++) {
    const victim = await login('ann');
    let revokedAt = Infinity;
    const load = { going: true };
    let before = 0;
    const late: number[] = [];
    const hammer = async (): Promise<void> => {
      while (load.going) {
        const sentAt = performance.now();
        const { status } = await read(victim.access_token);
        if (status === 200 && sentAt > revokedAt) late.push(status);
        if (status === 200) before++;
      }
    };
    const hammers = Array.from({ length: 16 }, hammer);
    await expect.poll(() => before, { timeout: 10_000, interval: 1 }).toBeGreaterThan(50);
    expect((await revoke(admin.access_token, victim.session_id)).status).toBe(200);
    revokedAt = performance.now();
    for (let i = 0; i < 20; i++) expect((await read(victim.access_token)).status).toBe(401);
    load.going = false;
    await Promise.all(hammers);
    expect(late).toEqual([]);
  }
});

test('a host that dies takes no session with it, and brings none back', async () => {
  const [kept, gone] = [await login('ann'), await login('ann')];
  const admin = await login('eve');
  await revoke(admin.access_token, gone.session_id);
  await it.node.drill.killHost(0);
  await whole();
  const statuses = [kept, gone].map(async ({ access_token }) => (await read(access_token)).status);
  expect(await Promise.all(statuses)).toEqual([200, 401]);
  const shown = (await list(kept.access_token)).json as { sessions: Record<string, unknown>[] };
  expect(shown.sessions.find(({ id }) => id === gone.session_id)).toMatchObject({ reason: 'revoked' });
});
