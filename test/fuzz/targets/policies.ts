/** Policies of the vault: what an operator writes, and what callers are and ask for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Capability } from '#config/definitions/policy-row.ts';
import { fitsByHand } from '#test/actors/vault/caller/fits-by-hand.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const ROLES = ['workload', 'operator', 'node'] as const;
const RESERVED = ['secret/_node/'];
const FILE = `policies:
  - subject: spiffe://hive/acme/shop/**
    path: secret/acme:shop:*:main/**
    capabilities: [read, list]
  - { subject: "operator/*", path: "**", capabilities: [read, write, admin] }
  - { subject: "node/n*", path: secret/_node/*/x, capabilities: [exists] }
`;

/** The caller and what it asks for on the first line, the file of policies behind it. */
export async function policyTarget(): Promise<Target> {
  const { loadPolicies } = await import('#config/definitions/load-policies.ts');
  const { Policies } = await import('#actors/vault/caller/policy.ts');
  const directory = mkdtempSync(join(tmpdir(), 'skep-inputs-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'a.yaml');
  const run = (input: Buffer): void => {
    const end = input.indexOf('\n');
    const [role = '', name = '', spiffeId = '', capability = '', path = ''] = input
      .toString('utf8', 0, Math.max(end, 0))
      .split(' ');
    writeFileSync(file, input.subarray(end + 1));
    const loaded = loadPolicies(directory);
    if ('problems' in loaded) return must(loaded.problems.length > 0, 'refused without a problem');
    const subject = { role: ROLES.find((one) => one === role) ?? 'workload', name, spiffeId };
    const allows = new Policies(loaded.rows, RESERVED).allows(subject, capability as Capability, path);
    const [reserved] = RESERVED as [string];
    const needsOwnRow =
      subject.role === 'operator' && ['read', 'write'].includes(capability) && path.startsWith(reserved);
    const short = subject.role === 'workload' ? spiffeId : `${subject.role}/${name}`;
    const byHand = loaded.rows.some(
      (row) =>
        (row.capabilities.includes(capability as Capability) ||
          (capability === 'exists' && row.capabilities.includes('read'))) &&
        (!needsOwnRow || row.path.split('*')[0]!.startsWith(reserved)) &&
        fitsByHand(row.path, path) &&
        (fitsByHand(row.subject, spiffeId) || fitsByHand(row.subject, short)),
    );
    must(allows === byHand, `it says ${allows}, and the contract ${byHand}`);
  };
  return {
    name: 'policy',
    costs: 2,
    form: 'text',
    covers: [
      '/config/definitions/load-policies.ts',
      '/config/check.ts',
      '/config/yaml-file.ts',
      '/actors/vault/caller/',
    ],
    seeds: [
      `workload cart spiffe://hive/acme/shop/cart read secret/acme:shop:dev:main/a/b\n${FILE}`,
      `operator ada spiffe://hive/operator/ada read secret/_node/x\n${FILE}`,
      `node n1 spiffe://hive/node/n1 exists secret/_node/a/x\n${FILE}`,
      `operator ada x read secret/aaaaaaaaaaaaaaaaaaaaab\npolicies: [{ subject: "**", path: "secret/**a**a*a", capabilities: [read] }]\n`,
    ],
    words: [
      '**',
      '*',
      '/',
      'policies:',
      'subject: ',
      'path: ',
      'capabilities: [',
      'exists',
      'read',
      'secret/',
      '_node/',
      'operator/',
      '- ',
      '&a ',
      '*a',
      '{',
      '}',
      ': ',
    ],
    bytesMax: 4096,
    // A glob takes at most its length times that of the text.
    stepsMax: linear(20_000, 2000),
    run,
  };
}
