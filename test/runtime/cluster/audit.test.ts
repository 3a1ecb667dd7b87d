/** What `skep cluster check` says of audit logs: where their records lie, and the keys that sign them. */
import { expect, test } from 'vitest';
import { examineAudit } from '#runtime/cluster/audit.ts';
import { good } from '#test/config/load-text.ts';

const LOG = 'storage: {journal: {driver: postgres, url: "postgres://skep@db.internal/log"}}\n';
const VAULT =
  'vault: {enabled: true, tls: {cert: a.pem, key: a.key}, seal: {current: {file: ./root.key}}, backend: {kind: KIND}}\n';
const RECORDS = 'audit: {enabled: true, backend: {kind: postgres}}\n';

const said = (text: string): string[] =>
  examineAudit(good(LOG + text)).map(({ state, detail, mend }) => [state, detail, mend ?? ''].join(' '));

test('a node without audit logs is told nothing', () => expect(said('')).toEqual([]));

test('records on one machine are warned of', () => {
  expect(said('audit: {enabled: true}').join()).toMatch(/^warning .*this machine.*backend: \{ kind: postgres \}/);
});

test('so are signing keys on one machine, and those in a vault that every node has are not', () => {
  expect(said(RECORDS).join()).toMatch(
    /^warning .*keys that sign them on this machine copy .*audit\/keys to every node/,
  );
  expect(said(RECORDS + VAULT.replace('KIND', 'lmdb')).join()).toMatch(/^warning /);
  expect(said(RECORDS + VAULT.replace('KIND', 'postgres')).join()).toMatch(/^ok /);
});

test('on a sealed log they are said to be sealed', () => {
  const sealed = LOG.replace('}}', ', seal: vault}}') + RECORDS + VAULT.replace('KIND', 'postgres');
  expect(examineAudit(good(sealed))[0]!.detail).toContain('in the database, sealed,');
  expect(said(RECORDS).join()).not.toContain('sealed');
});
