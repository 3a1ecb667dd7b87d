/** A deploy from its first plan to its last tenant. Its ports are the node's answers and the person who reviews. */
import type { AppliedPlan, TenantPlan } from './client.ts';
import { harmOf, isDrop, nameOf } from './plan-words.ts';
import { isThere, isWithin, reviewText, short, unsafeSteps, verdictOf, type Planned, type Verdict } from './review.ts';

export interface DeployPorts {
  plan(tenant: string, drops: boolean): Promise<TenantPlan>;
  apply(tenant: string, plan: string, risk: string): Promise<AppliedPlan>;
  /** Asks the person; null where there is none to ask: then only what was allowed beforehand is done. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  say(text: string): void;
}

/** Why a deploy did not reach every tenant, as text for people. */
export class DeployStopped extends Error {}

/**
 * Plans for every tenant, shows the plans, has them reviewed, then applies them one tenant after the other. Nothing is applied anywhere while a
 * tenant refuses or a step is not allowed. Throws DeployStopped.
 */
export async function deploy(tenants: readonly string[], allow: readonly string[], ports: DeployPorts): Promise<void> {
  const planned: Planned[] = [];
  for (const tenant of tenants) planned.push({ tenant, plan: await ports.plan(tenant, true) });
  ports.say(reviewText(planned));
  const open = planned.filter((one) => !isThere(one));
  if (open.length === 0) return;
  const allowed = await reviewed(open, new Set(allow), ports);
  const verdicts = open.map((one) => verdictOf(one, allowed));
  refuse(verdicts);
  for (const [at, one] of open.entries()) {
    const verdict = verdicts[at]!;
    await applied(one, verdict.kind === 'go' && verdict.drops, ports, open.slice(at + 1));
  }
}

/** The names that are allowed once the person has answered: each step that is not safe is asked for by itself. */
async function reviewed(
  open: readonly Planned[],
  allow: ReadonlySet<string>,
  ports: DeployPorts,
): Promise<Set<string>> {
  const allowed = new Set(allow);
  const { ask } = ports;
  if (ask === null) return allowed;
  for (const step of unsafeSteps(open)) {
    const name = nameOf(step);
    if (!allowed.has(name) && (await ask(`${name}: ${harmOf(step)}. Take this step?`))) allowed.add(name);
  }
  if (open.every((one) => verdictOf(one, allowed).kind === 'go'))
    if (!(await ask(`Apply to ${open.map(({ tenant }) => tenant).join(', ')}?`)))
      throw new DeployStopped('nothing was applied');
  return allowed;
}

function refuse(verdicts: readonly Verdict[]): void {
  const refused = verdicts.flatMap((verdict) =>
    verdict.kind === 'refused' ? [`${verdict.tenant}: ${verdict.why}`] : [],
  );
  if (refused.length > 0) throw new DeployStopped(`${refused.join('\n')}\nnothing was applied, to no tenant`);
}

async function applied({ tenant, plan }: Planned, drops: boolean, ports: DeployPorts, after: readonly Planned[]) {
  const left = drops ? [] : plan.steps.filter(isDrop);
  const taken = left.length === 0 ? plan : await ports.plan(tenant, false);
  if (!isWithin(taken, plan)) throw stopped(tenant, 'its schema has changed since the review: deploy again', after);
  const { status, error = '', failed_step: failed } = await ports.apply(tenant, taken.plan_id, taken.max_risk);
  const step = taken.steps.find(({ Order }) => Order === failed);
  if (status !== 'applied')
    throw stopped(
      tenant,
      `${status}${step === undefined ? '' : ` at ${nameOf(step)}`}${error === '' ? '' : `: ${error}`}`,
      after,
    );
  const stays = left.length === 0 ? '' : `; left as it is: ${left.map(nameOf).join(', ')} (--allow takes it)`;
  ports.say(`${tenant}: serves ${short(taken.revision)}${stays}\n`);
}

function stopped(tenant: string, why: string, after: readonly Planned[]): DeployStopped {
  const others = after.map((one) => one.tenant).join(', ');
  return new DeployStopped(`${tenant}: ${why}${others === '' ? '' : `\nnot reached: ${others}`}`);
}
