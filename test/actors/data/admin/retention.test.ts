/** Retention over a tenant in memory: phases, cut-offs, archives, handoff, what references hold, what a second pass finds. */
import { describe, expect, test } from 'vitest';
import { withCompanions } from '#config/definitions/archives.ts';
import type { ArchiveDefinition, EntityDefinition, RetentionDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { takeLock } from '#actors/data/admin/lock/lock.ts';
import { partOf } from '#actors/data/part.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const DAY = 24 * 3_600_000;
const NATIVE: ArchiveDefinition = { name: 'near', type: 'native', suffix: '_archive', settings: {} };
const FAR: ArchiveDefinition = { name: 'far', type: 's3', suffix: '_archive', settings: { bucket: 'b' } };

const retention = (parts: Partial<RetentionDefinition> = {}): RetentionDefinition => ({
  activeMs: 30 * DAY,
  archiveMs: null,
  archiveTo: null,
  ageField: 'created_at',
  handoff: null,
  ...parts,
});

const PERSON = {
  name: { type: 'string', required: true, compliance: 'pii' },
  mail: { type: 'string', compliance: 'gdpr', unique: true },
  level: { type: 'integer', compliance: 'phi', default: 3, nullable: false },
  note: { type: 'string', compliance: 'internal' },
} as const;

const person = (parts: Partial<RetentionDefinition>, options: object = {}): EntityDefinition =>
  entityOf('person', PERSON, { traits: ['timestamps', 'versioned'], retention: retention(parts), ...options });

async function open(entities: readonly EntityDefinition[], archives: readonly ArchiveDefinition[] = [NATIVE, FAR]) {
  const all = withCompanions(entities, archives).entities;
  const tenant = await DataTenant.open({ ...productOf(all), archives });
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    tenant.send(method, `/data/${path}`, body, { principal: SUPERADMIN });
  const run = async (body: object = {}) => (await send('POST', 'admin/data/retention/runs', body)).body;
  const list = async (entity: string, query = '') => (await send('GET', `rest/${entity}?limit=1000${query}`)).body.data;
  const create = async (entity: string, row: object) => (await send('POST', `rest/${entity}`, row)).body.data[0];
  return { tenant, send, run, list, create, later: (days: number) => tenant.clock.advance(days * DAY) };
}

const counts = (report: { entities: Record<string, unknown>[] }, entity = 'person') => {
  const { Entity: _, ...rest } = report.entities.find((one) => one['Entity'] === entity)!;
  return Object.fromEntries(Object.entries(rest).filter(([, count]) => count !== 0));
};

describe('anonymize', () => {
  test('takes personal values away by null, default or a text, old versions too, and does it once', async () => {
    const { run, list, create, send, later } = await open([person({ archiveMs: 300 * DAY })]);
    const { id } = await create('person', { name: 'Ann', mail: 'ann@x.org', level: 9, note: 'kept' });
    await send('PATCH', `rest/person/id/${id}`, { note: 'still' });
    later(29);
    expect(counts(await run())).toEqual({});
    later(2);
    await create('person', { name: 'Young', mail: 'y@x.org', level: 1 });
    expect(counts(await run())).toEqual({ Anonymized: 1 });
    const [row, young] = await list('person', '&orderby=id');
    expect(row).toMatchObject({ mail: null, level: 3, note: 'still', version: 3 });
    expect(row.name).toMatch(/^anon-[0-9a-f]{24}$/);
    expect(young).toMatchObject({ name: 'Young', version: 1 });
    for (const version of [1, 2])
      expect((await send('GET', `rest/person/id/${id}?version=${version}`)).status).toBe(404);
    expect(counts(await run())).toEqual({});
  });
});

describe('a native archive', () => {
  test('holds a copy first; the row goes when the copy is good; the copy goes after its time', async () => {
    const { run, list, create, send, later } = await open([person({ archiveTo: 'near', archiveMs: 100 * DAY })]);
    const { id } = await create('person', { name: 'Ann', mail: 'ann@x.org', level: 9, note: 'n' });
    later(31);
    expect(counts(await run({ phases: ['archive'] }))).toEqual({ Archived: 1 });
    expect(counts(await run({ phases: ['archive'] }))).toEqual({});
    expect((await list('person_archive'))[0]).toMatchObject({
      id,
      name: 'Ann',
      level: 9,
      archived_at: expect.any(String),
    });
    // The row has changed since: what the archive holds is not it, and the row may not go.
    await send('PATCH', `rest/person/id/${id}`, { note: 'm' });
    expect(counts(await run({ phases: ['archive_delete'] }))).toEqual({});
    expect(counts(await run())).toEqual({ Anonymized: 1, Archived: 1, ArchiveDeleted: 1 });
    expect(await list('person')).toEqual([]);
    const [kept] = await list('person_archive');
    expect(kept).toMatchObject({ id, mail: null, note: 'm', created_at: '2026-01-01T00:00:00.000Z' });
    later(100);
    expect(counts(await run())).toEqual({ Purged: 1 });
    expect(await list('person_archive')).toEqual([]);
    expect((await send('GET', 'rest/person')).body.total).toBe(0);
  });

  test('is read by the rules of its entity, written by no caller, and no entity of retention', async () => {
    const access = { read: 'principal.subject == "u1"' };
    const { tenant, send, run, create, later } = await open([person({ archiveTo: 'near' }, { access: undefined })]);
    await create('person', { name: 'Ann', level: 1 });
    later(31);
    await run();
    expect((await tenant.send('GET', '/data/rest/person_archive')).body.count).toBe(1);
    expect((await tenant.send('POST', '/data/rest/person_archive', { name: 'x' })).status).toBe(403);
    const { body } = await send('GET', 'admin/data/retention/entities');
    expect(body.entities.map(({ entity }: { entity: string }) => entity)).toEqual(['person']);
    const hidden = entityOf('person', PERSON, {
      traits: ['timestamps'],
      retention: retention({ archiveTo: 'near' }),
      access,
    });
    expect(withCompanions([hidden], [NATIVE]).entities[1]!.access).toEqual(hidden.access);
  });

  test('without a time keeps its rows', async () => {
    const { run, list, create, later } = await open([person({ archiveTo: 'near' })]);
    await create('person', { name: 'Ann', level: 1 });
    later(4000);
    expect(counts(await run())).toEqual({ Anonymized: 1, Archived: 1, ArchiveDeleted: 1 });
    expect(counts(await run())).toEqual({});
    expect(await list('person_archive')).toHaveLength(1);
  });
});

describe('purge without an archive', () => {
  const visit = (fields: object = {}, parts: Partial<RetentionDefinition> = {}) =>
    entityOf(
      'visit',
      { seen: { type: 'date' }, ...fields },
      { traits: ['soft_delete'], retention: retention({ ageField: 'seen', ...parts }) },
    );

  test('removes what is past active and archive, deleted rows too, by a date; what has no age stays', async () => {
    const { run, list, create, send } = await open([visit({}, { archiveMs: 10 * DAY })]);
    for (const seen of ['2025-11-21', '2025-11-22', '2025-11-23', null]) await create('visit', { seen });
    const [gone] = await list('visit', '&orderby=seen&seen=2025-11-22');
    await send('DELETE', `rest/visit/id/${gone.id}`);
    expect(counts(await run(), 'visit')).toEqual({ Purged: 2 });
    expect((await list('visit', '&deleted=true&orderby=seen')).map((row: { seen: string }) => row.seen)).toEqual([
      null,
      '2025-11-23',
    ]);
  });

  test('grace only makes it later, and only above 0', async () => {
    const { run, create } = await open([visit()]);
    await create('visit', { seen: '2025-12-02' });
    expect(counts(await run({ grace_hours: 24 }), 'visit')).toEqual({});
    expect(counts(await run({ grace_hours: -48 }), 'visit')).toEqual({ Purged: 1 });
  });

  test('rows that others hold are counted, and keep no other row from going', async () => {
    const note = entityOf('note', { visit_id: { type: 'ref', ref: { entity: 'visit', on_delete: 'restrict' } } });
    const line = entityOf('line', { visit_id: { type: 'ref', ref: { entity: 'visit', on_delete: 'cascade' } } });
    const { run, list, create } = await open([visit(), note, line]);
    const rows = [];
    for (let at = 0; at < 5; at++) rows.push(await create('visit', { seen: '2025-01-01' }));
    await create('line', { visit_id: rows[1].id });
    await create('line', { visit_id: rows[2].id });
    await create('note', { visit_id: rows[2].id });
    const report = await run();
    expect(counts(report, 'visit')).toEqual({ Purged: 4, FKBlocked: 1 });
    expect(report).toMatchObject({ total_applied: 4, total_failed: 0, dry_run: false });
    expect((await list('visit')).map(({ id }: { id: string }) => id)).toEqual([rows[2].id]);
    // The refused deletion has left nothing behind: its line is still there.
    expect(await list('line')).toHaveLength(1);
    expect(await list('note')).toHaveLength(1);
  });

  test('those that refer go before those that they refer to', async () => {
    const note = entityOf(
      'note',
      { seen: { type: 'date' }, visit_id: { type: 'ref', ref: { entity: 'visit', on_delete: 'restrict' } } },
      { retention: retention({ ageField: 'seen' }) },
    );
    const { run, create } = await open([visit(), note]);
    const { id } = await create('visit', { seen: '2025-01-01' });
    await create('note', { seen: '2025-01-01', visit_id: id });
    const report = await run();
    expect([counts(report, 'note'), counts(report, 'visit')]).toEqual([{ Purged: 1 }, { Purged: 1 }]);
  });

  test('a pass is bounded by rows, a commit by the batch', async () => {
    const { run, create, tenant } = await open([visit()]);
    for (let at = 0; at < 25; at++) await create('visit', { seen: '2025-01-01' });
    const commits: number[] = [];
    const begin = tenant.store.begin.bind(tenant.store);
    tenant.store.begin = () => {
      const turn = begin();
      const del = turn.del.bind(turn);
      const commit = turn.commit.bind(turn);
      let deleted = 0;
      turn.del = (key) => (deleted++, del(key));
      turn.commit = () => (commits.push(deleted), commit());
      return turn;
    };
    expect(counts(await run({ max_rows_per_pass: 20, batch_size: 8 }), 'visit')).toEqual({ Purged: 20 });
    expect(commits.filter((count) => count > 1)).toEqual([8, 8, 4]);
    expect(counts(await run(), 'visit')).toEqual({ Purged: 5 });
  });
});

describe('a dry run and the preview', () => {
  test('count by entity and phase, and write nothing', async () => {
    const { run, create, send, later, tenant } = await open([person({ archiveTo: 'near', archiveMs: DAY })]);
    for (const name of ['a', 'b', 'c']) await create('person', { name, level: 1 });
    later(40);
    await run({ phases: ['archive'], max_rows_per_pass: 1 });
    const before = JSON.stringify([...tenant.store.begin().range('', '\xff')].map(({ key }) => key));
    const eligible = { person: { anonymize: 3, archive: 2, archive_delete: 1, purge: 1 } };
    const report = await run({ dry_run: true });
    expect(report).toMatchObject({ dry_run: true, total_applied: 0, eligible, plan_id: expect.any(String) });
    expect((await run({ dry_run: true, phases: ['purge'] })).eligible).toEqual({ person: { purge: 1 } });
    const { body } = await send('GET', 'admin/data/retention/preview');
    expect(body).toMatchObject({ tenant: 'acme:atlas:dev:main', datastore: 'default', eligible });
    expect((await send('GET', 'admin/data/retention/preview?entity=person')).body.eligible).toEqual(eligible);
    expect(JSON.stringify([...tenant.store.begin().range('', '\xff')].map(({ key }) => key))).toBe(before);
    expect((await run()).eligible).toBeUndefined();
  });
});

describe('handoff', () => {
  const far = () => open([person({ archiveTo: 'far' })]);
  const only = { phases: ['archive', 'archive_delete'] };

  test('pending, claimed, confirmed; then the row goes', async () => {
    const { run, list, create, send, later } = await far();
    for (const name of ['a', 'b', 'c']) await create('person', { name, level: 1 });
    later(31);
    expect(counts(await run(only))).toEqual({ Archived: 3 });
    expect(counts(await run(only))).toEqual({});
    const claim = async (body: object) => (await send('POST', 'admin/data/retention/handoff/claim', body)).body.claimed;
    const first = await claim({ claimer_id: 'w1', limit: 2 });
    expect(first).toHaveLength(2);
    expect(first[0]).toEqual({
      handoff_id: expect.any(String),
      entity: 'person',
      row_pk: (await list('person', '&orderby=id'))[0].id,
      target_name: 'far',
      target_type: 's3',
    });
    expect(await claim({ claimer_id: 'w2', target_name: 'elsewhere' })).toEqual([]);
    expect(await claim({ claimer_id: 'w2', entity: 'other' })).toEqual([]);
    const second = await claim({ claimer_id: 'w2', entity: 'person', target_name: 'far' });
    expect(second).toHaveLength(1);
    later(0.01);
    const confirmations = [
      { handoff_id: first[0].handoff_id, target_location: 's3://b/1', checksum: 'c' },
      { handoff_id: first[1].handoff_id, failed: true, error: 'no room' },
      { handoff_id: 'absent' },
    ];
    const confirm = async (body: unknown) => (await send('POST', 'admin/data/retention/handoff/confirm', body)).body;
    expect(await confirm({ confirmations })).toEqual({ confirmed: 1, failed: 2 });
    expect(await confirm({ confirmations: confirmations.slice(0, 1) })).toEqual({ confirmed: 1, failed: 0 });
    const pending = async (query = '') =>
      (await send('GET', `admin/data/retention/handoff/pending${query}`)).body.buckets.map(
        ({ status, count }: { status: string; count: number }) => [status, count],
      );
    expect((await pending()).toSorted()).toEqual([
      ['claimed', 1],
      ['confirmed', 1],
      ['failed', 1],
    ]);
    expect(await pending('?status=claimed&entity=person&target_name=far')).toEqual([['claimed', 1]]);
    expect(await pending('?status=nothing')).toEqual([]);
    // What failed is offered again, what was confirmed may go.
    expect(counts(await run(only))).toEqual({ Archived: 1, ArchiveDeleted: 1 });
    expect(await list('person')).toHaveLength(2);
  });

  test('a row that changed since is another state of it: what was confirmed does not let it go', async () => {
    const { run, create, send, later } = await far();
    const { id } = await create('person', { name: 'a', level: 1 });
    later(31);
    await run(only);
    const { body } = await send('POST', 'admin/data/retention/handoff/claim', { claimer_id: 'w' });
    const confirmations = [{ handoff_id: body.claimed[0].handoff_id, target_location: 'x' }];
    await send('PATCH', `rest/person/id/${id}`, { note: 'new' });
    await send('POST', 'admin/data/retention/handoff/confirm', { confirmations });
    expect(counts(await run(only))).toEqual({ Archived: 1 });
  });

  test('a claim whose holder is gone may be taken by another', async () => {
    const { run, create, send, later, tenant } = await far();
    await create('person', { name: 'a', level: 1 });
    later(31);
    await run(only);
    const claim = async () =>
      (await send('POST', 'admin/data/retention/handoff/claim', { claimer_id: 'w' })).body.claimed.length;
    expect([await claim(), await claim()]).toEqual([1, 0]);
    tenant.clock.advance(limits.handoff.claimMs + 1);
    expect(await claim()).toBe(1);
  });

  test('bodies that say nothing are refused', async () => {
    const { send } = await far();
    const code = async (path: string, body?: unknown) => {
      const answer = await send('POST', `admin/data/retention/handoff/${path}`, body);
      return [answer.status, answer.body.code];
    };
    expect(await code('claim', {})).toEqual([400, 'v2.missing_claimer']);
    expect(await code('confirm', { confirmations: [] })).toEqual([400, 'v2.empty_confirmations']);
    expect(await code('confirm')).toEqual([400, 'v2.empty_confirmations']);
    expect(await code('claim', { claimer_id: 'w', limit: 0 })).toEqual([400, 'v2.invalid_body']);
    expect(await code('claim', { claimer_id: 'w', datastore: 'other' })).toEqual([404, 'v2.datastore_not_found']);
  });
});

describe('a run', () => {
  test('is refused while another has the lock, and for what there is not', async () => {
    const { send, tenant } = await open([person({})]);
    const turn = tenant.store.begin();
    const wish = {
      id: 'l',
      resource: 'retention:default',
      holder: 'h',
      opKind: 'retention',
      hostname: 'n',
      planId: 'p',
    };
    takeLock(turn, tenant.clock.now(), wish, () => true);
    turn.commit();
    partOf(tenant.activation).holders.add('h');
    const answer = await send('POST', 'admin/data/retention/runs', {});
    expect([answer.status, answer.body.code, answer.body.details.lock.resource]).toEqual([
      409,
      'v2.locked',
      wish.resource,
    ]);
    expect((await send('POST', 'admin/data/retention/runs', { entities: ['nope'] })).body.code).toBe(
      'v2.entity_not_found',
    );
    expect((await send('POST', 'admin/data/retention/runs', { phases: ['shred'] })).body.code).toBe('v2.invalid_body');
    expect((await send('GET', 'admin/data/retention/preview?entity=nope')).status).toBe(404);
    expect((await tenant.send('POST', '/data/admin/data/retention/runs', {}, { principal: USER })).status).toBe(403);
  });

  test('fails when an operator releases its lock, and keeps what it had committed', async () => {
    const { send, create, list, later } = await open([person({ archiveMs: DAY })]);
    for (let at = 0; at < 30; at++) await create('person', { name: `n${at}`, level: 1 });
    later(30.5);
    const running = send('POST', 'admin/data/retention/runs', { batch_size: 5 });
    for (let done = 0; done === 0;) {
      await new Promise((resolve) => setImmediate(resolve));
      const rows: { level: number }[] = await list('person');
      done = rows.filter(({ level }) => level === 3).length;
    }
    const released = await send('DELETE', 'admin/data/locks/retention:default');
    expect(released.body).toMatchObject({ released: true, resource: 'retention:default' });
    const answer = await running;
    expect([answer.status, answer.body.code]).toEqual([409, 'v2.lock_lost']);
    const rows: { level: number }[] = await list('person');
    const done = rows.filter(({ level }) => level === 3).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(30);
    expect((await send('GET', 'admin/data/locks?include_expired=true')).body.locks).toEqual([]);
  });
});

test('archives and entities are shown as they are declared, durations as Go writes them', async () => {
  const plain = entityOf('plain', { x: { type: 'string', compliance: 'PII' } });
  const { send } = await open([person({ activeMs: 168 * 3_600_000, archiveMs: 1500, archiveTo: 'near' }), plain]);
  expect((await send('GET', 'admin/data/retention/archives')).body).toEqual({
    tenant: 'acme:atlas:dev:main',
    datastore: 'default',
    archives: [NATIVE, FAR],
  });
  expect((await send('GET', 'admin/data/retention/entities')).body.entities).toEqual([
    {
      entity: 'person',
      table_name: 'person',
      pii_fields: ['name', 'mail', 'level'],
      retention: { active: '168h0m0s', archive: '1.5s', archive_to: 'near', age_field: 'created_at' },
    },
    { entity: 'plain', table_name: 'plain', pii_fields: [], retention: {} },
  ]);
});
