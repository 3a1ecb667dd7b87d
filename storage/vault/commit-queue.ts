/**
 * Checks commits one after another, and writes together those that arrived while the disk was busy. For backends with one
 * writer: versions that are being written count as present, and what was checked against them fails with them.
 */
import { limits } from '#config/limits.ts';
import { StorageFull } from '#storage/fault.ts';
import { checkChanges, type Change, type Committed } from './port.ts';

export interface Put {
  readonly path: string;
  readonly value: Uint8Array | undefined;
  readonly version: number;
}

export interface CommitPorts {
  /** The revision of the newest durable commit. */
  readonly revision: number;
  /** The durable version of a path, 0 when there is none. */
  versionOf(path: string): number;
  /** Makes all puts and the revision durable; later ones of a path outrank earlier ones. */
  persist(puts: readonly Put[], revision: number): Promise<void>;
}

interface Waiting {
  readonly puts: readonly Put[];
  readonly revision: number;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: unknown) => void;
}

export class CommitQueue {
  readonly #ports: CommitPorts;
  readonly #onTheirWay = new Map<string, { readonly version: number; readonly revision: number }>();
  #waiting: Waiting[] = [];
  #revision: number;
  #running: Promise<void> | null = null;
  #puts = 0;

  constructor(ports: CommitPorts) {
    this.#ports = ports;
    this.#revision = ports.revision;
  }

  commit(changes: readonly Change[]): Promise<Committed> {
    checkChanges(changes);
    for (const { path, expect } of changes)
      if (expect !== undefined && this.#versionOf(path) !== expect) return this.#settled({ ok: false, conflict: path });
    if (this.#puts + changes.length > limits.vault.queuedPutsMax) return Promise.reject(new StorageFull('overlay'));
    const revision = ++this.#revision;
    const puts = changes.map(({ path, value }) => ({ path, value, version: revision }));
    for (const { path, value } of puts)
      this.#onTheirWay.set(path, { version: value === undefined ? 0 : revision, revision });
    this.#puts += puts.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ puts, revision, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is on its way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** A conflict names a version that may not be durable yet: its answer waits for that version. */
  async #settled(committed: Committed): Promise<Committed> {
    await this.#running;
    return committed;
  }

  #versionOf(path: string): number {
    return this.#onTheirWay.get(path)?.version ?? this.#ports.versionOf(path);
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // other commits of this event-loop turn join this one
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#persist(batch);
    }
    this.#running = null;
  }

  async #persist(batch: readonly Waiting[]): Promise<void> {
    const { revision } = batch.at(-1)!;
    const puts = batch.flatMap((one) => one.puts);
    try {
      await this.#ports.persist(puts, revision);
    } catch (error) {
      // Those behind it may count on versions that will not be there.
      const behind = this.#waiting;
      this.#waiting = [];
      for (const one of [...batch, ...behind]) {
        this.#forget(one.puts, one.revision);
        one.reject(error);
      }
      return;
    }
    this.#forget(puts, revision);
    for (const one of batch) one.resolve({ ok: true, revision: one.revision });
  }

  #forget(puts: readonly Put[], revision: number): void {
    this.#puts -= puts.length;
    for (const { path } of puts)
      if ((this.#onTheirWay.get(path)?.revision ?? Infinity) <= revision) this.#onTheirWay.delete(path);
  }
}
