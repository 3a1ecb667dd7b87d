/** The logs that are no tenant's: the node's and intake's. Contract: docs/contract/audit.md §2.3, docs/contract/common.md §6 (names of events). */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

interface Told {
  readonly action: string;
  readonly actor: string;
  readonly request_id: string;
  readonly target: string;
  readonly source: string;
  readonly source_seq: number;
  readonly data: Readonly<Record<string, unknown>>;
}

const directoryOf = (node: TestNode, log: string): string => join(node.platform.audit.base_dir, log);

/** What a log holds once its node has ended; it verifies. */
async function told(node: TestNode, log: string): Promise<readonly Told[]> {
  const key = join(node.platform.audit.key_dir, 'audit', log, 'signing-key.pub.pem');
  const verified = await skep(`audit verify ${directoryOf(node, log)} --key ${key} --json`);
  expect(JSON.parse(verified.out)).toMatchObject({ verdict: 'good', gaps: [], unsigned: 0 });
  const { out } = await skep(`audit query ${directoryOf(node, log)} --limit 1000 --output json`);
  return JSON.parse(out) as Told[];
}

test(
  'node/platform and node/intake tell of starts, stops, tenants, dead threads, rotations and submissions',
  { timeout: 60_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-audit-node-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const wish = { dir, extra: 'audit: { enabled: true, name: audit.example }\n' };
    let node = await startTestNode(wish);
    const form = { name: 'Ada', email: 'ada@example.org', message: 'Hello' };
    expect((await node.call('POST', '/f/contact', {}, form)).status).toBeLessThan(300);
    expect(await node.node.eraseSubmissions(form.email)).toEqual({ forms: { contact: 1 }, left: [] });
    const operator = { email: 'root@example.org', password: 'correct horse battery', roles: ['superadmin'] };
    const { id } = (await node.node.ask(CONTROL_PLANE, 'identity', 'person.ensure', operator)) as { id: string };
    const plane = positionHeaders(CONTROL_PLANE);
    const { json } = await node.call('POST', '/auth/login', plane, {
      login: operator.email,
      password: operator.password,
    });
    const headers = { ...plane, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    const fresh = { customer: 'acme', product: 'shop', env: 'dev', tenant: 'asked', product_source: TENANT };
    expect((await node.call('POST', '/superadmin/registry/tenants', headers, fresh)).status).toBe(201);
    const asked = encodeURIComponent('acme:shop:dev:asked');
    const provisioned = await node.call('POST', `/superadmin/registry/tenants/${asked}/provision`, headers);
    expect(provisioned.status, provisioned.text).toBe(200);
    await node.node.drill.killHost(0);
    await node.node.rotate();
    await node.stop();
    node = await startTestNode(wish);
    await node.stop();
    const platform = await told(node, 'node/platform');
    expect(platform.map(({ source_seq }) => source_seq)).toEqual(platform.map((_, at) => at + 1));
    expect(new Set(platform.map(({ source }) => source))).toEqual(new Set(['platform']));
    const actions = platform.map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('platform.node.'))).toEqual([
      'platform.node.start',
      'platform.node.stop',
      'platform.node.start',
      'platform.node.stop',
    ]);
    expect(actions).toEqual(
      expect.arrayContaining(['platform.tenant.provision', 'platform.thread.replace', 'platform.logs.rotate']),
    );
    // Who asked for it over HTTP is named; what a command or the node itself did has no person.
    const done = platform.filter(({ action }) => action.startsWith('platform.tenant.'));
    const asking = done.filter(({ target }) => target === 'acme:shop:dev:asked');
    expect(asking.map(({ action, actor }) => [action, actor])).toEqual([
      ['platform.tenant.register', id],
      ['platform.tenant.provision', id],
    ]);
    expect(asking.every(({ request_id: request }) => request !== '')).toBe(true);
    for (const { target, actor } of done) if (target !== 'acme:shop:dev:asked') expect(actor).toBe('internal');
    expect(platform.find(({ action }) => action === 'platform.thread.replace')).toMatchObject({
      target: 'tenant-host',
    });
    const [first, second] = platform.filter(({ action }) => action === 'platform.node.start');
    expect(first!.data).toMatchObject({ hosts: 1, config: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(second!.data['config']).toBe(first!.data['config']);
    const intake = await told(node, 'node/intake');
    expect(intake.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['intake.submissions.keep', 'intake.log.rotate', 'intake.person.erase']),
    );
    expect(intake.find(({ action }) => action === 'intake.submissions.keep')!.data).toMatchObject({
      count: 1,
      forms: { contact: 1 },
    });
    expect(intake.find(({ action }) => action === 'intake.person.erase')!.data).toEqual({ forms: { contact: 1 } });
    expect(JSON.stringify(intake)).not.toContain('ada@example.org');
  },
);

test('where nothing is recorded there is no log', { timeout: 60_000 }, async () => {
  const node = await startTestNode();
  await node.stop();
  expect(() => readdirSync(directoryOf(node, 'node'))).toThrow('ENOENT');
});
