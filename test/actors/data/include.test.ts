/** Includes: what they bring along, under whose rules, and at what cost. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { parseInclude } from '#actors/engine/rows/include/parse.ts';
import { query, type Include } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { limits } from '#config/limits.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const ref = (entity: string) => ({ type: 'ref', ref: { entity } }) as const;
const id = { type: 'string' } as const;
const product = productOf([
  entityOf('team', { id, name: { type: 'string' } }, { traits: ['soft_delete'] }),
  entityOf(
    'player',
    { id, team_id: ref('team'), captain: ref('player'), public: { type: 'boolean' } },
    { index: [['team_id', 'public']], rowRule: "row.public || principal.type == 'internal'" },
  ),
  entityOf('medal', { id, player_id: ref('player') }),
]);

describe('rows that are brought along', () => {
  let tenant: DataTenant;
  const get = async (path: string) => (await tenant.send('GET', `/data/rest/${path}`)).body;
  beforeAll(async () => {
    tenant = await DataTenant.open(product);
    const internal = { principal: { ...USER, type: 'internal' as const } };
    const post = async (entity: string, row: object) =>
      expect((await tenant.send('POST', `/data/rest/${entity}`, row, internal)).status).toBe(201);
    for (const name of ['red', 'blue']) await post('team', { id: name, name });
    await post('player', { id: 'z', team_id: 'red', public: true });
    await post('player', { id: 'a', team_id: 'red', public: true, captain: 'z' });
    await post('player', { id: 'm', team_id: 'red', public: false, captain: 'z' });
    await post('player', { id: 'b', team_id: 'blue', public: true, captain: 'm' });
    for (const [medal, player] of [
      ['m1', 'z'],
      ['m2', 'z'],
      ['m3', 'm'],
    ])
      await post('medal', { id: medal, player_id: player });
    await tenant.send('DELETE', '/data/rest/team/id/blue');
  });

  test('come in the order of their keys, less those that a row rule hides', async () => {
    const { data } = await get('team?include=player_by_team&deleted=true&orderby=-id');
    expect(
      data.map((team: { player_by_team: { id: string }[] }) => team.player_by_team.map((player) => player.id)),
    ).toEqual([['a', 'z'], ['b']]);
  });

  test('a hidden, deleted or missing target is null', async () => {
    const { data } = await get('player?include=team,captain&orderby=id');
    expect(data.map((row: { team: { id: string } | null }) => row.team?.id ?? null)).toEqual(['red', null, 'red']);
    expect(data.map((row: { captain: { id: string } | null }) => row.captain?.id ?? null)).toEqual(['z', null, null]);
    const shown = (await get('player/id/b?include=team&deleted=true')).data[0];
    expect(shown.team).toMatchObject({ id: 'blue' });
  });

  test('a reference whose field has the name of its relation gives its place to the row', async () => {
    const text = (await tenant.send('GET', '/data/rest/player/id/a?include=captain')).body.data[0];
    expect(Object.keys(text)).toEqual(['id', 'team_id', 'public', 'captain']);
    const reply = (await tenant.send('GET', '/data/rest/player/id/a?include=captain&select=captain')).body.data[0];
    expect(reply).toEqual({ captain: expect.objectContaining({ id: 'z' }) });
  });

  test('nested paths join where they begin alike', async () => {
    const { data } = await get('team/id/red?include=player_by_team.medal_by_player,player_by_team.captain&depth=2');
    expect(data[0].player_by_team).toEqual([
      { id: 'a', team_id: 'red', public: true, medal_by_player: [], captain: expect.objectContaining({ id: 'z' }) },
      {
        id: 'z',
        team_id: 'red',
        public: true,
        medal_by_player: [
          { id: 'm1', player_id: 'z' },
          { id: 'm2', player_id: 'z' },
        ],
        captain: null,
      },
    ]);
  });
});

describe('at what cost', () => {
  const flat = productOf([entityOf('team', { id }), entityOf('player', { id, team_id: ref('team') })]);
  const filled = (players: number, teams: number): Engine => {
    const engine = new Engine(flat);
    const add = (entity: string, row: object) => {
      const written = createRow(engine.session(), engine.models.get(entity)!, row as never, asRequest(entity));
      if (isFailure(written)) throw new Error(written.message);
    };
    for (let i = 0; i < teams; i++) add('team', { id: `t${i}` });
    for (let i = 0; i < players; i++) add('player', { id: `p${i}`, team_id: `t${i % teams}` });
    engine.end(true);
    return engine;
  };
  const includeOf = (engine: Engine, entity: string, name: string): readonly Include[] =>
    parseInclude(engine.models.get(entity)!, [name], 1) as readonly Include[];

  test('a target is read once, however many rows name it', () => {
    const engine = filled(200, 4);
    const team = engine.models.get('team')!;
    let reads = 0;
    const session: Session = {
      ...engine.session(),
      turn: () => {
        const { turn } = engine;
        const decoded: typeof turn.decoded = (key, decode) => {
          if (decode === (team.decode as unknown)) reads++;
          return turn.decoded(key, decode);
        };
        return new Proxy(turn, {
          get: (target, name) => {
            if (name === 'decoded') return decoded;
            const member = Reflect.get(target, name, target) as unknown;
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
      },
    };
    const asked = query('player', { limit: 200, include: includeOf(engine, 'player', 'team') });
    const found = findRows(session, engine.models.get('player')!, asRequest('player'), () => asked) as Found;
    expect(found.related[0]!.rows.size).toBe(4);
    expect(reads).toBe(4);
  });

  test('a long list with includes goes on in slices, over one snapshot', async () => {
    const engine = filled(3000, 10);
    const asked = query('team', { limit: 10, include: includeOf(engine, 'team', 'player_by_team') });
    const found = (await findRows(
      engine.session(),
      engine.models.get('team')!,
      asRequest('team'),
      () => asked,
    )) as Found;
    expect(engine.yields).toBeGreaterThan(4);
    expect([...found.related[0]!.rows.values()].map((rows) => rows.length)).toEqual(Array(10).fill(300));
  });

  test('more rows than may be brought along are refused', async () => {
    const engine = filled(limits.data.includeRowsMax + 1, 2);
    const asked = query('team', { limit: 10, include: includeOf(engine, 'team', 'player_by_team') });
    const found = await findRows(engine.session(), engine.models.get('team')!, asRequest('team'), () => asked);
    expect(found).toMatchObject({ kind: 'failure', status: 422, details: { parameter: 'include' } });
  });

  test('more groups and more distinct values than a query may hold are refused, a long grouping goes on in slices', async () => {
    const engine = filled(limits.data.groupsMax + 1, 5);
    const player = engine.models.get('player')!;
    const grouped = (by: string) => {
      const count = { kind: 'aggregate', name: 'count', of: 'count', field: null } as const;
      const key = { name: by, field: by, bucket: null };
      const group = { kind: 'grouping', by: [key], aggregates: [count], having: [], order: [] } as const;
      return findRows(engine.session(), player, asRequest('player'), () => query('player', { limit: 9, group }));
    };
    expect(await grouped('id')).toMatchObject({ status: 422, details: { parameter: 'groupby' } });
    const ids = Array.from({ length: 10 }, (_, i) => {
      return { kind: 'aggregate', name: `ids${i}`, of: 'count_distinct', field: 'id' } as const;
    });
    const group = { kind: 'grouping', by: [], aggregates: ids, having: [], order: [] } as const;
    const asked = query('player', { limit: 9, group });
    expect(limits.data.distinctValuesMax).toBeLessThan(10 * (limits.data.groupsMax + 1));
    expect(await findRows(engine.session(), player, asRequest('player'), () => asked)).toMatchObject({
      status: 422,
      details: { parameter: 'count_distinct', most: limits.data.distinctValuesMax },
    });
    const before = engine.yields;
    const found = (await grouped('team_id')) as Found;
    expect(engine.yields).toBeGreaterThan(before + 10);
    expect(found.groups!.map(([, count]) => count)).toEqual([2001, 2000, 2000, 2000, 2000]);
  });
});

describe('a long answer', () => {
  test('is written in slices, whole', async () => {
    const tenant = await DataTenant.open(
      productOf([entityOf('team', { id }), entityOf('player', { id, team_id: ref('team') })]),
    );
    await tenant.send('POST', '/data/rest/team', { id: 't' });
    const count = limits.data.sliceScanRowsMax + 20;
    for (let i = 0; i < count; i++) await tenant.send('POST', '/data/rest/player', { id: `p${i}`, team_id: 't' });
    const { body } = await tenant.send('GET', `/data/rest/player?limit=${count}&include=team`);
    expect(body.count).toBe(count);
    expect(body.data.every((row: { team: { id: string } }) => row.team.id === 't')).toBe(true);
  });

  test('of a few large rows goes on after the turns of others', async () => {
    const tenant = await DataTenant.open(productOf([entityOf('page', { id, text: { type: 'text' } })]));
    const text = 'x'.repeat(limits.data.sliceTextMax / 2);
    for (const name of ['a', 'b', 'c', 'd']) await tenant.send('POST', '/data/rest/page', { id: name, text });
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const { body } = await tenant.send('GET', '/data/rest/page');
    clearImmediate(next);
    expect(body.data.map((row: { id: string; text: string }) => [row.id, row.text.length])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [name, text.length]),
    );
    expect(turns).toBeGreaterThan(0);
  });
});
