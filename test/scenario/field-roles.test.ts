/**
 * Roles of fields, attacked over HTTP to a real node: every route of the data service, by every kind of caller, with whatever makes a route
 * show rows. The route table makes the list, so that a new route is in it by itself. Docs: docs/contract/data-definitions.md §2.2.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#actors/data/routes.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const on = useDataNode({ product: 'clinic', extra: 'jobs: { threads: 2 }' });
/** Part of what only doctors read; no request holds it. */
const SECRET = 'S3CR3T';
const PASSWORD = 'correct horse battery';
const USERS = { doctor: ['doctor'], clerk: ['clerk'], user: ['tenant_user'], admin: ['tenant_admin'] } as const;
const OTHERS = ['clerk', 'user', 'admin', 'service', 'static key', 'anonymous'] as const;
const as: Record<string, Headers> = {};

async function logIn(name: keyof typeof USERS): Promise<void> {
  const email = `${name}@example.org`;
  const wish = { email, password: PASSWORD, roles: USERS[name], replace: true };
  await on.it.node.ask(TENANT, 'identity', 'person.ensure', wish);
  const answer = await on.it.call('POST', '/auth/login', on.it.position(), { login: email, password: PASSWORD });
  const { access_token: token } = answer.json as { access_token: string };
  as[name] = { ...on.it.position(), Authorization: `Bearer ${token}` };
}

const ask = (name: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  on.it.call(method, `/data/${path}`, as[name], body);

beforeAll(async () => {
  for (const name of Object.keys(USERS)) await logIn(name as keyof typeof USERS);
  as['service'] = on.bearer;
  as['static key'] = { ...on.it.position(), 'X-Api-Key': 'sesame' };
  as['anonymous'] = on.it.position();
  const ward = await ask('doctor', 'POST', 'rest/ward', { id: 'w1', name: 'north' });
  const secrets = { diagnosis: `${SECRET}-d`, pin: `${SECRET}-p`, ward_id: 'w1' };
  const made = await ask('doctor', 'POST', 'rest/patient', { id: 'p1', name: 'Ada', ...secrets });
  expect([ward.status, made.status, made.text]).toEqual([201, 201, made.text]);
}, 60_000);

/** What makes a route show rows, by a query or by a body. */
const QUERIES = [
  '',
  'stats=true&meta=true&states=true&allowedactions=true&sendhash=true&version=1&deleted=true',
  'unmask=true',
  'select=id,diagnosis',
  'include=ward',
  'include=patient_by_ward',
  'orderby=diagnosis&limit=1',
  'groupby=diagnosis',
  '[aggregate]=min(diagnosis),max(pin)',
  'diagnosis[like]=S%25',
  'expression=.',
  '[on]=id',
  'download=true&field=pin',
  ...['json', 'jsonl', 'csv'].map((format) => `entity=patient&format=${format}`),
  'entity=patient&fields=diagnosis',
  `query=${encodeURIComponent('{ patient { nodes { id diagnosis pin } } }')}`,
  `query=${encodeURIComponent('{ patient { nodes { id name } } }')}`,
];
const BODIES: readonly unknown[] = [
  undefined,
  {},
  { filter: {} },
  { filter: { diagnosis: { like: 'S%' } } },
  { id: 'p1', name: 'Ada' },
  { id: 'p1', diagnosis: 'guess' },
  [{ id: 'p1', name: 'Ada', pin: 'guess' }],
  { operations: [{ action: 'update', data: { patient: { id: 'p1', name: 'Ada' } } }] },
  { operations: [{ action: 'upsert', data: { patient: { id: 'p1', diagnosis: 'guess' } } }] },
  { query: '{ patient { nodes { id diagnosis pin } } ward { nodes { patient_by_ward { nodes { pin } } } } }' },
  { query: 'mutation { update_patient(id: "p1", data: { name: "Ada" }) { id diagnosis } }' },
  { name: 'Ada', _method: 'PUT' },
  { field: 'pin' },
];

const NAMES: Readonly<Record<string, readonly string[]>> = {
  entity: ['patient', 'ward'],
  id: ['p1'],
  name: ['patients', 'guess', 'stay'],
  action: ['patients'],
  path: ['look', 'count'],
};

/** Every path of a route, with names that mean something; `x` for the other parameters. */
function pathsOf(path: string): string[] {
  const match = /\{(\w+)\*?\}/.exec(path);
  if (match === null) return [path];
  return (NAMES[match[1]!] ?? ['x']).flatMap((name) => pathsOf(path.replace(match[0], name)));
}

interface Shot {
  readonly route: string;
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
}

function shotsAt(
  route: string,
  { path, methods }: { readonly path: string; readonly methods: readonly string[] },
): Shot[] {
  return pathsOf(path).flatMap((at) =>
    methods.flatMap((method) => {
      const asked = QUERIES.map((query) => ({ route, method, target: query === '' ? at : `${at}?${query}` }));
      if (method === 'GET') return asked;
      const bare = BODIES.map((body) => ({ route, method, target: at, body }));
      return [...bare, ...asked.map((shot) => ({ ...shot, body: { id: 'p1', name: 'Ada' } }))];
    }),
  );
}

const SHOTS = Object.entries<RouteRow>(routes)
  .filter(([, { listener }]) => listener !== 'own')
  .flatMap(([name, row]) => shotsAt(name, row));

/** The shots that answer with the secret, or with what `holds` says. */
async function fire(name: string, told: (shot: Shot, answer: Answer) => boolean): Promise<Shot[]> {
  const hits: Shot[] = [];
  const rest = SHOTS.values();
  const lane = async (): Promise<void> => {
    for (const shot of rest) {
      const answer = await on.it.call(shot.method, shot.target, as[name], shot.body);
      expect(answer.status, JSON.stringify(shot)).not.toBe(429);
      if (told(shot, answer)) hits.push(shot);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane(), lane(), lane()]);
  return hits;
}

/** The routes that show rows of callers. One that is new here is attacked as the others are: add its name, and shots if it needs some. */
const SHOWING =
  'action action_read create endpoint entity_action export graphql graphql_get list operations read search update update_by_id'.split(
    ' ',
  );
/** Statements of actions have columns with names, which are null then. */
const STATEMENTS = ['action', 'action_read', 'entity_action'];

/** Of a shot that does not name the field: whether the answer does. Administrators know the names of the definitions. */
const namesField = ({ route, target, body }: Shot, { text }: Answer): boolean =>
  !STATEMENTS.includes(route) &&
  !`${target}${JSON.stringify(body ?? '')}`.includes('diagnosis') &&
  text.includes('diagnosis');

const showsSecret = (_: Shot, { text, headers }: Answer): boolean =>
  text.includes(SECRET) || JSON.stringify([...headers]).includes(SECRET);

describe('every route of the data service', () => {
  test('the shots are real: they make these routes show a doctor what clerks must not see', async () => {
    const hits = await fire('doctor', showsSecret);
    expect([...new Set(hits.map(({ route }) => route))].toSorted()).toEqual(SHOWING);
  }, 120_000);

  test.each(OTHERS)(
    'shows nothing of it to %s',
    async (name) => {
      expect(
        await fire(name, (shot, answer) => showsSecret(shot, answer) || (name !== 'admin' && namesField(shot, answer))),
      ).toEqual([]);
    },
    120_000,
  );
});

describe('what runs as a role', () => {
  test('an endpoint does what its role may, in the name of its caller, and no more', async () => {
    const stamped = await ask('user', 'POST', 'x/stamp', { id: 'by-user', patient: 'p1' });
    const me = (await on.it.call('GET', '/auth/me', as['user'])).json as { id: string };
    expect(stamped.json).toEqual({
      made: { id: 'by-user', patient: 'p1', owner: me.id },
      subject: me.id,
      roles: ['tenant_user'],
    });
    expect((await ask('user', 'POST', 'rest/stamp', { id: 'mine', patient: 'p1' })).status).toBe(403);
    for (const name of ['user', 'doctor'])
      expect((await ask(name, 'POST', 'x/stamp', { patient: 'by-hand' })).status).toBe(403);
  });

  test('a public one shows everyone what its script makes of rows, and nothing else', async () => {
    const { json } = await ask('anonymous', 'GET', 'x/count');
    expect((json as { diagnosed: number }).diagnosed).toBeGreaterThan(0);
    expect((await ask('anonymous', 'GET', 'x/look')).text).not.toContain('diagnosis');
  });

  test('scripts of a stateflow write what the caller of the write may not', async () => {
    expect((await ask('clerk', 'POST', 'rest/patient', { id: 'p2', name: 'Bob' })).status).toBe(201);
    const moved = await ask('clerk', 'PATCH', 'rest/patient/id/p2', { state: 'gone' });
    expect([moved.status, moved.text]).toEqual([200, moved.text]);
    expect((await ask('clerk', 'GET', 'rest/stamp')).status).toBe(403);
    const again = await ask('user', 'POST', 'x/stamp', { id: 'left-p2', patient: 'p2' });
    expect(again.text).toContain('is taken by another row');
  });
});
