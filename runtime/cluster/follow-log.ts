/**
 * A node that waits for its place follows the log meanwhile, on main, which has nothing else to do then: one shard after another, some MiB at a time, into the stores that it will serve. When it
 * takes over, its hosts read what came since. Only confirmed entries are taken (storage/engine-journals/follow-shard.ts), so a claim takes nothing back of what lies here.
 */
import { limits } from '#config/limits.ts';
import type { CatchUpBounds } from '#storage/catch-up.ts';
import type { Environment } from '#storage/environment.ts';
import { RecentTenants } from '#storage/engine-journals/recent-tenants.ts';
import { ShardFollower } from '#storage/engine-journals/follow-shard.ts';
import type { Follows } from '#storage/log-engine/nodes-port.ts';
import { OutcomeUnknown, TrimGap, type LogEngine, type ShardEnd } from '#storage/log-engine/port.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import type { Bytes } from '#storage/port.ts';
import type { Log } from '#actors/host/activation.ts';

export interface FollowLogPorts {
  readonly engine: Pick<LogEngine, 'ends' | 'readConfirmed' | 'close'>;
  /** Brings a copy of a shard back where its store needs one, and opens it. */
  readonly open: (shard: number) => Promise<Environment>;
  /** Whether the disk takes more. */
  readonly hasRoom: () => Promise<boolean>;
  readonly bounds: CatchUpBounds;
  /** What opens the entries; null, or absent, where they are not sealed. Asked when a shard is followed first. */
  readonly seal?: () => Promise<LogSeal | null>;
  readonly readBytesMax: number;
  /** Between two looks at the log; how far the pause grows while the database is away; and until a shard that failed is tried again. Milliseconds. */
  readonly everyMs: number;
  readonly awayMsMax: number;
  readonly faultMs: number;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

interface Followed {
  readonly environment: Environment;
  readonly follower: ShardFollower;
}

/** Why nothing more is taken, and since when it was so. */
interface Fault {
  readonly why: string;
  readonly at: number;
}

/** Of the whole log. */
const ALL = -1;

export class FollowLog {
  readonly #ports: FollowLogPorts;
  readonly #shards = new Map<number, Followed>();
  readonly #faults = new Map<number, Fault>();
  /** Shards that a host of this process has open. */
  readonly #away = new Set<number>();
  /** The shard on which it is at work. */
  #atWork: { readonly shard: number; readonly done: Promise<unknown> } | null = null;
  /** As of the last look. */
  #ends: readonly ShardEnd[] | null = null;
  #hadAllAt: number | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;
  #wake: () => void = () => undefined;
  readonly #recent = new RecentTenants(limits.cluster.wakesMax);

  constructor(ports: FollowLogPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Null before the first look at the log, and while something keeps it from following. */
  get follows(): Follows | null {
    if (this.#ends === null || this.#faults.size > 0) return null;
    const seqOf = (shard: number): number => this.#shards.get(shard)?.follower.seq ?? 0;
    const followed = this.#ends.filter(({ shard }) => !this.#away.has(shard));
    const behind = followed.reduce((sum, { shard, tail }) => sum + Math.max(tail - seqOf(shard), 0), 0);
    const ageMs = this.#hadAllAt === null ? null : Math.round(this.#ports.now() - this.#hadAllAt);
    return { behind, ageMs };
  }

  /** What keeps it from following; null where nothing does. */
  get fault(): string | null {
    const [first] = this.#faults.values();
    return first?.why ?? null;
  }

  /** The tenants that were written last, newest first; `limits.cluster.wakesMax` of them at most. */
  get recent(): readonly number[] {
    return this.#recent.nos;
  }

  /** A host of this process is to open these shards. Resolves when they are closed here; they count as followed, since the host has all of them. */
  async letGo(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#away.add(shard);
    if (this.#atWork !== null && this.#away.has(this.#atWork.shard)) await this.#atWork.done;
    for (const shard of shards) {
      this.#faults.delete(shard);
      await this.#close(shard);
    }
  }

  /** The host is gone, and has closed them: they are followed again from the next look on. */
  takeUp(shards: readonly number[]): void {
    for (const shard of shards) this.#away.delete(shard);
  }

  /** What was taken stays. Resolves when the stores are closed: the hosts open them then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#running;
    for (const { environment } of this.#shards.values()) await environment.close();
    this.#shards.clear();
    await this.#ports.engine.close();
  }

  async #run(): Promise<void> {
    const { everyMs, awayMsMax } = this.#ports;
    let pauseMs = everyMs;
    while (!this.#isStopped) {
      const isWell = await this.#tried(ALL, () => this.#round());
      pauseMs = isWell ? everyMs : Math.min(2 * pauseMs, awayMsMax);
      if (!this.#isStopped) await this.#pause(pauseMs);
    }
  }

  async #round(): Promise<void> {
    const began = this.#ports.now();
    const ends = await this.#ports.engine.ends();
    this.#ends = ends;
    if (!(await this.#ports.hasRoom()))
      throw new Error('the disk of the data directory is as full as storage.free_bytes_min lets it be');
    let hasAll = true;
    for (const end of ends) {
      if (this.#isStopped) return;
      if (end.tail > 0 && !this.#away.has(end.shard) && !(await this.#works(end))) hasAll = false;
    }
    if (hasAll) this.#hadAllAt = began;
  }

  /** As `#reached`; who lets the shard go waits for it. */
  async #works(end: ShardEnd): Promise<boolean> {
    const reached = this.#reached(end);
    this.#atWork = { shard: end.shard, done: reached.catch(() => false) };
    try {
      return await reached;
    } finally {
      this.#atWork = null;
    }
  }

  #isWanted(shard: number): boolean {
    return !this.#isStopped && !this.#away.has(shard);
  }

  /** Whether the shard has what was confirmed at the look. One that fails does not keep the others. */
  async #reached({ shard, confirmed }: ShardEnd): Promise<boolean> {
    const fault = this.#faults.get(shard);
    if (fault !== undefined && this.#ports.now() - fault.at < this.#ports.faultMs) return false;
    return this.#tried(shard, async () => {
      const { follower } = this.#shards.get(shard) ?? (await this.#open(shard));
      while (this.#isWanted(shard) && follower.seq < confirmed) if (!(await follower.step())) break;
      if (follower.seq < confirmed && this.#isWanted(shard))
        throw new OutcomeUnknown('the server that answers is behind');
    });
  }

  async #open(shard: number): Promise<Followed> {
    const { bounds, engine, open, readBytesMax } = this.#ports;
    const saw = (key: Bytes): void => this.#recent.saw(key);
    const seal = await this.#ports.seal?.();
    const environment = await open(shard);
    try {
      const followed = {
        environment,
        follower: new ShardFollower({ engine, shard, environment, bounds, seal, readBytesMax, saw }),
      };
      this.#shards.set(shard, followed);
      return followed;
    } catch (error) {
      await environment.close();
      throw error;
    }
  }

  /** Whether it went well. Entries that are gone are brought back with a copy, at the next look; a database that does not answer is waited for. */
  async #tried(which: number, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      if (this.#faults.delete(which)) this.#ports.log.info(shardIn(which), 'the log is followed again');
      return true;
    } catch (error) {
      if (which !== ALL && error instanceof OutcomeUnknown) throw error;
      if (error instanceof TrimGap) await this.#close(which);
      else if (!this.#isStopped) await this.#failed(which, error as Error);
      return false;
    }
  }

  async #failed(which: number, error: Error): Promise<void> {
    await this.#close(which);
    const told = this.#faults.get(which)?.why;
    this.#faults.set(which, { why: error.message, at: this.#ports.now() });
    if (told === error.message) return;
    this.#ports.log.warn(
      { ...shardIn(which), err: error },
      'this standby does not follow the log: what it lacks it reads when it takes over, which takes longer, or cannot take over at all; it tries again by itself',
    );
  }

  async #close(shard: number): Promise<void> {
    const followed = this.#shards.get(shard);
    this.#shards.delete(shard);
    await followed?.environment.close();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const shardIn = (which: number): { readonly shard?: number } => (which === ALL ? {} : { shard: which });
