/**
 * What `skep dev` does with a product that has changed: checks it, plans the change for each of its tenants, takes the steps that neither lose
 * nor rewrite anything, and says of the others why not and how. Nothing here throws: what goes wrong is said, and the next save is tried again.
 */
import { saysChanged } from '#actors/data/admin/plan/generate.ts';
import type { AdminAnswer, AdminRequest } from '#runtime/admin-call.ts';
import { deedOf, harmOf, nameOf, safeLevel, type Step } from '#runtime/deploy/plan-words.ts';
import { shellWord } from '#runtime/shell-word.ts';

/** A checkout and the tenants that have it. */
export interface DevProduct {
  readonly localdir: string;
  readonly tenants: readonly string[];
}

export interface BringUpPorts {
  /** The platform file, as it was typed. */
  readonly file: string;
  /** The problems of a checkout as text; '' where there is none. */
  check(localdir: string): Promise<string>;
  isActive(tenant: string): boolean;
  /** Makes a tenant; gives what its operator has to know, as text. */
  provision(tenant: string): Promise<string>;
  /** Calls a row of a tenant's admin plane. */
  admin(request: AdminRequest): Promise<AdminAnswer>;
  say(text: string): void;
}

interface Planned {
  readonly plan_id: string;
  readonly max_risk: string;
  readonly warnings?: readonly string[];
  readonly refusals?: readonly string[];
  readonly steps: readonly Step[];
}

interface Applied {
  readonly status: string;
  readonly failed_step?: number;
  readonly halted_step?: number;
  readonly error?: string;
}

const TRY_AGAIN = 'The node goes on as before; the next save is tried again.\n';

/** Checks a product and brings its tenants to it. */
export async function bringUp(product: DevProduct, ports: BringUpPorts): Promise<void> {
  const faults = await ports.check(product.localdir).catch((error: unknown) => `${(error as Error).message}\n`);
  if (faults !== '') {
    ports.say(`\n${faults}${TRY_AGAIN}`);
    return;
  }
  for (const tenant of product.tenants) {
    const text = await broughtUp(tenant, ports).catch(
      (error: unknown) => `not applied: ${(error as Error).message.trimEnd()}\n${TRY_AGAIN}`,
    );
    ports.say(`\n${tenant}: ${text}`);
  }
}

async function broughtUp(tenant: string, ports: BringUpPorts): Promise<string> {
  if (!ports.isActive(tenant)) return ports.provision(tenant);
  const planned = await called<Planned>(ports, {
    tenant,
    row: 'plan_generate',
    method: 'POST',
    body: { allow_drops: true },
  });
  const confirmed = safeLevel(planned.steps);
  const applied = await called<Applied>(ports, {
    tenant,
    row: 'plan_apply',
    method: 'POST',
    params: [planned.plan_id],
    body: { confirm_max_risk: confirmed },
  });
  return told(tenant, planned, applied, ports.file);
}

/** The answer of a row; throws with its message where the tenant refuses. */
async function called<T>(ports: BringUpPorts, request: AdminRequest): Promise<T> {
  const { status, body } = await ports.admin(request);
  if (status < 300) return body as T;
  const { error, code } = body as { readonly error: string; readonly code: string };
  throw new Error(`${error} (${code})`);
}

function told(tenant: string, { plan_id, max_risk, ...planned }: Planned, applied: Applied, file: string): string {
  const { error, failed_step: failed, halted_step: halted } = applied;
  // Definitions that changed once more while they were planned: the watch has seen that too.
  if (applied.status === 'failed' && failed === undefined) return `not applied: ${error}\n`;
  const firstLeft = failed ?? halted ?? Infinity;
  const taken = planned.steps.filter(({ Order }) => Order < firstLeft);
  const left = planned.steps.filter(({ Order }) => Order >= firstLeft && Order !== failed);
  const deeds = taken.map(deedOf).join(', ');
  const lines = [`applied${deeds === '' ? '' : `: ${deeds}`}`];
  for (const warning of planned.warnings ?? []) if (!saysChanged(warning)) lines.push(`  note: ${warning}`);
  for (const refusal of planned.refusals ?? []) lines.push(`  not possible: ${refusal}`);
  const broken = planned.steps.find(({ Order }) => Order === failed);
  if (broken !== undefined) lines.push(`  failed: ${nameOf(broken)}: ${error}`);
  for (const step of left) lines.push(`  not applied: ${nameOf(step)}: ${whyLeft(step, failed)}`);
  if (left.length > 0 && failed === undefined) lines.push(...byHand(tenant, plan_id, max_risk, file));
  return `${lines.join('\n')}\n`;
}

function whyLeft(step: Step, failed: number | undefined): string {
  if (failed !== undefined) return 'its turn comes after the step that failed';
  return harmOf(step) ?? 'its turn comes after a step that is not applied';
}

const byHand = (tenant: string, plan: string, risk: string, file: string): readonly string[] => [
  '  the tenant serves the new definitions over what is stored; to take these steps too, if you want what they do:',
  `    skep data plan apply ${plan} --confirm-risk ${risk} -f ${shellWord(file)} --tenant ${tenant}`,
];
