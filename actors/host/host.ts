/**
 * The house in which actors take turns. Pure: time, wires and storage are passed in (STYLE 10 and 11), threads are shells.
 * A call: mailbox → credential → handler → commit → (durable) → reply. DESIGN §3 and §4.
 */
import { limits } from '#config/limits.ts';
import { StorageFull } from '#storage/fault.ts';
import type { Body, Flat } from '#actors/protocol/frame.ts';
import { REQUEST_STRIDE } from '#actors/protocol/frame.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { METHODS } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Activation, Log } from './activation.ts';
import { Call } from './call.ts';
import type { CompiledRoute } from './call.ts';
import { TurnRing } from './mailbox.ts';
import { renderOutcome } from './render.ts';
import type { AnyHandler, Service } from './service.ts';
import { Work } from './work.ts';

export interface HostPorts {
  readonly log: Log;
  readonly routes: readonly CompiledRoute[];
  readonly services: ReadonlyMap<string, Service>;
  /** Wakes a tenant: definitions loaded, store opened, every service's part built. */
  wake(tenantNo: number): Promise<Activation>;
  /** Whose activation serves routes that take no position (the control plane on its host); null elsewhere. */
  readonly planeNo: number | null;
  /** One reply record; `body` is text or bytes. */
  send(no: number, status: number, headers: string, body: Body): void;
  whenDurable(newest: number, then: () => void): void;
  /** Runs a function in a later turn of the event loop, after I/O had its chance (setImmediate). */
  later(run: () => void): void;
  /** Milliseconds, monotonic. */
  monotonic(): number;
  /** Told how long one turn in sixteen took. */
  observeTurn?(service: string, ms: number): void;
}

/** A route of a service that lives on another thread: only a fault of the door could send it here. */
const absent: AnyHandler = (call) => {
  throw new Error(`${call.route.service} does not live here`);
};

export class Host {
  readonly #ports: HostPorts;
  readonly #ring = new TurnRing(limits.host.mailboxDepthMax);
  readonly #awake = new Map<number, Activation>();
  readonly #lastUsed = new Map<number, number>();
  readonly #handlers: readonly AnyHandler[];
  readonly #services: readonly Service[];
  readonly #run = (): void => this.#turns();
  #scheduled = false;
  #taken = 0;
  #inFlight = 0;

  constructor(ports: HostPorts) {
    this.#ports = ports;
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

  /** Takes a batch of request records (the kind at index 0) and runs what it can within the turn's budget. */
  receive(batch: Flat): void {
    for (let i = 1; i < batch.length; i += REQUEST_STRIDE) this.#accept(batch, i);
    if (!this.#scheduled) this.#turns();
  }

  /** The tenant's activation, woken when it sleeps. */
  async activation(tenantNo: number): Promise<Activation> {
    const awake = this.#awake.get(tenantNo);
    if (awake !== undefined) return awake;
    const woken = await this.#ports.wake(tenantNo);
    // Two wakers may have raced: the first one's parts stay, since calls may already use them.
    const present = this.#awake.get(tenantNo);
    if (present !== undefined) return present;
    this.#awake.set(tenantNo, woken);
    return woken;
  }

  /** Runs one of a service's asks on a tenant; resolves with its result when all that it wrote is durable. */
  async ask(tenantNo: number, service: string, verb: string, body: unknown): Promise<unknown> {
    const answerer = this.#ports.services.get(service)?.asks?.[verb];
    if (answerer === undefined) throw new Error(`nobody answers ${service} ${verb}`);
    const work = new Work(await this.activation(tenantNo));
    let result: unknown;
    try {
      result = await answerer(work, body as never);
    } catch (error) {
      work.abort();
      throw error;
    }
    const newest = work.commit();
    if (newest > 0) await new Promise<void>((resolve) => this.#ports.whenDurable(newest, resolve));
    return result;
  }

  /** Puts tenants to sleep that nobody has called for a while; gives how many. */
  sleepIdle(idleMs: number): number {
    const before = this.#ports.monotonic() - idleMs;
    let slept = 0;
    for (const [tenantNo, usedAt] of this.#lastUsed) {
      if (usedAt > before || this.#ring.box(tenantNo).depth > 0) continue;
      this.#lastUsed.delete(tenantNo);
      this.#ring.forget(tenantNo);
      if (this.#awake.delete(tenantNo)) slept++;
    }
    return slept;
  }

  /** Forgets an activation, so that the next call loads its definitions anew. */
  forget(tenantNo: number): void {
    this.#awake.delete(tenantNo);
  }

  #accept(batch: Flat, at: number): void {
    const route = this.#ports.routes[batch[at + 1] as number]!;
    const call = new Call(
      batch[at] as number,
      route,
      batch[at + 2] as number,
      METHODS[batch[at + 3] as number]!,
      batch[at + 4] as string,
      batch[at + 5] as string,
      batch[at + 6] as string,
      batch[at + 7] as string,
      batch[at + 8] as string,
      batch[at + 9] as Body,
    );
    this.#inFlight++;
    if (!this.#ring.offer(call)) this.#finish(call, this.#services[route.no]!.unavailable(call, 'overloaded'));
  }

  /** Some fair turns; the rest goes on after I/O had its chance: journal, door and disk work on what these began. */
  #turns(): void {
    this.#scheduled = false;
    for (let taken = 0; taken < limits.host.stretchTurns; taken++) {
      const call = this.#ring.take();
      if (call === undefined) return;
      if ((++this.#taken & 15) !== 0) this.#begin(call);
      else if (this.#measured(call) > limits.host.turnMsMax) break;
    }
    this.#scheduled = true;
    this.#ports.later(this.#run);
  }

  /** Begins a call and tells how long its turn took, in milliseconds. */
  #measured(call: Call): number {
    const began = this.#ports.monotonic();
    this.#begin(call);
    const took = this.#ports.monotonic() - began;
    this.#ports.observeTurn?.(call.route.service, took);
    return took;
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
    }
    this.#handle(call);
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
    const service = this.#services[call.route.no]!;
    try {
      if (call.route.row.auth !== 'none') {
        const principal = service.authenticate(call);
        if (isRefusal(principal)) {
          this.#finish(call, principal);
          return;
        }
        call.principal = principal;
      }
      const outcome = this.#handlers[call.route.no]!(call);
      if (outcome instanceof Promise) {
        outcome.then(
          (settled) => this.#finish(call, settled),
          (error: unknown) => this.#fault(call, error),
        );
      } else this.#finish(call, outcome);
    } catch (error) {
      this.#fault(call, error);
    }
  }

  /** An unexpected error: logged whole, answered as the service's unavailability, nothing of the turn kept. */
  #fault(call: Call, error: unknown): void {
    call.abort();
    const why = !(error instanceof StorageFull) ? 'fault' : error.why === 'disk' ? 'storage_full' : 'overloaded';
    if (why === 'fault')
      this.#ports.log.error({ err: error, route: call.route.name, request_id: call.requestId }, 'handler failed');
    this.#finish(call, this.#services[call.route.no]!.unavailable(call, why));
  }

  #finish(call: Call, outcome: Reply | Refusal): void {
    let newest: number;
    if (outcome.kind === 'refusal') newest = call.abort();
    else {
      try {
        newest = call.commit();
      } catch (error) {
        this.#fault(call, error);
        return;
      }
    }
    if (newest === 0 || call.route.row.ack === 'memory') this.#send(call, outcome);
    else this.#ports.whenDurable(newest, () => this.#send(call, outcome));
  }

  #send(call: Call, outcome: Reply | Refusal): void {
    this.#inFlight--;
    if (call.tenantNo > 0) this.#lastUsed.set(call.tenantNo, this.#ports.monotonic());
    renderOutcome(call.no, outcome, this.#ports);
  }
}
