/**
 * kill -9 of the node, and kills of its host's thread, under members of a channel that join again: each is told exactly the members that are there, no message is told
 * twice, and each has the stamp of its sender (docs/contract/channels.md). Rounds: SKEP_CRASH_ROUNDS; SKEP_TEST_SEED repeats a run.
 */
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client, type ClientOptions } from '#client/index.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { call } from '#test/kit/test-node.ts';
import { testSeed } from '#test/kit/seed.ts';
import { prepared } from '#test/crash/live/prepare.ts';
import { KEY, ROOM, Seat, sitByClient, sitBySocket, type From } from '#test/crash/live/seats.ts';
import { pause, PASSWORD, type Caller, type World } from '#test/crash/live/world.ts';

const ROUNDS = rounds({ suite: 2, ci: 5 });
const SEED = testSeed();
const SOON = { timeout: 60_000, interval: 20 };
const MESSAGES_MIN = 12;
/** The bounds of a channel: 10 a second of one caller. */
const SEND_MS = 150;
const SIGNATURE_BYTES = 64;
const PRODUCT = `name: shop
sessions: { mode: managed }
channels:
  ${ROOM}: { keyed: true, join: { users: true, services: true }, send: { users: true, services: true }, presence: true }
`;

test(`${ROUNDS} kills under members of a channel, seed ${SEED}`, { timeout: 60_000 + ROUNDS * 30_000 }, async () => {
  const { world, start } = await prepared({ users: ['ann', 'ben', 'cid'], services: ['bot'], product: PRODUCT });
  const random = new Random(SEED);
  onTestFinished(() => world.node.killProcess());
  const seats: Seat[] = [];
  const leave: (() => void)[] = [];
  onTestFinished(() => leave.forEach((end) => end()));
  for (const caller of world.callers) {
    const [first, second] = [new Seat(caller), new Seat(caller)];
    seats.push(first, second);
    leave.push(sitByClient(await clientOf(world, caller), first), sitBySocket(world, second));
  }
  const talk = new Talk(world, seats);
  const kills = { host: 0, process: 0 };

  for (let round = 0; round < ROUNDS; round++) {
    await converged(seats, round + 1);
    await talk.heardByAll(`begin ${round}`);
    await expect.poll(() => talk.sentSince(`begin ${round}`), SOON).toBeGreaterThan(MESSAGES_MIN);
    await talk.heardByAll(`end ${round}`);
    talk.judge(`begin ${round}`, `end ${round}`);
    await pause(random.below(60));
    const isHost = round === 0 || (round !== 1 && random.chance(0.5));
    kills[isHost ? 'host' : 'process']++;
    if (isHost) await world.node.killHost();
    else {
      await world.node.killProcess();
      await world.enter(await start());
    }
  }
  await converged(seats, ROUNDS + 1);
  talk.isOver = true;
  await talk.over;

  for (const seat of seats) {
    expect(seat.faults).toEqual([]);
    const payloads = seat.heard.map(({ payload }) => payload);
    expect(new Set(payloads).size).toBe(payloads.length);
    for (const { from, payload } of seat.heard) expect([payload, from]).toEqual([payload, talk.sent.get(payload)]);
  }
  // One that leaves is gone for all others.
  leave.splice(0, 3).forEach((end) => end());
  await converged(seats.slice(3), ROUNDS + 1);
  const heard = seats.reduce((sum, one) => sum + one.heard.length, 0);
  console.log(
    `SKEP_TEST_SEED=${SEED} ${JSON.stringify({ kills, sent: talk.sent.size, heard, lost: talk.unanswered })}`,
  );
});

async function clientOf(world: World, caller: Caller): Promise<Client<never>> {
  /** Each start listens on another port. */
  const moving: typeof fetch = (input, init) =>
    fetch((input as string).replace('http://node.invalid', world.gateway), init);
  const retry = { attempts: 100, firstMs: 50, mostMs: 500 };
  const wish = { url: 'http://node.invalid', position: 'acme:shop:dev:main', fetch: moving, retry };
  if (caller.subject === null) return createClient<never>({ ...wish, token: world.token(caller) } as ClientOptions);
  const client = createClient<never>(wish as ClientOptions);
  await client.auth.login({ login: `${caller.name}@example.org`, password: PASSWORD });
  return client;
}

/** All have joined so often, once behind each kill, and each sees exactly those who are there: themselves, with the ids that they have now. */
async function converged(seats: readonly Seat[], joins: number): Promise<void> {
  await expect.poll(() => seats.map((seat) => seat.joins), SOON).toEqual(seats.map(() => joins));
  await expect
    .poll(() => seats.map(({ present }) => present.toSorted()), SOON)
    .toSatisfy((seen: string[][]) => {
      const ids = seats.flatMap(({ id }) => id ?? []).toSorted();
      return ids.length === seats.length && seen.every((one) => one.join() === ids.join());
    });
}

/** What is sent while members come and go. */
class Talk {
  /** The stamp that each message is to have. */
  readonly sent = new Map<string, From>();
  /** In the order in which the node acknowledged them. */
  readonly #acknowledged: string[] = [];
  readonly over: Promise<unknown>;
  isOver = false;
  unanswered = 0;
  readonly #world: World;
  readonly #seats: readonly Seat[];

  constructor(world: World, seats: readonly Seat[]) {
    this.#world = world;
    this.#seats = seats;
    this.over = Promise.all(seats.filter((_, no) => no % 2 === 1).map((seat, no) => this.#chat(seat, no)));
    this.over.catch(() => undefined);
  }

  sentSince(mark: string): number {
    return this.#acknowledged.length - this.#acknowledged.indexOf(mark);
  }

  /** Sends a mark, and waits until each member was told it. */
  async heardByAll(mark: string): Promise<void> {
    await expect.poll(() => this.#send(this.#seats[0]!.caller, mark, null), SOON).toBe(204);
    await expect
      .poll(() => this.#seats.every(({ heard }) => heard.some(({ payload }) => payload === mark)), SOON)
      .toBe(true);
  }

  /** Between two marks no thread died: all were told the same in the same order, and nothing that was acknowledged is missing. */
  judge(begin: string, end: string): void {
    const between = (list: readonly string[]): string[] => list.slice(list.indexOf(begin) + 1, list.indexOf(end));
    const [first, ...others] = this.#seats.map(({ heard }) => between(heard.map(({ payload }) => payload)));
    for (const one of others) expect(one).toEqual(first);
    expect(first).toEqual(expect.arrayContaining(between(this.#acknowledged)));
  }

  async #chat(seat: Seat, no: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      // With its own member, or without one.
      await this.#send(seat.caller, `${no} ${n}`, n % 2 === 0 ? seat.id : null);
      await pause(SEND_MS);
    }
  }

  async #send(caller: Caller, payload: string, member: string | null): Promise<number | null> {
    const stamp = stampOf(this.#world, caller);
    this.sent.set(payload, member === null ? stamp : { ...stamp, member });
    const body = { payload, ...(member !== null && { member }) };
    const path = `/data/channels/${ROOM}?key=${KEY}`;
    const answer = await call(this.#world.gateway, 'POST', path, this.#world.headers(caller), body).catch(() => null);
    if (answer === null || answer.status === 503) {
      this.unanswered++;
      return null;
    }
    // A member of before a kill is none any more, and its message told to none.
    if (![204, 404, 429].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`);
    if (answer.status === 204) this.#acknowledged.push(payload);
    return answer.status;
  }
}

function stampOf(world: World, caller: Caller): From {
  // PASETO v4.public: what is claimed, then a signature.
  const claims = Buffer.from(world.token(caller).split('.')[2]!, 'base64url').subarray(0, -SIGNATURE_BYTES);
  const { sub } = JSON.parse(claims.toString()) as { sub: string };
  return { type: caller.subject === null ? 'service' : 'user', subject: sub };
}
