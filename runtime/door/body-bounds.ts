/** How a request's body crosses to its thread, and how long it may be, by its row. */
import { limits } from '#config/limits.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Arrival } from './arrival.ts';
import type { Visit } from './port.ts';
import { refuseTooLarge } from './refusals.ts';

const MULTIPART = /^multipart\/form-data(?:;|\s|$)/i;

/** Whether the body crosses to the thread in pieces. */
export function isStreamed(row: RouteRow, visit: Visit): boolean {
  return row.body === 'stream' || (row.multipart === true && MULTIPART.test(visit.header('content-type')));
}

/** Refuses a declared length above the cap; bytes that arrive are counted later, by the reader. A body in pieces is bounded by its reader alone. */
export function refuseDeclaredLength({ route, streams, visit }: Arrival): Refusal | null {
  const { row } = route;
  if (row.body === 'none' || streams) return null;
  const bytesMax = bodyBytesMaxOf(row);
  return Number(visit.header('content-length')) > bytesMax ? refuseTooLarge(route, bytesMax) : null;
}

export const bodyBytesMaxOf = (row: RouteRow): number => row.bodyBytesMax ?? limits.door.jsonBodyBytesMax;
