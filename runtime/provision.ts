/**
 * Provisioning a tenant: registered → bootstrapped → seeded → active. Each step is recorded in the control plane before the
 * next begins and each is idempotent, so an interrupted run is resumed by running it again. Spec: docs/contract/identity.md §10.4.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { ChannelFault } from '#actors/protocol/channel.ts';
import type { Asker, PersonWish } from '#actors/protocol/node-verbs.ts';
import type { TenantEntry, TenantState } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import type { TenantHostRoom } from './rooms/tenant-host-room.ts';

export interface ProvisionReport {
  readonly tenant: string;
  readonly state: TenantState;
  /** Schema steps applied by this run, in words. */
  readonly steps: readonly string[];
  /** `seeded`: the administrator has the given password. `present`: the user existed and keeps the old one. Null: the run was given no administrator. */
  readonly admin: 'seeded' | 'present' | null;
}

export interface ProvisionPorts {
  readonly hosts: Pick<TenantHostRoom, 'ask' | 'forget' | 'shardCount'>;
  /** Reads the tenant's record and shares it with door and hosts. */
  share(): Promise<void>;
  /** Makes the first key that signs tokens, where there is none. */
  ensureRing(): Promise<void>;
}

/** Called with each step as it begins, to show progress. */
export type Told = (step: string) => void;

export interface ProvisionOptions {
  /** Stops once the tenant is this far; `active` when absent. */
  readonly until?: 'bootstrapped' | 'active';
  /** The person to make the tenant's administrator. */
  readonly admin?: PersonWish | null;
  readonly told?: Told;
  /** The caller over HTTP who asked for it; absent for a command. */
  readonly asker?: Asker;
}

/** The definitions cannot be applied to what is stored: a plan is needed, or the checkout is broken. */
export class SchemaFault extends Error {}

/** Provisions one tenant; a null `localdir` makes a plane. Throws SchemaFault when its schema cannot be applied; the steps done before stay recorded. */
export async function provisionTenant(
  key: string,
  localdir: string | null,
  ports: ProvisionPorts,
  { until = 'active', admin = null, told = () => undefined }: ProvisionOptions = {},
): Promise<ProvisionReport> {
  const { hosts } = ports;
  const control = <R>(verb: string, body: unknown): Promise<R> =>
    hosts.ask(CONTROL_ENTRY.shard, CONTROL_ENTRY.no, 'identity', verb, body) as Promise<R>;

  told('registering');
  await ports.ensureRing();
  let entry = await control<TenantEntry>('registry.register', { key, localdir, shards: hosts.shardCount });
  await ports.share();
  told('applying the schema');
  const steps = await applySchema(entry, ports);
  const advance = async (from: TenantState, to: TenantState): Promise<void> => {
    if (entry.state === from) entry = await control<TenantEntry>('registry.advance', { key, state: to });
  };
  await advance('registered', 'bootstrapped');
  let seeded: ProvisionReport['admin'] = null;
  if (until === 'active') {
    if (admin !== null) {
      told('seeding the administrator');
      seeded = await seedAdmin(entry, admin, ports);
    }
    await advance('bootstrapped', 'seeded');
    told('activating');
    await advance('seeded', 'active');
  }
  told('telling door and hosts');
  await ports.share();
  return { tenant: key, state: entry.state, steps, admin: seeded };
}

/**
 * Has the tenant's actor read its checkout and apply it, then wakes the tenant anew. Until everything compiles and can be applied the tenant serves as before.
 */
async function applySchema({ no, shard }: TenantEntry, { hosts }: ProvisionPorts): Promise<readonly string[]> {
  const apply = (): Promise<unknown> => hosts.ask(shard, no, 'data', 'schema.provision', null);
  const steps = await patiently(apply).catch((error: unknown) => {
    // `failed` is a refusal of the tenant's actor, with a message for operators; its thread is alive.
    throw error instanceof ChannelFault && error.why === 'failed'
      ? new SchemaFault(error.message, { cause: error })
      : error;
  });
  await hosts.forget(shard, no);
  return steps as string[];
}

/** Retries while the thread that reads definitions has no room, as when a starting node checks its checkouts. A refusal as Busy has begun nothing. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = limits.product.readTries; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Busy) || left <= 1) throw error;
      await wait(limits.jobs.waitMsMax);
    }
  }
}

/** Replaces the password of an interrupted run: until the tenant is active no user can have logged in with it. */
async function seedAdmin(
  entry: TenantEntry,
  admin: PersonWish,
  { hosts }: ProvisionPorts,
): Promise<'seeded' | 'present'> {
  const replace = entry.state !== 'active';
  const wish = { ...admin, roles: ['tenant_admin'], replace };
  const ensured = await hosts.ask(entry.shard, entry.no, 'identity', 'person.ensure', wish);
  return replace || (ensured as { created: boolean }).created ? 'seeded' : 'present';
}
