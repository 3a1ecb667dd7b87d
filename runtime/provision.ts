/**
 * Provisioning a tenant: registered → bootstrapped → seeded → active. Each step is recorded in the control plane before the
 * next begins and each is idempotent, so an interrupted run is resumed by running it again. Spec: identity.md "Command-line operations".
 */
import type { TenantEntry, TenantState } from '#actors/protocol/topics.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import { CONTROL_ENTRY } from './control-plane.ts';

export interface ProvisionReport {
  readonly tenant: string;
  readonly state: TenantState;
  /** Schema steps applied by this run, in words. */
  readonly steps: readonly string[];
}

export interface ProvisionPorts {
  readonly supervisor: Supervisor;
  /** Re-reads the control plane and shares it with door and hosts. */
  refresh(): Promise<void>;
}

/** Provisions one configured tenant. Throws when the schema cannot be applied; what was done stays recorded. */
export async function provisionTenant(key: string, localdir: string, ports: ProvisionPorts): Promise<ProvisionReport> {
  const { supervisor } = ports;
  const control = <R>(verb: string, body: unknown): Promise<R> =>
    supervisor.ask(CONTROL_ENTRY.shard, CONTROL_ENTRY.no, 'identity', verb, body) as Promise<R>;

  await control('ring.ensure', null);
  let entry = await control<TenantEntry>('registry.register', { key, localdir, shards: supervisor.shardCount });
  await ports.refresh();
  const tenant = (service: string, verb: string): Promise<unknown> =>
    supervisor.ask(entry.shard, entry.no, service, verb, null);
  await tenant('host', 'forget'); // the definitions may have changed since it woke
  const steps = (await tenant('data', 'schema.provision')) as string[];
  await tenant('host', 'forget');
  const path: readonly [from: TenantState, to: TenantState][] = [
    ['registered', 'bootstrapped'],
    ['bootstrapped', 'seeded'],
    ['seeded', 'active'],
  ];
  for (const [from, to] of path) {
    if (entry.state === from) entry = await control<TenantEntry>('registry.advance', { key, state: to });
  }
  await ports.refresh();
  return { tenant: key, state: entry.state, steps };
}
