/** What operators do to a tenant by commands, without a page: which acts suit it, the line of each, what the log of the node says. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandOf, wordOf } from '#console/node/command.ts';
import { ACT_NAMES, ACTS, actCommand, startOf, wrongBlank } from '#console/tenants/acts.ts';
import { backupsOf, detailsOf, standingSince } from '#console/tenants/history.ts';
import { readTenantSearch } from '#console/tenants/search.ts';

const KEY = 'acme:shop:dev:main';
const tenant = { key: KEY, tenant: 'main', shard: 0 };

test('a shell reads each word as it is', () => {
  const words = ['plain', 'a/b:c.d', "it's", '$(reboot)', '`x`', 'two words', '', '-e', 'a\nb', '"'];
  const text = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(wordOf).join(' ')}`], { encoding: 'utf8' });
  expect(text.split('\0').slice(0, -1)).toEqual(words);
  expect(commandOf('tenant list', null)).toBe('skep tenant list -f platform.yaml');
});

test('the line of each act, with what stands in its blanks at first', () => {
  const lines = ACT_NAMES.map((name) => actCommand(name, KEY, '/etc/skep/platform.yaml', startOf(tenant, 'set-1')));
  const all = `-f /etc/skep/platform.yaml`;
  expect(lines).toEqual([
    `skep tenant suspend ${all} ${KEY}`,
    `skep tenant read-only ${all} ${KEY}`,
    `skep tenant resume ${all} ${KEY}`,
    `skep tenant backup ${all} ${KEY} --to acme-shop-dev-main.skep`,
    `skep tenant export ${all} ${KEY} --to acme-shop-dev-main`,
    `skep tenant restore ${all} acme-shop-dev-main.skep --as ${KEY}-copy`,
    `skep backup restore ${all} --set set-1 --tenant ${KEY} --as ${KEY}-copy`,
    `skep tenant move ${all} ${KEY} --shard 1`,
    `skep tenant repair ${all} ${KEY}`,
    `skep tenant delete ${all} ${KEY} --confirm ${KEY}`,
  ]);
});

test.each([
  ['suspend', { reason: 'x'.repeat(1025) }, 'reason'],
  ['suspend', { reason: ' ' }, null],
  ['backup', { to: ' ' }, 'to'],
  ['restore', { from: 'a.skep', as: 'acme/shop' }, 'as'],
  ['restore', { from: '', as: KEY }, 'from'],
  ['restore-set', { set: '', as: KEY }, 'set'],
  ['move', { shard: '-1' }, 'shard'],
  ['move', { shard: '3' }, null],
  ['delete', {}, null],
] as const)('%s with %j lacks %s', (name, given, wrong) => {
  expect(wrongBlank(name, given)).toBe(wrong);
  expect(actCommand(name, KEY, null, given) === null).toBe(wrong !== null);
});

test('what suits a tenant by its state and how it stands', () => {
  const suited = (state: 'active' | 'deleting', standing: 'serving' | 'suspended') =>
    ACT_NAMES.filter((name) => ACTS[name].suits({ state, standing }));
  expect(suited('active', 'serving')).not.toContain('resume');
  expect(suited('active', 'suspended')).toContain('resume');
  expect(suited('active', 'suspended')).not.toContain('suspend');
  expect(suited('deleting', 'serving')).toEqual(['delete']);
});

test('a name that is as long as names may be has a copy whose name is one', () => {
  const long = 'x'.repeat(63);
  const { as } = startOf({ key: `acme:shop:dev:${long}`, tenant: long, shard: 1 });
  expect(as?.split(':')[3]).toHaveLength(63);
});

test('the log of the node says what holds a tenant, and since when and why it is restricted', () => {
  const record = (seq: number, action: string, target: string, data: object, outcome = 'ok') => ({
    id: String(seq),
    seq,
    ts: `2026-11-28T10:00:0${seq}Z`,
    tenant: '',
    source: 'platform',
    source_seq: seq,
    actor: 'internal',
    action,
    target,
    outcome,
    request_id: '',
    data: { ...data },
  });
  const backups = [
    record(5, 'platform.tenant.backup', KEY, { sha256: 'ab', bytes: 10 }),
    record(4, 'platform.tenant.backup', 'acme:shop:dev:other', { sha256: 'cd', bytes: 11 }),
    record(3, 'platform.backup', 'set-1', { bytes: 100, tenants: 2 }),
    record(2, 'platform.backup', 'set-0', {}, 'failed'),
  ];
  expect(backupsOf(backups, KEY)).toEqual([
    { seq: 5, at: '2026-11-28T10:00:05Z', set: null, bytes: 10, sha256: 'ab' },
    { seq: 3, at: '2026-11-28T10:00:03Z', set: 'set-1', bytes: 100, sha256: null },
  ]);
  const done = [
    record(9, 'platform.tenant.backup', KEY, {}),
    record(8, 'platform.tenant.read_only', KEY, { reason: 'plan ended' }),
    record(7, 'platform.tenant.suspend', KEY, {}),
  ];
  expect(standingSince(done)).toEqual({ at: '2026-11-28T10:00:08Z', reason: 'plan ended' });
  expect(standingSince(done.slice(2))).toEqual({ at: '2026-11-28T10:00:07Z', reason: '' });
  expect(standingSince(done.slice(0, 1))).toBe(null);
  expect(detailsOf(record(1, 'x', KEY, { reason: 'paid', sha256: 'ab', rows: 3, left: {} }))).toEqual([
    ['reason', 'paid'],
    ['rows', 3],
  ]);
});

test('an address says which act is open, and of which set', () => {
  expect(readTenantSearch({ plan: 'p', act: 'restore-set', set: 's' })).toEqual({
    plan: 'p',
    act: 'restore-set',
    set: 's',
  });
  expect(readTenantSearch({ act: ['suspend', 'delete'], set: '' })).toEqual({ act: 'suspend' });
  expect(readTenantSearch({ act: 'explode', plan: '' })).toEqual({});
});
