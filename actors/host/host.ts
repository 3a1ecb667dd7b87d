/**
 * Where actors take turns. Pure: time, wires and storage are passed in, threads are shells.
 * A call: mailbox → credential → handler → commit → (durable) → reply. Spec: docs/contract/common.md §3.3, §8.3.
 */
import { limits } from '#config/limits.ts';
import { fuelledWith } from '#actors/kit/pace/fuel.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import { REQUEST_STRIDE, STREAM, type Body, type Flat } from '#actors/protocol/frame.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Activation } from './activation.ts';
import { whenAllowed } from './allowed.ts';
import { brakeMs } from './brake.ts';
import { callOf, type Call } from './call.ts';
import { TenantClosed, type Exclusive } from './exclusive.ts';
import { absent, noStreams, type HostPorts } from './host-ports.ts';
import { Inside } from './inside.ts';
import { TurnRing } from './mailbox.ts';
import { Pulse } from './pulse.ts';
import { refusedAtCommit } from './refused-at-commit.ts';
import { Replies } from './replies.ts';
import { TurnTrace } from './turn-trace.ts';
import type { AnyHandler, Service } from './service.ts';
import { HostStreams } from './streams.ts';
import { whyOf } from './why.ts';
import { withheldFrom } from './withheld.ts';
import { Work } from './work.ts';

export class Host {
  readonly #ports: HostPorts;
  readonly #ring = new TurnRing(limits.host.mailboxDepthMax);
  readonly #awake = new Map<number, Activation>();
  readonly #waking = new Map<number, Promise<void>>();
  readonly #lastUsed = new Map<number, number>();
  readonly #handlers: readonly AnyHandler[];
  readonly #services: readonly Service[];
  readonly #run = (): void => this.#turns();
  readonly #streams: HostStreams;
  readonly #inside: Inside;
  readonly #pulse: Pulse;
  readonly #replies: Replies;
  readonly #seldom = new Seldom();
  #scheduled = false;
  /** The last turn goes on in microtasks, which are not measured here: the stretch ends, so that no other turn comes before their end. */
  #goesOn = false;
  #taken = 0;
  #inFlight = 0;
  #closing = false;

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.#streams = new HostStreams(ports.stream ?? noStreams);
    this.#inside = new Inside(ports);
    this.#replies = new Replies(ports, this.#streams, {
      used: (call) => this.#used(call),
      ended: (call) => {
        this.#inFlight--;
        this.#used(call);
      },
    });
    this.#pulse = ports.pulse ?? new Pulse();
    const [first] = ports.services.values();
    this.#services = ports.routes.map((route) => ports.services.get(route.service) ?? first!);
    this.#handlers = ports.routes.map((route) => ports.services.get(route.service)?.handlers[route.name] ?? absent);
  }

  /** Calls that wait for a turn of their tenant. */
  get waiting(): number {
    return this.#ring.depth;
  }

  /** Calls accepted and not yet answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  get awake(): number {
    return this.#awake.size;
  }

  /** Numbers of the tenants that are awake. */
  get awakeTenants(): number[] {
    return [...this.#awake.keys()];
  }

  /**
   * Takes a batch of request records (the kind at index 0) or of stream messages. Turns are taken later, once all messages in the port have
   * arrived: a port keeps the order of arrival, and only mailboxes are fair.
   */
  receive(batch: Flat): void {
    if (batch[0] === STREAM) {
      this.#streams.receive(batch);
      return;
    }
    for (let i = 1; i < batch.length; i += REQUEST_STRIDE) this.#accept(batch, i);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#ports.later(this.#run);
  }

  /** The tenant's activation; a sleeping tenant is woken, once for all that ask meanwhile. */
  async activation(tenantNo: number): Promise<Activation> {
    for (;;) {
      const awake = this.#awake.get(tenantNo);
      if (awake !== undefined) return awake;
      if (this.#closing) throw new TenantClosed();
      await (this.#waking.get(tenantNo) ?? this.#wake(tenantNo));
    }
  }

  #wake(tenantNo: number): Promise<void> {
    const waking = this.#ports
      .wake(tenantNo)
      .then((woken) => {
        // It was forgotten meanwhile, so it may have loaded the old definitions.
        if (this.#waking.get(tenantNo) !== waking) return;
        this.#inside.carryFor(woken);
        this.#awake.set(tenantNo, woken);
      })
      .finally(() => {
        if (this.#waking.get(tenantNo) === waking) this.#waking.delete(tenantNo);
      });
    this.#waking.set(tenantNo, waking);
    return waking;
  }

  /** Runs one of a service's asks on a tenant; resolves with its result when all that it wrote is durable. */
  async ask(tenantNo: number, service: string, verb: string, body: unknown): Promise<unknown> {
    const answerer = this.#ports.services.get(service)?.asks?.[verb];
    if (answerer === undefined) throw new Error(`${service} has no answerer for ${verb}`);
    return this.run(tenantNo, (work) => answerer(work, body as never));
  }

  /** Runs a piece of work of the node's own on a tenant; resolves with its result when all that it wrote is durable. */
  async run<T>(tenantNo: number, piece: (work: Work) => T | Promise<T>): Promise<T> {
    const activation = await this.activation(tenantNo);
    if (this.#closing) throw new TenantClosed();
    while (activation.exclusive.held) await new Promise<void>((resolve) => activation.exclusive.whenFree(resolve));
    const work = new Work(activation);
    let result: T;
    // A tenant that was woken for this sleeps again like one that a call woke.
    if (!this.#lastUsed.has(tenantNo)) this.#lastUsed.set(tenantNo, this.#ports.monotonic());
    activation.exclusive.enter();
    try {
      this.#pulse.mark('ask', tenantNo);
      const began = this.#ports.monotonic();
      const answering = piece(work);
      activation.use?.worked(this.#ports.monotonic() - began);
      this.#pulse.rest();
      result = await answering;
      work.commit();
    } catch (error) {
      work.abort();
      throw error;
    } finally {
      activation.exclusive.leave();
    }
    if (work.seen > 0) await new Promise<void>((resolve) => activation.store.whenDurable(work.seen, resolve));
    return result;
  }

  /** Puts tenants to sleep that had no call for `idleMs`; gives how many. */
  sleepIdle(idleMs: number): number {
    const before = this.#ports.monotonic() - idleMs;
    let slept = 0;
    for (const [tenantNo, usedAt] of this.#lastUsed) {
      if (usedAt > before || this.#ring.box(tenantNo).depth > 0) continue;
      if (this.#awake.get(tenantNo)?.exclusive.quiet === false) continue;
      this.#lastUsed.delete(tenantNo);
      this.#ring.forget(tenantNo);
      if (this.#awake.delete(tenantNo)) slept++;
    }
    return slept;
  }

  /**
   * Forgets an activation, so that the next call loads its definitions anew: at its next quiet moment, since the next activation would know
   * nothing of holds, locks and models of the work under way. New calls wait a while for that, and are served by the old one when the work
   * takes longer. Gives whether it is forgotten already.
   */
  forget(tenantNo: number): boolean {
    this.#waking.delete(tenantNo);
    const activation = this.#awake.get(tenantNo);
    if (activation === undefined) return true;
    let waiting = !activation.exclusive.quiet;
    const resume = (): void => {
      if (waiting) this.#resume(tenantNo);
      waiting = false;
    };
    activation.exclusive.whenQuiet(() => {
      if (this.#awake.get(tenantNo) === activation) this.#awake.delete(tenantNo);
      resume();
    });
    if (waiting) {
      this.#ring.pause(tenantNo);
      this.#ports.after?.(limits.host.forgetWaitMs, resume);
    }
    return !waiting;
  }

  /** The node is about to stop: answers that last end now. */
  retire(): void {
    for (const service of this.#ports.services.values()) service.retire?.();
  }

  /** Ends work beside the callers; resolves when no tenant is waking and no work is under way. Asks, and calls that would wake a tenant, now fail. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#waking.values());
    await Promise.all([...this.#awake.values()].map(({ exclusive }) => exclusive.close()));
  }

  #accept(batch: Flat, at: number): void {
    const route = this.#ports.routes[batch[at + 1] as number]!;
    const body = batch[at + 9] as Body | number;
    const call = callOf(batch, at, route, body);
    const { spans } = this.#ports;
    if (spans !== null && spans !== undefined) call.turnTrace = TurnTrace.of(spans, batch[at + 8] as string);
    if (typeof body === 'number') call.stream = this.#streams.open(call.no, () => this.#used(call));
    this.#inFlight++;
    if (!this.#ring.offer(call)) this.#finish(call, this.#services[route.no]!.unavailable(call, 'overloaded'));
  }

  /** Some fair turns, as long as a stretch may last; the rest follow after I/O: journal, door and disk work on what these began. */
  #turns(): void {
    this.#scheduled = false;
    let now = this.#ports.monotonic();
    const end = now + limits.host.stretchMsMax;
    for (let taken = 0; taken < limits.host.stretchTurns; taken++) {
      const call = this.#ring.take();
      if (call === undefined) return;
      this.#goesOn = false;
      if ((++this.#taken & 15) !== 0) this.#begin(call);
      else this.#measured(call);
      const began = now;
      now = this.#ports.monotonic();
      call.tenant?.use?.worked(now - began);
      if (this.#goesOn) this.#workedOn(call, now);
      if (this.#goesOn || now >= end) break;
    }
    this.#scheduled = true;
    this.#ports.later(this.#run);
  }

  /** The turn goes on in microtasks: what they take belongs to its tenant, since the stretch has ended. */
  #workedOn({ tenant }: Call, since: number): void {
    if (tenant?.use === undefined) return;
    this.#ports.afterMicrotasks?.(() => tenant.use!.worked(this.#ports.monotonic() - since));
  }

  /** Begins a call and reports how long its turn took, in milliseconds. */
  #measured(call: Call): void {
    const began = this.#ports.monotonic();
    this.#begin(call);
    this.#ports.observeTurn?.(call.route.service, this.#ports.monotonic() - began);
  }

  #begin(call: Call): void {
    const tenantNo =
      call.tenantNo > 0 ? call.tenantNo : call.route.row.position === 'none' ? this.#ports.planeNo : null;
    if (tenantNo !== null) {
      const activation = this.#awake.get(tenantNo);
      if (activation === undefined) {
        this.#wakeFor(call, tenantNo);
        return;
      }
      call.tenant = activation;
      if (activation.exclusive.held) {
        this.#waitFor(call, activation.exclusive);
        return;
      }
    }
    this.#handle(call);
  }

  /** Another work holds the tenant: its mailbox waits; the call that met the hold goes first, once the holder's turn has ended. */
  #waitFor(call: Call, exclusive: Exclusive): void {
    this.#ring.pause(call.tenantNo);
    exclusive.whenFree(() => {
      this.#ports.later(() => {
        this.#ring.resume(call.tenantNo);
        this.#begin(call);
        if (!this.#scheduled) this.#turns();
      });
    });
  }

  /** The tenant sleeps: its mailbox waits while it wakes; the call that woke it goes first. */
  #wakeFor(call: Call, tenantNo: number): void {
    this.#ring.pause(call.tenantNo);
    this.activation(tenantNo).then(
      (activation) => {
        this.#lastUsed.set(tenantNo, this.#ports.monotonic());
        call.tenant = activation;
        this.#handle(call);
        this.#resume(call.tenantNo);
      },
      (error: unknown) => {
        this.#fault(call, error);
        this.#resume(call.tenantNo);
      },
    );
  }

  #resume(tenantNo: number): void {
    this.#ring.resume(tenantNo);
    if (!this.#scheduled) this.#turns();
  }

  #handle(call: Call): void {
    this.#pulse.call(call.tenantNo, call.route.no, call.no);
    if (call.turnTrace !== null) call.trace = call.turnTrace.begin();
    this.#serve(call);
    this.#pulse.rest();
  }

  #serve(call: Call): void {
    const service = this.#services[call.route.no]!;
    const withheld = withheldFrom(service, call);
    if (withheld !== null) return this.#finish(call, withheld);
    try {
      if (call.route.row.callers.auth !== 'none') {
        const principal = service.authenticate(call);
        if (isRefusal(principal)) return this.#finish(call, principal);
        call.principal = principal;
      }
      const outcome = fuelledWith(limits.host.turnUnits, this.#handlers[call.route.no]!, call);
      if (outcome instanceof Promise) {
        this.#goesOn = true;
        call.tenant?.exclusive.enter();
        outcome
          .then(
            (settled) => this.#finish(call, settled),
            (error: unknown) => this.#fault(call, error),
          )
          .finally(() => call.tenant?.exclusive.leave());
      } else this.#finish(call, outcome);
    } catch (error) {
      this.#fault(call, error);
    }
  }

  /** An unexpected error: logged whole, answered as the service's unavailability, nothing of the turn kept. */
  #fault(call: Call, error: unknown): void {
    call.abort();
    const refused = refusedAtCommit(error);
    if (refused !== null) return this.#finish(call, refused);
    const why = whyOf(error);
    if (why === 'too_costly') this.#warnOfCost(call);
    if (why === 'fault') this.#ports.log.error({ err: error, route: call.route.name, ...call.named }, 'handler failed');
    this.#finish(call, this.#services[call.route.no]!.unavailable(call, why));
  }

  #warnOfCost(call: Call): void {
    const { tenantNo, route } = call;
    const leftOut = this.#seldom.leftOut(`${tenantNo} ${route.name}`, this.#ports.monotonic());
    if (leftOut === null) return;
    const fields = { tenant_no: tenantNo, route: route.name, ...call.named, left_out: leftOut };
    this.#ports.log.warn(fields, 'a request was refused: it takes more work at a stretch than one turn may');
  }

  #finish(call: Call, outcome: Reply | Refusal): void {
    const before = call.seen;
    let newest: number;
    try {
      newest = outcome.kind === 'refusal' ? call.abort() : call.commit();
    } catch (error) {
      return this.#fault(call, error);
    }
    // The source of a stream uses the activation until the stream's end.
    if (outcome.kind === 'reply' && outcome.stream !== undefined) call.tenant?.exclusive.enter();
    if (call.turnTrace !== null) call.turnTrace.handled();
    if (newest === 0 || call.route.row.ack === 'memory') this.#send(call, outcome, false, false);
    else call.activation.store.whenDurable(newest, () => this.#leave(call, outcome, newest > before));
  }

  /** A write's answer waits while LMDB is behind (brake.ts). */
  #leave(call: Call, outcome: Reply | Refusal, hasRecord: boolean): void {
    const ms = call.wrote && this.#ports.after !== undefined ? brakeMs(call.activation.store.pressure) : 0;
    if (ms === 0) this.#send(call, outcome, true, hasRecord);
    else this.#ports.after!(ms, () => this.#send(call, outcome, true, hasRecord));
  }

  /** `hasRecord`: its own turn appended a record that is durable, so no other node had the shard. */
  #send(call: Call, given: Reply | Refusal, waited: boolean, hasRecord: boolean): void {
    if (hasRecord) return this.#replies.send(call, given, waited);
    const allowed = whenAllowed(this.#ports, this.#services[call.route.no]!, call, given);
    if (!(allowed instanceof Promise)) return this.#replies.send(call, allowed, waited);
    void allowed.then((outcome) => this.#replies.send(call, outcome, true));
  }

  #used({ tenantNo }: Call): void {
    if (tenantNo > 0) this.#lastUsed.set(tenantNo, this.#ports.monotonic());
  }
}
