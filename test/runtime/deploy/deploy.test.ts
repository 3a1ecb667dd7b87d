/** A deploy against nodes that are drawn: whatever the plans are, nothing harmful is taken that was not allowed by its name. */
import { expect, test } from 'vitest';
import type { TenantPlan } from '#runtime/deploy/client.ts';
import { deploy, DeployStopped } from '#runtime/deploy/deploy.ts';
import { isDrop, nameOf, type Step } from '#runtime/deploy/plan-words.ts';
import { reviewText } from '#runtime/deploy/review.ts';
import { fc } from '#test/kit/property.ts';

/** Kind → risk, and whether it loses or rewrites something, written down once more. */
const KINDS = {
  create_table: ['low', false],
  add_column: ['low', false],
  create_index: ['medium', false],
  fill_column: ['medium', true],
  alter_column_type: ['high', true],
  drop_index: ['high', true],
  drop_column: ['high', true],
  drop_table: ['high', true],
} as const satisfies Record<string, readonly [Step['Risk'], boolean]>;
type Kind = keyof typeof KINDS;
const RISKS = ['low', 'medium', 'high'] as const;
const isHarmful = ({ SchemaOp: op }: Step): boolean => KINDS[op as Kind][1];

interface Drawn {
  readonly kinds: readonly Kind[];
  readonly refuses: boolean;
  readonly fails: boolean;
  readonly moves: boolean;
}

function planOf({ kinds, refuses }: Drawn, drops: boolean): TenantPlan {
  const steps = kinds
    .filter((kind) => drops || !kind.startsWith('drop_'))
    .map((kind, i): Step => ({
      Order: i + 1,
      SchemaOp: kind,
      Entity: 'e',
      Identifier: kind,
      Risk: KINDS[kind][0],
      Notes: '',
    }));
  const max_risk = RISKS.findLast((risk) => steps.some((step) => step.Risk === risk)) ?? 'low';
  return {
    plan_id: drops ? 'all' : 'kept',
    max_risk,
    steps,
    revision: 'new',
    serves: 'old',
    ...(refuses && { refusals: ['x: no'] }),
  };
}

class FakeNode {
  readonly taken = new Map<string, readonly Step[]>();
  readonly #tenants: readonly Drawn[];

  constructor(tenants: readonly Drawn[]) {
    this.#tenants = tenants;
  }

  plan(tenant: string, drops: boolean): TenantPlan {
    const drawn = this.#tenants[Number(tenant)]!;
    const plan = planOf(drawn, drops);
    const more: Step = {
      Order: 99,
      SchemaOp: 'alter_column_type',
      Entity: 'e',
      Identifier: 'other',
      Risk: 'high',
      Notes: '',
    };
    return !drops && drawn.moves ? { ...plan, max_risk: 'high', steps: [...plan.steps, more] } : plan;
  }

  apply(tenant: string, id: string, risk: string) {
    const { fails } = this.#tenants[Number(tenant)]!;
    if (fails) return { status: 'failed', error: 'no room' };
    const { steps } = this.plan(tenant, id === 'all');
    const first = steps.findIndex((step) => RISKS.indexOf(step.Risk) > RISKS.indexOf(risk as Step['Risk']));
    this.taken.set(tenant, first < 0 ? steps : steps.slice(0, first));
    return { status: first < 0 ? 'applied' : 'halted' };
  }
}

const kinds = Object.keys(KINDS) as Kind[];
const drawn = fc.record({
  kinds: fc.uniqueArray(fc.constantFrom(...kinds), { maxLength: 5 }),
  refuses: fc.boolean(),
  fails: fc.boolean(),
  moves: fc.boolean(),
});
/** Most nodes behave. */
const tenant = fc.oneof(
  { weight: 3, arbitrary: drawn.map((one) => ({ ...one, refuses: false, fails: false, moves: false })) },
  drawn,
);

test('nothing harmful is taken unless it is allowed, by the person or beforehand; and nothing at all while one tenant refuses', async () => {
  const reached = { all: 0, refused: 0, left: 0, stopped: 0, asked: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(tenant, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(fc.constantFrom(...kinds), { maxLength: 8 }),
      fc.option(fc.uniqueArray(fc.constantFrom(...kinds, 'apply'), { maxLength: 9 })),
      async (tenants, allow, person) => {
        const node = new FakeNode(tenants);
        const nameOfKind = (kind: Kind): string => nameOf(planOf({ ...tenants[0]!, kinds: [kind] }, true).steps[0]!);
        const said = new Set((person ?? []).flatMap((kind) => (kind === 'apply' ? [] : [nameOfKind(kind)])));
        const allowed = new Set([...allow.map(nameOfKind), ...said]);
        const ask = (question: string): Promise<boolean> => {
          reached.asked++;
          const answer = question.startsWith('Apply to ')
            ? person!.includes('apply')
            : [...said].some((name) => question.startsWith(`${name}: `));
          return Promise.resolve(answer);
        };
        const all = tenants.map((_, i) => String(i));
        const end = await deploy(all, allow.map(nameOfKind), {
          plan: (one, drops) => Promise.resolve(node.plan(one, drops)),
          apply: (one, id, risk) => Promise.resolve(node.apply(one, id, risk)),
          ask: person === null ? null : ask,
          say: () => undefined,
        }).then(
          () => 'all' as const,
          (error: unknown) => {
            if (!(error instanceof DeployStopped)) throw error;
            return error.message;
          },
        );
        for (const steps of node.taken.values())
          for (const step of steps) expect(!isHarmful(step) || allowed.has(nameOf(step)), nameOf(step)).toBe(true);
        // The oracle: each tenant by itself, from the kinds alone.
        const goes = tenants.map(({ kinds: have, refuses }) => {
          const denied = have.filter((kind) => KINDS[kind][1] && !allowed.has(nameOfKind(kind)));
          const drops = have.filter((kind) => kind.startsWith('drop_'));
          const deniedDrops = denied.filter((kind) => kind.startsWith('drop_'));
          return (
            !refuses &&
            denied.length === deniedDrops.length &&
            (deniedDrops.length === 0 || deniedDrops.length === drops.length)
          );
        });
        const isConfirmed = person === null || person.includes('apply');
        if (goes.includes(false) || !isConfirmed) {
          expect(node.taken.size).toBe(0);
          expect(end).toContain('nothing was applied');
          reached.refused++;
          return;
        }
        const isLeft = (i: number): boolean =>
          tenants[i]!.kinds.some((kind) => kind.startsWith('drop_') && !allowed.has(nameOfKind(kind)));
        const stop = tenants.findIndex(({ fails, moves }, i) => fails || (moves && isLeft(i)));
        expect([...node.taken.keys()]).toEqual(all.slice(0, stop < 0 ? undefined : stop));
        for (const [one, steps] of node.taken) {
          const wanted = planOf(tenants[Number(one)]!, true).steps.filter(
            (step) => !isDrop(step) || allowed.has(nameOf(step)),
          );
          expect(steps.map(nameOf)).toEqual(wanted.map(nameOf));
          if (wanted.length < tenants[Number(one)]!.kinds.length) reached.left++;
        }
        if (stop < 0) {
          expect(end).toBe('all');
          reached.all++;
        } else {
          expect(end).toContain(`${stop}: `);
          for (const later of all.slice(stop + 1)) expect(end).toContain(later);
          reached.stopped++;
        }
      },
    ),
    { numRuns: 6000 },
  );
  for (const count of Object.values(reached)) expect(count).toBeGreaterThan(50);
});

test('a tenant that serves the revision already is asked for nothing', async () => {
  const there: TenantPlan = {
    plan_id: 'x',
    max_risk: 'low',
    steps: [],
    revision: 'a'.repeat(64),
    serves: 'a'.repeat(64),
  };
  const text: string[] = [];
  await deploy(['main'], [], {
    plan: () => Promise.resolve(there),
    apply: () => Promise.reject(new Error('it was applied')),
    ask: () => Promise.reject(new Error('it was asked')),
    say: (line) => void text.push(line),
  });
  expect(text.join('')).toBe('main: serves aaaaaaaaaaaa already\n');
});

test('tenants with the same plan stand together', () => {
  const plan = planOf({ kinds: ['add_column', 'drop_table'], refuses: true, fails: false, moves: false }, true);
  expect(
    reviewText([
      { tenant: 'a', plan },
      { tenant: 'b', plan: { ...plan, plan_id: 'other' } },
    ]),
  ).toBe(
    'a, b: from old to new\n  add_column:e.add_column  a new field e.add_column\n  drop_table:e.drop_table  NOT SAFE: it loses every row of e\n  not possible: x: no\n',
  );
});
