/** The room of the vault keeper: its store, seal and verbs, put together as runtime/threads/vault-keeper.ts does. */
import { randomBytes } from 'node:crypto';
import type { Call } from '#actors/host/call.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { Callers } from '#actors/vault/caller/caller.ts';
import { guarded } from '#actors/vault/guard.ts';
import { reveal } from '#actors/vault/internal.ts';
import { Keeper } from '#actors/vault/keeper.ts';
import { Barrier } from '#actors/vault/seal/barrier.ts';
import { HighWater } from '#actors/vault/seal/high-water.ts';
import { init, rotateTenant, seal, unseal } from '#actors/vault/seal/seal-verbs.ts';
import { Seal } from '#actors/vault/seal/seal.ts';
import { Shares } from '#actors/vault/seal/shares.ts';
import { get } from '#actors/vault/secret/get.ts';
import { list, versions } from '#actors/vault/secret/list.ts';
import { put } from '#actors/vault/secret/put.ts';
import { remove } from '#actors/vault/secret/remove.ts';
import { Secrets } from '#actors/vault/secret/secrets.ts';
import type { VaultSettings } from '#actors/vault/settings.ts';
import { openFileVault, openLmdbVault, type VaultStore } from '#actors/vault/store.ts';
import { openMarkFile } from '#runtime/threads/mark-file.ts';
import type { VaultRunSettings } from './settings.ts';

export const STATE_DIR = '/sim/vault';
export const STORE_DIR = `${STATE_DIR}/store`;

/** Root keys as the configuration names them; null where the vault is sealed with shares. */
export interface RootKeys {
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

export interface KeeperRoomPorts {
  readonly settings: VaultRunSettings;
  readonly channel: Channel;
  readonly keys: RootKeys | null;
  readonly onFatal: (error: Error) => void;
  /** Resolves when the audit log has an event; null where nothing waits for it. */
  readonly record: () => Promise<void> | null;
}

/** As a handler gives it; what of it a client looks at. */
export interface Answer {
  readonly status: number;
  /** Of a refusal. */
  readonly code?: string;
  readonly body?: unknown;
}

const VERBS = { get, put, remove, versions, list, init, unseal, seal, rotateTenant };
export type Verb = keyof typeof VERBS;

export interface Ask {
  /** Null for the node itself. */
  readonly tenant: string | null;
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface KeeperRoom {
  readonly store: VaultStore;
  readonly ask: (verb: Verb, ask: Ask) => Promise<Answer>;
  close(): Promise<void>;
}

/** Opens, and unseals where keys are given. Throws SealRefused where they are not those of the store. */
export async function openKeeperRoom(ports: KeeperRoomPorts): Promise<KeeperRoom> {
  const { settings, channel, keys, onFatal } = ports;
  const store = await (settings.backend === 'file'
    ? openFileVault(`${STORE_DIR}/vault.json`, { onFatal })
    : openLmdbVault(STORE_DIR, { onFatal, freeBytesMin: 1 }));
  const mark = openMarkFile(STATE_DIR);
  const base = { store, seal: new Seal(store, 'sealed'), clock: systemClock, random: randomBytes };
  const barrier = new Barrier(base);
  const parts = {
    ...base,
    settings: { sealKind: settings.seal, profile: 'production' } as VaultSettings,
    shares: new Shares(base),
    barrier,
    secrets: new Secrets({ ...base, barrier }),
    callers: new Callers('sim'),
    events: { emit: () => ports.record(), pending: 0, dropped: 0, required: true },
    highWater: new HighWater([mark]),
    meter: { count: () => undefined, answered: () => undefined, seconds: () => 0 },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    version: '0',
  };
  const keeper = new Keeper(parts, { allows: () => true, reserves: () => null } as never);
  const health = await store.healthy();
  await parts.highWater.check(health.ok ? health.revision : 0, false);
  if (keys !== null) await unsealBy(keeper, keys);
  channel.answer('vault.reveal', async ({ name }) => ({ value: await reveal(keeper, name) }));
  return {
    store,
    ask: (verb, ask) => guarded(async (call) => (await VERBS[verb](keeper, call)) as Answer)(callOf(ask)),
    close: async () => {
      barrier.forget();
      parts.seal.seal();
      await store.close();
      mark.close();
    },
  };
}

async function unsealBy({ parts: { seal, barrier } }: Keeper, { current, previous }: RootKeys): Promise<void> {
  await seal.unseal(Buffer.from(current), previous === null ? null : Buffer.from(previous));
  barrier.forget();
  await barrier.rewrap();
}

function callOf({ tenant, name, query = {}, body }: Ask): Call {
  const headers: Record<string, string> =
    tenant === null ? {} : { 'x-customer': 'acme', 'x-product': 'shop', 'x-env': 'dev', 'x-tenant': tenant };
  return {
    method: 'GET',
    requestId: '',
    route: { row: { path: '/' } },
    principal: { subject: 'spiffe://sim/operator/ada', roles: ['operator'] },
    who: { actor: 'ada' },
    header: (header: string) => headers[header],
    param: () => name,
    query: new URLSearchParams(query),
    json: () => ({ ok: true, value: body }),
  } as unknown as Call;
}
