/** A data directory that each released version wrote opens with this code, after a clean stop and after SIGKILL: everything in it is found, twice. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raisedVersions } from '#storage/record-versions.ts';
import { skepVersion } from '#runtime/version.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { OLD_VERSIONS, unpackDirectory } from '#test/kit/old-directory.ts';
import type { Found, FoundFile, OldDirectory, OldVersion } from '#test/kit/old-directory.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 60_000 };

const versions = Object.keys(OLD_VERSIONS) as OldVersion[];
const directories = versions.flatMap((version) => (['clean', 'killed'] as const).map((how) => [version, how] as const));

describe.each(directories)('of %s, ended %s', (version, how) => {
  let old: OldDirectory;
  let found: Found;
  let node: ProcessNode;

  beforeAll(() => {
    old = unpackDirectory(how, version);
    found = old.found;
  });
  afterAll(() => old.remove());

  const start = async (): Promise<void> => {
    node = await startProcess(old.file, { SKEP_PORT_BASE: String(await freePortBase()) }, ['env', '-C', old.dir]);
  };
  const url = (path: string, listener = 'gateway'): string => node.listeners[listener]! + path;
  const get = async (path: string, headers: object): Promise<never> => {
    const response = await fetch(url(path), { headers: headers as Record<string, string> });
    const text = await response.text();
    expect(response.status, `${path}: ${text}`).toBe(200);
    return JSON.parse(text) as never;
  };
  const post = (path: string, tenant: string, body: object): Promise<Response> =>
    fetch(url(path), {
      method: 'POST',
      headers: { ...positionHeaders(tenant), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const login = async (tenant: string, login: string, more: object = {}): Promise<Record<string, string>> => {
    const answer = await post('/auth/login', tenant, { login, password: found.password, ...more });
    const text = await answer.text();
    expect(answer.status, `${login}: ${text}`).toBe(200);
    const { access_token } = JSON.parse(text) as { access_token: string };
    return { ...positionHeaders(tenant), Authorization: `Bearer ${access_token}` };
  };
  const bearers = new Map<string, Record<string, string>>();
  const exchange = async (tenant: string): Promise<Record<string, string>> => {
    const headers = { ...positionHeaders(tenant), Authorization: `ApiKey ${found.serviceKeys[tenant]!}` };
    const answer = await fetch(url('/auth/token'), { method: 'POST', headers });
    expect(answer.status).toBe(200);
    const { token } = (await answer.json()) as { token: string };
    return { ...positionHeaders(tenant), Authorization: `Bearer ${token}` };
  };
  const readerOf = (tenant: string): Record<string, string> => bearers.get(tenant)!;
  const check = async (): Promise<void> => {
    const { code, err, out } = await skep(`storage check ${join(old.dir, 'data')} -o json`);
    expect([code, err], out).toEqual([0, '']);
  };
  const logsVerify = async (): Promise<void> => {
    for (const log of found.logs) {
      const directory = join(old.dir, log.directory);
      const key = join(old.dir, 'log.pub.pem');
      writeFileSync(key, log.key);
      const { code, out } = await skep(`audit verify ${directory} --key ${key} --json`);
      expect([log.id, code], out).toEqual([log.id, 0]);
    }
  };

  test('the archive holds what it should: sealed segments, a journal where the node was killed', () => {
    if (how === 'clean') {
      for (const { directory, root } of found.logs) {
        const checkpoint = readFileSync(join(old.dir, directory, 'checkpoint'), 'utf8');
        expect(checkpoint).toContain(root);
      }
    }
    expect(found.logs.length).toBeGreaterThan(3);
    expect(existsSync(join(old.dir, 'data', 'journal'))).toBe(true);
  });

  describe.each(['first', 'second'])('%s start', (which) => {
    beforeAll(async () => {
      await start();
      for (const tenant of found.tenants) bearers.set(tenant, await exchange(tenant));
    }, 180_000);
    afterAll(async () => {
      expect(await node.end('SIGTERM')).toBe(0);
    });

    test('rows, with what is computed of them, and none that was deleted', LIMIT, async () => {
      for (const [name, row] of Object.entries(found.rows)) {
        const [tenant, entity, id] = name.split(' ') as [string, string, string];
        const { data } = (await get(`/data/rest/${entity}/id/${id}`, readerOf(tenant))) as { data: object[] };
        expect(data).toEqual([row]);
      }
      for (const name of found.deleted) {
        const [tenant, entity, id] = name.split(' ') as [string, string, string];
        const { data } = (await get(`/data/rest/${entity}?id=${id}`, readerOf(tenant))) as { data: object[] };
        expect(data).toEqual([]);
      }
    });

    test('rows by their indexes, and their number', LIMIT, async () => {
      const mine = Object.entries(found.rows).filter(([name]) => name.startsWith(`${found.tenants[0]!} hall `));
      for (const [, row] of mine) {
        const path = `/data/rest/hall?label=${encodeURIComponent(String(row['label']))}`;
        const { data } = (await get(path, readerOf(found.tenants[0]!))) as { data: object[] };
        expect(data).toEqual([row]);
      }
      const { total } = (await get('/data/rest/hall?stats=true&limit=0', readerOf(found.tenants[0]!))) as {
        total: number;
      };
      expect(total).toBe(mine.length + 1); // and the one by an action
    });

    test('files of rows and assets of content, byte for byte', LIMIT, async () => {
      const bytes = async ({ tenant, path }: FoundFile): Promise<string> => {
        const response = await fetch(url(path), { headers: readerOf(tenant) });
        return createHash('sha256')
          .update(Buffer.from(await response.arrayBuffer()))
          .digest('hex');
      };
      for (const file of [...found.files, ...found.assets]) expect(await bytes(file)).toBe(file.sha256);
    });

    test('documents of content', LIMIT, async () => {
      for (const id of found.documents) await get(`/content/journal/journal.entry/${id}`, readerOf(found.tenants[0]!));
    });

    test('people log in, with their second factor; the key of their tokens is published', LIMIT, async () => {
      for (const { tenant, login: name } of [...found.users, found.superadmin]) await login(tenant, name);
      const { tenant, login: name, secret, recovery } = found.mfa;
      const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
      if (which === 'first') await login(tenant, name, { otp: recovery });
      else await login(tenant, name, { otp });
      const { keys } = (await get('/.well-known/jwks.json', {})) as { keys: object[] };
      expect(keys).toEqual(expect.arrayContaining(found.jwks.map((key) => expect.objectContaining({ ...key }))));
    });

    if (version !== '0.1.0')
      test('a key that an administrator named is accepted from its addresses', LIMIT, async () => {
        const { tenant, key } = found.officeKey!;
        const issued = await fetch(url('/auth/apikey'), {
          method: 'POST',
          headers: { ...positionHeaders(tenant), Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ service: 'of the office', capabilities: { roles: [] } }),
        });
        expect(issued.status, await issued.text()).toBe(201);
        const boss = await login(tenant, 'boss@example.org');
        const { keys } = (await get('/auth/admin/keys', boss)) as { keys: { name: string | null; metadata: object }[] };
        expect(keys.find(({ name }) => name === 'the office')).toMatchObject({ metadata: { room: '7' } });
      });

    test(
      'users of before the index are found by their addresses, and the last administrator is known',
      LIMIT,
      async () => {
        const { tenant, login: name } = found.users.find(({ login: one }) => one.startsWith('boss@'))!;
        const boss = await login(tenant, name);
        const search = async (q: string, headers = boss): Promise<{ id: string; email: string }[]> =>
          ((await get(`/auth/admin/users?q=${encodeURIComponent(q)}`, headers)) as { users: [] }).users;
        for (const one of found.users.filter((user) => user.tenant === tenant))
          expect(await search(one.login.toUpperCase())).toMatchObject([{ email: one.login, disabled: false }]);
        expect(await search('cat@')).toEqual([]);
        const { id } = (await search(name))[0]!;
        const answer = await fetch(url(`/auth/admin/users/${id}`), { method: 'DELETE', headers: boss });
        expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'last_administrator' }]);
        const root = await login(found.superadmin.tenant, found.superadmin.login);
        expect(await search('', root)).toMatchObject([{ email: found.superadmin.login }]);
      },
    );

    test('secrets are unsealed; the authority, its certificates, nodes and identities are there', LIMIT, async () => {
      const vault = async (path: string, headers: object = {}): Promise<string> => {
        const response = await fetch(url(path, 'vault'), { headers: headers as Record<string, string> });
        const text = await response.text();
        expect(response.status, `${path}: ${text}`).toBe(200);
        return text;
      };
      for (const [name, value] of Object.entries(found.secrets)) {
        const text = await vault(`/secret/${encodeURIComponent(name)}`, positionHeaders(found.tenants[0]!));
        expect(JSON.parse(text)).toMatchObject({ value });
      }
      expect(await vault('/pki/ca')).toBe(found.authority);
      expect(await vault('/nodes')).toContain(found.joined);
      expect(await vault('/identity')).toContain(found.workload);
    });
  });

  test('then the store has no fault, and the logs verify on', LIMIT, async () => {
    await check();
    await logsVerify();
    const intake = join(old.dir, 'data', 'intake');
    const files = `--jsonl-dir ${join(intake, 'jsonl')} --embedded-path ${join(intake, 'embedded')}`;
    const { code, out, err } = await skep(`intake verify ${files}`);
    expect([code, err], out).toEqual([0, '']);
    const { out: exported } = await skep(`intake export --format jsonl ${files}`);
    expect(exported.trim().split('\n')).toHaveLength(found.forms);
  });

  test(
    'the directory names the version that served it; only its owner may read it; a newer one is refused',
    LIMIT,
    async () => {
      const data = join(old.dir, 'data');
      expect(JSON.parse(readFileSync(join(data, 'format'), 'utf8'))).toEqual({
        format: 1,
        skep: skepVersion(),
        records: raisedVersions(),
      });
      for (const path of [data, join(data, 'shards', '2', 'data.mdb')]) expect(statSync(path).mode & 0o077).toBe(0);
      writeFileSync(join(data, 'format'), '{"format":2,"skep":"9.9.9"}\n');
      await expect(start()).rejects.toThrow('has format 2, written by skep 9.9.9; this skep knows formats up to 1');
    },
  );
});
