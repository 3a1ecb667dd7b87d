/**
 * The slowest requests of each of the last minutes. One route has only some places of a minute, so that polls which wait on purpose, or one slow
 * route, do not hide the others. An entry names the route as it is declared: never the path, the query, a header or a body, nor the caller's address.
 */
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { SlowRequest } from '#actors/protocol/node-view.ts';

const { keptMinutes, slowMsMin, slowPerMinute, slowPerRoute } = limits.nodeView;
const SECONDS_MIN = slowMsMin / 1000;

/** What is read of a request that was answered. */
export interface CountedRequest {
  readonly visit: { readonly method: string };
  readonly requestId: string;
  readonly route: CompiledRoute | null;
  readonly tenant: { readonly no: number; readonly position: { readonly key: string } } | undefined;
}

interface Entry {
  seconds: number;
  status: number;
  byDoor: boolean;
  method: string;
  route: CompiledRoute | null;
  tenant: string | null;
  requestId: string;
  at: number;
}

interface Minute {
  minute: number;
  readonly entries: Entry[];
  /** A request that took no longer finds no place. */
  floor: number;
}

export class SlowRequests {
  readonly #minutes: Minute[] = Array.from({ length: keptMinutes }, () => ({ minute: 0, entries: [], floor: 0 }));

  add(minute: number, request: CountedRequest, status: number, seconds: number, byDoor: boolean): void {
    if (seconds < SECONDS_MIN) return;
    const slot = this.#minutes[minute % keptMinutes]!;
    if (slot.minute !== minute) {
      slot.minute = minute;
      slot.entries.length = 0;
      slot.floor = 0;
    }
    if (seconds <= slot.floor) return;
    const place = placeIn(slot.entries, request.route, seconds);
    if (place < 0) return;
    slot.entries[place] = {
      seconds,
      status,
      byDoor,
      method: request.visit.method,
      route: request.route,
      tenant: request.tenant?.position.key ?? null,
      requestId: request.requestId,
      at: Date.now(),
    };
    if (slot.entries.length === slowPerMinute) slot.floor = Math.min(...slot.entries.map((entry) => entry.seconds));
  }

  list(minute: number, minutes: number, most: number): SlowRequest[] {
    return this.#minutes
      .filter((slot) => slot.minute > minute - minutes && slot.minute <= minute)
      .flatMap(({ entries }) => entries)
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, most)
      .map(shown);
  }
}

/** Where a request goes among the entries of its minute: a free place, that of a faster one of its route, or of the fastest; -1 for none. */
function placeIn(entries: readonly Entry[], route: CompiledRoute | null, seconds: number): number {
  let ofRoute = 0;
  let fastestOfRoute = -1;
  let fastest = -1;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!;
    if (fastest < 0 || entry.seconds < entries[fastest]!.seconds) fastest = i;
    if (entry.route !== route) continue;
    ofRoute++;
    if (fastestOfRoute < 0 || entry.seconds < entries[fastestOfRoute]!.seconds) fastestOfRoute = i;
  }
  if (ofRoute >= slowPerRoute) return entries[fastestOfRoute]!.seconds < seconds ? fastestOfRoute : -1;
  return entries.length < slowPerMinute ? entries.length : fastest;
}

function shown({ seconds, status, byDoor, method, route, tenant, requestId, at }: Entry): SlowRequest {
  return {
    at: new Date(at).toISOString(),
    ms: Math.round(seconds * 1e6) / 1e3,
    status,
    method,
    route: route?.row.path ?? '',
    service: route?.service ?? 'door',
    tenant,
    by_door: byDoor,
    request_id: requestId,
  };
}
