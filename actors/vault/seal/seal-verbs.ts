/** The verbs of the seal: `/seal`, `/seal/init`, `/seal/unseal`, `/tenant-key/rotate`. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Keeper } from '../keeper.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { scopeOf } from '../caller/scope.ts';
import { sealOf } from '../status.ts';
import { initShape, shareShape } from '../shapes.ts';

const SEAL = 'seal';

export async function showSeal(keeper: Keeper): Promise<Outcome<Routes['sealStatus']>> {
  return reply(200, await sealOf(keeper));
}

/** The shares are given only in this answer, and stored nowhere. */
export async function init(keeper: Keeper, call: Call): Promise<Outcome<Routes['init']>> {
  const refused = await keeper.allow(call, 'admin', SEAL);
  if (refused !== null) return refused;
  const json = call.json();
  if (!json.ok) return refuse('vault.bad_request', { message: json.fault });
  const wish = initShape.safeParse(json.value);
  if (!wish.success || wish.data.threshold > wish.data.shares)
    return refuse('vault.bad_request', {
      message: '{shares, threshold}: from 2 to 16, the threshold not above the shares',
    });
  const { seal, settings, shares } = keeper.parts;
  if (settings.sealKind !== 'shamir')
    return refuse('vault.bad_request', {
      message: 'this vault is sealed with a key (seal.kind in its file), not with shares',
    });
  if ((await seal.record()) !== null) return refuse('vault.initialized');
  const parts = await shares.init(wish.data.shares, wish.data.threshold);
  await keeper.opened();
  await keeper.report(call, { action: 'operator', target: SEAL, outcome: 'ok', tenant: null, data: { verb: 'init' } });
  return reply(201, { shares: parts, threshold: wish.data.threshold }, { 'Cache-Control': 'no-store' });
}

export async function unseal(keeper: Keeper, call: Call): Promise<Outcome<Routes['unseal']>> {
  const refused = await keeper.allow(call, 'admin', SEAL);
  if (refused !== null) return refused;
  const json = call.json();
  const wish = shareShape.safeParse(json.ok ? json.value : null);
  if (!wish.success) return refuse('vault.bad_request', { message: '{share}: one share, in base64' });
  const share = Buffer.from(wish.data.share, 'base64');
  if (share.toString('base64') !== wish.data.share || share.length !== limits.vault.rootKeyBytes + 1)
    return refuse('vault.bad_request', { message: 'share: write the 44 characters of base64 that init gave' });
  const { seal, shares } = keeper.parts;
  const record = await seal.record();
  if (record?.threshold === undefined)
    return refuse('vault.bad_request', { message: 'this vault has no shares yet: make them with init' });
  if (seal.state === 'open') return reply(200, await sealOf(keeper));
  const fate = await shares.give(new Uint8Array(share), record.threshold);
  const outcome = fate === 'wrong' ? 'failed' : 'ok';
  await keeper.report(call, {
    action: 'operator',
    target: SEAL,
    outcome,
    tenant: null,
    data: { verb: 'unseal', fate },
  });
  if (fate === 'wrong') return refuse('vault.unseal_failed');
  if (fate === 'unsealed') await keeper.opened();
  return reply(200, await sealOf(keeper));
}

export async function seal(keeper: Keeper, call: Call): Promise<Outcome<Routes['seal']>> {
  const refused = await keeper.allow(call, 'admin', SEAL);
  if (refused !== null) return refused;
  const { seal, shares, barrier } = keeper.parts;
  if (seal.state === 'no-key') return refuse('vault.bad_request', { message: 'this vault has no root key' });
  shares.drop();
  barrier.forget();
  seal.seal();
  await keeper.report(call, { action: 'operator', target: SEAL, outcome: 'ok', tenant: null, data: { verb: 'seal' } });
  return reply(200, await sealOf(keeper));
}

/** A new key for the tenant of the headers, or for the node. */
export async function rotateTenant(keeper: Keeper, call: Call): Promise<Outcome<Routes['rotateTenant']>> {
  const scope = scopeOf(call);
  if (isRefusal(scope)) return scope;
  const target = `tenant-key/${scope}`;
  const refused = await keeper.allow(call, 'admin', target, scope);
  if (refused !== null) return refused;
  if (keeper.parts.seal.state === 'no-key')
    return refuse('vault.bad_request', { message: 'this vault has no root key' });
  const term = await keeper.parts.barrier.rotate(scope);
  await keeper.report(call, {
    action: 'operator',
    target,
    outcome: 'ok',
    tenant: scope,
    data: { verb: 'rotate', term },
  });
  return reply(200, { tenant: scope, term });
}
