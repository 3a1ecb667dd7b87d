/**
 * Main's watch over every thread: whether its event loop turns, and in what it stands still when it does not. A stall is counted and logged from
 * 250 ms on, reported as degraded from 2 s on, and a host that stands still for `watchdog.replace_after` is ended, so that the spare takes its
 * place. Pure: clock, threads and effects are passed in.
 *
 * The process itself may stand still too (a stop signal, a sleeping machine, a step of the clock), which must not count against a thread: each
 * look adds at most `lookMsMax` to a stall, however late it comes. So a host is ended only after some fifty looks in a row.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { readPulse, type PulseReading } from '#actors/host/pulse.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { Thread } from './thread.ts';

/** A thread that serves. */
export interface Watched {
  /** `host-0`, `intake-writer`. */
  readonly name: string;
  /** Only hosts are replaced: the other threads hold state that only they can bring to an end. */
  readonly isHost: boolean;
  readonly pulse: Int32Array;
  /** Milliseconds that its event loop has waited for events so far. It grows while the thread is idle. */
  readonly idleMs: number;
  /** Asks the thread for a beat. */
  ask(): void;
}

/** A thread as the watchdog sees it. */
export function watchedOf(name: string, isHost: boolean, { channel, pulse, idleMs }: Thread): Watched {
  return { name, isHost, pulse, idleMs, ask: () => channel.tell('thread.beat', null) };
}

/** What a thread stands still in, in words. */
export interface Suspect {
  /** The tenant's key; null where no tenant is known. */
  readonly tenant: string | null;
  /** `GET /data/rest/{entity}`, `wake`, an ask of the node, or null. */
  readonly route: string | null;
  /** Which part of the product: the first parameter of the path, where the door still has the request. */
  readonly part: string | null;
  readonly requestId: string | null;
}

export interface WatchdogPorts {
  /** Milliseconds, monotonic. */
  monotonic(): number;
  readonly log: Log;
  readonly degraded: Degraded;
  /** The threads that serve now. */
  watched(): Iterable<Watched>;
  suspect(reading: PulseReading): Suspect;
  /** Called once for each stall, for /metrics. */
  stalled(thread: string, suspect: Suspect): void;
  /** Ends a host's thread. */
  replace(thread: string, reason: string): void;
  /** Called with what a host did when it was ended. */
  strike(reading: PulseReading, suspect: Suspect): void;
  readonly replaceAfterMs: number;
}

interface Watch {
  pulse: Int32Array;
  beats: number;
  idleMs: number;
  /** A beat was asked for, and none has come since. */
  asked: boolean;
  /** Milliseconds for which main has seen it stand still. */
  quietMs: number;
  stage: 'well' | 'told' | 'degraded' | 'ended';
}

export class Watchdog {
  readonly #ports: WatchdogPorts;
  #watches = new Map<string, Watch>();
  #last: number;

  constructor(ports: WatchdogPorts) {
    this.#ports = ports;
    this.#last = ports.monotonic();
  }

  /** How long each thread stands still now, in milliseconds. */
  get quiet(): ReadonlyMap<string, number> {
    return new Map([...this.#watches].map(([name, { quietMs, stage }]) => [name, stage === 'well' ? 0 : quietMs]));
  }

  /** Names of the threads that have stood still for so long that they are named as degraded. */
  get still(): ReadonlySet<string> {
    const isStill = ({ stage }: Watch): boolean => stage === 'degraded' || stage === 'ended';
    return new Set([...this.#watches].flatMap(([name, watch]) => (isStill(watch) ? [name] : [])));
  }

  look(): void {
    const now = this.#ports.monotonic();
    const passed = Math.min(now - this.#last, limits.watchdog.lookMsMax);
    this.#last = now;
    const seen = new Map<string, Watch>();
    for (const thread of this.#ports.watched()) seen.set(thread.name, this.#lookAt(thread, passed));
    this.#watches = seen;
  }

  #lookAt(thread: Watched, passed: number): Watch {
    const { pulse, idleMs } = thread;
    const reading = readPulse(pulse);
    const before = this.#watches.get(thread.name);
    if (before === undefined || before.pulse !== pulse)
      return { pulse, beats: reading.beats, idleMs, asked: false, quietMs: 0, stage: 'well' };
    const hasBeaten = before.beats !== reading.beats;
    if (hasBeaten) before.asked = false;
    // A busy loop that never waits shows no idle time, and its mark may be one of work that awaits something now: an answered beat clears both.
    else if (idleMs <= before.idleMs || reading.activity !== 'loop') ask(thread, before);
    if (hasBeaten || idleMs > before.idleMs) this.#goesOn(thread, before);
    else {
      before.quietMs += passed;
      this.#standsStill(thread, before, reading);
    }
    before.beats = reading.beats;
    before.idleMs = idleMs;
    return before;
  }

  #goesOn({ name, isHost }: Watched, watch: Watch): void {
    if (watch.stage === 'degraded') this.#ports.degraded.clear(isHost ? 'host' : 'thread', name);
    watch.quietMs = 0;
    watch.stage = 'well';
  }

  #standsStill(thread: Watched, watch: Watch, reading: PulseReading): void {
    const { toldMs, degradedMs } = limits.watchdog;
    if (watch.stage === 'well' && watch.quietMs >= toldMs) this.#tell(thread, watch, reading);
    if (watch.stage === 'told' && watch.quietMs >= degradedMs) this.#degrade(thread, watch, reading);
    if (thread.isHost && watch.stage === 'degraded' && watch.quietMs >= this.#ports.replaceAfterMs)
      this.#replace(thread, watch, reading);
  }

  #tell({ name }: Watched, watch: Watch, reading: PulseReading): void {
    watch.stage = 'told';
    const suspect = this.#ports.suspect(reading);
    this.#ports.stalled(name, suspect);
    const fields = { thread: name, quiet_ms: Math.round(watch.quietMs), ...fieldsOf(reading, suspect) };
    this.#ports.log.warn(fields, 'a thread stands still in one turn: all that it serves waits');
  }

  #degrade({ name, isHost }: Watched, watch: Watch, reading: PulseReading): void {
    watch.stage = 'degraded';
    const end = isHost
      ? `it is replaced after ${this.#ports.replaceAfterMs / 1000} s (watchdog.replace_after)`
      : 'it is not replaced by itself: if it stays so, restart the node';
    const reason = `its event loop stands still in ${textOf(reading, this.#ports.suspect(reading))}; its callers wait, and ${end}`;
    this.#ports.degraded.report({ scope: isHost ? 'host' : 'thread', name, reason, lasts: 'cleared' });
  }

  #replace({ name }: Watched, watch: Watch, reading: PulseReading): void {
    watch.stage = 'ended';
    const suspect = this.#ports.suspect(reading);
    const seconds = Math.round(watch.quietMs / 1000);
    const fields = { thread: name, quiet_ms: Math.round(watch.quietMs), ...fieldsOf(reading, suspect) };
    this.#ports.log.error(
      fields,
      'a host stood still too long in one turn: it is ended, and the spare takes its place',
    );
    this.#ports.strike(reading, suspect);
    this.#ports.replace(name, `it stood still for ${seconds} s in ${textOf(reading, suspect)}`);
  }
}

/** Asks once only: a thread that stands still reads no messages, and they would pile up. */
function ask(thread: Watched, watch: Watch): void {
  if (!watch.asked) thread.ask();
  watch.asked = true;
}

function fieldsOf({ activity }: PulseReading, { tenant, route, part, requestId }: Suspect): Record<string, unknown> {
  return { at: activity, tenant, route, part, request_id: requestId };
}

function textOf({ activity }: PulseReading, { tenant, route, part }: Suspect): string {
  if (route === null) return activity === 'loop' ? 'work that did not say what it is' : `${activity} of ${tenant}`;
  return `${route}${part === null ? '' : ` (${part})`} of ${tenant ?? 'no tenant'}`;
}
