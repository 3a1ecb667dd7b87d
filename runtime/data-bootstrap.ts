/** `data bootstrap` in all its forms: stores and schemas of tenants and planes, and the first people in them. Spec: docs/contract/identity.md §10.2. */
import type { Platform } from '#config/platform.ts';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import { CONTROL_PLANE, isPlane, parsePosition, sharedPlaneOf } from '#actors/protocol/position.ts';
import type { TenantState } from '#actors/protocol/topics.ts';
import type { ProvisionOptions, Told } from './provision.ts';
import type { Tenants } from './tenants.ts';

export interface BootstrapWish {
  /** A tenant key; every tenant node of the file when null. */
  readonly tenant: string | null;
  /** `shared`: the shared planes beside the tenants instead of the tenants. */
  readonly scope: 'shared' | null;
  /** With the control plane: its superadmin, who is also made the administrator of one tenant. */
  readonly person: PersonWish | null;
  /** That tenant; null for the first of the file. */
  readonly adminOf?: string | null;
}

export interface BootstrapRow {
  readonly tenant: string;
  readonly state: TenantState;
  readonly schema_steps: number;
  /** Whether the person was made here; null where nobody was to be. */
  readonly person: 'created' | 'present' | null;
}

/** Brings up what is wished for, one after the other; `told` hears which. Idempotent. Throws with a message for people. */
export async function bootstrapData(
  platform: Platform,
  tenants: Tenants,
  wish: BootstrapWish,
  told: Told,
): Promise<BootstrapRow[]> {
  if (wish.tenant === CONTROL_PLANE) return controlPlane(platform, tenants, wish, told);
  const rows: BootstrapRow[] = [];
  for (const key of targetsOf(platform, wish)) {
    told(key);
    rows.push(await one(tenants, key));
  }
  return rows;
}

function targetsOf(platform: Platform, { tenant, scope }: BootstrapWish): readonly string[] {
  const keys = tenant === null ? platform.hives.tenant.map(({ key }) => key) : [tenant];
  if (scope === null) return keys;
  return [...new Set(keys.map((key) => sharedPlaneOf(parsePosition(key)!)))];
}

/** A plane has nothing to seed and serves at once; a tenant serves once it is provisioned. */
async function one(tenants: Tenants, key: string): Promise<BootstrapRow> {
  const { state, steps } = await provisioned(tenants, key, {
    until: isPlane(parsePosition(key)!) ? 'active' : 'bootstrapped',
  });
  return { tenant: key, state, schema_steps: steps.length, person: null };
}

async function provisioned(tenants: Tenants, key: string, options: ProvisionOptions) {
  const answer = await tenants.provision(key, options);
  if (!answer.ok) throw new Error(answer.message);
  return answer.value;
}

/**
 * The signing keys, the superadmin, and the same person as the administrator of one tenant, in its own store. Of one alone: tenants of a file may be of
 * different customers.
 */
async function controlPlane(
  platform: Platform,
  tenants: Tenants,
  { person, adminOf = null }: BootstrapWish,
  told: Told,
): Promise<BootstrapRow[]> {
  told(CONTROL_PLANE);
  await tenants.ensureRing();
  await tenants.refresh();
  const seeded = person === null ? null : await tenants.control('superadmin.ensure', person);
  const rows: BootstrapRow[] = [
    { tenant: CONTROL_PLANE, state: 'active', schema_steps: 0, person: person === null ? null : outcomeOf(seeded) },
  ];
  if (person === null) return rows;
  const key = adminOf ?? platform.hives.tenant[0]?.key;
  if (key === undefined) return rows;
  told(key);
  const row = await one(tenants, key);
  const admin = await tenants.ask(key, 'identity', 'person.ensure', { ...person, roles: ['tenant_admin'] });
  return [...rows, { ...row, person: outcomeOf(admin) }];
}

function outcomeOf(ensured: unknown): 'created' | 'present' {
  return (ensured as { created: boolean }).created ? 'created' : 'present';
}
