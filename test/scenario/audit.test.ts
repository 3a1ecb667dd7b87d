/** The audit log of a served tenant. Contract: docs/contract/audit.md (records, HTTP, durability, verification). */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

const LOG = 'tenant/acme/shop/dev/main';
const logPath = (log = LOG): string => `/audit/logs/${encodeURIComponent(log)}`;

let node: TestNode;
let admin: Record<string, string>;
let certs: string;

/** Tokens of a tenant's administrator, who alone may read its log. */
async function adminOf(tenant: string): Promise<Record<string, string>> {
  const person = { login: `admin@${tenant.split(':')[3]}.example`, password: 'correct horse battery' };
  await node.node.ask(tenant, 'identity', 'user.ensure', { ...person, roles: ['tenant_admin'] });
  const answer = await node.call('POST', '/auth/login', node.position(tenant), person);
  return { Authorization: `Bearer ${(answer.json as { access_token: string }).access_token}` };
}

beforeAll(async () => {
  certs = mkdtempSync(join(tmpdir(), 'skep-audit-tls-'));
  const out = ['-keyout', join(certs, 'key.pem'), '-out', join(certs, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', ...out, ...subject], {
    stdio: 'ignore',
  });
  node = await startTestNode({
    extra: `audit:
  enabled: true
  name: audit.example
  tls: { cert: ${certs}/cert.pem, key: ${certs}/key.pem }
  routing:
    - { log_id_pattern: 'node/*', durability: async }
    - { log_id_pattern: 'tenant/**', durability: strict, segment_max_records: 50 }
  sync:
    - { log_pattern: '**', cadence: 100ms, targets: [{ kind: fs, path: ${certs}/copy }] }
`,
  });
  admin = await adminOf(TENANT);
});

afterAll(async () => {
  await node.stop();
  rmSync(certs, { recursive: true, force: true });
});

interface Records {
  readonly records: {
    seq: number;
    action: string;
    target: string;
    actor: string;
    source: string;
    source_seq: number;
    data: Record<string, unknown>;
  }[];
  readonly size: number;
  readonly next: number | null;
}

/** Waits until the log holds a record that fits: what is recorded comes a moment after its answer. */
async function recorded(fits: (record: Records['records'][number]) => boolean, log = LOG) {
  for (;;) {
    const answer = await node.call('GET', `${logPath(log)}/records?limit=1000`, admin);
    const found = answer.status === 200 ? (answer.json as Records).records.find(fits) : undefined;
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const append = async (body: unknown, query = '', log = LOG) =>
  node.call('POST', `${logPath(log)}/records${query}`, await node.service(), body);

describe('records over HTTP', () => {
  test('strict: 200 {log_id, index, durability}; ?wait=checkpoint adds a proof that openssl and the offline verifier accept', async () => {
    const answer = await append(
      { action: 'test.door.open', target: 'front', data: { b: 1, a: 2 } },
      '?wait=checkpoint',
    );
    expect(answer.status).toBe(200);
    const { index, proof, ...rest } = answer.json as { index: number; proof: { entry: string; checkpoint: string } };
    expect(rest).toEqual({ log_id: LOG, durability: 'strict' });
    expect(JSON.parse(proof.entry)).toMatchObject({
      v: 1,
      seq: index,
      tenant: TENANT,
      action: 'test.door.open',
      outcome: 'ok',
    });
    expect(proof.entry).toContain('"data":{"a":2,"b":1}');
    const shown = (await node.call('GET', logPath(), admin)).json as {
      origin: string;
      public_key: string;
      verifier_key: string;
    };
    expect(shown.origin).toBe(`audit.example/${LOG}`);
    const file = (name: string, content: string | Uint8Array): string => {
      writeFileSync(join(certs, name), content);
      return join(certs, name);
    };
    const key = file('log.pem', shown.public_key);
    const note = proof.checkpoint;
    const text = file('text', note.slice(0, note.indexOf('\n\n') + 1));
    const bytes = Buffer.from(note.trimEnd().split(' ').at(-1)!, 'base64');
    const signature = file('signature', bytes.subarray(4));
    const openssl = ['pkeyutl', '-verify', '-pubin', '-inkey', key, '-rawin', '-in', text, '-sigfile', signature];
    expect(execFileSync('openssl', openssl).toString()).toContain('Verified Successfully');
    const good = file('proof.json', JSON.stringify(proof));
    expect(await skep(`audit verify ${good} --key ${key}`)).toMatchObject({ code: 0 });
    expect(await skep(`audit verify ${good} --key ${shown.verifier_key}`)).toMatchObject({ code: 0 });
    const bad = file('bad.json', JSON.stringify({ ...proof, entry: proof.entry.replace('front', 'back!') }));
    expect((await skep(`audit verify ${bad} --key ${key} --json`)).code).toBe(1);
    expect((await skep(`audit verify ${certs}/absent --key ${key}`)).code).toBe(3);
    expect((await skep('audit verify')).code).toBe(3);
  });

  test('a log says how it stands: its newest record, its copy, no witness, the scrubber', async () => {
    await append({ action: 'test.standing' }, '?wait=checkpoint');
    interface Stands {
      readonly size: number;
      readonly newest_at: string;
      readonly copies: { readonly count: number; readonly behind_seconds: number | null };
    }
    const stands = async () => (await node.call('GET', logPath(), admin)).json as Stands;
    await expect
      .poll(async () => (await stands()).copies, { timeout: 20_000 })
      .toEqual({ count: 1, behind_seconds: expect.any(Number) as number });
    const shown = await stands();
    expect(shown).toMatchObject({ witnesses: { count: 0, behind_seconds: null }, scrub: {} });
    const newest = await node.call('GET', `${logPath()}/records?from=${shown.size - 1}&limit=1`, admin);
    expect(newest.json).toMatchObject({ records: [{ ts: shown.newest_at }] });
    expect(JSON.stringify(shown)).not.toContain(certs);
  });

  test('an array is one call; a source’s number is taken once', async () => {
    const one = { action: 'test.a', source: 'meter', source_seq: 1 };
    const answer = await append([one, { ...one, source_seq: 2 }]);
    expect(answer.status).toBe(200);
    expect(await append(one)).toMatchObject({ status: 409, json: { code: 'audit.duplicate' } });
    expect(
      (
        await append([
          { ...one, source_seq: 2 },
          { ...one, source_seq: 4 },
        ])
      ).json,
    ).toMatchObject({ details: { appended: 1 } });
  });

  test('refusals: 400, 401, 403, 404', async () => {
    for (const body of [
      '{',
      {},
      [],
      { action: 'a', extra: 1 },
      { action: 'a', source: 'host', source_seq: 1 },
      { action: 'a', source: 'x' },
      '{"action":"a","data":{"n":[1e400]}}',
    ])
      expect(await append(body)).toMatchObject({ status: 400, json: { code: 'audit.bad_request' } });
    expect(await node.call('POST', `${logPath()}/records`, {}, { action: 'a' })).toMatchObject({ status: 401 });
    expect(await node.call('POST', `${logPath()}/records`, admin, { action: 'a' })).toMatchObject({ status: 403 });
    expect(await append({ action: 'a' }, '', 'tenant/acme/shop/dev/other')).toMatchObject({ status: 403 });
    expect(await append({ action: 'a' }, '', 'node/intake')).toMatchObject({ status: 403 });
    expect(await append({ action: 'a' }, '', '../etc')).toMatchObject({
      status: 404,
      json: { code: 'audit.log_not_found' },
    });
    expect(await node.call('GET', `${logPath()}/records`, await node.service())).toMatchObject({ status: 403 });
    expect(await node.call('GET', `${logPath()}/records`, await adminOf(OTHER_TENANT))).toMatchObject({ status: 403 });
    for (const query of ['from=x', 'limit=0', 'since=yesterday'])
      expect(await node.call('GET', `${logPath()}/records?${query}`, admin)).toMatchObject({ status: 400 });
    expect(await node.call('GET', `${logPath()}/proof/inclusion?index=999999`, admin)).toMatchObject({ status: 404 });
    expect(await node.call('GET', `${logPath()}/tile/0/x/000`, admin)).toMatchObject({ status: 404 });
  });

  test('inclusion and consistency, checkpoint and tiles', async () => {
    await append({ action: 'test.last' }, '?wait=checkpoint');
    const inclusion = await node.call('GET', `${logPath()}/proof/inclusion?index=0`, admin);
    expect(inclusion.status).toBe(200);
    const consistency = await node.call('GET', `${logPath()}/proof/consistency?from=1`, admin);
    expect(consistency.status).toBe(200);
    const checkpoint = await node.call('GET', `${logPath()}/checkpoint`, admin);
    expect(checkpoint.text.split('\n')[0]).toBe(`audit.example/${LOG}`);
    const listed = await node.call('GET', '/audit/logs', admin);
    expect(listed.json).toEqual({ logs: [{ log_id: LOG }], count: 1 });
  });
});

describe('what the other services do', () => {
  test('every write of an entity is recorded in its own commit, with who and what', async () => {
    const headers = await node.service();
    const made = await node.call('POST', '/data/rest/item', headers, { name: 'audited' });
    expect(made.status).toBe(201);
    const { id } = (made.json as { data: { id: string }[] }).data[0]!;
    const record = await recorded(({ target, action }) => target === id && action === 'data.item.create');
    expect(record).toMatchObject({ source: 'host', data: { entity: 'item', version: 1 } });
    await node.call('DELETE', `/data/rest/item/id/${id}`, headers);
    await recorded(({ target, action }) => target === id && action === 'data.item.delete');
  });

  test('a failed login is recorded although nothing else is kept', async () => {
    await node.call('POST', '/auth/login', node.position(), { login: 'absent@example.org', password: 'wrong one' });
    await recorded(
      ({ action, ...more }) =>
        action === 'auth.login.after' && (more as { outcome?: string }).outcome === 'invalid_credentials',
    );
  });

  test('the whole log verifies, its copy too, and the sealer’s death loses nothing', async () => {
    const headers = await node.service();
    const names = Array.from({ length: 120 }, (_, no) => `shop ${no}`);
    const writes = names.map((name) => node.call('POST', '/data/rest/item', headers, { name }));
    await node.node.drill.kill('audit-sealer');
    const made = await Promise.all(writes);
    const ids = made.map(({ json }) => (json as { data: { id: string }[] }).data[0]!.id);
    for (const id of ids) await recorded(({ target }) => target === id);
    const all = (await node.call('GET', `${logPath()}/records?limit=1000`, admin)).json as Records;
    const numbers = all.records.filter(({ source }) => source === 'host').map(({ source_seq }) => source_seq);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    const key = join(certs, 'log.pem');
    writeFileSync(key, ((await node.call('GET', logPath(), admin)).json as { public_key: string }).public_key);
    const directory = join(node.platform.audit.base_dir, LOG);
    const verified = await skep(`audit verify ${directory} --key ${key} --json`);
    expect(JSON.parse(verified.out)).toMatchObject({ verdict: 'good', gaps: [{ source: 'meter', from: 3, to: 3 }] });
    const size = Number(readFileSync(join(directory, 'checkpoint'), 'utf8').split('\n')[1]);
    const copy = join(certs, 'copy', LOG);
    for (let copied = 0; copied < size;) {
      try {
        copied = Number(readFileSync(join(copy, 'checkpoint'), 'utf8').split('\n')[1]);
      } catch {
        // Not there yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect((await skep(`audit verify ${copy} --key ${key}`)).code).toBe(0);
    const url = await skep(`audit verify ${node.gateway}${logPath()} --key ${key}`, {
      SKEP_TOKEN: admin['Authorization']!.slice(7),
    });
    expect(url).toMatchObject({ code: 0 });
    expect((await skep(`audit query ${directory} --action data.item.create --limit 3`)).out.split('\n')).toHaveLength(
      5,
    );
  });
});

/** Last: it fills what the others look through. */
test('a log remembers so many sources; one more is 422, and those it knows go on', async () => {
  const ofSources = (from: number, count: number): object[] =>
    Array.from({ length: count }, (_, i) => ({ action: 'test.many', source: `meter-${from + i}`, source_seq: 1 }));
  const call = limits.audit.recordsPerCallMax;
  let answer = await append(ofSources(0, call));
  expect(answer.status).toBe(200);
  answer = await append(ofSources(call, call));
  expect(answer).toMatchObject({ status: 422, json: { code: 'audit.too_many_sources' } });
  expect((await append({ action: 'test.many', source: 'meter-0', source_seq: 2 })).status).toBe(200);
});
