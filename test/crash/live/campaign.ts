/** The rounds of kills: when the node or its host is killed, what runs meanwhile, and the look at what every subscriber was told. */
import { expect } from 'vitest';
import { call } from '#test/kit/test-node.ts';
import { Random } from '#test/kit/random.ts';
import { Follower, KINDS, type Kind } from './follower.ts';
import type { KillableNode } from './killable-node.ts';
import { FILTERS, lineOf, Notes, type Told } from './notes.ts';
import { followEvents, followPages } from './over-http.ts';
import { followGraphql, followLive } from './over-socket.ts';
import { pause, type Caller, type World } from './world.ts';
import { Writer } from './writer.ts';

const SOON = { timeout: 60_000, interval: 20 };
const COUNTS = { sse: 30, poll: 20, live: 30, graphql: 20 } as const satisfies Record<Kind, number>;
const PER_LIVE_LINE = 10;
const PER_CLIENT = 5;
const WRITERS = 4;
/** Kills of the host between two kills of the process: the restart budget of a host is 10 a minute. */
const HOST_KILLS_MAX = 6;

/**
 * What a kill was timed by: any moment under load, a write that has just been sent (so that the kill may come between its commit and its answer), one that was
 * acknowledged (before subscribers are told), the return of subscribers after the kill before.
 */
const MOMENTS = ['any', 'sent', 'commit', 'return'] as const;

export class Campaign {
  readonly #world: World;
  readonly #start: () => Promise<KillableNode>;
  readonly #random: Random;
  readonly #notes = new Notes();
  readonly #service: Caller;
  readonly #followers: Follower[] = [];
  /** Those that begin with a snapshot while the load runs; they leave with the next look. */
  #late: Follower[] = [];
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #writers: Writer[];
  #writing: Promise<unknown> = Promise.resolve();
  #rests = true;
  #onAcknowledged: () => void = () => undefined;
  #onSent: () => void = () => undefined;
  /** What was acknowledged at each kill since the last look. */
  #kills: Set<string>[] = [];
  #hostKills = 0;
  #lookedTo = 0;
  readonly #counts = { told: 0, gone: 0, acrossKills: 0, writes: 0, snapshots: 0, looks: 0, late: 0 };
  readonly #killed = { process: 0, host: 0, any: 0, sent: 0, commit: 0, return: 0 };

  constructor(world: World, start: () => Promise<KillableNode>, random: Random) {
    this.#world = world;
    this.#start = start;
    this.#random = random;
    this.#service = world.callers.at(-1)!;
    const owners = world.callers.flatMap(({ subject }) => (subject === null ? [] : [subject]));
    const acknowledged = (): void => {
      this.#counts.writes++;
      this.#onAcknowledged();
    };
    const sent = (): void => this.#onSent();
    const ports = { world, notes: this.#notes, service: this.#service, owners, acknowledged, sent };
    this.#writers = Array.from({ length: WRITERS }, (_, no) => new Writer(no, { ...ports, random: this.#fork() }));
  }

  get figures() {
    const resumes = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
    let resets = 0;
    for (const follower of [...this.#followers, ...this.#late]) {
      resumes[follower.kind] += follower.resumes;
      resets += follower.resets;
    }
    const unanswered = { kept: 0, lost: 0 };
    for (const writer of this.#writers) {
      unanswered.kept += writer.unanswered.kept;
      unanswered.lost += writer.unanswered.lost;
    }
    return { kills: this.#killed, ...this.#counts, resumes, resets, unanswered };
  }

  /** All subscribers begin at one position, before the first write. */
  async begin(): Promise<void> {
    const { after } = await this.#page('');
    this.#lookedTo = after;
    const { callers } = this.#world;
    const of = (kind: Kind, no: number, caller: Caller): Follower => {
      const follower = new Follower(kind, caller, FILTERS[no % FILTERS.length]!, after);
      this.#followers.push(follower);
      return follower;
    };
    const some = (kind: Kind, count: number, from: number, callerOf: (no: number) => Caller): Follower[] =>
      Array.from({ length: count }, (_, no) => of(kind, from + no, callerOf(no)));
    const caller = (no: number): Caller => callers[no % callers.length]!;
    for (const one of some('sse', COUNTS.sse, 0, caller)) this.#run(followEvents(this.#world, one, this.#fork()));
    for (const one of some('poll', COUNTS.poll, 0, caller)) this.#run(followPages(this.#world, one, this.#fork()));
    for (let line = 0; line < COUNTS.live / PER_LIVE_LINE; line++) {
      // Each connection has subscriptions of two callers.
      const followers = some('live', PER_LIVE_LINE, line, (no) => caller(2 * line + Number(no >= PER_LIVE_LINE / 2)));
      this.#run(followLive(this.#world, followers, this.#fork()));
    }
    for (let client = 0; client < COUNTS.graphql / PER_CLIENT; client++) {
      const followers = some('graphql', PER_CLIENT, client, () => caller(callers.length - 1 - client));
      this.#ends.push(followGraphql(this.#world, followers, this.#fork()));
    }
    expect(this.#followers).toHaveLength(100);
    await this.#bell();
    await expect.poll(() => this.#followers.every(({ isAway }) => !isAway), SOON).toBe(true);
  }

  /** One round: load, a kill at a moment that the seed chooses, the node serves again; behind most rounds a look. */
  async kill(round: number): Promise<void> {
    const random = this.#random;
    if (this.#rests) this.#load();
    this.#begins();
    const moment = random.pick(MOMENTS);
    const isHost = round < 2 ? round === 0 : random.chance(0.5) && this.#hostKills < HOST_KILLS_MAX;
    await this.#momentOf(moment);
    this.#kills.push(new Set(this.#notes.acknowledged));
    for (const follower of this.#followers) follower.kills = this.#kills.length;
    this.#killed[isHost ? 'host' : 'process']++;
    this.#killed[moment]++;
    if (isHost) {
      this.#hostKills++;
      await this.#world.node.killHost();
    } else {
      this.#hostKills = 0;
      await this.#world.node.killProcess();
      await this.#world.enter(await this.#start());
    }
    await this.#writes(1);
    if (random.chance(0.7)) await this.look();
  }

  /** Writers rest; what every subscriber was told is held against what was kept. */
  async look(): Promise<void> {
    this.#rests = true;
    await this.#writing;
    await this.#bell();
    const log = await this.#log();
    expect(this.#notes.faultsOf(log)).toEqual([]);
    for (const follower of this.#followers) await this.#lookAt(follower, log);
    for (const follower of this.#late) await this.#lookAt(follower, log);
    expect(this.#followers.flatMap(({ faults }) => faults)).toEqual([]);
    this.#late = [];
    this.#kills = [];
    this.#notes.looked(log);
    this.#counts.looks++;
  }

  /** Ends what still runs; a second call does nothing. */
  async leave(): Promise<void> {
    this.#rests = true;
    this.#world.isOver = true;
    await this.#world.node.killProcess();
  }

  /** An orderly end of subscribers and node; gives its exit code. */
  async stop(): Promise<unknown> {
    this.#world.isOver = true;
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    return this.#world.node.stop();
  }

  #fork(): Random {
    return new Random(this.#random.below(2 ** 31));
  }

  #run(following: Promise<void>): void {
    this.#ends.push(() => following);
  }

  #load(): void {
    this.#rests = false;
    this.#writing = Promise.all(this.#writers.map((writer) => writer.write(() => this.#rests)));
    this.#writing.catch(() => undefined);
  }

  async #bell(): Promise<void> {
    await this.#writers[0]!.bell();
  }

  /** Resolves in the moment in which so many further writes have been acknowledged; rejects where a writer fails. */
  #writes(count: number): Promise<unknown> {
    const end = this.#counts.writes + count;
    const enough = new Promise<void>((resolve) => {
      this.#onAcknowledged = () => this.#counts.writes >= end && resolve();
    });
    return Promise.race([enough, this.#writing]);
  }

  async #momentOf(moment: (typeof MOMENTS)[number]): Promise<void> {
    const random = this.#random;
    if (moment === 'return') {
      const back = random.below(this.#followers.length);
      await expect
        .poll(() => this.#followers.filter(({ isAway }) => !isAway).length, { ...SOON, interval: 1 })
        .toBeGreaterThanOrEqual(back);
      return;
    }
    await this.#writes(5 + random.below(40));
    if (moment === 'any') await pause(random.below(30));
    if (moment !== 'sent') return;
    const sent = new Promise<void>((resolve) => (this.#onSent = resolve));
    await Promise.race([sent, this.#writing]);
    await pause(random.below(4));
  }

  /** Two subscribers begin with a snapshot while the load runs, and perhaps while the node dies. */
  #begins(): void {
    const random = this.#random;
    const late = (kind: Kind): Follower => {
      const follower = new Follower(kind, random.pick(this.#world.callers), random.pick(FILTERS), null);
      this.#late.push(follower);
      this.#counts.late++;
      return follower;
    };
    this.#run(followEvents(this.#world, late('sse'), this.#fork()));
    this.#run(followLive(this.#world, [late('live')], this.#fork()));
  }

  async #lookAt(follower: Follower, log: readonly Told[]): Promise<void> {
    const isLate = this.#late.includes(follower);
    await expect.poll(() => follower.position, { ...SOON, message: follower.name }).not.toBeNull();
    const behind = follower.begunAt;
    const expected = this.#notes.expected(follower, behind === null ? log : log.filter(({ seq }) => seq > behind));
    const isTold = (): boolean => follower.faults.length > 0 || follower.told.length >= expected.length;
    // What is missing is said below.
    await expect
      .poll(isTold, { ...SOON, message: follower.name })
      .toBe(true)
      .catch(() => undefined);
    if (!isTold())
      follower.fault(`${follower.isAway ? 'away' : 'there'} at ${follower.position}, ${JSON.stringify(follower.cuts)}`);
    // No gap, no double, no phantom, in order.
    expect([...follower.faults, ...follower.told.map(lineOf)], follower.name).toEqual(expected.map(lineOf));
    for (const told of follower.told) expect(this.#notes.rowFault(follower, told), follower.name).toBeNull();
    if (isLate) this.#lookAtRows(follower, log);
    this.#count(follower);
    follower.looked();
    if (isLate) follower.isOver = true;
  }

  #lookAtRows(follower: Follower, log: readonly Told[]): void {
    const rows = follower.rows.map(({ id, version, title }) => `${id} v${version} ${title}`);
    expect(rows.toSorted(), `snapshot of ${follower.name}`).toEqual(
      this.#notes.seenAt(follower, log, follower.begunAt!),
    );
    this.#counts.snapshots++;
  }

  /** Changes whose write was acknowledged before a kill, and which a subscriber was told only after it. */
  #count({ told, cuts }: Follower): void {
    for (const [at, { id, version, op }] of told.entries()) {
      this.#counts.told++;
      if (op === 'gone') this.#counts.gone++;
      const key = `${id} ${version}`;
      const isAcross = cuts.some((cut) => at >= cut.told && this.#kills[cut.kills - 1]?.has(key) === true);
      if (isAcross) this.#counts.acrossKills++;
    }
  }

  /** The log since the last look, as a service reads it. */
  async #log(): Promise<Told[]> {
    const log: Told[] = [];
    for (let more = true; more;) {
      const page = await this.#page(`&after=${this.#lookedTo}&limit=1000`);
      log.push(...page.changes);
      this.#lookedTo = page.after;
      ({ more } = page);
    }
    return log;
  }

  async #page(query: string): Promise<{ changes: readonly Told[]; after: number; more: boolean }> {
    const headers = this.#world.headers(this.#service);
    const path = `/data/changes?entity=note${query}`;
    const { status, text, json } = await call(this.#world.gateway, 'GET', path, headers);
    expect(status, text).toBe(200);
    return json;
  }
}
