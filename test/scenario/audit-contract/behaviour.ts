/** Proofs that have no test elsewhere: what one served log shows of itself. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { loadPlatform } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { auditSettings } from '#runtime/threads/audit-settings.ts';

export const LOG = 'tenant/acme/shop/dev/main';
const SLOW = 'tenant/acme/shop/dev/slow';
const LOOSE = 'tenant/acme/shop/dev/loose';
const SMALL = 'tenant/acme/shop/dev/small';

const FILE = `signer: { vault_path_template: 'keys/{tenant}/sign', key_id_template: 'key.example/{tenant}' }
routing:
  - { log_id_pattern: 'tenant/*/*/*/loose', durability: async, seal_interval: 100ms }
  - { log_id_pattern: 'tenant/**/slow', durability: batched }
  - { log_id_pattern: 'tenant/**/small', durability: strict, segment_max_bytes: 1024 }
  - { log_id_pattern: 'tenant/**', durability: strict, segment_max_records: 3 }
`;

interface Page {
  readonly records: readonly { readonly seq: number; readonly action: string; readonly actor: string }[];
  readonly next: number | null;
}

/** One `skep audit`, started by the first proof that asks. */
export class Contract {
  readonly audit = new AuditProcess();
  #served: Promise<ServedAudit> | null = null;

  served(): Promise<ServedAudit> {
    this.#served ??= this.audit.open(FILE).then(() => this.audit.serve());
    return this.#served;
  }

  async end(): Promise<void> {
    await (await this.#served)?.end('SIGTERM');
    this.audit.close();
  }

  async append(log: string, body: unknown, query = '') {
    const served = await this.served();
    return served.call('POST', `/logs/${encodeURIComponent(log)}/records${query}`, this.audit.service(), body);
  }

  async get(path: string, log = LOG) {
    const served = await this.served();
    return served.call('GET', `/logs/${encodeURIComponent(log)}${path}`, this.audit.admin());
  }

  names(log: string, directory = 'segments'): string[] {
    return readdirSync(join(this.audit.logs, log, directory)).toSorted();
  }
}

async function platformOf(contract: Contract): Promise<Platform> {
  await contract.served();
  const loaded = loadPlatform(contract.audit.file, { env: {}, service: 'audit' });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.platform;
}

const row = { action: 'test.row' };

export const behaviour = (contract: Contract) => {
  const { audit } = contract;
  return {
    templates: async () => {
      await contract.append(LOG, row, '?wait=checkpoint');
      const key = readFileSync(join(audit.dir, 'keys', 'keys', LOG, 'sign.pem'), 'utf8');
      expect(key).toContain('-----BEGIN PRIVATE KEY-----'); // PKCS#8
      const open = readFileSync(join(audit.dir, 'keys', 'keys', LOG, 'sign.pub.pem'), 'utf8');
      expect(open).toContain('-----BEGIN PUBLIC KEY-----'); // SPKI
      const { json, text } = await contract.get('');
      expect(json).toMatchObject({ public_key: open });
      expect(text).toContain(`"verifier_key":"key.example/${LOG}+`);
    },
    patterns: async () => {
      const durabilities = [];
      for (const log of [LOG, SLOW, LOOSE]) {
        const answer = await contract.append(log, row);
        durabilities.push([answer.status, (answer.json as { durability: string }).durability]);
      }
      expect(durabilities).toEqual([
        [200, 'strict'],
        [200, 'batched'],
        [202, 'async'],
      ]);
    },
    sealInterval: async () => {
      await contract.append(LOOSE, row);
      await expect
        .poll(() => contract.names(LOOSE).some((name) => name.endsWith('.json')), { timeout: 20_000 })
        .toBe(true);
    },
    segmentRecords: async () => {
      for (let no = 0; no < 4; no++) await contract.append(LOG, row, '?wait=checkpoint');
      const manifests = contract.names(LOG).filter((name) => name.endsWith('.json'));
      const { first, last } = JSON.parse(readFileSync(join(audit.logs, LOG, 'segments', manifests[0]!), 'utf8')) as {
        first: number;
        last: number;
      };
      expect([first, last]).toEqual([0, 2]);
    },
    segmentBytes: async () => {
      const large = { ...row, data: { text: 'x'.repeat(600) } };
      for (let no = 0; no < 4; no++) await contract.append(SMALL, large, '?wait=checkpoint');
      const segments = contract.names(SMALL).filter((name) => name.endsWith('.log'));
      // Two such records would be more than a segment may hold.
      expect(segments).toHaveLength(4);
      for (const name of segments)
        expect(statSync(join(audit.logs, SMALL, 'segments', name)).size).toBeLessThanOrEqual(1024);
    },
    defaults: async () => {
      const { routing } = auditSettings(await platformOf(contract));
      const of = (end: string) => routing.find(({ pattern }) => pattern.endsWith(end))!;
      expect(of('loose')).toMatchObject({ recordsMax: 100_000, bytesMax: 67_108_864, sealMs: 100 });
      expect([of('small').sealMs, of('slow').sealMs]).toEqual([60_000, 300_000]);
    },
    wallClock: async () => {
      const served = await contract.served();
      const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
      const read = (claims: object) =>
        served.call('GET', `/logs/${encodeURIComponent(LOG)}`, audit.admin(claims)).then(({ status }) => status);
      expect(await read({})).toBe(200);
      expect(await read({ nbf: at(600_000), exp: at(900_000) })).toBe(401);
      expect(await read({ iat: at(-900_000), nbf: at(-900_000), exp: at(-600_000) })).toBe(401);
    },
    line: async () => {
      await contract.append(LOG, row, '?wait=checkpoint');
      const [segment] = contract.names(LOG).filter((name) => name.endsWith('.log'));
      const [line] = readFileSync(join(audit.logs, LOG, 'segments', segment!), 'utf8').split('\n');
      const [, crc, length, json] = /^([0-9a-f]{8}) (\d+) (\{.*\})$/.exec(line!)!;
      const { crc32 } = await import('node:zlib');
      expect(Number.parseInt(crc!, 16)).toBe(crc32(json!));
      expect(Number(length)).toBe(Buffer.byteLength(json!));
      const { json: proof } = await contract.get('/proof/inclusion?index=0');
      expect((proof as { entry: string }).entry).toBe(json);
    },
    blob: async () => {
      const data = { text: 'x'.repeat(61 * 1024) };
      const answer = await contract.append(SLOW, { ...row, data }, '?wait=checkpoint');
      const { proof } = answer.json as { proof: { entry: string } };
      const record = JSON.parse(proof.entry) as { data?: unknown; data_sha256: string };
      expect(record.data).toBeUndefined();
      const { hash } = await import('node:crypto');
      expect(record.data_sha256).toBe(hash('sha256', JSON.stringify(data), 'hex'));
      expect(contract.names(SLOW, 'blob')).toEqual([record.data_sha256]);
    },
    list: async () => {
      const served = await contract.served();
      await contract.append(LOG, row, '?wait=checkpoint');
      const mine = await served.call('GET', '/logs', audit.admin());
      expect(mine.json).toEqual({ logs: [{ log_id: LOG }], count: 1 });
    },
    filters: async () => {
      const log = LOG;
      for (const [actor, action] of [
        ['ada', 'test.a'],
        ['bob', 'test.a'],
        ['ada', 'test.b'],
      ]) {
        await contract.append(log, { actor, action, target: 'filters' }, '?wait=checkpoint');
        await new Promise((resolve) => setTimeout(resolve, 2)); // each has a millisecond of its own
      }
      const all = async (query: string) => {
        const { json } = await contract.get(`/records?limit=1000&${query}`);
        const { records } = json as unknown as { records: Record<'ts' | 'target' | 'actor' | 'action', string>[] };
        return records.filter(({ target }) => target === 'filters');
      };
      const found = async (query: string) => (await all(query)).map(({ actor, action }) => `${actor} ${action}`);
      expect(await found('actor=ada')).toEqual(['ada test.a', 'ada test.b']);
      expect(await found('action=test.a')).toEqual(['ada test.a', 'bob test.a']);
      const second = (await all(''))[1]!.ts;
      expect(await found(`since=${second}`)).toEqual(['bob test.a', 'ada test.b']);
      expect(await found(`until=${second}`)).toEqual(['ada test.a']);
      const first = (await contract.get('/records?limit=2')).json as unknown as Page;
      expect(first.records.map(({ seq }) => seq)).toEqual([0, 1]);
      const next = (await contract.get(`/records?limit=1&from=${first.next}`)).json as unknown as Page;
      expect(next.records.map(({ seq }) => seq)).toEqual([2]);
    },
    checkpoint: async () => {
      await contract.append(LOG, row, '?wait=checkpoint');
      const { status, text } = await contract.get('/checkpoint');
      expect(status).toBe(200);
      const [origin, size, root, empty, line] = text.split('\n');
      expect([origin, empty]).toEqual([`audit.example/${LOG}`, '']);
      expect([Number(size) > 0, Buffer.from(root!, 'base64').length]).toEqual([true, 32]);
      expect(line).toMatch(/^\u2014 key\.example\/tenant\/acme\/shop\/dev\/main [A-Za-z0-9+/]+=*$/);
    },
    tiles: async () => {
      await contract.append(LOG, row, '?wait=checkpoint');
      const size = Number((await contract.get('/checkpoint')).text.split('\n')[1]);
      for (const level of ['0', 'entries'])
        expect((await contract.get(`/tile/${level}/000.p/${size}`)).status).toBe(200);
      for (const path of ['0/001', '0/000', '0/000.p/0', '0/000.p/256', '9/000.p/1', '0/0', 'x/000'])
        expect(await contract.get(`/tile/${path}`), path).toMatchObject({
          status: 404,
          json: { code: 'audit.not_found' },
        });
    },
    consistency: async () => {
      for (let no = 0; no < 3; no++) await contract.append(LOG, row, '?wait=checkpoint');
      const { status, json } = await contract.get('/proof/consistency?from=1&to=3');
      expect([status, json]).toMatchObject([200, { log_id: LOG, from: 1, to: 3 }]);
      expect((json as { proof: string[] }).proof).toHaveLength(2);
      for (const query of ['from=0', 'from=3&to=2', 'from=x'])
        expect((await contract.get(`/proof/consistency?${query}`)).status, query).toBe(400);
      expect((await contract.get('/proof/consistency?from=1&to=999999')).status).toBe(404);
    },
    async: async () => {
      const answer = await contract.append(LOOSE, row);
      expect(answer).toMatchObject({ status: 202, json: { log_id: LOOSE, durability: 'async' } });
      expect(answer.json).not.toHaveProperty('index');
    },
    lost: async () => {
      await contract.append(LOG, row);
      expect((await contract.get('')).json).toMatchObject({ lost: 0, durability: 'strict', refused: null });
    },
  };
};
