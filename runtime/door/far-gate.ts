/**
 * What a gate asks while another node serves (runtime/link/README.md): every request goes to that node, which looks for the tenant, charges rates and quotas, and traces. The listeners and their connections
 * are the same before and after this node takes the place.
 */
import { UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { carriedLines } from '#runtime/link/carried.ts';
import { answerRefusal } from './answer-refusal.ts';
import type { Desk } from './desk.ts';
import type { GatePorts, ListenerRules } from './gate-ports.ts';
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
}

/** The ports of a gate that asks its own node, and `far` while that one serves. */
export function farPorts(own: GatePorts, far: FarSide | null): GatePorts {
  if (far === null) return own;
  const traces = own.traces ?? null;
  return {
    ...own,
    directory: {
      get: (key) => (far.isFar ? namedTenant(key) : own.directory.get(key)),
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
      const lines = carriedLines(arrival);
      arrival.tenant = undefined; // the name has gone: nothing of the tenant is known here that could be counted
      return lines;
    },
    desk: (route, tenant) => (far.isFar ? far.desk : own.desk(route, tenant)),
    full: (route, desk) => (far.isFar ? refusalOf(far) : (own.full?.(route, desk) ?? null)),
    answered: (request, status, byDoor) =>
      own.answered(
        far.isFar && request.tenant !== undefined ? { ...request, tenant: undefined } : request,
        status,
        byDoor,
      ),
  };
}

/** Pages of sites lie where the node serves: until they cross a link a door of another node says that it cannot give them. */
export function farFiles(own: ListenerRules['files'], far: FarSide | null): ListenerRules['files'] {
  if (own === null || far === null) return own;
  return {
    answer: (visit, requestId, callerOf) => {
      if (!far.isFar) return own.answer(visit, requestId, callerOf);
      const isPage =
        visit instanceof SiteVisit && visit.site.web && (visit.method === 'GET' || visit.method === 'HEAD');
      if (isPage) answerRefusal(visit, requestId, refuseAtDoor('unavailable'));
      return isPage;
    },
  };
}

function refusalOf({ isFull, isUp }: FarSide) {
  if (!isUp) return refuseAtDoor('unavailable');
  return isFull ? refuseAtDoor('overloaded') : null;
}

/** A tenant of whom the name is known and nothing else. Its number is that of none: the other node looks for the name. */
function namedTenant(key: string): TenantEntry | undefined {
  const position = parsePosition(key);
  return position === null ? undefined : { no: 0, position, shard: 0, state: 'active', localdir: null };
}
