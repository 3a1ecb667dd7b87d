/** Every route of the vault called with every kind of certificate and none, and the answer compared with what the route's row declares (`callers`). */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CertificateRole } from '#actors/protocol/callers.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { routes } from '#actors/vault/routes.ts';
import { CAPABILITIES } from '#config/definitions/policy-row.ts';
import { newAuthority } from '#test/actors/vault/pki/authority.ts';
import { HiveVault, TRUST_DOMAIN, newCsr, type Badge, type VaultAnswer } from '#test/kit/hive-vault.ts';

interface Holder {
  readonly name: string;
  /** Null: a caller that the vault does not trust. */
  readonly role: CertificateRole | null;
  readonly badge: Badge | null;
}

const vault = new HiveVault();
const holders: Holder[] = [];

/** Policies that allow everything to every certificate: what is refused then, the row refuses. */
const POLICIES = `policies:\n  - { subject: '**', path: '**', capabilities: [${CAPABILITIES.join(', ')}] }\n`;

beforeAll(async () => {
  mkdirSync(vault.path('policies'));
  vault.write('policies/all.yaml', POLICIES);
  await vault.start(`  policies: { dir: ${vault.path('policies')} }`);
  const stranger = newAuthority().leaf({ names: { uri: [`spiffe://${TRUST_DOMAIN}/operator/eve`] } });
  const key = stranger.key.export({ format: 'pem', type: 'pkcs8' }).toString();
  holders.push({ name: 'untrusted', role: null, badge: null });
  holders.push({ name: 'an operator of another authority', role: null, badge: { cert: stranger.pem, key } });
  holders.push({ name: 'an operator', role: 'operator', badge: vault.operator });
  holders.push({ name: 'a workload', role: 'workload', badge: await workload() });
  holders.push({ name: 'a node', role: 'node', badge: await node() });
}, 60_000);
afterAll(async () => {
  await vault.end();
  vault.close();
});

async function workload(): Promise<Badge> {
  const wish = { common_name: 'api', uri: [`spiffe://${TRUST_DOMAIN}/app/api`] };
  const made = await vault.call('POST', '/certificate/internal', wish);
  expect(made.status, made.bytes.toString()).toBe(201);
  const { certificate, private_key } = made.json as { certificate: string; private_key: string };
  return { cert: certificate, key: private_key };
}

async function node(): Promise<Badge> {
  const made = await vault.call('POST', '/join-token', { scope: 'dc=dc1,cluster=main' });
  const { token } = made.json as { token: string };
  const { key, csr } = newCsr();
  const place = { datacenter: 'dc1', cluster: 'main' };
  const joined = await vault.call('POST', '/node/join', { token, csr, name: 'node-1', ...place }, null);
  expect(joined.status, joined.bytes.toString()).toBe(201);
  return { cert: (joined.json as { certificate: string }).certificate, key };
}

const mayPass = ({ callers }: RouteRow, { role }: Holder): boolean =>
  callers.unread || (role !== null && callers.certificates.includes(role));

async function send(row: RouteRow, method: Method, { badge }: Holder): Promise<VaultAnswer> {
  const path = row.path.replaceAll(/\{\w+\*?\}/g, 'x');
  return vault.call(method, path, row.body === 'none' ? undefined : {}, badge);
}

const isDenial = ({ status, json }: VaultAnswer): boolean => {
  const code = (json as { code?: string } | undefined)?.code;
  return (status === 401 && code === 'vault.unauthorized') || (status === 403 && code === 'vault.forbidden');
};

/** What ends the vault's service, and the node's certificate, comes last. */
const LAST = ['seal', 'decommission'];
const entries = Object.entries<RouteRow>(routes).toSorted(([a], [b]) => LAST.indexOf(a) - LAST.indexOf(b));

let reached = 0;

describe.each(entries)('%s', (_name, row) => {
  test.each(row.methods)('%s', async (method) => {
    const faults: string[] = [];
    for (const holder of holders) {
      const answer = await send(row, method, holder);
      if (isDenial(answer) === mayPass(row, holder))
        faults.push(`${method} ${row.path} as ${holder.name}: ${answer.status} ${answer.bytes.toString()}`);
      reached++;
    }
    expect(faults).toEqual([]);
  });
});

test('the matrix has reached every cell', () => {
  const methods = entries.flatMap(([, row]) => row.methods);
  expect(reached).toBe(methods.length * holders.length);
  expect(reached).toBeGreaterThan(150);
});
