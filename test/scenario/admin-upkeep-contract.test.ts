/** Every row of the contract for seeds, retention, locks and materialized fields has a proof: over HTTP against a real node where a caller can cause it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { proveContract } from '#test/kit/contract-table.ts';
import { Operators, type AdminReply } from '#test/kit/operators.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { UPKEEP_ROWS } from '#test/scenario/admin-contract/upkeep-rows.ts';

const run = promisify(execFile);
const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const localdir = fileURLToPath(new URL('../kit/products/upkeep', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'skep-upkeep-'));
const PLACE = { tenant: TENANT, datastore: 'default' };

let world: Operators;
beforeAll(async () => {
  world = await Operators.open({
    localdir,
    dir,
    tenant: '      datastores: { default: { driver: lmdb, runner: false } }\n',
  });
}, 60_000);
afterAll(async () => {
  await world.node.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The id of a number. */
const ulid = (no: number): string => String(no).padStart(26, '0');
const get = (path: string): Promise<AdminReply> => world.send('admin', 'GET', `admin/data/${path}`);
const post = (path: string, body?: object): Promise<AdminReply> =>
  world.send('superadmin', 'POST', `admin/data/${path}`, body);
const create = async (entity: string, row: object): Promise<string> =>
  (await world.send('user', 'POST', `rest/${entity}`, row)).json.data[0].id;
const count = async (entity: string): Promise<number> => (await world.send('user', 'GET', `rest/${entity}`)).json.total;
const statusOf = ({ outcomes }: { outcomes: { Name: string; Status: string; Rows: number }[] }) =>
  outcomes.map(({ Name, Status, Rows }) => [Name, Status, Rows]);
const unit = (file: string, title: string) => ({ file: `test/actors/data/${file}.test.ts`, title });

proveContract(UPKEEP_ROWS, {
  Seeds: {
    'POST /seeds/runs: an empty body runs every eligible seed; plan_id, dry_run, counts, outcomes': async () => {
      const { status, json } = await post('seeds/runs');
      expect([status, json]).toEqual([
        200,
        {
          plan_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          dry_run: false,
          applied_count: 2,
          skipped_count: 0,
          failed_count: 0,
          outcomes: [
            { Name: 'countries', Status: 'applied', Reason: '', Rows: 2, Duration: expect.any(Number) },
            { Name: 'more', Status: 'applied', Reason: '', Rows: 3, Duration: expect.any(Number) },
          ],
        },
      ]);
      expect(await count('country')).toBe(5);
      expect(statusOf((await post('seeds/runs', {})).json)).toEqual([
        ['countries', 'skipped', 0],
        ['more', 'skipped', 0],
      ]);
    },
    'POST /seeds/runs: names, environment, dry_run, force': async () => {
      const more = await post('seeds/runs', { names: ['more'], environment: 'prod' });
      expect(statusOf(more.json)).toEqual([['more', 'skipped', 0]]);
      expect((await post('seeds/runs', { names: ['nothing'] })).json.code).toBe('v2.seed_not_found');
      // Its keys are new each time and its codes are taken: forced, it fails, and a dry run says so beforehand.
      const dry = await post('seeds/runs', { names: ['countries'], force: true, dry_run: true });
      expect(dry.json).toMatchObject({ dry_run: true, failed_count: 1 });
    },
    'POST /seeds/runs: 207 whenever failed_count is above 0': async () => {
      const { status, json } = await post('seeds/runs', { names: ['faulty'], environment: 'broken' });
      expect([status, json.failed_count]).toEqual([207, 1]);
      expect(json.outcomes[0].Reason).toBe('seeds/30-faulty.yaml:4: code is required');
      expect(await count('country')).toBe(5);
    },
    'GET /seeds: tenant, datastore, seeds; status pending when no ledger row, then applied_at, applied_checksum, error':
      async () => {
        const { seeds, ...place } = (await get('seeds')).json;
        expect(place).toEqual(PLACE);
        expect(seeds).toEqual([
          {
            name: 'countries',
            entity: 'country',
            source: 'seeds/10-countries.yaml',
            strategy: 'insert',
            status: 'applied',
            applied_at: expect.stringMatching(/Z$/),
            applied_checksum: expect.stringMatching(/^sha256:/),
          },
          expect.objectContaining({ name: 'more', status: 'applied' }),
          expect.objectContaining({ name: 'faulty', status: 'failed', error: expect.stringContaining('code') }),
        ]);
        const other = (await world.send('plane', 'GET', 'superadmin/tenant/other/seeds')).json.seeds[0];
        expect([other.status, other.applied_at]).toEqual(['pending', undefined]);
      },
    'skep data seed run|list': async () => {
      const close = await openControl(join(dir, 'data'), world.node.node);
      const words = ['-f', join(dir, 'platform.yaml'), '--tenant', OTHER_TENANT, '-o', 'json'];
      const ran = await run(launcher, ['data', 'seed', 'run', 'countries', ...words]);
      expect(JSON.parse(ran.stdout)).toMatchObject([{ Name: 'countries', Status: 'applied', Rows: 2 }]);
      const { stdout } = await run(launcher, ['data', 'seed', 'list', ...words]);
      expect(JSON.parse(stdout).map(({ status }: { status: string }) => status)).toEqual([
        'applied',
        'pending',
        'pending',
      ]);
      const faulty = ['data', 'seed', 'run', 'faulty', '--environment', 'broken', ...words];
      await expect(run(launcher, faulty)).rejects.toMatchObject({ code: 1 });
      await close();
    },
  },
  Retention: {
    'POST /retention/runs: plan_id, dry_run, total_applied, total_failed, entities with their counters': async () => {
      for (const name of ['a', 'b']) await create('visit', { seen: '2020-01-01', name });
      await create('visit', { seen: '2999-01-01', name: 'young' });
      const { status, json } = await post('retention/runs', {});
      const none = { Anonymized: 0, Archived: 0, ArchiveDeleted: 0, Purged: 0, FKBlocked: 0, Errors: 0 };
      expect(status).toBe(200);
      expect(json).toMatchObject({ plan_id: expect.any(String), dry_run: false, total_applied: 6, total_failed: 0 });
      expect(json.entities.find(({ Entity }: { Entity: string }) => Entity === 'visit')).toEqual({
        ...none,
        Entity: 'visit',
        Anonymized: 2,
        Archived: 2,
        ArchiveDeleted: 2,
      });
      expect(json).not.toHaveProperty('eligible');
      expect([await count('visit'), await count('visit_archive')]).toEqual([1, 2]);
    },
    'POST /retention/runs: entities, phases, dry_run with eligible, batch_size, max_rows_per_pass, grace_hours':
      async () => {
        for (const name of ['c', 'd', 'e']) await create('visit', { seen: '2021-01-01', name });
        const body = { entities: ['visit'], phases: ['anonymize'] };
        const dry = (await post('retention/runs', { ...body, dry_run: true })).json;
        expect(dry).toMatchObject({ dry_run: true, total_applied: 0, eligible: { visit: { anonymize: 3 } } });
        const far = (await post('retention/runs', { ...body, dry_run: true, grace_hours: 800_000 })).json;
        expect(far.eligible).toEqual({ visit: { anonymize: 0 } });
        const two = await post('retention/runs', { ...body, max_rows_per_pass: 2, batch_size: 1, grace_hours: -5 });
        expect(two.json.total_applied).toBe(2);
        expect((await post('retention/runs', { batch_size: 0 })).json.code).toBe('v2.invalid_body');
        expect((await post('retention/runs', { entities: ['country'] })).json.code).toBe('v2.entity_not_found');
      },
    'POST /retention/runs: 207 when total_failed is above 0': {
      unreachable:
        'a row fails only by what the loader refuses (fields that cannot be anonymized) or by references, which are counted apart',
    },
    'GET /retention/preview: tenant, datastore, plan_id, eligible; writes nothing': async () => {
      const before = await count('visit');
      const { json } = await get('retention/preview?entity=visit');
      expect(json).toEqual({
        ...PLACE,
        plan_id: expect.any(String),
        eligible: { visit: { anonymize: 1, archive: 3, archive_delete: 0, purge: 0 } },
      });
      expect(await count('visit')).toBe(before);
      expect((await get('retention/preview?entity=nothing')).status).toBe(404);
    },
    'POST /retention/handoff/claim: claimed; claimer_id required': async () => {
      const id = await create('letter', { sent: '2020-01-01T00:00:00Z' });
      await post('retention/runs', { entities: ['letter'] });
      expect((await post('retention/handoff/claim', {})).json.code).toBe('v2.missing_claimer');
      const { status, json } = await post('retention/handoff/claim', {
        claimer_id: 'w1',
        target_name: 'far',
        limit: 5,
      });
      const item = {
        handoff_id: expect.any(String),
        entity: 'letter',
        row_pk: id,
        target_name: 'far',
        target_type: 's3',
      };
      expect([status, json]).toEqual([200, { claimed: [item] }]);
      expect((await post('retention/handoff/claim', { claimer_id: 'w2' })).json.claimed).toEqual([]);
    },
    'POST /retention/handoff/confirm: confirmed, failed; an empty array is 400': async () => {
      await create('letter', { sent: '2020-01-01T00:00:00Z' });
      await post('retention/runs', { entities: ['letter'] });
      const [item] = (await post('retention/handoff/claim', { claimer_id: 'w1' })).json.claimed;
      const confirmations = [
        { handoff_id: item.handoff_id, target_location: 's3://cold/1', checksum: 'c', failed: false, error: '' },
        { handoff_id: 'absent' },
      ];
      const { status, json } = await post('retention/handoff/confirm', { confirmations });
      expect([status, json]).toEqual([200, { confirmed: 1, failed: 1 }]);
      const empty = await post('retention/handoff/confirm', { confirmations: [] });
      expect([empty.status, empty.json.code]).toEqual([400, 'v2.empty_confirmations']);
      const before = await count('letter');
      expect((await post('retention/runs', { entities: ['letter'] })).json.total_applied).toBe(1);
      expect(await count('letter')).toBe(before - 1);
    },
    'GET /retention/handoff/pending: buckets by entity, target_name, status with count and oldest_age_seconds':
      async () => {
        const { buckets, ...place } = (await get('retention/handoff/pending?status=confirmed')).json;
        expect(place).toEqual(PLACE);
        const age = { oldest_age_seconds: expect.any(Number) };
        expect(buckets).toEqual([{ entity: 'letter', target_name: 'far', status: 'confirmed', count: 1, ...age }]);
        expect((await get('retention/handoff/pending?entity=visit')).json.buckets).toEqual([]);
      },
    'GET /retention/archives: name, type, suffix, settings': async () => {
      expect((await get('retention/archives')).json).toEqual({
        ...PLACE,
        archives: [
          { name: 'near', type: 'native', suffix: '_archive', settings: {} },
          { name: 'far', type: 's3', suffix: '_archive', settings: { bucket: 'cold' } },
        ],
      });
    },
    'GET /retention/entities: pii_fields, retention in Go notation; companion tables excluded': async () => {
      const { entities, ...place } = (await get('retention/entities')).json;
      expect(place).toEqual(PLACE);
      expect(entities.map(({ entity }: { entity: string }) => entity)).toEqual(['visit', 'letter', 'place', 'country']);
      expect(entities[0]).toEqual({
        entity: 'visit',
        table_name: 'visit',
        pii_fields: ['name'],
        retention: { active: '24h0m0s', archive: '876000h0m0s', archive_to: 'near', age_field: 'seen' },
      });
      expect(entities[2].retention).toEqual({ active: '168h0m0s', age_field: 'closed' });
      expect(entities[3].retention).toEqual({});
    },
  },
  Locks: {
    'GET /locks: tenant, datastore, locks and no count; prefix, op_kind, include_expired=true': async () => {
      const { id } = (await world.send('user', 'POST', 'rest/place', {})).json.data[0];
      const rows = Array.from({ length: 1000 }, () => ({ seen: '2021-01-01', name: 'old', shop_id: id }));
      await world.send('user', 'POST', 'rest', { operations: [{ action: 'create', data: { visit: rows } }] });
      const running = post('retention/runs', { entities: ['visit'], phases: ['anonymize'], batch_size: 1 });
      let shown = await get('locks');
      while (shown.json.locks.length === 0) shown = await get('locks'); // the run may begin behind the first question
      const [other, prefixed] = await Promise.all(
        ['?op_kind=apply', '?prefix=seeds&include_expired=true'].map((query) => get(`locks${query}`)),
      );
      const { plan_id } = (await running).json;
      const lock = { resource: 'retention:default', op_kind: 'retention', plan_id, is_expired: false };
      expect(shown.json).toEqual({ ...PLACE, locks: [expect.objectContaining(lock)] });
      expect([other!.json, prefixed!.json]).toEqual([
        { ...PLACE, locks: [] },
        { ...PLACE, locks: [] },
      ]);
      expect((await get('locks')).json.locks).toEqual([]);
    },
    'two at once: one has the lock, the other learns which': async () => {
      const both = await Promise.all([post('retention/runs', {}), post('retention/runs', {})]);
      const [won, { json: lost }] = both.toSorted((a, b) => a.status - b.status) as [AdminReply, AdminReply];
      expect(won.status).toBe(200);
      expect([lost.code, lost.details.lock.resource]).toEqual(['v2.locked', 'retention:default']);
    },
    'DELETE /locks/{resource}: tenant, resource, released, note': async () => {
      const { status, json } = await world.send('superadmin', 'DELETE', 'admin/data/locks/retention:default');
      expect([status, json]).toEqual([
        200,
        { tenant: TENANT, resource: 'retention:default', released: false, note: expect.any(String) },
      ]);
      expect((await world.send('superadmin', 'DELETE', 'admin/data/locks/')).json.code).toBe('v2.bad_path');
    },
    'DELETE /locks/{resource}: the holder fails at its next heartbeat': unit(
      'admin/retention',
      'fails when an operator releases its lock, and keeps what it had committed',
    ),
    'the lock object': unit('admin/lock', 'is shown with the keys of the contract'),
  },
  Materialize: {
    'GET /materialize/pending: count, tasks; pages of 100, after': async () => {
      await post('materialize/drain');
      const places = Array.from({ length: 230 }, (_, at) => ({ id: ulid(at) }));
      const batch = (entity: string, rows: object[]) =>
        world.send('user', 'POST', 'rest', { operations: [{ action: 'create', data: { [entity]: rows } }] });
      expect((await batch('place', places)).status).toBe(200);
      const visits = places.map(({ id }) => ({ seen: '2999-01-01', shop_id: id }));
      expect((await batch('visit', visits)).status).toBe(200);
      const pages: { id: string; target_row_id: string }[][] = [];
      for (let after = ''; ;) {
        const { status, json } = await get(`materialize/pending${after}`);
        expect([status, Object.keys(json), json.count]).toEqual([
          200,
          ['tenant', 'datastore', 'count', 'tasks'],
          json.tasks.length,
        ]);
        pages.push(json.tasks);
        if (json.count < 100) break;
        after = `?after=${json.tasks.at(-1).id}`;
      }
      expect(pages.map((tasks) => tasks.length)).toEqual([100, 100, 30]);
      for (const after of ['zz', '!', '0'.repeat(27)])
        expect(await get(`materialize/pending?after=${after}`)).toMatchObject({
          status: 400,
          json: { code: 'v2.bad_cursor' },
        });
      expect(new Set(pages.flat().map(({ target_row_id }) => target_row_id))).toEqual(
        new Set(places.map(({ id }) => id)),
      );
      expect(pages[0]![0]).toEqual({
        id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        target_entity: 'place',
        target_field: 'visits',
        target_row_id: expect.any(String),
        source_entity: 'visit',
        source_op: 'create',
        enqueued_at: expect.stringMatching(/Z$/),
        attempts: 0,
      });
    },
    'GET /materialize/stats: counts; runner omitted when the tenant has none': async () => {
      const without = (await get('materialize/stats')).json;
      expect(without).toEqual({ ...PLACE, counts: { pending: 230, running: 0, failed: 0 } });
      const { counts, runner } = (await world.send('plane', 'GET', 'superadmin/tenant/other/materialize/stats')).json;
      expect([Object.keys(counts), Object.keys(runner)]).toEqual([
        ['pending', 'running', 'failed'],
        ['state', 'last_drain_at', 'drained'],
      ]);
    },
    'POST /materialize/drain: dispatched': async () => {
      const shop_id = await create('place', {});
      await create('visit', { seen: '2999-01-01', shop_id });
      const { status, json } = await world.send('admin', 'POST', 'admin/data/materialize/drain');
      expect([status, json]).toEqual([200, { ...PLACE, dispatched: 231 }]);
      const { visits } = (await world.send('user', 'GET', `rest/place/id/${shop_id}`)).json.data[0];
      expect(visits).toBe(1);
    },
  },
  Gates: {
    'every row with every role: none, user, admin, superadmin, and the mirror': {
      file: 'test/scenario/admin-gate.test.ts',
      title: 'the mirror for %s',
    },
    'datastore: of the query for reads, for DELETE /locks and for the drain; of the body for the others': async () => {
      const code = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
        (await world.send('superadmin', method, `admin/data/${path}`, body)).json.code;
      const elsewhere = { datastore: 'elsewhere' };
      for (const path of ['seeds', 'locks', 'retention/preview', 'retention/handoff/pending', 'materialize/stats'])
        expect([path, await code('GET', `${path}?datastore=elsewhere`)]).toEqual([path, 'v2.datastore_not_found']);
      expect(await code('DELETE', 'locks/x?datastore=elsewhere')).toBe('v2.datastore_not_found');
      expect(await code('POST', 'materialize/drain?datastore=elsewhere')).toBe('v2.datastore_not_found');
      for (const path of ['seeds/runs', 'retention/runs', 'retention/handoff/claim', 'retention/handoff/confirm'])
        expect([path, await code('POST', path, elsewhere)]).toEqual([path, 'v2.datastore_not_found']);
    },
    'the superadmin mirror answers the same of the tenant in the path': async () => {
      const mirrored = (path: string) => world.send('plane', 'GET', `superadmin/tenant/main/${path}`);
      for (const path of ['seeds', 'locks', 'retention/archives', 'retention/entities', 'materialize/pending'])
        expect((await mirrored(path)).json).toEqual((await get(path)).json);
      const ran = await world.send('plane', 'POST', 'superadmin/tenant/main/retention/runs', { entities: ['place'] });
      expect([ran.status, ran.json.total_applied]).toEqual([200, 0]);
    },
  },
});
