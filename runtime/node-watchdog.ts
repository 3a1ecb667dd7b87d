/** Joins the watchdog to the node: names the tenant and route in which a thread stands still, has the door refuse it, and feeds /metrics and the log. */
import { durationMs } from '#config/values/duration.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { PulseReading } from '#actors/host/pulse.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { compileRoutes } from './compile-routes.ts';
import type { Directory } from './door/directory.ts';
import type { Gate } from './door/gate.ts';
import { EVERY_ROUTE, Suspensions } from './door/suspensions.ts';
import type { MetricFamily } from './observe/exposition.ts';
import type { Supervisor } from './supervisor/supervisor.ts';
import { Watchdog, type Suspect } from './supervisor/watchdog.ts';

export interface NodeWatchdogPorts {
  readonly platform: Platform;
  readonly supervisor: Pick<Supervisor, 'watched' | 'replaceHost'>;
  readonly directory: Pick<Directory, 'byNo'>;
  readonly degraded: Degraded;
  /** A route of a tenant is refused from now on: doors of other nodes send its requests here again. */
  readonly refused: () => void;
  readonly log: Log;
}

const monotonic = (): number => performance.now();

export class NodeWatchdog {
  readonly suspensions: Suspensions;
  readonly #ports: NodeWatchdogPorts;
  readonly #watchdog: Watchdog;
  readonly #routes: readonly CompiledRoute[];
  readonly #counts = new StallCounts();
  #gate: Pick<Gate, 'waitingAt'> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: NodeWatchdogPorts) {
    this.#ports = ports;
    this.#routes = compileRoutes(ports.platform);
    const { degraded, log, supervisor } = ports;
    const { replace_after, refuse_for } = ports.platform.watchdog;
    this.suspensions = new Suspensions({
      monotonic,
      refuseForMs: durationMs(refuse_for),
      began: (name, forMs) => this.#refused(name, forMs),
      ended: (name) => degraded.clear('route', name),
    });
    this.#watchdog = new Watchdog({
      monotonic,
      log,
      degraded,
      watched: () => supervisor.watched(),
      suspect: (reading) => this.#suspect(reading),
      stalled: (thread, suspect) => this.#counts.add(thread, suspect),
      replace: (thread, reason) => {
        this.#counts.replaced++;
        supervisor.replaceHost(thread, reason);
      },
      strike: (reading, suspect) => this.#strike(reading, suspect),
      replaceAfterMs: durationMs(replace_after),
    });
  }

  /** Names of the threads that have stood still for so long that they count as not serving. */
  get still(): ReadonlySet<string> {
    return this.#watchdog.still;
  }

  /** How long each thread stands still now, in milliseconds. */
  get quiet(): ReadonlyMap<string, number> {
    return this.#watchdog.quiet;
  }

  start(gate: Pick<Gate, 'waitingAt'>): void {
    this.#gate = gate;
    this.#timer = setInterval(() => {
      this.#watchdog.look();
      this.suspensions.sweep();
    }, limits.watchdog.lookMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Ends every suspension at an operator's wish (SIGHUP). */
  lift(): void {
    const routes = this.suspensions.lift();
    if (routes > 0)
      this.#ports.log.warn({ routes }, 'SIGHUP: routes that the door refused for a while are served again');
  }

  families(): MetricFamily[] {
    return this.#counts.families(this.#watchdog.quiet, this.suspensions);
  }

  #refused(name: string, forMs: number): void {
    this.#ports.refused();
    const seconds = Math.round(forMs / 1000);
    const reason =
      `it cost a host its thread more than once, so the door refuses it with 503 for ${seconds} s; the tenant's other routes are served. ` +
      'Mend the part of its product that takes so long; SIGHUP lifts the refusal at once';
    this.#ports.log.error(
      { route: name, refused_s: seconds },
      'a route of a tenant is refused at the door for a while',
    );
    this.#ports.degraded.report({ scope: 'route', name, reason, lasts: 'cleared' });
  }

  /** Counts against a tenant only what is known to be its own work: a request, or its waking. */
  #strike({ activity, tenantNo, routeNo }: PulseReading, { tenant, route }: Suspect): void {
    if (activity === 'request') this.suspensions.strike(tenantNo, routeNo, `${tenant ?? 'no tenant'} ${route}`);
    else if (activity === 'wake') this.suspensions.strike(tenantNo, EVERY_ROUTE, `${tenant} (every route)`);
  }

  #suspect({ activity, tenantNo, routeNo, call }: PulseReading): Suspect {
    if (activity === 'loop') return { tenant: null, route: null, part: null, requestId: null };
    const tenant = this.#ports.directory.byNo(tenantNo)?.position.key ?? null;
    const compiled = this.#routes[routeNo];
    if (activity !== 'request' || compiled === undefined) return { tenant, route: null, part: null, requestId: null };
    const waiting = this.#gate?.waitingAt(call) ?? null;
    const route = `${compiled.row.methods.join('|')} ${compiled.row.path}`;
    const part = waiting === null ? null : partOf(compiled, waiting.path);
    return { tenant, route, part, requestId: waiting?.requestId ?? null };
  }
}

const PLAIN = /^[\w.:-]+$/;

/** The value of the first path parameter, such as the entity or the action, with its name; null where there is none, or it is no plain name. */
function partOf({ row, paramNames }: Pick<CompiledRoute, 'row' | 'paramNames'>, path: string): string | null {
  const pattern = row.path.split('/');
  const at = pattern.findIndex((segment) => segment.startsWith('{'));
  if (at < 0) return null;
  const segments = path.split('/');
  // On a service's own listener paths have no public prefix, so the parameter is one segment earlier.
  const value = segments[segments[1] === pattern[1] ? at : at - 1] ?? '';
  if (!PLAIN.test(value) || value.length > limits.watchdog.partCharsMax) return null;
  return `${paramNames[0]} ${value}`;
}

/** The counters of stalls for /metrics. Labels are bounded: threads are few, and past `routeLabelsMax` routes are counted as `other`. */
class StallCounts {
  replaced = 0;
  readonly #byThread = new Map<string, number>();
  readonly #byRoute = new Map<string, { readonly labels: Readonly<Record<string, string>>; times: number }>();

  add(thread: string, { tenant, route }: Suspect): void {
    this.#byThread.set(thread, (this.#byThread.get(thread) ?? 0) + 1);
    const key = `${tenant} ${route}`;
    const isRoom = this.#byRoute.has(key) || this.#byRoute.size < limits.watchdog.routeLabelsMax;
    const labels = isRoom ? { tenant: tenant ?? '', route: route ?? '' } : { tenant: 'other', route: 'other' };
    const kept = isRoom ? key : 'other';
    const counted = this.#byRoute.get(kept) ?? { labels, times: 0 };
    counted.times++;
    this.#byRoute.set(kept, counted);
  }

  families(quiet: ReadonlyMap<string, number>, { active, refused }: Suspensions): MetricFamily[] {
    const one = (value: number): MetricFamily['samples'] => [{ labels: {}, value }];
    // A host that is being replaced is missing from `quiet` for a moment; its count stays.
    const threads = new Set([...quiet.keys(), ...this.#byThread.keys()]);
    const times = [...threads].map((thread) => ({ labels: { thread }, value: this.#byThread.get(thread) ?? 0 }));
    const now = [...quiet].map(([thread, ms]) => ({ labels: { thread }, value: ms / 1000 }));
    const routes = [...this.#byRoute.values()].map(({ labels, times: value }) => ({ labels, value }));
    const row = (
      name: string,
      type: MetricFamily['type'],
      help: string,
      samples: MetricFamily['samples'],
    ): MetricFamily => ({ name, type, help, samples });
    return [
      row('skep_thread_stalls_total', 'counter', 'Turns that held a thread for 250 ms or longer.', times),
      row('skep_thread_stall_seconds', 'gauge', 'How long the present turn holds its thread, from 250 ms on.', now),
      row('skep_stalls_by_route_total', 'counter', 'The same by tenant and route, where these are known.', routes),
      row('skep_hosts_replaced_total', 'counter', 'Hosts that the watchdog ended.', one(this.replaced)),
      row('skep_suspended_routes', 'gauge', 'Routes of tenants that the door refuses for a while.', one(active)),
      row(
        'skep_suspended_requests_total',
        'counter',
        'Requests that the door refused because their route is suspended.',
        one(refused),
      ),
    ];
  }
}
