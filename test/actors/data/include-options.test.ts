/** docs/contract/data.md §5.6.2: which of the included rows are shown, in which order and with which fields; and what that never tells. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { NO_CONDITIONS } from '#actors/engine/rows/alternatives.ts';
import { fuelled, fuelLeft } from '#actors/kit/pace/fuel.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { limits } from '#config/limits.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const id = { type: 'string' } as const;
const ref = (entity: string) => ({ type: 'ref', nullable: true, ref: { entity } }) as const;
const product = productOf([
  entityOf('team', { id, name: { type: 'string' } }),
  entityOf(
    'player',
    {
      id,
      team_id: ref('team'),
      captain: ref('player'),
      score: { type: 'integer' },
      tags: { type: 'json' },
      phone: { type: 'string', mask: 'redact' },
      public: { type: 'boolean' },
    },
    {
      rowRule: "row.public || principal.type == 'internal'",
      traits: ['soft_delete'],
      access: { read: 'true', create: 'true', delete: 'true' },
    },
  ),
  entityOf('medal', { id, player_id: ref('player'), year: { type: 'integer' } }),
  entityOf('scandal', { id, team_id: ref('team'), text: { type: 'string' } }, { access: { create: 'true' } }),
]);
const INSIDE = { principal: { ...USER, type: 'internal' as const } };

let tenant: DataTenant;
const teams = async (query: string) => {
  const { status, body } = await tenant.send('GET', `/data/rest/team?orderby=id&${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const playersOf = async (options: string): Promise<string[][]> =>
  (await teams(`include=player_by_team&${options}`)).data.map((team: { player_by_team: { id: string }[] }) =>
    team.player_by_team.map((player) => player.id),
  );
const refused = async (query: string) => {
  const { status, body } = await tenant.send('GET', `/data/rest/team?${query}`);
  return [status, body.error];
};

beforeAll(async () => {
  tenant = await DataTenant.open(product);
  const post = async (entity: string, row: object) => {
    const { status, body } = await tenant.send('POST', `/data/rest/${entity}`, row, INSIDE);
    expect([status, body.error]).toEqual([201, undefined]);
  };
  for (const name of ['blue', 'red']) await post('team', { id: name, name });
  const rows: [string, string, number, boolean][] = [
    ['r1', 'red', 1, true],
    ['b1', 'blue', 5, true],
    ['b2', 'blue', 9, false],
    ['b3', 'blue', 7, true],
    ['r2', 'red', 3, true],
    ['r3', 'red', 2, true],
    ['r4', 'red', 8, true],
  ];
  for (const [key, team_id, score, open] of rows)
    await post('player', {
      id: key,
      team_id,
      score,
      public: open,
      phone: '1234',
      tags: { level: score },
      captain: key === 'r1' ? null : 'r1',
    });
  for (const [key, player_id, year] of [
    ['m1', 'r1', 2020],
    ['m2', 'r1', 2024],
    ['m3', 'b3', 2024],
    ['m4', 'b2', 2024],
  ] as const)
    await post('medal', { id: key, player_id, year });
  await tenant.send('DELETE', '/data/rest/player/id/r4', undefined, INSIDE);
});

describe('the rows of a relation', () => {
  test('as many of each row as the limit says, in the order that is asked for', async () => {
    expect(await playersOf('[player_by_team][limit]=1')).toEqual([['b1'], ['r1']]);
    expect(await playersOf('[player_by_team][orderby]=-score')).toEqual([
      ['b3', 'b1'],
      ['r2', 'r3', 'r1'],
    ]);
    expect(await playersOf('[player_by_team][orderby]=-score&[player_by_team][limit]=2')).toEqual([
      ['b3', 'b1'],
      ['r2', 'r3'],
    ]);
    expect(await playersOf('[PLAYER_BY_TEAM][limit]=1'.toLowerCase())).toEqual([['b1'], ['r1']]);
    expect(await playersOf('[player_by_team][limit]=0')).toEqual([[], []]);
    expect(await playersOf('[player_by_team][orderby]=-score&deleted=true')).toEqual([
      ['b3', 'b1'],
      ['r4', 'r2', 'r3', 'r1'],
    ]);
  });

  test('that meet a filter: groups, references and json among it', async () => {
    const filtered = (filter: object) =>
      playersOf(`[player_by_team][filter]=${encodeURIComponent(JSON.stringify(filter))}`);
    expect(await filtered({ score: { gte: 3 } })).toEqual([['b1', 'b3'], ['r2']]);
    expect(await filtered({ '[or]': [{ score: 1 }, { id: 'b1' }] })).toEqual([['b1'], ['r1']]);
    expect(await filtered({ '[captain.score]': 1 })).toEqual([
      ['b1', 'b3'],
      ['r2', 'r3'],
    ]);
    expect(await filtered({ '[tags/level]': { gt: 2 } })).toEqual([['b1', 'b3'], ['r2']]);
    // A hidden row is no match, whatever is asked of it.
    expect(await filtered({ score: 9 })).toEqual([[], []]);
  });

  test('with the selected fields, parts of json among them', async () => {
    const { data } = await teams(
      'include=player_by_team&[player_by_team][select]=id,tags/level&[player_by_team][limit]=1',
    );
    expect(data.map((team: { player_by_team: unknown }) => team.player_by_team)).toEqual([
      [{ id: 'b1', 'tags/level': 5 }],
      [{ id: 'r1', 'tags/level': 1 }],
    ]);
    const nested = await teams(
      'include=player_by_team.medal_by_player&depth=2&[player_by_team][select]=id&[player_by_team.medal_by_player][filter]={"year":2024}&[player_by_team.medal_by_player][select]=id',
    );
    expect(nested.data[1].player_by_team[0]).toEqual({ id: 'r1', medal_by_player: [{ id: 'm2' }] });
    expect(nested.data[0].player_by_team).toEqual([
      { id: 'b1', medal_by_player: [] },
      { id: 'b3', medal_by_player: [{ id: 'm3' }] },
    ]);
  });

  test('a single row is shown where it meets the filter, else null', async () => {
    const { body } = await tenant.send(
      'GET',
      '/data/rest/player?orderby=id&select=id&include=team&[team][filter]={"name":"red"}&[team][select]=name&limit=3',
    );
    expect(body.data).toEqual([
      { id: 'b1', team: null },
      { id: 'b3', team: null },
      { id: 'r1', team: { name: 'red' } },
    ]);
    const one = await tenant.send(
      'GET',
      '/data/rest/team/id/red?include=player_by_team&[player_by_team][limit]=1&[player_by_team][select]=id',
    );
    expect(one.body.data[0].player_by_team).toEqual([{ id: 'r1' }]);
    const searched = await tenant.send(
      'POST',
      '/data/rest/team/search?include=player_by_team&[player_by_team][limit]=1&[player_by_team][select]=id',
      { filter: { id: 'red' } },
    );
    expect(searched.body.data[0].player_by_team).toEqual([{ id: 'r1' }]);
  });
});

describe('what does not fit is refused', () => {
  test('by the name of its parameter', async () => {
    const included = 'include=player_by_team&[player_by_team]';
    expect(await refused('[player_by_team][limit]=1')).toEqual([
      422,
      '[player_by_team][limit] needs player_by_team among include',
    ]);
    expect(await refused(`${included}[limit]=x`)).toEqual([422, '[player_by_team][limit] must be a whole number']);
    expect(await refused(`${included}[limit]=${limits.data.includeRowsMax + 1}`)).toEqual([
      422,
      `[player_by_team][limit] may be at most ${limits.data.includeRowsMax}`,
    ]);
    expect(await refused(`${included}[limit]=1&[player_by_team][limit]=2`)).toEqual([
      422,
      '[player_by_team][limit] may be there once',
    ]);
    expect(await refused(`${included}[filter]=[]`)).toEqual([
      422,
      '[player_by_team][filter] must be an object of conditions',
    ]);
    expect(await refused(`${included}[filter]={"none":1}`)).toEqual([422, 'player has no field none']);
    expect(await refused(`${included}[orderby]=none`)).toEqual([422, 'player has no field none']);
    expect(await refused(`${included}[orderby]=tags`)).toEqual([422, 'a json has no order']);
    expect(await refused(`${included}[select]=none/x`)).toEqual([422, 'player has no field none/x']);
    expect(await refused('groupby=name&[player_by_team][limit]=1')).toEqual([422, 'include does not go with groupby']);
    const single = await tenant.send('GET', '/data/rest/player?include=team&[team][limit]=1');
    expect(single.body.error).toBe('[team][limit] is of many rows, and the relation names one');
  });

  test('what the caller may not read: as the include itself, and as a query by a masked field', async () => {
    expect(await refused('include=scandal_by_team')).toEqual([403, 'read on scandal is not allowed']);
    for (const option of ['[filter]={"none":1}', '[filter]={"text":"x"}', '[orderby]=none', '[select]=none'])
      expect(await refused(`include=scandal_by_team&[scandal_by_team]${option}`)).toEqual([
        403,
        'read on scandal is not allowed',
      ]);
    for (const option of ['[filter]={"phone":"1234"}', '[orderby]=phone', '[filter]={"[not]":{"phone":"1"}}'])
      expect(await refused(`include=player_by_team&[player_by_team]${option}`)).toEqual([
        403,
        'phone is masked: a query by it is not allowed',
      ]);
    const { data } = await teams('include=player_by_team&[player_by_team][select]=phone&[player_by_team][limit]=1');
    expect(data[0].player_by_team).toEqual([{ phone: '***' }]);
  });
});

describe('what it costs', () => {
  const engine = new Engine(product);
  const session = engine.session(INTERNAL);
  const put = (entity: string, row: object) => {
    const written = createRow(session, engine.models.get(entity)!, { ...row }, asRequest(entity));
    if (isFailure(written)) throw new Error(written.message);
  };
  const find = (options: string): Promise<Found> => {
    const model = engine.models.get('team')!;
    const asker = { session, request: asRequest('team') };
    const parameters = new Parameters(new URLSearchParams(`include=player_by_team&${options}`));
    return Promise.resolve(
      findRows(session, model, asRequest('team'), () => parseQuery(model, parameters, null, NO_CONDITIONS, asker)),
    ) as Promise<Found>;
  };
  beforeAll(() => {
    put('team', { id: 't', name: 'big' });
    for (let no = 0; no < 400; no++)
      put('player', { id: `p${String(no).padStart(4, '0')}`, team_id: 't', score: no % 7 });
    engine.end(true);
  });

  test('the first rows of the keys are looked at alone; those that a filter passes over burn fuel', async () => {
    const spent = async (options: string): Promise<number> => {
      let used = 0;
      await fuelled(1_000_000, async () => {
        const before = fuelLeft();
        const found = find(options);
        used = before - fuelLeft();
        return found;
      });
      return used;
    };
    const few = await spent('[player_by_team][limit]=2');
    const many = await spent('[player_by_team][filter]={"score":99}');
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(4 * (limits.data.includeLookUnits + 20));
    expect(many).toBeGreaterThan(400 * limits.data.includeLookUnits);
  });

  test('rows that are looked at go on in slices', async () => {
    const before = engine.yields;
    const found = await fuelled(2000, () =>
      find('[player_by_team][filter]={"score":3}&[player_by_team][orderby]=-id&[player_by_team][limit]=2'),
    );
    expect(engine.yields).toBeGreaterThan(before);
    const player = engine.models.get('player')!;
    expect(found.related[0]!.rows.get('t')!.map(({ slots }) => player.shape(slots)['id'])).toEqual(['p0395', 'p0388']);
  });
});

describe('parts of json in select', () => {
  test('are shown under the name that was selected', async () => {
    const list = async (select: string) =>
      (await tenant.send('GET', `/data/rest/player?select=${select}&orderby=id&limit=1&stats=true`)).body;
    const { data, stats } = await list('id,tags/level,tags/none/deep,tags');
    expect(data).toEqual([{ id: 'b1', 'tags/level': 5, 'tags/none/deep': null, tags: { level: 5 } }]);
    expect(stats.sql).toContain(`"tags" #> '{"level"}' AS "tags/level"`);
    expect((await list('score/x')).error).toBe('player has no field score/x');
    expect(
      (
        await list(
          `tags/${Array<string>(limits.data.jsonPathMax + 1)
            .fill('a')
            .join('/')}`,
        )
      ).error,
    ).toContain('at most');
  });

  test('in exports, too', async () => {
    const send = async (format: string) =>
      (await tenant.send('PATCH', `/data/bulk?entity=player&format=${format}&fields=id,tags/level&orderby=id&limit=1`))
        .body;
    expect(await send('csv')).toBe('id,tags/level\r\nb1,5\r\n');
    expect(await send('jsonl')).toBe('{"id":"b1","tags/level":5}\n');
  });
});
