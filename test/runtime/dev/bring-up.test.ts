import { expect, test } from 'vitest';
import { bringUp } from '#runtime/dev/bring-up.ts';
import type { AdminAnswer, AdminRequest } from '#runtime/admin-call.ts';

const TENANT = 'acme:desk:dev:main';
const product = { localdir: '/desk/product', tenants: [TENANT] };
const step = (Order: number, SchemaOp: string, Risk: string, Identifier = 'city') => ({
  Order,
  SchemaOp,
  Entity: 'town',
  Identifier,
  Risk,
  Notes: '',
});

interface World {
  readonly check?: string;
  readonly active?: boolean;
  readonly plan?: object;
  readonly planAnswer?: AdminAnswer;
  readonly applied?: object;
}

/** What is said, and what the tenant is asked. */
async function broughtUp({ check = '', active = true, plan = {}, planAnswer, applied = { status: 'applied' } }: World) {
  const asked: AdminRequest[] = [];
  let said = '';
  await bringUp(product, {
    file: "ann's/platform.yaml",
    check: () => Promise.resolve(check),
    isActive: () => active,
    provision: () => Promise.resolve('made\n'),
    admin: (request) => {
      asked.push(request);
      if (request.row === 'plan_apply') return Promise.resolve({ status: 207, body: applied });
      return Promise.resolve(
        planAnswer ?? { status: 200, body: { plan_id: 'P1', max_risk: 'high', steps: [], ...plan } },
      );
    },
    say: (text) => void (said += text),
  });
  return { said, asked };
}

test('a mistake is said, and no tenant is asked', async () => {
  const { said, asked } = await broughtUp({ check: 'entities/a.yaml:1:1: no\n    mend it\n1 problem\n' });
  expect(said).toContain('entities/a.yaml:1:1: no\n    mend it\n');
  expect(said).toContain('the next save is tried again');
  expect(asked).toEqual([]);
});

test('a tenant that is not there is made', async () => {
  expect((await broughtUp({ active: false })).said).toBe(`\n${TENANT}: made\n`);
});

test('steps that lose nothing are confirmed up to medium', async () => {
  const steps = [step(1, 'add_column', 'low'), step(2, 'create_index', 'medium', 'town_city_idx')];
  const { said, asked } = await broughtUp({
    plan: { steps, warnings: ['the checkout is revision a, the tenant serves b: x', 'old versions show null'] },
  });
  expect(asked.map(({ row, body }) => [row, body])).toEqual([
    ['plan_generate', { allow_drops: true }],
    ['plan_apply', { confirm_max_risk: 'medium' }],
  ]);
  expect(said).toBe(
    `\n${TENANT}: applied: a new field town.city, a new index town_city_idx\n  note: old versions show null\n`,
  );
});

test('of the others is said what they would do, and the command for them', async () => {
  const steps = [
    step(1, 'add_column', 'low'),
    step(2, 'fill_column', 'medium'),
    step(3, 'create_index', 'medium'),
    step(4, 'drop_column', 'high', 'fax'),
  ];
  const { said, asked } = await broughtUp({
    plan: { steps, refusals: ['town.x: json cannot become ref'] },
    applied: { status: 'halted', halted_step: 2 },
  });
  expect(asked[1]!.body).toEqual({ confirm_max_risk: 'low' });
  expect(said.split('\n')).toEqual([
    '',
    `${TENANT}: applied: a new field town.city`,
    '  not possible: town.x: json cannot become ref',
    '  not applied: fill_column:town.city: it rewrites rows of town: those that hold null in city take the default',
    '  not applied: create_index:town.city: its turn comes after a step that is not applied',
    '  not applied: drop_column:town.fax: it loses every value of town.fax',
    '  the tenant serves the new definitions over what is stored; to take these steps too, if you want what they do:',
    `    skep data plan apply P1 --confirm-risk high -f 'ann'\\''s/platform.yaml' --tenant ${TENANT}`,
    '',
  ]);
});

test('a step that fails, a plan that is outdated, and a refusal are said', async () => {
  const steps = [step(1, 'create_unique_index', 'medium', 'town_name_key'), step(2, 'drop_table', 'high', 'town')];
  const failed = await broughtUp({
    plan: { steps },
    applied: { status: 'failed', failed_step: 1, error: 'rows share a value' },
  });
  expect(failed.said).toContain('failed: create_unique_index:town.town_name_key: rows share a value');
  expect(failed.said).toContain('not applied: drop_table:town: its turn comes after the step that failed');
  expect(failed.said).not.toContain('skep data plan apply');
  const moved = await broughtUp({ plan: { steps }, applied: { status: 'failed', error: 'generate another' } });
  expect(moved.said).toBe(`\n${TENANT}: not applied: generate another\n`);
  const locked = await broughtUp({ planAnswer: { status: 409, body: { error: 'it is locked', code: 'v2.locked' } } });
  expect(locked.said).toContain('not applied: it is locked (v2.locked)\n');
  expect(locked.said).toContain('the next save is tried again');
});
