/** The listeners of a node: the gateway with every public route, each service's own, and operations. */
import type { ListenerName } from '#config/defaults.ts';
import { limits } from '#config/limits.ts';
import { placeCount } from '#config/places.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Log } from '#actors/host/activation.ts';
import { gatewayCheck, type GatewayCheck } from '#actors/kit/gateway-secret.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import { accessLines } from '#runtime/observe/thread-logger.ts';
import { TenantMeter } from '#runtime/observe/tenant-meter.ts';
import type { UsageMeter } from '#runtime/usage/usage-meter.ts';
import { columnNames } from '#runtime/observe/columns.ts';
import { DoorMeter } from '#runtime/observe/door-meter.ts';
import type { DegradedRegistry } from '#runtime/observe/degraded.ts';
import type { Meter } from '#runtime/observe/meter.ts';
import { expose, exposeOpenMetrics, type MetricFamily } from '#runtime/observe/exposition.ts';
import type { RecentLoad } from '#runtime/observe/recent-load.ts';
import { Exemplars } from '#runtime/observe/exemplars.ts';
import { scrapeFamilies } from '#runtime/observe/scrape.ts';
import { Revisions } from '#runtime/revisions.ts';
import { SiteFiles } from '#runtime/web/site-files.ts';
import { SiteIndex, type SiteIndexPorts } from '#runtime/web/site-index.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import { skepVersion } from '#runtime/version.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import type { NodeWatchdog } from '#runtime/node-watchdog.ts';
import { ConsoleDoor } from '#runtime/console/console-door.ts';
import type { LinkedPeople } from '#runtime/console/login-links.ts';
import type { IntakeWriterRoom } from '#runtime/rooms/intake-writer-room.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import { AccessLog } from './access-log.ts';
import { callerAddressOf, type CallerAddress } from './caller-address.ts';
import { Compression } from './compress/compression.ts';
import { ConnectionBudget, roomForConnections } from './connection-budget.ts';
import type { Directory } from './directory.ts';
import { intakeTimes, paceOf } from './door-times.ts';
import { DoorTraces } from './door-traces.ts';
import { threadSpans } from '#runtime/threads/thread-spans.ts';
import type { TraceRelay } from '#runtime/trace-relay.ts';
import { farFiles, type FarSide } from './far-gate.ts';
import type { Gate } from './gate.ts';
import { gateOf } from './gate-of.ts';
import type { Answered } from './gate-ports.ts';
import { listenersOf, socketPathsOf, type ListenerPlan } from './listeners.ts';
import type { MailboxPorts } from './mailbox/mailbox.ts';
import { LiveFigures } from './live/live-figures.ts';
import { openDoor } from './open-door.ts';
import { operations } from './operations.ts';
import { PageOrigins } from './page-origins.ts';
import type { Door, Visit, VisitHandler } from './port.ts';
import { gatewayProbes } from './probes.ts';
import type { Rates } from './rates.ts';
import { RefusedSubmissions } from './refused-submissions.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import { SessionCookies } from './session-cookies.ts';
import { ShownCertificates } from './shown-certificates.ts';
import { Sites } from './sites.ts';
import { strictly } from './strict-visit.ts';
import { SubmissionVisit } from './submission-visit.ts';
import { TlsWatch } from './tls-watch.ts';
import { Unsent } from '#actors/kit/unsent.ts';

export interface DoorsPorts {
  readonly platform: Platform;
  /** The one service whose listener opens; null for the whole node. */
  readonly alone: ListenerName | null;
  readonly directory: Directory;
  readonly rates: Rates;
  readonly supervisor: Pick<Supervisor, 'desk' | 'hostDesk' | 'isServing'>;
  readonly intake: Pick<IntakeWriterRoom, 'refused'>;
  /** The mails of a node in development; null where mails leave. */
  readonly mailbox: MailboxPorts | null;
  readonly log: Log;
  readonly metrics: SharedArrayBuffer;
  readonly meter: Meter;
  readonly degraded: DegradedRegistry;
  /** What tenants use. */
  readonly usage: Pick<UsageMeter, 'request'>;
  /** What is asked of the node. */
  readonly load: Pick<RecentLoad, 'count'>;
  readonly watchdog: Pick<NodeWatchdog, 'still' | 'suspensions'>;
  /** The files of a tenant's site (runtime/web/). */
  readonly webIndex: SiteIndexPorts['ask'];
  readonly traceRelay: Pick<TraceRelay, 'take'>;
  /** The node that serves while this one stands by; null where no other one can. */
  readonly far: FarSide | null;
  /** Whether all listeners stay closed until `complete`: the node waits, and has nothing that it may answer. */
  readonly waits: boolean;
  /** Further families for /metrics. */
  more(): readonly MetricFamily[];
}

export interface Doors {
  readonly gate: Gate;
  readonly urls: Readonly<Record<string, string>>;
  readonly isDraining: boolean;
  /** Answers a request for a page of a site that came to the door of another node; false where there is none. */
  page(visit: Visit, requestId: string, callerOf: CallerAddress): boolean;
  /** What the listeners count, without the rest of the node: for one that stands by. */
  families(): readonly MetricFamily[];
  /** An address of the console that logs these people in once; null where the console has no listener. */
  consoleLink(people: LinkedPeople): string | null;
  /** The secrets of the platform file are those of this one from now on: a node that stands by reads them again when it takes the place, or when another node does. */
  know(platform: Platform): void;
  /** The node serves from now on: opens the listeners that were left out while it stood by. Throws as `openDoors`. */
  complete(): Promise<void>;
  /** Turns `/ready` and `/readyz` to 503; requests are still taken, and each answer ends its connection. */
  retire(): void;
  /** Reads certificates and keys again. A listener whose files cannot be used keeps its present pair, and the log says why. */
  renew(): Promise<void>;
  /** Turns `/readyz` to 503, drains the listeners and closes them; operations last, so that the drain can be watched. */
  close(): Promise<void>;
}

/** Opens every configured listener, but for those that wait. Throws when a port is taken, naming the listener and the key to change. */
export async function openDoors(ports: DoorsPorts): Promise<Doors> {
  const { platform, supervisor, log } = ports;
  const routes = compileRoutes(platform);
  const isFar = (): boolean => ports.far?.isFar === true;
  const state = { draining: false };
  const meter = new DoorMeter(ports.meter);
  const tenants = new TenantMeter(limits.door.tenantSeriesMax, (no) => ports.directory.isThere(no));
  const accessLog = accessLogOf(platform);
  const traces = tracesOf(ports);
  const exemplars = new Exemplars();
  const refused = new RefusedSubmissions(
    (told) => (isFar() ? Promise.resolve() : ports.intake.refused(told)),
    logsRequests(platform),
  );
  let check = gatewayCheck(platform.intake.security.gateway_secret);
  const passesGateway: GatewayCheck = (shown) => check(shown);
  const secretHeader = platform.intake.security.gateway_secret_header.toLowerCase();
  const pages = PageOrigins.of(platform, routes);
  const compression = Compression.of(platform, routes);
  const sites = Sites.of(platform);
  const cookies = sites?.anyCookies === true ? new SessionCookies(routes) : null;
  const answered = (request: Answered, status: number, byDoor: boolean): void => {
    const { visit, route, tenant } = request;
    const now = performance.now();
    const seconds = (now - visit.began) / 1000;
    meter.count(route?.service ?? 'door', status, isReading(visit.method), seconds, byDoor);
    if (tenant !== undefined) tenants.count(tenant, status, seconds);
    ports.load.count(request, status, seconds, byDoor, now);
    if (route?.name === 'login' && route.service === 'identity') meter.login(status);
    if (request.trace !== null) {
      traces!.end(request.trace, request, status, byDoor);
      const exemplar = { traceId: request.trace.traceId, value: seconds, at: Date.now() / 1000 };
      exemplars.add(route?.service ?? 'door', isReading(visit.method), exemplar);
    }
    accessLog?.add(request, status, seconds, byDoor);
    if (byDoor && visit instanceof SubmissionVisit) refused.add(visit, request.requestId, status);
  };
  const gate = gateOf(routes, {
    ...ports,
    suspensions: ports.watchdog.suspensions,
    answered,
    refused,
    pages,
    cookies,
    compression,
    traces,
    passesGateway,
  });
  const pagesOfSites = sites?.anyWeb === true ? siteFilesOf(ports, answered) : null;
  const files = farFiles(pagesOfSites, ports.far, routes.length, (arrival) => gate.forwarded(arrival, ''));
  const connections = new ConnectionBudget(roomForConnections(), {
    degraded: ports.degraded,
    after: (ms, run) => void setTimeout(run, ms).unref(),
  });
  /** Listeners of operators, which callers of the gateway cannot fill up. */
  const apart: Readonly<Record<string, ConnectionBudget>> = {
    operations: new ConnectionBudget(limits.door.operationsConnectionsMax),
    console: new ConnectionBudget(limits.door.consoleConnectionsMax),
  };
  const consoleDoor = new ConsoleDoor({ log, tenants: platform.console.tenants });
  // Each request of intake's own listener shows the gateway's secret, probes too (docs/contract/intake.md §6.1).
  const intakeBarred = (visit: Visit) =>
    passesGateway(visit.header(secretHeader)) ? null : refuseIntake('intake.forbidden');
  const probes = gatewayProbes(
    skepVersion(),
    () =>
      !state.draining &&
      (isFar() ? ports.far!.isUp : supervisor.isServing(ports.watchdog.still) && !ports.degraded.concernsAll),
  );
  const unsent = new Unsent(limits.door.unsentBytesMax, (bytes) => {
    meter.answerCut();
    log.warn(
      { bytes },
      'a caller took nothing of its answer for longest, and the node holds no more unread answers: its connection was cut',
    );
  });
  const shown = new ShownCertificates();
  const live = new LiveFigures();
  const families = (more: readonly MetricFamily[]) => {
    meter.live(live);
    meter.inFlight(gate.inFlight);
    return scrape(ports, [...more, ...connections.families(), ...tenants.families(), ...shown.families()]);
  };
  const scraped = () => families(ports.more());
  const noAddon = once((fault) => log.warn({ fault: (fault as Error).message }, NO_ADDON));
  const doors = new Map<string, Door>();
  const urls: Record<string, string> = {};
  const watches = new Map<string, TlsWatch>();
  const plans = listenersOf(platform, routes, ports.alone);
  const handlerOf = (listener: ListenerPlan): VisitHandler => {
    const handler =
      listener.name === 'operations'
        ? operations({
            state,
            isServing: () => supervisor.isServing(ports.watchdog.still),
            degraded: ports.degraded,
            mailbox: ports.mailbox,
            metrics: () => expose(scraped()),
            openMetrics: traces === null ? null : () => exposeOpenMetrics(exemplars.in(scraped())),
          })
        : gate.handler(compileRouter(listener.routes), {
            callerOf: callerAddressOf(platform, listener.name),
            ...(listener.name === 'intake' ? { barred: intakeBarred } : {}),
            ...(listener.name === 'gateway' ? { probes, sites, files } : {}),
          });
    const pageTls = ['gateway', 'console'].includes(listener.name) ? platform.gateway.tls : undefined;
    return strictly(listener.name === 'console' ? consoleDoor.handler(handler) : handler, pageTls);
  };
  const handlers = new Map(plans.map((listener) => [listener.name, handlerOf(listener)]));
  const openOne = async (listener: ListenerPlan): Promise<void> => {
    const options = {
      ...(listener.name === 'intake' ? { times: intakeTimes(platform) } : { pace: paceOf(platform) }),
      ...(listener.http10 === true ? { http10: true } : {}),
      unsent,
      host: listener.host,
      port: listener.port,
      sockets: socketPathsOf(listener, routes),
      connections: apart[listener.name] ?? connections,
      onFault: (error: unknown) =>
        log.error({ err: error }, 'an exception escaped from the handling of a request: it was answered 500'),
      onSlow: () => meter.answerCut(),
      live,
      onNoAddon: noAddon,
    };
    try {
      const settings = listener.tls === undefined ? options : { ...options, tls: listener.tls };
      const again = async (isLast: boolean) => {
        const isRead = await renewed(listener.name, doors.get(listener.name)!, log, isLast);
        if (isRead) await shown.look(listener.name, listener.tls);
        return isRead;
      };
      const watch = listener.tls === undefined ? null : await TlsWatch.of(listener.tls, again);
      const door = await openDoor(settings, handlers.get(listener.name)!);
      doors.set(listener.name, door);
      await shown.look(listener.name, listener.tls);
      if (watch !== null) watches.set(listener.name, watch);
      const host = listener.host.includes(':') ? `[${listener.host}]` : listener.host;
      urls[listener.name] = `${listener.tls === undefined ? 'http' : 'https'}://${host}:${door.port}`;
    } catch (error) {
      await Promise.all([...doors.values()].map((door) => door.close()));
      throw new Error(
        `${listener.name} cannot listen on ${listener.host}:${listener.port}: ${(error as Error).message}\n    stop the program that holds it, change its bind in the platform file, or set SKEP_PORT_BASE to move all listeners`,
        { cause: error },
      );
    }
  };
  // A node that stands by has shown its operations listener already.
  const isLate = ({ name }: ListenerPlan): boolean => ports.waits || (isFar() && name === 'operations');
  const late = plans.filter(isLate);
  for (const listener of plans) if (!late.includes(listener)) await openOne(listener);
  const looks = setInterval(() => void look(watches, log), limits.door.tlsLookMs).unref();
  return {
    gate,
    urls,
    get isDraining() {
      return state.draining;
    },
    page: (visit, requestId, callerOf) => pagesOfSites?.answer(sites!.at(visit), requestId, callerOf) === true,
    families: () => families([]),
    consoleLink: (people) => (urls['console'] === undefined ? null : consoleDoor.linkOf(urls['console'], people)),
    know: ({ intake }) => {
      check = gatewayCheck(intake.security.gateway_secret);
    },
    complete: async () => {
      for (const listener of late) await openOne(listener);
    },
    retire: () => {
      state.draining = true;
      for (const [name, door] of doors) if (name !== 'operations') door.retire();
    },
    renew: async () => {
      await Promise.all([...doors].map(([listener, door]) => renewed(listener, door, log, true)));
      await Promise.all(plans.map(({ name, tls }) => shown.look(name, tls)));
      await Promise.all([...watches.values()].map((watch) => watch.read()));
    },
    close: async () => {
      state.draining = true;
      clearInterval(looks);
      const { operations: last, ...others } = Object.fromEntries(doors) as Record<string, Door>;
      await Promise.all(Object.values(others).map((door) => door.close()));
      traces?.flush();
      await last?.close();
      accessLog?.flush();
      meter.stop();
    },
  };
}

/** A start says it once, however many listeners it opens. */
const NO_ADDON =
  'the addon uWebSockets.js does not load, so node:http serves: the same answers, fewer of them in a second. Install the addon beside skep to change that (docs/package.md)';

function once(report: (fault: unknown) => void): (fault: unknown) => void {
  let isReported = false;
  return (fault) => {
    if (!isReported) report(fault);
    isReported = true;
  };
}

/** Whether there was nothing to read, or the door shows what it read. */
async function renewed(listener: string, door: Door, log: Log, isTold: boolean): Promise<boolean> {
  try {
    const news = await door.renew();
    if (news !== null)
      log.info({ listener, ...news }, 'certificate read again: connections that come from now on are shown it');
    return true;
  } catch (error) {
    const why = (error as Error).message;
    if (!isTold) return false;
    log.error(
      { listener, err: error },
      `the certificate of ${listener} was not read again, and the old one is shown on: ${why}. Put a certificate and its own key in place: they are read again when they change, and on SIGHUP`,
    );
    return false;
  }
}

async function look(watches: ReadonlyMap<string, TlsWatch>, log: Log): Promise<void> {
  for (const [listener, watch] of watches)
    await watch
      .look()
      .catch((error: unknown) => log.error({ listener, err: error }, 'the files of a certificate were not looked at'));
}

/** Whether intake's log takes the lines of requests, which are `info`. */
function logsRequests({ intake, log }: Platform): boolean {
  return log.level !== 'silent' && ['trace', 'debug', 'info'].includes(intake.logging.level);
}

/** Null where the platform file asks for none. */
function accessLogOf(platform: Platform): AccessLog | null {
  const { enabled, one_in: oneIn, slow } = platform.gateway.access_log;
  return enabled ? new AccessLog({ oneIn, slowSeconds: durationMs(slow) / 1000 }, accessLines(platform)) : null;
}

/** Null where the platform file names no collector. */
function tracesOf({ platform, traceRelay }: DoorsPorts): DoorTraces | null {
  const spans = threadSpans(platform, (batch) => traceRelay.take(batch));
  if (spans === null) return null;
  return new DoorTraces({ rules: platform.telemetry.traces!, spans, random: Math.random });
}

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD';

const NONE_OFF = new Set<'vault'>();
const VAULT_OFF = new Set(['vault' as const]);

/** What `/metrics` shows. */
function scrape(ports: DoorsPorts, more: readonly MetricFamily[]): MetricFamily[] {
  const off = ports.platform.vault.enabled ? NONE_OFF : VAULT_OFF;
  return scrapeFamilies(ports.metrics, columnNames(placeCount(ports.platform)), ports.rates.counts(), more, off);
}

/** The pages of products at their sites. */
function siteFilesOf(
  ports: DoorsPorts,
  answered: (request: Answered, status: number, byDoor: boolean) => void,
): SiteFiles {
  const { directory, log, platform, rates, usage } = ports;
  const seldom = new Seldom();
  const failed: SiteIndexPorts['failed'] = (tenant, error, isServed) => {
    const since = seldom.leftOut(tenant.position.key, performance.now());
    if (since === null) return;
    const what = isServed ? 'the files of before are served until it answers' : 'its pages answer 503 until it does';
    log.warn({ err: error, tenant: tenant.position.key, since }, `a host did not say which files a site has: ${what}`);
  };
  return new SiteFiles({
    directory,
    rates,
    usage,
    index: new SiteIndex({ ask: ports.webIndex, now: () => performance.now(), failed }),
    revisions: new Revisions(platform.storage.dir).blobs,
    answered: (visit, requestId, tenant, status) =>
      answered({ visit, requestId, route: null, tenant, trace: null }, status, true),
  });
}
