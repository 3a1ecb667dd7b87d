/**
 * The scrubber of a tenant host. Round after round it looks at its shards: each value as LMDB stores it, each tenant's entities in both directions,
 * its files. It changes nothing. Its share of the thread is declared (`storage.scrub_percent`), and requests come first (pace.ts).
 */
import { limits } from '#config/limits.ts';
import { shardPath, type Archive } from '#storage/archive.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { scrubShard, type Looked, type ShardFault } from '#storage/scrub.ts';
import { scrubEntities } from '#actors/engine/integrity/scrub/store.ts';
import type { Log } from '#actors/host/activation.ts';
import type { FineClock } from '#actors/kit/clock.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { scrubContent, scrubRowFiles, type FileScrub } from './files.ts';
import type { Findings, Look } from './findings.ts';
import { ScrubStopped, type ScrubPace } from './pace.ts';
import { endedReading, ReadingMark } from './reading-mark.ts';
import type { ReadingTurn } from './reading-turn.ts';
import { readRoundEnd, writeRoundEnd } from './round-file.ts';
import type { Looks } from './scrub-meter.ts';

export interface HostScrubPorts {
  readonly dataDir: string;
  readonly shards: readonly number[];
  readonly archive: Pick<Archive, 'atRest' | 'store'>;
  /** Served tenants of these shards. */
  readonly tenants: () => readonly TenantEntry[];
  readonly isServed: (tenantNo: number) => boolean;
  readonly files: (tenantNo: number) => BlobStore;
  /** Content stores with files on a disk of this node, by name. */
  readonly content: (entry: TenantEntry) => ReadonlyMap<string, BlobStore>;
  readonly pace: ScrubPace;
  readonly turn: ReadingTurn;
  readonly findings: Findings;
  readonly looks: Looks;
  readonly clock: FineClock;
  /** `storage.scrub_every`. */
  readonly everyMs: number;
  readonly log: Log;
}

const SERVED = 'run: skep tenant repair -f <platform file> <tenant>; what it leaves comes from a backup';
const OFFLINE = 'stop the node and run: skep storage repair <dir>; what it leaves comes from a backup';
const LEFT =
  'stop the node and run: skep storage check <dir>, which names the damage and what to do; if the check can read the shard, the next start scrubs it again';

export class HostScrub {
  readonly #ports: HostScrubPorts;
  /** When the last complete round of each shard ended; null where none has. */
  readonly #ended = new Map<number, number | null>();
  /** When each shard is due next. */
  readonly #next = new Map<number, number>();
  /** Shards over which the process ended while the scrubber read them: they are not read again before they were checked. */
  readonly #left: readonly number[];
  readonly #since: number;
  #running: Promise<void> = Promise.resolve();

  constructor(ports: HostScrubPorts) {
    this.#ports = ports;
    this.#since = ports.clock.now();
    this.#left = ports.shards.filter((no) => endedReading(shardPath(ports.dataDir, no)));
    for (const no of ports.shards) {
      const ended = readRoundEnd(shardPath(ports.dataDir, no));
      this.#ended.set(no, ended);
      this.#due(no, ended === null ? 0 : ended + ports.everyMs);
    }
  }

  start(): void {
    for (const no of this.#left) this.#leaveAlone(no);
    this.#running = this.#rounds();
  }

  /** A shard was repaired: it is due now. */
  soon(no: number): void {
    this.#due(no, 0);
  }

  #due(no: number, at: number): void {
    if (!this.#left.includes(no)) this.#next.set(no, at);
  }

  /** Resolves when no look is in progress any more. */
  async stop(): Promise<void> {
    this.#ports.pace.stop();
    await this.#running;
  }

  /** Seconds since the last round of the shard that waits longest; since the start of the thread where a shard has had none. */
  get ageSeconds(): number {
    const oldest = Math.min(...Array.from(this.#ended.values(), (ended) => ended ?? this.#since));
    return Math.max(0, (this.#ports.clock.now() - oldest) / 1000);
  }

  async #rounds(): Promise<void> {
    const { everyMs, pace } = this.#ports;
    await pace.sleep(Math.min(everyMs, limits.scrub.firstMs));
    while (!pace.stopped) {
      const due = this.#waitsLongest();
      if (due === null) await pace.sleep(Math.min(everyMs, limits.scrub.lookMs));
      else await this.#roundSafely(due);
    }
  }

  /** The shard that waits longest, once it is due. */
  #waitsLongest(): number | null {
    const [first] = [...this.#next].sort(([, a], [, b]) => a - b);
    return first !== undefined && this.#ports.clock.now() >= first[1] ? first[0] : null;
  }

  async #roundSafely(no: number): Promise<void> {
    const directory = shardPath(this.#ports.dataDir, no);
    // A failed look is due again after a full interval, too.
    this.#due(no, this.#ports.clock.now() + this.#ports.everyMs);
    const mark = new ReadingMark(directory);
    const isWhole = await this.#round(no, mark).catch((error: unknown) => this.#failed(no, error));
    mark.end();
    if (!isWhole) return;
    const now = this.#ports.clock.now();
    this.#ended.set(no, now);
    await writeRoundEnd(directory, now);
  }

  async #round(no: number, mark: ReadingMark): Promise<true> {
    await this.#shard(no, mark);
    for (const entry of this.#tenantsOf(no)) await this.#tenant(entry, mark);
    const names = new Set(this.#ports.tenants().map(subjectName));
    this.#ports.findings.keepOnly(
      (name) => names.has(name) || this.#ports.shards.some((one) => name === shardName(one)),
    );
    return true;
  }

  #failed(no: number, error: unknown): false {
    if (!(error instanceof ScrubStopped))
      this.#ports.log.warn({ err: error, shard: no }, 'the scrubber failed in a shard; the next round begins it anew');
    return false;
  }

  #tenantsOf(no: number): TenantEntry[] {
    return this.#ports.tenants().filter(({ shard }) => shard === no);
  }

  async #shard(no: number, mark: ReadingMark): Promise<void> {
    const { archive, findings, pace } = this.#ports;
    const look = findings.look({ scope: 'shard', name: shardName(no), mend: OFFLINE });
    const names = new Map(this.#tenantsOf(no).map((entry) => [entry.no, entry.position.key]));
    await this.#whole(look, { shard: no }, async () => {
      const steps = scrubShard(archive.atRest(no), () => pace.isOver);
      const next = (): Promise<IteratorResult<Looked<ShardFault>, void>> => this.#read(mark, () => steps.next());
      for (let at = await next(); at.done !== true; at = await next()) {
        const step = at.value;
        this.#count('values', step);
        for (const { kind, tenant, key, what } of step.faults) {
          const of = tenant === null ? {} : { tenant: names.get(tenant) ?? `no. ${tenant}` };
          look.found({ kind, where: { shard: no, ...of, key: hexOf(key) }, what });
        }
        await pace.rest();
      }
    });
  }

  async #tenant(entry: TenantEntry, mark: ReadingMark): Promise<void> {
    const { key } = entry.position;
    const subject = { scope: 'part', name: subjectName(entry), tenant: key, mend: SERVED } as const;
    const look = this.#ports.findings.look(subject);
    await this.#whole(look, {}, async () => {
      await this.#entities(entry, look, mark);
      await this.#files(entry, look);
    });
    // It is being deleted or moved: half of its data is no fault.
    if (!this.#isServed(entry)) look.drop();
  }

  async #entities(entry: TenantEntry, look: Look, mark: ReadingMark): Promise<void> {
    const { archive, clock, pace } = this.#ports;
    const store = archive.store(entry.shard, entry.no);
    const ports = {
      now: store.begin(),
      frozen: () => store.snapshot(limits.scrub.countMsMax),
      isOver: () => pace.isOver,
      fine: () => clock.fine(),
    };
    for (let tries = limits.scrub.schemaTriesMax; tries > 0; tries--) {
      const steps = scrubEntities(ports);
      const next = (): Promise<ReturnType<typeof steps.next>> => this.#read(mark, () => steps.next());
      for (let step = await next(); ; step = await next()) {
        if (step.done === true) {
          if (step.value) return;
          break;
        }
        this.#count('rows', step.value);
        if (!this.#isServed(entry)) return;
        for (const { kind, entity, key, what } of step.value.faults)
          look.found({ kind, where: { entity, key: hexOf(key) }, what });
        await pace.rest(step.value.hurry);
      }
    }
  }

  /** One step, while no other thread reads: a crash within it blames this shard alone. */
  async #read<T>(mark: ReadingMark, step: () => T): Promise<T> {
    const { pace, turn } = this.#ports;
    await turn.take();
    pace.begin();
    try {
      return mark.during(step);
    } finally {
      turn.give();
    }
  }

  async #files(entry: TenantEntry, look: Look): Promise<void> {
    const { archive, content, files, looks, pace } = this.#ports;
    const scrub: FileScrub = {
      pace,
      looked: (count, bytes) => looks.add('files', count, bytes),
      found: (sha256, what) => look.found({ kind: 'file', where: { file: sha256 }, what }),
    };
    if (!this.#isServed(entry)) return;
    await scrubRowFiles(archive.store(entry.shard, entry.no).begin(), files(entry.no), scrub);
    for (const [store, blobs] of content(entry)) if (this.#isServed(entry)) await scrubContent(store, blobs, scrub);
  }

  /** Ends a look. A subject that cannot be read at all is a fault of its own, and the others are still looked at. */
  async #whole(look: Look, where: Readonly<Record<string, unknown>>, run: () => Promise<void>): Promise<void> {
    try {
      this.#ports.pace.begin();
      await run();
    } catch (error) {
      if (error instanceof ScrubStopped) throw error;
      look.found({ kind: 'environment', where, what: `it cannot be read: ${(error as Error).message}` });
    }
    look.end();
  }

  #isServed({ no }: TenantEntry): boolean {
    return this.#ports.isServed(no);
  }

  #count(what: 'values' | 'rows', { entries, bytes }: Looked<unknown>): void {
    this.#ports.looks.add(what, entries, bytes);
  }

  #leaveAlone(no: number): void {
    const look = this.#ports.findings.look({ scope: 'shard', name: shardName(no), mend: LEFT });
    const what = 'the process ended while the scrubber read it: its pages may be damaged, and it is not read again';
    look.found({ kind: 'environment', where: { shard: no }, what });
    look.end();
  }
}

const shardName = (no: number): string => `shard ${no}`;
const subjectName = ({ position }: TenantEntry): string => `${position.key} stored data`;
const hexOf = (key: string): string => Buffer.from(key, 'latin1').toString('hex');
