/**
 * What a gate asks while another node serves (runtime/link/README.md): every request goes to that node, which looks for the tenant, charges rates and quotas, and traces. The listeners and their connections
 * are the same before and after this node takes the place.
 */
import type { CompiledRoute } from '#actors/host/call.ts';
import { anyone } from '#actors/protocol/callers.ts';
import { UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { carriedLines } from '#runtime/link/carried.ts';
import { Arrival } from './arrival.ts';
import type { Desk } from './desk.ts';
import type { GatePorts, ListenerRules } from './gate-ports.ts';
import type { Visit } from './port.ts';
import { refuseAtDoor } from './refusals.ts';
import { SiteVisit } from './site-visit.ts';

/** The node that serves, as the doors of this one see it. */
export interface FarSide {
  /** Whether another node serves. */
  readonly isFar: boolean;
  readonly desk: Desk;
  /** Whether requests can be sent to it. */
  readonly isUp: boolean;
  /** Whether one more would wait for too much. */
  readonly isFull: boolean;
  /** A tenant whose host another node than that one carries, as it has said; undefined where nothing is known. */
  referred(key: string): TenantEntry | undefined;
  /** Where its requests go now without that one; null where they go by it. One that another node has sent (`isSent`) goes to a host here or by that one: two nodes that each take the other for the carrier would send it to and fro. */
  deskOf(tenant: TenantEntry, isSent: boolean): Desk | null;
  /** Whether the desk is that of a host which this node carries. */
  isHere(desk: Desk): boolean;
  /** A request of a tenant goes to such a host. */
  counts(tenantNo: number): void;
}

/** The ports of a gate that asks its own node, and `far` while that one serves. */
export function farPorts(own: GatePorts, far: FarSide | null): GatePorts {
  if (far === null) return own;
  const traces = own.traces ?? null;
  return {
    ...own,
    mayKeep: () => !far.isFar,
    directory: {
      get: (key) => (far.isFar ? (far.referred(key) ?? namedTenant(key)) : own.directory.get(key)),
      reasonFor: (key) => (far.isFar ? UNKNOWN_POSITION : own.directory.reasonFor(key)),
    },
    rates: {
      has: (profile) => own.rates.has(profile),
      take: (profile, tenantNo, ip) => (far.isFar ? null : own.rates.take(profile, tenantNo, ip)),
      keyOf: (ip) => own.rates.keyOf(ip),
    },
    usage: { request: (tenant) => (far.isFar ? null : (own.usage?.request(tenant) ?? null)) },
    traces:
      traces === null
        ? null
        : {
            begin: (visit) => (far.isFar ? null : traces.begin(visit)),
            lineOf: (trace) => traces.lineOf(trace),
          },
    carries: (arrival) => {
      if (!far.isFar) return '';
      if (far.isHere(arrival.desk)) {
        far.counts(arrival.tenantNo);
        if (traces !== null) arrival.trace = traces.begin(arrival.visit);
        return '';
      }
      const lines = carriedLines(arrival);
      arrival.tenant = undefined; // the name has gone: nothing of the tenant is known here that could be counted
      return lines;
    },
    desk: (route, tenant, isSent) => {
      if (!far.isFar) return own.desk(route, tenant, isSent);
      const isDecidedThere = tenant === undefined || tenant.no === NAMED || !isOfHost(route, own.rates);
      return (isDecidedThere ? null : far.deskOf(tenant, isSent)) ?? far.desk;
    },
    full: (route, desk) => {
      if (!far.isFar) return own.full?.(route, desk) ?? null;
      return desk === far.desk ? refusalOf(far) : null;
    },
    answered: (request, status, byDoor) =>
      own.answered(
        far.isFar && request.tenant?.no === NAMED ? { ...request, tenant: undefined } : request,
        status,
        byDoor,
      ),
  };
}

/** Pages of sites come from the node that serves, too, which finds the site by its host. `no`: the number of pages on a link, behind those of routes. `send` takes what is to go there. */
export function farFiles(
  own: ListenerRules['files'],
  far: FarSide | null,
  no: number,
  send: (arrival: Arrival) => void,
): ListenerRules['files'] {
  if (own === null || far === null) return own;
  const route: CompiledRoute = { no, name: 'page', service: 'door', row: PAGE, paramNames: [] };
  return {
    answer: (visit, requestId, callerOf) => {
      if (!far.isFar) return own.answer(visit, requestId, callerOf);
      if (!(visit instanceof SiteVisit) || !visit.site.web || !READS.has(visit.method)) return false;
      const arrival = new Arrival(visit, requestId, route, 0, visit.path, callerOf);
      arrival.extra = pageHead(visit);
      send(arrival);
      return true;
    },
  };
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** For the gate, which takes it as a request that has a route: no service has one for it. */
const PAGE: RouteRow = {
  methods: ['GET'],
  path: '/*',
  position: 'none',
  callers: anyone(),
  body: 'none',
  ack: 'memory',
  replies: {},
  refusals: [],
  summary: 'A page of a site, of the node that serves.',
};
/** What the answer depends on (runtime/web/site-files.ts), and the host that names the site. */
const PAGE_HEADERS = ['host', 'accept', 'accept-encoding', 'if-none-match', 'range', 'if-range'] as const;

function pageHead(visit: Visit): string {
  let lines = '';
  for (const name of PAGE_HEADERS) {
    const value = visit.headers(name);
    if (value !== '') lines += `${name}:${value}\n`;
  }
  return lines;
}

function refusalOf({ isFull, isUp }: FarSide) {
  if (!isUp) return refuseAtDoor('unavailable');
  return isFull ? refuseAtDoor('overloaded') : null;
}

/** Whether a tenant's host answers the route, and nothing is charged for it: the node that serves decides on all others. */
const isOfHost = ({ row }: CompiledRoute, rates: GatePorts['rates']): boolean =>
  row.to === undefined && row.position !== 'none' && (row.rate === undefined || !rates.has(row.rate));

/** The number of no tenant. */
const NAMED = 0;

/** A tenant of whom the name is known and nothing else: the other node looks for the name. */
function namedTenant(key: string): TenantEntry | undefined {
  const position = parsePosition(key);
  return position === null ? undefined : { no: NAMED, position, shard: 0, state: 'active', localdir: null };
}
