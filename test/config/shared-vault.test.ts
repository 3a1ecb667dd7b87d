/** Whether a node that stands by can read the vault by itself, and which secrets its doors need. */
import { expect, test } from 'vitest';
import { doorReferencesOf, referencesOf } from '#config/references.ts';
import { neededOfVault, sharesCertificates, whyClosed, whyNotShared } from '#config/shared-vault.ts';
import { good } from './load-text.ts';

const LOG = 'storage: {journal: {driver: postgres, url: "postgres://skep@db.internal/log"}}';
const KEY = 'seal: {current: {file: ./root.key}}';
const vault = (text: string): string => `vault: {enabled: true, profile: development, ${text}}`;
const SHARED = vault(`backend: {kind: postgres}, ${KEY}`);
const SECRET = 'intake: {security: {gateway_secret: "vault:intake/gateway"}}\nbootstrap: {token: "vault:first"}';
const ACME = `hives: {tenant: [{key: "acme:desk:prod:main", meta: {localdir: p}}]}
gateway:
  sites: {app.example.org: {tenant: "acme:desk:prod:main"}}
  tls: {acme: {directory: "https://a.example.org/dir", http_bind: "127.0.0.1:0", agree_terms: true}}`;

test.each([
  ['', 'the node has no vault', 'set vault: {'],
  [vault(KEY), 'the vault lies in lmdb on this machine', 'set vault.backend.kind: postgres'],
  [vault('backend: {kind: postgres}, seal: {kind: shamir}'), 'opened by shares', 'kind: key'],
  [vault('backend: {kind: postgres}'), 'the vault has no root key', 'vault.seal.current'],
])('%s: other nodes cannot read the vault', (text, why, mend) => {
  const kept = whyNotShared(good(`${LOG}\n${text}`));
  expect(kept!.why).toContain(why);
  expect(kept!.mend).toContain(mend);
});

test('a vault in PostgreSQL or etcd with a root key is read from everywhere', () => {
  expect(whyNotShared(good(`${LOG}\n${SHARED}`))).toBeNull();
  const etcd = vault(`backend: {kind: etcd, endpoints: ["http://127.0.0.1:2379"]}, seal: {current: {env: ROOT}}`);
  expect(whyNotShared(good(`${LOG}\n${etcd}`))).toBeNull();
});

test('doors stay closed where something of the vault is needed, and it is on one machine', () => {
  expect(whyClosed(good(`${LOG}\n${vault(KEY)}`))).toBeNull();
  expect(whyClosed(good(`${LOG}\n${SHARED}\n${SECRET}`))).toBeNull();
  expect(whyClosed(good(`${LOG}\n${SHARED}\n${ACME}`))).toBeNull();
  expect(whyClosed(good(`${LOG}\n${vault(KEY)}\n${SECRET}`))!.why).toBe(
    'secrets of the platform file lie in the vault, and the vault lies in lmdb on this machine',
  );
  expect(whyClosed(good(`${LOG}\n${ACME}`))!.why).toBe(
    'certificates of sites are ordered by the node that serves, and the node has no vault',
  );
  expect(neededOfVault(good(LOG))).toBeNull();
});

test('nodes of a log share certificates where all of them read the vault; a node on files has its own', () => {
  expect(sharesCertificates(good(`${LOG}\n${SHARED}\n${ACME}`))).toBe(true);
  expect(sharesCertificates(good(`${LOG}\n${SHARED}`))).toBe(false);
  expect(sharesCertificates(good(`${LOG}\n${ACME}`))).toBe(false);
  const url = 'url: "postgres://skep@db.internal/vault"';
  expect(sharesCertificates(good(`${vault(`backend: {kind: postgres, ${url}}, ${KEY}`)}\n${ACME}`))).toBe(false);
});

test('of the secrets of a file doors need that of the gateway alone', () => {
  const platform = good(`${LOG}\n${SHARED}\n${SECRET}`);
  expect(referencesOf(platform).toSorted()).toEqual(['first', 'intake/gateway']);
  expect(doorReferencesOf(platform)).toEqual(['intake/gateway']);
  expect(doorReferencesOf(good(`${LOG}\nintake: {security: {gateway_secret: written}}`))).toEqual([]);
});
