/** GET /status, /ready, /seal: the state of the vault. */
import type { Keeper } from './keeper.ts';
import type { ShownSeal } from './shapes.ts';

/** Why the vault is not ready; empty when it is. */
export async function reasonsOf(keeper: Keeper): Promise<string[]> {
  const { store, seal } = keeper.parts;
  const reasons = keeper.draining ? ['the vault is stopping'] : [];
  const health = await store.healthy();
  if (!health.ok) reasons.push(`vault-not-connected: ${health.why}`);
  if (seal.state === 'sealed') reasons.push('the vault is sealed');
  const rolledBack = keeper.parts.highWater.why;
  if (rolledBack !== null) reasons.push(rolledBack);
  for (const [name, check] of keeper.checks) {
    const why = check();
    if (why !== null) reasons.push(`${name}: ${why}`);
  }
  return reasons;
}

export async function sealOf({ parts: { seal, settings, shares } }: Keeper): Promise<ShownSeal> {
  const record = await seal.record();
  const byShares = settings.sealKind === 'shamir';
  return {
    sealed: seal.state === 'sealed',
    kind: seal.state === 'no-key' ? 'none' : settings.sealKind,
    initialized: record !== null,
    term: seal.state === 'open' ? seal.current : null,
    ...(byShares && record?.threshold !== undefined && { threshold: record.threshold, shares: record.shares }),
    ...(byShares && { progress: shares.progress }),
  };
}

export async function statusOf(keeper: Keeper) {
  const { events, settings, store, version } = keeper.parts;
  const reasons = await reasonsOf(keeper);
  const health = await store.healthy();
  const { backend, cluster, datacenter, mode, profile, sid } = settings;
  return {
    version,
    sid,
    datacenter,
    cluster,
    mode,
    profile,
    ready: reasons.length === 0,
    reasons,
    backend: { kind: backend, reachable: health.ok, revision: health.ok ? health.revision : null },
    seal: await sealOf(keeper),
    audit: { required: events.required, pending: events.pending, dropped: events.dropped },
    policies: keeper.policies.count,
  };
}
