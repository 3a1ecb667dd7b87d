/**
 * Orders the certificates of sites when they are due, one at a time. It alone causes orders, by its timer or by an operator's word: no request and no
 * ClientHello does. What fails here leaves the pair in place, and everything else of the node as it is.
 *
 *   look ─▶ next action ─▶ remember the attempt ─▶ order ─▶ pair in place ─▶ look
 *                                                   └─ failed: remember why, and when again ─▶ look
 *
 * The door finds a new pair by itself (runtime/door/tls-watch.ts).
 */
import { readFile } from 'node:fs/promises';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { MetricFamily } from '#runtime/observe/exposition.ts';
import type { NodeEvents } from '#runtime/node-events.ts';
import { ChallengeListener, whyDeaf } from './challenge-listener.ts';
import { AcmeFault } from './fault.ts';
import { attemptsOf } from './memory.ts';
import { acmeFamilies, type Outcome } from './meter.ts';
import { afterFailure, afterSuccess, isTrouble, nextAction, renewAtMs } from './next-action.ts';
import type { Attempts, Failure, Life, NameFacts } from './next-action.ts';
import { orderCertificate } from './order.ts';
import { lifeIn } from './pairs.ts';
import type { Papers } from './papers.ts';
import { orderedPairs, type OrderedPair } from './places.ts';

export interface KeeperPorts {
  readonly platform: Pick<Platform, 'gateway' | 'storage'>;
  /** The keeper closes them. */
  readonly papers: Papers;
  readonly clock: Clock;
  readonly log: Log;
  readonly degraded: Degraded;
  readonly events: Pick<NodeEvents, 'platform'>;
  /** 0 to 1. */
  readonly random: () => number;
}

/** What an order that an operator asked for gave. */
export interface Renewed {
  readonly name: string;
  readonly until: string;
  readonly renewed_again_at: string;
}

export class AcmeKeeper {
  readonly #ports: KeeperPorts;
  readonly #pairs: readonly OrderedPair[];
  readonly #listener: ChallengeListener;
  readonly #memory = new Map<string, Attempts>();
  readonly #orders: Record<Outcome, number> = { issued: 0, failed: 0, stopped: 0 };
  readonly #stopping = new AbortController();
  #isKnown = false;
  #isToldUnknown = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | null = null;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
    this.#pairs = orderedPairs(ports.platform);
    const { sites } = ports.platform.gateway;
    const { http_bind: bind, https_port: httpsPort } = this.#settings;
    this.#listener = new ChallengeListener({ bind, httpsPort, sites: new Set(Object.keys(sites)) });
  }

  /** Resolves before anything is ordered. */
  async start(): Promise<void> {
    const { log } = this.#ports;
    await this.#listener.open().catch((error: Error) => {
      const { mend, what } = whyDeaf(this.#settings.http_bind, error);
      log.error({ err: error }, `${what}: ${mend}`);
    });
    await this.#recall();
  }

  /** Orders a certificate now, whatever was remembered. Throws in words for operators. */
  async renew(name: string): Promise<Renewed> {
    if (!this.#pairs.some((pair) => pair.name === name)) {
      const known = this.#pairs.map((pair) => pair.name).join(', ');
      throw new Error(`no certificate is ordered for ${name}\n    it is ordered for ${known} (gateway.tls.acme)`);
    }
    if (!this.#isKnown) throw new Error(`${UNKNOWN}\n    see to the vault (skep cluster check), and try again`);
    if (this.#running !== null) throw new Error('an order is under way: wait for its end (skep tls status)');
    const failure = await this.#begin(name);
    if (failure !== null) throw new Error(`${failure.what}\n    ${failure.mend}`);
    const { life } = this.#factsOf(name);
    return { name, until: timestamp(life!.notAfterMs), renewed_again_at: timestamp(renewAtMs(life!)) };
  }

  /** Ends an order that is under way, which is no failure, and begins none any more. */
  endOrders(): void {
    this.#stopping.abort();
  }

  async stop(): Promise<void> {
    this.endOrders();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#listener.close();
    await this.#ports.papers.close();
  }

  families(): MetricFamily[] {
    const failures = this.#pairs.map(({ name }) => [name, attemptsOf(this.#memory, name).failures] as const);
    return acmeFamilies({ orders: this.#orders, failures });
  }

  get #settings() {
    return this.#ports.platform.gateway.tls!.acme!;
  }

  /** Until it is known what was tried before, here or at another node, nothing is ordered. */
  async #recall(): Promise<void> {
    const { log, papers } = this.#ports;
    try {
      for (const [name, attempts] of await papers.recall()) this.#memory.set(name, attempts);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (!this.#isToldUnknown)
        log.warn({ err: error }, `${UNKNOWN}: it is tried again, and those in place are shown on`);
      this.#isToldUnknown = true;
      this.#timer = setTimeout(() => void this.#recall(), limits.acme.sharedLookMs).unref();
      return;
    }
    this.#isKnown = true;
    for (const { name } of this.#pairs) this.#say(name);
    this.#look();
  }

  #look(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted || this.#running !== null) return;
    const now = this.#ports.clock.now();
    const action = nextAction(
      this.#pairs.map(({ name }) => this.#factsOf(name)),
      now,
    );
    if (action.kind === 'order') void this.#begin(action.name);
    else this.#timer = setTimeout(() => this.#look(), Math.max(0, action.untilMs - now) + 1).unref();
  }

  #factsOf(name: string): NameFacts {
    const { file } = this.#pairs.find((pair) => pair.name === name)!;
    return { name, life: lifeIn(file), attempts: attemptsOf(this.#memory, name) };
  }

  async #begin(name: string): Promise<Failure | null> {
    clearTimeout(this.#timer);
    const running = this.#attempt(name);
    this.#running = running;
    const failure = await running;
    this.#running = null;
    this.#look();
    return failure;
  }

  /** Never rejects. */
  async #attempt(name: string): Promise<Failure | null> {
    const { clock, log } = this.#ports;
    const before = attemptsOf(this.#memory, name);
    try {
      // A process that dies in the middle is not started again into the same order at once.
      await this.#remember(name, afterFailure(before, { atMs: clock.now(), ...DIED }, null, this.#ports.random));
      await this.#remember(name, afterSuccess(await this.#order(name), clock.now()));
      this.#orders.issued++;
      this.#say(name);
      return null;
    } catch (error) {
      const failure = { atMs: clock.now(), ...wordsOf(error) };
      if (this.#stopping.signal.aborted) {
        this.#orders.stopped++;
        await this.#remember(name, before).catch(() => undefined);
        return failure;
      }
      this.#orders.failed++;
      const waitMs = error instanceof AcmeFault ? error.waitMs : null;
      const attempts = afterFailure(before, failure, waitMs, this.#ports.random);
      this.#memory.set(name, attempts);
      await this.#remember(name, attempts).catch((fault: unknown) =>
        log.error({ name, err: fault }, 'a failed order was not written down: a restart tries it again at once'),
      );
      this.#say(name);
      return failure;
    }
  }

  /** Puts a new pair in place, and gives its life. */
  async #order(name: string): Promise<Life> {
    const { clock, events, log, papers } = this.#ports;
    const { ca_file: caFile, contact, directory, eab } = this.#settings;
    await this.#listener.open().catch((error: Error) => {
      const { mend, what } = whyDeaf(this.#settings.http_bind, error);
      throw new AcmeFault(what, mend);
    });
    const began = clock.now();
    const pair = await orderCertificate({
      name,
      directory,
      contact,
      eab,
      ca: caFile === undefined ? undefined : await readFile(caFile, 'utf8'),
      accountKey: await papers.account(directory),
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(limits.acme.orderMs)]),
      now: () => clock.now(),
      offer: (token, answer) => this.#offer(name, token, answer),
    });
    const { file } = this.#pairs.find((one) => one.name === name)!;
    await papers.put(name, pair);
    const life = lifeIn(file);
    if (life === null) throw new Error(`${file} was written, and cannot be read back`);
    const until = timestamp(life.notAfterMs);
    const seconds = (clock.now() - began) / 1000;
    log.info(
      { name, until, renewed_at: timestamp(renewAtMs(life)), seconds },
      'a certificate was gained: new connections are shown it within seconds',
    );
    events.platform('platform.certificate.issue', name, { until, authority: new URL(directory).host });
    return life;
  }

  async #remember(name: string, attempts: Attempts): Promise<void> {
    await this.#ports.papers.remember(name, attempts);
    this.#memory.set(name, attempts);
  }

  /** The authority comes to any door of the name. */
  async #offer(name: string, token: string, answer: string): Promise<() => Promise<void>> {
    const withdrawHere = this.#listener.offer(name, token, answer);
    const withdrawElsewhere = await this.#ports.papers.offer(name, token, answer).catch((error: unknown) => {
      withdrawHere();
      throw error;
    });
    return async () => {
      withdrawHere();
      await withdrawElsewhere();
    };
  }

  /** Says what is so of a name: in the log, and in the list of what is degraded. */
  #say(name: string): void {
    const { clock, degraded, log } = this.#ports;
    const facts = this.#factsOf(name);
    const { failure, failures, notBeforeMs } = facts.attempts;
    const now = clock.now();
    if (isTrouble(facts, now))
      degraded.report({ scope: 'certificate', name, reason: reasonOf(facts, now), lasts: 'cleared' });
    else degraded.clear('certificate', name);
    if (failure === null || failures === 0) return;
    const { mend, what } = failure;
    log.warn(
      { name, failures, next_try: timestamp(notBeforeMs), mend },
      `no new certificate for ${name}: ${what}. ${inPlace(facts, now)}`,
    );
  }
}

const UNKNOWN = 'what is known of the certificates of sites cannot be read, so none is ordered';

const DIED = {
  what: 'the node ended in the middle of the order',
  mend: 'look in its log for why; the order is made again',
};

function wordsOf(error: unknown): Pick<Failure, 'what' | 'mend'> {
  if (error instanceof AcmeFault) return { what: error.message, mend: error.mend };
  const { message, name } = error as Error;
  if (name === 'TimeoutError' || name === 'AbortError')
    return {
      what: `the order was not done within ${limits.acme.orderMs / 60_000} minutes`,
      mend: 'it is tried again; where it stays so, look at the network and at the status page of the authority',
    };
  return { what: message, mend: 'look at the data directory and at the files of gateway.tls.acme' };
}

function inPlace({ life }: NameFacts, nowMs: number): string {
  if (life === null) return 'Its callers are shown another certificate, which browsers refuse';
  const until = timestamp(life.notAfterMs);
  return life.notAfterMs > nowMs
    ? `The present one is shown on, and ends at ${until}`
    : `The present one is shown on, and has ended at ${until}, so browsers refuse it`;
}

function reasonOf(facts: NameFacts, nowMs: number): string {
  const { failure, failures } = facts.attempts;
  return `${failures} orders in a row failed, the last one because ${failure?.what ?? 'of an unknown reason'}. ${inPlace(facts, nowMs)}. ${failure?.mend ?? ''} (skep tls renew tries it now)`;
}
