/** Which product each tenant of a host serves: the revision that its rows name, and how a tenant without one gets it. */
import { setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { findFormerRevision, findRevision, putRevision } from '#actors/engine/schema/store.ts';
import type { Log } from '#actors/host/activation.ts';
import type { FreshProduct, Jobs, LoadedProduct, TakenProduct } from '#actors/kit/jobs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { WebAnswer } from '#runtime/host-verbs.ts';
import { NAMELESS, type ServedProduct } from '#runtime/revisions.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import type { Store, Turn } from '#storage/port.ts';
import { CheckoutFaults } from './checkout-faults.ts';
import type { Products } from './products.ts';

export interface TenantProductsPorts {
  readonly products: Products;
  readonly jobs: Jobs;
  readonly store: (entry: TenantEntry) => Store;
  readonly log: () => Log;
}

export class TenantProducts {
  readonly #ports: TenantProductsPorts;
  readonly #faults: CheckoutFaults;

  constructor(ports: TenantProductsPorts) {
    this.#ports = ports;
    const { products, jobs, log } = ports;
    this.#faults = new CheckoutFaults({
      faultsOf: (localdir) => products.faultsOf(localdir, jobs),
      log,
      begin: () => passed(limits.jobs.checkoutLookMs, undefined, { ref: false }),
    });
  }

  /** The archives of all revisions of the node. */
  get blobs(): BlobStore {
    return this.#ports.products.blobs;
  }

  fresh(localdir: string | null): Promise<LoadedProduct> {
    return this.#ports.products.fresh(localdir, this.#ports.jobs);
  }

  /** The definitions of a kept revision, over the paths of a checkout. */
  kept(revision: string, localdir: string | null): Promise<LoadedProduct> {
    if (localdir === null) return Promise.resolve({ problems: 'a plane has no product' });
    return this.#ports.products.keptBy(revision, localdir, this.#ports.jobs);
  }

  /** Checks an archive that a deploy sent, and keeps it as a revision. */
  take(archive: Uint8Array, localdir: string): Promise<TakenProduct> {
    return this.#ports.products.take(archive, localdir, this.#ports.jobs);
  }

  /** What provisioning adopts is sound: it need not be read again for its faults. */
  keep(localdir: string | null, fresh: FreshProduct): void {
    this.#ports.products.keep(localdir, fresh);
    if (localdir !== null) this.#faults.pass(localdir);
  }

  /** Logs the faults of the checkouts of these tenants. */
  lookForFaults(tenants: readonly TenantEntry[]): void {
    this.#faults.add(tenants);
  }

  checkout(localdir: string | null): ProductDefinition {
    return this.#ports.products.of(localdir);
  }

  /**
   * The product that a tenant serves: its revision, independent of what its checkout contains now. A tenant of a directory without kept
   * revisions, as older versions wrote them, takes its checkout as its revision once, if that is sound; until then the sound part is served.
   */
  async of(entry: TenantEntry): Promise<ServedProduct> {
    const { products } = this.#ports;
    const { localdir, state } = entry;
    if (localdir === null) return products.unkept(null);
    const kept = this.#revisionOf(entry);
    if (kept !== undefined) return this.#kept(kept, localdir);
    // The tenant serves no requests yet: provisioning brings its definitions.
    if (state === 'registered') return { product: NAMELESS, problem: null };
    const taken = await this.#take(entry, localdir).catch((error: unknown) => {
      if (error instanceof Busy) return null; // takeFirst() or the next wake tries again; no request waits for a job thread
      throw error;
    });
    return taken === null ? products.unkept(localdir) : { product: taken, problem: null };
  }

  /** A machine that takes a log over has no archive of a revision that another one served. Where its checkout is the same product, that is the archive: a standby serves without an operator. */
  async #kept(revision: string, localdir: string): Promise<ServedProduct> {
    const { jobs, products } = this.#ports;
    const served = await products.kept(revision, localdir);
    if (served.problem === null || (await products.blobs.size(revision)) !== null) return served;
    await products.first(localdir, jobs).catch((error: unknown) => {
      if (!(error instanceof Busy)) throw error;
    });
    return products.kept(revision, localdir);
  }

  /** Takes the checkout at the node's start, not only when the tenant wakes: the checkout might be edited until then. */
  takeFirst(entry: TenantEntry): void {
    const { localdir, state, position } = entry;
    if (localdir === null || state === 'registered' || this.#revisionOf(entry) !== undefined) return;
    this.#take(entry, localdir).catch((error: unknown) => {
      if (error instanceof Busy) {
        setTimeout(() => this.takeFirst(entry), limits.jobs.waitMsMax).unref();
        return;
      }
      const fields = { err: error, tenant: position.key, localdir };
      this.#ports
        .log()
        .warn(
          fields,
          'the checkout of a tenant could not be kept as its revision: the tenant tries again when it wakes',
        );
    });
  }

  /** The revisions that these tenants serve, and those that they served before, each once. */
  revisionsOf(tenants: readonly TenantEntry[]): string[] {
    return [...new Set(tenants.flatMap((entry) => this.#read(entry, bothRevisions)))];
  }

  /** The revision that each of these numbers serves; null for one that serves none, or is in none of these shards. It is read from the store, and no tenant is woken. */
  revisionsIn(
    tenants: ReadonlyMap<number, TenantEntry>,
    shards: readonly number[],
    numbers: readonly number[],
  ): (string | null)[] {
    return numbers.map((no) => {
      const entry = tenants.get(no);
      return entry === undefined || !shards.includes(entry.shard) ? null : (this.#revisionOf(entry) ?? null);
    });
  }

  /** The files of the folder `web` that a tenant serves, unless its revision is the known one. A job reads them, since that takes longer than a turn may. */
  async webIndex(entry: TenantEntry | undefined, known: string | null): Promise<WebAnswer> {
    const revision = entry === undefined ? undefined : this.#revisionOf(entry);
    if (revision === undefined) return { revision: null, files: [] };
    if (revision === known) return { revision, files: null };
    const { jobs, products } = this.#ports;
    const end = await jobs.run('web.index', { dataDir: products.dataDir, revision }, limits.plans.readMsMax);
    if (end.kind === 'done') return { revision, files: end.result };
    throw end.kind === 'busy' ? new Busy('no thread is free to read the files of the site') : new Error(end.why);
  }

  /** Reads revisions in a spare, before it takes a host's place. */
  warm(): void {
    this.#ports.products.warm().catch((error: unknown) => {
      this.#ports
        .log()
        .warn({ err: error }, 'the spare could not read kept revisions ahead: they are read when tenants wake');
    });
  }

  /** On a node that waits: what its tenants most likely serve lies here as a kept revision, and is read. A checkout that is faulty, or not the one that is served, is read when its tenants wake. */
  async prepare(checkouts: readonly string[]): Promise<void> {
    const { jobs, products } = this.#ports;
    for (const localdir of checkouts.slice(0, limits.host.warmProductsMax))
      await products.first(localdir, jobs).catch(() => undefined);
    await products.warm();
  }

  #revisionOf(entry: TenantEntry): string | undefined {
    return this.#read(entry, findRevision);
  }

  #read<T>(entry: TenantEntry, read: (turn: Turn) => T): T {
    const turn = this.#ports.store(entry).begin();
    try {
      return read(turn);
    } finally {
      turn.abort();
    }
  }

  /** Makes the checkout the tenant's revision; null where it is faulty, which is logged. */
  async #take(entry: TenantEntry, localdir: string): Promise<ProductDefinition | null> {
    const { products, jobs } = this.#ports;
    const read = await products.first(localdir, jobs);
    const tenant = entry.position.key;
    if ('problems' in read) {
      const what =
        'a tenant has no kept revision of its product, and its checkout is faulty: only the sound part of it is served';
      const fields = { tenant, localdir, faults: read.problems };
      this.#ports.log().error(fields, `${what}; mend it and run \`skep tenant provision\``);
      return null;
    }
    const { revision, product } = read;
    if (revision === null) return product;
    // Provisioning may have given the tenant a revision meanwhile.
    const present = this.#revisionOf(entry);
    if (present !== undefined) return (await products.kept(present, localdir)).product;
    const turn = this.#ports.store(entry).begin();
    putRevision(turn, revision);
    turn.commit();
    this.#ports
      .log()
      .info({ tenant, localdir, revision }, 'a tenant without a kept revision takes its checkout as it is now');
    products.keep(localdir, read);
    return product;
  }
}

const bothRevisions = (turn: Turn): string[] =>
  [findRevision(turn), findFormerRevision(turn)].filter((revision) => revision !== undefined);
