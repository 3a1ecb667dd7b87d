/** Costly rules: what one evaluation may burn, what a turn may, and what the operator is told (R2, U2). */
import { describe, expect, test } from 'vitest';
import { findRows } from '#actors/engine/rows/read.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { query } from '#actors/engine/rows/query.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { fuelLeft } from '#actors/kit/pace/fuel.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { limits } from '#config/limits.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `w${i}`);
const fields = {
  name: { type: 'string' },
  tags: { type: 'json' },
  secret: { type: 'string', mask: 'redact' },
} as const;
const COSTLY = 'row.tags.all(a, row.tags.exists(b, a == b))';
const open = { create: 'true', read: 'true', update: 'true', delete: 'true' };

/** Some 12,000 units. */
const BOUNDED = words(60);
/** Far past the cap. */
const ENDLESS = words(3000);

describe('a list whose rule is costly', () => {
  const engine = new Engine(productOf([entityOf('note', fields, { access: { ...open, read: COSTLY } })]));
  const model = engine.models.get('note')!;
  for (let i = 0; i < 40; i++)
    createRow(engine.session(INTERNAL), model, { name: `n${i}`, tags: BOUNDED }, asRequest('note'));
  engine.end(true);

  test('goes on in slices where the turn has not the fuel, and gives every row', async () => {
    engine.yields = 0;
    const found = await findRows(engine.session(), model, asRequest('note'), () => query('note', { limit: 100 }));
    expect(isFailure(found) ? found : found.rows.length).toBe(40);
    expect(engine.yields).toBeGreaterThan(1);
    expect(fuelLeft()).toBe(Infinity);
  });

  test('is grouped the same way', async () => {
    engine.yields = 0;
    const count = { kind: 'aggregate', name: 'count', of: 'count', field: null } as const;
    const group = { kind: 'grouping', by: [], aggregates: [count], having: [], order: [] } as const;
    const found = await findRows(engine.session(), model, asRequest('note'), () =>
      query('note', { limit: 100, group }),
    );
    expect(isFailure(found) ? found : found.groups).toEqual([[40]]);
    expect(engine.yields).toBeGreaterThan(1);
  });
});

const created = (tenant: DataTenant, rows: readonly object[]) =>
  tenant.send('POST', '/data/rest', { operations: [{ action: 'create', data: { note: rows } }] });

describe('over HTTP', () => {
  const tenantWith = (access: Readonly<Record<string, string>>, rowRule?: string): Promise<DataTenant> =>
    DataTenant.open(productOf([entityOf('note', fields, { access, ...(rowRule !== undefined && { rowRule }) })]));

  test('a row whose rule burns more than it may is denied, and the log names the rule and its entity', async () => {
    const tenant = await tenantWith(open, COSTLY);
    const made = await tenant.send('POST', '/data/rest/note', { name: 'a', tags: ENDLESS });
    expect(made).toMatchObject({ status: 403, body: { code: 'v2.create_failed' } });
    expect(tenant.told).toContainEqual({
      level: 'warn',
      message: expect.stringContaining('burns more than one evaluation may'),
      fields: expect.objectContaining({
        tenant: 'acme:atlas:dev:main',
        entity: 'note',
        operation: 'create',
        rule: 'entities/note.yaml:1:1 (note.row_rule)',
        error: expect.stringContaining(`${limits.rules.evaluationUnits}`),
      }),
    });
  });

  test('the log says so once a minute, with how many were left out', async () => {
    const tenant = await tenantWith(open, COSTLY);
    const post = () => tenant.send('POST', '/data/rest/note', { name: 'a', tags: ENDLESS });
    for (let i = 0; i < 4; i++) await post();
    tenant.clock.advance(60_000);
    await post();
    const warned = tenant.told.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    expect(warned).toEqual([
      expect.not.objectContaining({ left_out: expect.anything() }),
      expect.objectContaining({ left_out: 3 }),
    ]);
  });

  test('a page with many masks to lift is written in slices', async () => {
    const tenant = await tenantWith({ ...open, unmask: COSTLY });
    const rows = Array.from({ length: 40 }, (_, i) => ({ name: `n${i}`, tags: BOUNDED, secret: 's' }));
    expect((await created(tenant, rows)).status).toBeLessThan(300);
    const listed = await tenant.send('GET', '/data/rest/note?unmask=true&limit=100');
    expect(listed.body.data.map(({ secret }: { secret: string }) => secret)).toEqual(rows.map(() => 's'));
  });

  test('many writes under a costly rule are one turn in slices', async () => {
    const tenant = await tenantWith(open, COSTLY);
    const rows = Array.from({ length: 40 }, (_, i) => ({ name: `n${i}`, tags: BOUNDED }));
    expect((await created(tenant, rows)).status).toBeLessThan(300);
    expect((await tenant.send('GET', '/data/rest/note?limit=100')).body.count).toBe(40);
  });

  test('a denial says why at debug level, with nothing of the values: a rule that is false, one that fails', async () => {
    const tenant = await tenantWith({
      create: 'row.name == "mine"',
      read: 'request.data.x > 1',
      update: 'row.tags[row.name]',
    });
    expect((await tenant.send('POST', '/data/rest/note', { name: 'SECRET' })).status).toBe(403);
    expect((await tenant.send('GET', '/data/rest/note')).status).toBe(403);
    expect(tenant.told.map(({ level }) => level)).toEqual(['debug', 'debug']);
    expect(tenant.told[0]!.fields).toMatchObject({ entity: 'note', operation: 'create', subject: 'u1' });
    expect(tenant.told[1]!.fields).toMatchObject({
      entity: 'note',
      operation: 'read',
      rule: 'entities/note.yaml:1:1 (note.access.read)',
      part: expect.stringContaining('request.data'),
      error: expect.any(String),
    });
    expect(JSON.stringify(tenant.told)).not.toContain('SECRET');
  });

  test('a rule that fails on every row of a list is logged once', async () => {
    const tenant = await tenantWith({ ...open, read: 'row.tags.missing == 1' });
    for (const name of ['a', 'b', 'c'])
      await tenant.send('POST', '/data/rest/note', { name, tags: { x: 1 } }, { principal: USER });
    expect((await tenant.send('GET', '/data/rest/note')).body.count).toBe(0);
    expect(tenant.told).toHaveLength(1);
    expect(tenant.told[0]).toMatchObject({
      level: 'debug',
      fields: { error: 'no_such_key', part: 'row.tags.missing' },
    });
  });
});
