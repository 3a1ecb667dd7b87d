/**
 * The vault's store in etcd, over its v3 JSON gateway (etcd documentation, "Why gRPC gateway"). Several vaults may share it:
 * versions are etcd's own (`mod_revision`), a commit is one transaction.
 */
import { EtcdClient, type EtcdOptions } from './etcd-client.ts';
import { BackendDown, checkChanges, endOf } from './port.ts';
import type { Change, Committed, Health, Listed, Stored, VaultStore } from './port.ts';

export type { EtcdOptions, EtcdUser } from './etcd-client.ts';

interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision: string;
}

interface RangeAnswer {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly KeyValue[];
}

interface TxnAnswer {
  readonly header: { readonly revision: string };
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: RangeAnswer }[];
}

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

/** The store of a cluster, under a prefix of its own. Nothing is asked yet. */
export function openEtcdVault(options: EtcdOptions & { readonly prefix: string }): VaultStore {
  return new EtcdVault(new EtcdClient(options), options.prefix);
}

class EtcdVault implements VaultStore {
  readonly #client: EtcdClient;
  readonly #prefix: string;

  constructor(client: EtcdClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  async get(path: string): Promise<Stored | undefined> {
    const { kvs } = await this.#client.read<RangeAnswer>('kv/range', { key: this.#key(path) });
    return kvs?.[0] === undefined ? undefined : storedOf(kvs[0]);
  }

  async list(prefix: string, after: string | null, limit: number): Promise<readonly Listed[]> {
    if (limit === 0) return [];
    const from = after === null || after < prefix ? prefix : `${after}\x00`;
    const range_end = base64(this.#prefix + endOf(prefix));
    const asked = { key: this.#key(from), range_end, limit: String(limit), sort_order: 'ASCEND', sort_target: 'KEY' };
    const { kvs = [] } = await this.#client.read<RangeAnswer>('kv/range', asked);
    return kvs.map((kv) => ({
      path: Buffer.from(kv.key, 'base64').toString('latin1').slice(this.#prefix.length),
      ...storedOf(kv),
    }));
  }

  async commit(changes: readonly Change[]): Promise<Committed> {
    checkChanges(changes);
    const expecting = changes.filter(({ expect }) => expect !== undefined);
    const answer = await this.#client.write<TxnAnswer>('kv/txn', {
      compare: expecting.map(({ path, expect }) => ({
        key: this.#key(path),
        target: 'MOD',
        result: 'EQUAL',
        mod_revision: String(expect),
      })),
      success: changes.map(({ path, value }) =>
        value === undefined
          ? { request_delete_range: { key: this.#key(path) } }
          : { request_put: { key: this.#key(path), value: Buffer.from(value).toString('base64') } },
      ),
      failure: expecting.map(({ path }) => ({ request_range: { key: this.#key(path), keys_only: true } })),
    });
    if (answer.succeeded === true) return { ok: true, revision: Number(answer.header.revision) };
    return { ok: false, conflict: conflictIn(answer, expecting) };
  }

  /** A linearizable read: the member that answers it has the cluster's quorum. */
  async healthy(): Promise<Health> {
    try {
      const { header } = await this.#client.read<RangeAnswer>('kv/range', { key: this.#key('health') });
      return { ok: true, revision: Number(header.revision) };
    } catch (error) {
      if (!(error instanceof BackendDown)) throw error;
      return { ok: false, why: error.message };
    }
  }

  copyTo(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  #key(path: string): string {
    return base64(this.#prefix + path);
  }
}

/** The first path whose version is another; the answer holds them in the order in which they were asked. */
function conflictIn({ responses = [] }: TxnAnswer, expecting: readonly Change[]): string {
  const at = expecting.findIndex(({ expect }, index) => {
    const found = responses[index]?.response_range?.kvs?.[0];
    return Number(found?.mod_revision ?? 0) !== expect;
  });
  return expecting[Math.max(0, at)]!.path;
}

function storedOf({ value, mod_revision }: KeyValue): Stored {
  return { value: Buffer.from(value ?? '', 'base64'), version: Number(mod_revision) };
}
