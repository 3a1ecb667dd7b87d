/** `data bootstrap` in all its forms: stores and schemas of tenants and planes, and the first people in them. Spec: docs/contract/identity.md §10.2. */
import type { Platform } from '#config/platform.ts';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import { CONTROL_PLANE, isPlane, parsePosition, sharedPlaneOf } from '#actors/protocol/position.ts';
import type { TenantState } from '#actors/protocol/topics.ts';
import type { ProvisionOptions, Told } from './provision.ts';
import type { Tenants } from './tenants.ts';

export interface BootstrapWish {
  /** A tenant key; null for every tenant node of the platform file. */
  readonly tenant: string | null;
  /** `shared`: the shared planes beside the tenants instead of the tenants. */
  readonly scope: 'shared' | null;
  /** For the control plane only: its superadmin, a person who also becomes the administrator of one tenant. */
  readonly person: PersonWish | null;
  /** The key of that tenant; null for the first one of the platform file. */
  readonly adminOf?: string | null;
}

export interface BootstrapRow {
  readonly tenant: string;
  readonly state: TenantState;
  readonly schema_steps: number;
  /** Whether this run made the person; null where the wish names none. */
  readonly person: 'created' | 'present' | null;
}

/** Bootstraps the wished tenants and planes one after the other; `told` is called with the key of each. Idempotent. Throws with a message for operators. */
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
 * Makes the signing keys, the superadmin, and the same person as the administrator of one tenant. One only, since the tenants of a platform file
 * may belong to different customers.
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
