/** Leaves in memory, for tests of what is built on the port: a server, and stores of processes at it. */
import {
  LeavesAway,
  LeavesLost,
  type Claimed,
  type LeafHead,
  type LeafStore,
  type SideFile,
} from '#storage/leaves/port.ts';

interface KeptLog {
  readonly key: string;
  readonly entries: Buffer[];
  readonly files: Map<string, Buffer>;
  head: LeafHead | null;
  writer: MemoryLeaves;
}

export class MemoryLeafServer {
  readonly logs = new Map<string, KeptLog>();
  /** The node that serves. */
  serving = '';
  #away: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  /** From now on nothing is answered. */
  goAway(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#away ??= { over: promise, end: resolve };
  }

  comeBack(): void {
    this.#away?.end();
    this.#away = null;
  }

  get isAway(): boolean {
    return this.#away !== null;
  }

  async answers(): Promise<void> {
    await Promise.resolve();
    while (this.#away !== null) await this.#away.over;
  }
}

export class MemoryLeaves implements LeafStore {
  readonly #server: MemoryLeafServer;
  readonly #node: string;
  #closed = Promise.withResolvers<never>();

  constructor(server: MemoryLeafServer, node: string) {
    this.#server = server;
    this.#node = node;
    this.#closed.promise.catch(() => undefined);
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    this.#present();
    return new Map([...this.#server.logs].map(([id, { entries }]) => [id, entries.length]));
  }

  async claim(logId: string, key: string): Promise<Claimed> {
    this.#present();
    const { logs, serving } = this.#server;
    if (serving !== this.#node) throw new LeavesLost(`${this.#node} does not serve`);
    const log = logs.get(logId) ?? { key, entries: [], files: new Map(), head: null, writer: this };
    log.writer = this;
    logs.set(logId, log);
    return { size: log.entries.length, head: log.head, key: log.key };
  }

  async append(logId: string, first: number, entries: readonly Uint8Array[]): Promise<void> {
    const log = await this.#own(logId);
    if (log.entries.length !== first) throw new LeavesLost(`${logId} has ${log.entries.length} leaves, not ${first}`);
    log.entries.push(...entries.map((entry) => Buffer.from(entry)));
  }

  async publish(logId: string, head: LeafHead): Promise<void> {
    const log = await this.#own(logId);
    if (log.entries.length < head.size) throw new LeavesLost(`${logId} has no ${head.size} leaves`);
    if (head.size > (log.head?.size ?? 0)) log.head = head;
  }

  async read(logId: string, from: number, to: number): Promise<Buffer[]> {
    this.#present();
    const found = this.#server.logs.get(logId)?.entries.slice(from, Math.min(to, from + 100)) ?? [];
    if (found.length === 0) throw new LeavesLost(`${logId} has no leaf ${from}`);
    return found;
  }

  async save(logId: string, files: readonly SideFile[]): Promise<void> {
    const log = await this.#own(logId);
    for (const [path, bytes] of files) if (!log.files.has(path)) log.files.set(path, Buffer.from(bytes));
  }

  async paths(logId: string): Promise<string[]> {
    this.#present();
    return [...(this.#server.logs.get(logId)?.files.keys() ?? [])].toSorted();
  }

  async file(logId: string, path: string): Promise<Buffer | null> {
    this.#present();
    return this.#server.logs.get(logId)?.files.get(path) ?? null;
  }

  async close(): Promise<void> {
    this.#closed.reject(new LeavesLost('closed here'));
  }

  #present(): void {
    if (this.#server.isAway) throw new LeavesAway('the server does not answer');
  }

  async #own(logId: string): Promise<KeptLog> {
    await Promise.race([this.#server.answers(), this.#closed.promise]);
    const log = this.#server.logs.get(logId);
    if (log?.writer !== this) throw new LeavesLost(`another process writes ${logId}`);
    return log;
  }
}
