/** What a deploy would do, and whether it may: each step that loses or rewrites something has to be allowed by its name. Pure. */
import type { TenantPlan } from './client.ts';
import { deedOf, harmOf, isDrop, nameOf, type Step } from './plan-words.ts';

/** A plan with every drop that the revision could have. */
export interface Planned {
  readonly tenant: string;
  readonly plan: TenantPlan;
}

/** Whether the tenant serves the revision already. */
export const isThere = ({ plan: { steps, revision, serves } }: Planned): boolean =>
  steps.length === 0 && revision === serves;

/** The plans as text: tenants with the same steps stand together. */
export function reviewText(planned: readonly Planned[]): string {
  const groups = new Map<string, string[]>();
  for (const one of planned) {
    const text = planText(one);
    groups.set(text, [...(groups.get(text) ?? []), one.tenant]);
  }
  return [...groups].map(([text, tenants]) => `${tenants.join(', ')}: ${text}`).join('');
}

function planText({ plan, tenant }: Planned): string {
  const { steps, warnings = [], refusals = [], revision, serves } = plan;
  if (isThere({ plan, tenant })) return `serves ${short(revision)} already\n`;
  const lines = [`from ${serves === null ? 'no revision' : short(serves)} to ${short(revision)}`];
  if (steps.length === 0) lines.push('  no step: rules, programs and texts alone');
  for (const step of steps) {
    const harm = harmOf(step);
    lines.push(`  ${nameOf(step)}  ${harm === null ? deedOf(step) : `NOT SAFE: ${harm}`}`);
  }
  for (const warning of warnings) lines.push(`  note: ${warning}`);
  for (const refusal of refusals) lines.push(`  not possible: ${refusal}`);
  return `${lines.join('\n')}\n`;
}

export const short = (revision: string): string => revision.slice(0, 12);

/** The steps of some plans that lose or rewrite something, each name once. */
export function unsafeSteps(planned: readonly Planned[]): Step[] {
  const byName = new Map<string, Step>();
  for (const { plan } of planned)
    for (const step of plan.steps) if (harmOf(step) !== null) byName.set(nameOf(step), step);
  return [...byName.values()];
}

/** How each tenant goes on: with every drop of its plan, or with none. */
export type Verdict =
  | { readonly kind: 'go'; readonly tenant: string; readonly drops: boolean }
  | { readonly kind: 'refused'; readonly tenant: string; readonly why: string };

/** `allowed`: the names of steps that may be taken. A drop that is not allowed can be left out, any other step cannot. */
export function verdictOf({ tenant, plan }: Planned, allowed: ReadonlySet<string>): Verdict {
  const refused = (why: string): Verdict => ({ kind: 'refused', tenant, why });
  const { refusals = [], steps } = plan;
  if (refusals.length > 0) return refused(`the revision does not fit what is stored: ${refusals.join('; ')}`);
  const missing = steps.filter((step) => harmOf(step) !== null && !allowed.has(nameOf(step)));
  const needed = missing.filter((step) => !isDrop(step)).map(nameOf);
  if (needed.length > 0) return refused(`not allowed: ${needed.join(', ')} (--allow ${needed.join(' ')})`);
  const left = missing.map(nameOf);
  const drops = steps.filter(isDrop);
  if (left.length > 0 && left.length < drops.length)
    return refused(`it drops ${drops.map(nameOf).join(', ')}: allow all of these or none, since one plan takes them`);
  return { kind: 'go', tenant, drops: drops.length > 0 && left.length === 0 };
}

/** Whether the plan that is to be applied does no more than the one that was reviewed. */
export function isWithin(plan: TenantPlan, reviewed: TenantPlan): boolean {
  const known = new Set(reviewed.steps.map(nameOf));
  return plan.revision === reviewed.revision && plan.steps.every((step) => known.has(nameOf(step)));
}
