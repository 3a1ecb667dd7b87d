/** `skep audit -config <file>`: the service by itself, over TLS. Contract: docs/contract/audit.md, docs/contract/platform.md §1.1. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { fileOf, skep } from '#test/runtime/cli/recorder.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const LOG = 'tenant/acme/shop/dev/main';
const LOG_PATH = `/logs/${encodeURIComponent(LOG)}`;

const audit = new AuditProcess();
let served: ServedAudit;

beforeAll(async () => {
  await audit.open();
  served = await audit.serve();
}, 60_000);

afterAll(async () => {
  expect(await served.end('SIGTERM')).toBe(0);
  audit.close();
});

test('it serves its own paths over TLS, and nothing else', async () => {
  expect((await served.call('GET', '/health', null)).json).toMatchObject({ healthy: true });
  expect(await served.call('GET', '/ready', null)).toMatchObject({ status: 200, json: { ready: true } });
  for (const path of ['/data/rest/item', '/f/contact', '/auth/token', '/.well-known/jwks.json', '/metrics'])
    expect((await served.call('GET', path, null)).status, path).toBe(404);
  const port = Number(new URL(served.url).port);
  const offered = await new Promise<string | null>((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.on('error', reject);
  });
  expect(['TLSv1.2', 'TLSv1.3']).toContain(offered);
  const plain = await new Promise<string>((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.on('data', (part) => (said += part.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => resolve(said));
  });
  expect(plain).not.toContain('HTTP/1.1 200');
});

test('no other service leaves a trace beside the logs', () => {
  for (const name of ['intake', 'journal', 'shards', 'ballast'])
    expect(existsSync(join(audit.dir, name)), name).toBe(false);
  expect(existsSync(join(audit.dir, 'lock'))).toBe(true);
});

test('tokens of the issuer count: a service appends, an administrator reads, an impersonation does neither', async () => {
  const made = await served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), {
    action: 'door.open',
  });
  expect(made).toMatchObject({ status: 200, json: { log_id: LOG, index: 0, durability: 'strict' } });
  const read = await served.call('GET', `${LOG_PATH}/records`, audit.admin());
  expect(read).toMatchObject({ status: 200, json: { size: 1, records: [{ action: 'door.open' }] } });
  expect((await served.call('GET', `${LOG_PATH}/records`, audit.admin({ sid: 's1' }))).status).toBe(200);
  const acting = audit.admin({ sid: 's2', act: { sub: 'root', mode: 'full' } });
  expect((await served.call('GET', `${LOG_PATH}/records`, acting)).status).toBe(401);
  expect((await served.call('GET', `${LOG_PATH}/records`, null)).status).toBe(401);
  const stranger = new AuditProcess();
  expect((await served.call('GET', `${LOG_PATH}/records`, stranger.admin())).status).toBe(401);
  stranger.close();
  expect((await served.call('POST', `${LOG_PATH}/records`, audit.service('other:*:*:*'), { action: 'x' })).status).toBe(
    403,
  );
});

test('a record names the caller that appended it, whatever actor and source that caller names', async () => {
  const forged = { action: 'data.country.delete', actor: 'ada', source: 'app', source_seq: 1 };
  const made = await served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), forged);
  expect(made.status).toBe(200);
  const { records } = (await served.call('GET', `${LOG_PATH}/records?source=app`, audit.admin())).json as {
    records: object[];
  };
  expect(records).toMatchObject([{ actor: 'ada', source: 'app', told_by: 'apikey:K' }]);
  const shown = await skep(`audit query ${join(audit.logs, LOG)} --source app`);
  expect(shown.out).toMatch(/SOURCE.*TOLD_BY/);
  expect(shown.out).toMatch(/app .* apikey:K/);
});

test('the time of a record is the log’s; what a caller says of it stands beside, and both at once is 400', async () => {
  const before = Date.now();
  const said = ['2020-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].flatMap((time) => [{ ts: time }, { event_ts: time }]);
  const bodies = said.map((time) => ({ action: 'clock.test', ...time }));
  const made = await served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), bodies);
  expect(made.status).toBe(200);
  const { records } = (await served.call('GET', `${LOG_PATH}/records?action=clock.*`, audit.admin())).json as {
    records: { ts: string; event_ts: string }[];
  };
  expect(records.map(({ event_ts }) => event_ts.slice(0, 4))).toEqual(['2020', '2020', '9999', '9999']);
  for (const { ts } of records) {
    expect(Date.parse(ts)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(ts)).toBeLessThanOrEqual(Date.now());
  }
  const both = { action: 'clock.test', ts: said[0]!.ts, event_ts: said[0]!.ts };
  expect(await served.call('POST', `${LOG_PATH}/records`, audit.service(), both)).toMatchObject({
    status: 400,
    json: { code: 'audit.bad_request' },
  });
});

test('records are found by target, outcome, source and actor; a filter that there is not is refused, not passed over', async () => {
  const some = ['ada', 'bob'].map((actor) => ({ action: 'find.me', actor, target: `row/${actor}`, outcome: 'denied' }));
  await served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), some);
  const found = async (query: string): Promise<unknown[]> =>
    (
      (await served.call('GET', `${LOG_PATH}/records?action=find.me&${query}`, audit.admin())).json as {
        records: unknown[];
      }
    ).records;
  for (const query of ['target=row/ada', 'actor=a*', 'target=*/ada', 'outcome=denied&actor=ada&source=caller:*'])
    expect(await found(query), query).toMatchObject([{ actor: 'ada' }]);
  expect(await found('source=host')).toEqual([]);
  for (const path of [
    `${LOG_PATH}/records?targt=row/ada`,
    `${LOG_PATH}/records?target=a&target=b`,
    `${LOG_PATH}/proof/consistency?from=1&too=2`,
    '/logs?prefix=tenant/',
    `${LOG_PATH}?x=1`,
  ])
    expect(await served.call('GET', path, audit.admin()), path).toMatchObject({
      status: 400,
      json: { code: 'audit.bad_request' },
    });
  const odd = await served.call('POST', `${LOG_PATH}/records?waitt=checkpoint`, audit.service(), { action: 'x' });
  expect(odd.status).toBe(400);
});

test('an auditor of the tenant reads its log, and appends, erases and reads elsewhere nothing', async () => {
  const auditor = audit.admin({ roles: ['auditor'] });
  expect((await served.call('GET', `${LOG_PATH}/records`, auditor)).status).toBe(200);
  expect((await served.call('GET', `${LOG_PATH}/checkpoint`, auditor)).status).toBe(200);
  expect((await served.call('POST', `${LOG_PATH}/records`, auditor, { action: 'x' })).status).toBe(403);
  for (const log of ['tenant/acme/shop/dev/other', 'node/platform', 'vault/_global'])
    expect((await served.call('GET', `/logs/${encodeURIComponent(log)}/records`, auditor)).status, log).toBe(403);
  const overAll = audit.admin({ roles: ['auditor'], tenant: 'superadmin:superadmin:superadmin:superadmin' });
  expect((await served.call('GET', `${LOG_PATH}/records`, overAll)).status).toBe(200);
});

test('the command line queries a served log as it does a directory', async () => {
  const ask = ['audit', 'query', `${served.url}${LOG_PATH}`, '--action', 'door.*', '-o', 'json'];
  const env = { ...process.env, SKEP_TOKEN: audit.admin(), NODE_EXTRA_CA_CERTS: join(audit.dir, 'cert.pem') };
  const asked = await new Promise<{ out: string; err: string }>((resolve) =>
    execFile(launcher, ask, { env }, (_error, out, err) => resolve({ out, err })),
  );
  const local = await skep(`audit query ${join(audit.logs, LOG)} --action door.* -o json`);
  expect(JSON.parse(asked.out), asked.err).toEqual(JSON.parse(local.out));
  expect(JSON.parse(local.out)).not.toEqual([]);
});

test('a consistency proof as the service gives it is good for the command line', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'skep-proof-'));
  const keep = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const before = await served.call('GET', `${LOG_PATH}/checkpoint`, audit.admin());
  const earlier = keep('earlier', before.text);
  await served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), { action: 'door.close' });
  const from = before.text.split('\n')[1]!;
  const proof = await served.call('GET', `${LOG_PATH}/proof/consistency?from=${from}`, audit.admin());
  const file = keep('proof.json', proof.text);
  const verify = `audit verify ${file} --key ${join(audit.dir, 'keys', 'audit', LOG, 'signing-key.pub.pem')}`;
  expect(await skep(`${verify} --earlier ${earlier}`)).toMatchObject({ code: 0 });
  const alone = await skep(verify);
  expect(alone).toMatchObject({ code: 2 });
  expect(alone.out).toContain('--earlier <file>');
  rmSync(directory, { recursive: true });
});

test('the log verifies with the key that lies beside it', async () => {
  const key = join(audit.dir, 'keys', 'audit', LOG, 'signing-key.pub.pem');
  expect(await skep(`audit verify ${join(audit.logs, LOG)} --key ${key}`)).toMatchObject({ code: 0 });
});

test('a file without a certificate is refused, with the way to mend it', async () => {
  const { code, err } = await skep(`audit -config ${fileOf('name: a\n')}`);
  expect(code).toBe(2);
  expect(err).toContain('audit listens with TLS only');
  expect(err).toContain('tls: { cert: …, key: … }');
});
