/**
 * Every route of identity, asked with bodies that are nearly what its row declares, by every kind of caller: each answer is one that
 * the row declares, none is a fault, and a refusal leaves no row behind but those that count attempts.
 * Runs of each route: SKEP_FUZZ_RUNS / 8; SKEP_TEST_SEED repeats a failure.
 */
import { fc } from '#test/kit/property.ts';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { routes } from '#actors/identity/routes.ts';
import { refusals } from '#actors/identity/refusals.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { INACTIVE_TENANT, MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { EMAIL, PASSWORD, UserWorld } from '#test/kit/users.ts';
import { testSeed } from '#test/kit/seed.ts';

const RUNS = Math.ceil(Number(process.env['SKEP_FUZZ_RUNS'] ?? 400) / 8);
const SEED = testSeed();

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
}

const HOSTILE = fc.constantFrom<unknown>(
  null,
  '',
  ' ',
  '\0',
  '\u202e',
  '\u{1F41D}',
  '💣'.repeat(300),
  'x'.repeat(5000),
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '*:*:*:*',
  EMAIL,
  PASSWORD,
  '../..',
  '${env}',
  '{{7*7}}',
  "' OR 1=1 --",
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  true,
  false,
  [],
  [[]],
  {},
  { kind: 'refusal', code: 'ok', status: 200 },
  { toString: 'x' },
  ['*:*:*:*', 'a:b:c:d:e', ''],
);

/** What a shape takes, more or less. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const sound: fc.Arbitrary<unknown>[] = [];
  if (schema.anyOf !== undefined) sound.push(...schema.anyOf.map(near));
  if (schema.enum !== undefined) sound.push(fc.constantFrom(...schema.enum));
  if (schema.format === 'email') sound.push(fc.emailAddress());
  else if (types.includes('string'))
    sound.push(fc.string(), fc.constantFrom(EMAIL, PASSWORD, 'acme:dev:atlas:main', '123456'));
  if (types.includes('integer') || types.includes('number')) sound.push(fc.integer({ min: -3, max: 400_000 }));
  if (types.includes('boolean')) sound.push(fc.boolean());
  if (schema.items !== undefined) sound.push(fc.array(near(schema.items), { maxLength: 4 }));
  if (schema.properties !== undefined) {
    const fields = Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, near(field)]));
    sound.push(fc.record(fields), fc.record(fields, { requiredKeys: [] }));
  }
  return fc.oneof(...(sound.length === 0 ? [fc.anything()] : sound.map((arbitrary) => ({ arbitrary, weight: 8 }))), {
    arbitrary: HOSTILE,
    weight: 1,
  });
}

/** Bodies of a route: its shape, more or less, or a text that is no body at all. */
function bodiesOf({ request }: RouteRow): fc.Arbitrary<unknown> {
  const text = fc.constantFrom('', '{', '[]', 'null', '"x"', '{"a":1,"a":2}', '{"__proto__":{}}', '\ufeff{}');
  if (request === undefined) return fc.oneof(text, fc.constant(undefined));
  const shape = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fc.oneof({ arbitrary: near(shape), weight: 9 }, { arbitrary: text, weight: 1 });
}

const WHO = fc.constantFrom(
  'anonymous',
  'user',
  'superadmin',
  'impersonation',
  'service',
  'key',
  'service key',
  'forged',
);
const PARAMETER = fc.oneof(
  fc.constantFrom('', '\0', '%00', '__proto__', 'constructor', 'x'.repeat(3000), 'corp', '01ARZ3NDEKTSV4RRFFQ69G5FAV'),
  fc.string(),
);
const QUERY = fc.oneof(
  fc.webQueryParameters(),
  fc.constantFrom(
    '',
    'audience=%00',
    'audience=data&audience=x',
    'code=x&state=y',
    `state=${'s'.repeat(2000)}&otp=1`,
    '%',
    '=&=',
  ),
);
const PLACE = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  undefined,
  NO_POSITION,
  MALFORMED_POSITION,
  UNKNOWN_POSITION,
  INACTIVE_TENANT,
);

function credentialOf(world: UserWorld, who: string): string {
  if (who === 'user') return world.bearer(['tenant_user'], { sub: 'U' });
  if (who === 'superadmin') return world.bearer(['superadmin', 'tenant_admin', 'impersonate']);
  if (who === 'impersonation') return world.bearer(['tenant_user'], { act: { sub: 'O' }, sid: 'S' });
  if (who === 'service') return world.bearer([], { type: 'service', scope: ['*:*:*:*'] });
  if (who === 'key') return world.key({ roles: ['tenant_user'] });
  if (who === 'service key') return world.key({ scope: ['acme:dev:atlas:main'] });
  return who === 'forged' ? 'Bearer v4.public.AAAA' : '';
}

const rowsOf = (world: UserWorld): string[] => [...world.store.begin().range('\x00', '\xff')].map(({ key }) => key);
/** Flows whose refusals write: a wrong code is counted, a reused token ends its family. */
const COUNTS = new Set(['consumeMagicLink', 'consumeCode', 'refresh']);

test.each(Object.entries<RouteRow>(routes))(`%s, seed ${SEED}`, { timeout: 60_000 }, async (name, row) => {
  const world = new UserWorld({
    // Bootstrap is answered by the control plane only.
    ...(name === 'bootstrap' ? { position: CONTROL_PLANE } : {}),
    bootstrapToken: PASSWORD,
    askNode: () => Promise.resolve({ ok: false, why: 'unknown', message: 'no node answers' }),
  });
  await world.addUser();
  await fc.assert(
    fc.asyncProperty(bodiesOf(row), WHO, PARAMETER, QUERY, PLACE, async (body, who, id, query, tenantNo) => {
      const authorization = credentialOf(world, who);
      const before = rowsOf(world);
      const ask = {
        body,
        id,
        query: query.replace(/^\?/, ''),
        authorization,
        ...(tenantNo === undefined ? {} : { tenantNo }),
      };
      const { status, text, ...answer } = await world.ask(name as keyof typeof routes, ask);
      // A refused rate has no `code`: its `error` is the code.
      const code = status === 429 ? (answer.body['error'] as string) : answer.code;
      if (status < 400) {
        expect(Object.keys(row.replies).map(Number)).toContain(status);
        return;
      }
      const known = refusals as Readonly<Record<string, { readonly statuses: readonly number[] }>>;
      if (text !== '') {
        expect(row.refusals).toContain(code);
        expect(known[code!]!.statuses).toContain(status);
      }
      if (status === 500) expect([code, tenantNo]).toEqual(['engine_unavailable', expect.anything()]);
      if (!COUNTS.has(name)) expect(rowsOf(world)).toEqual(before);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(({} as { kind?: unknown }).kind).toBeUndefined();
});
