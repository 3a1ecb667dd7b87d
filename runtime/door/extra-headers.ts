/** What else of a request travels to its thread: the headers that its row names, and what only the door knows of the caller. */
import type { CompiledRoute } from '#actors/host/call.ts';
import { CALLER_BUCKET, CALLER_IP, PEER_CERTIFICATE, VERB } from '#actors/protocol/frame.ts';
import type { CallerAddress } from './caller-address.ts';
import type { Visit } from './port.ts';

/** A caller's address as far as it counts for a bucket. */
interface BucketKeys {
  keyOf(ip: string): string;
}

/** `name:value\n` for each header that the route's row names, and the caller's address where it asks for it. */
export function extraHeaders(
  visit: Visit,
  callerOf: CallerAddress,
  { row }: CompiledRoute,
  streams: boolean,
  rates: BucketKeys,
): string {
  let extra = row.headers === undefined ? '' : linesOfHeaders(visit, callerOf, row.headers, rates);
  if (row.queryHeaders !== undefined && visit.query !== '')
    extra += linesOfHeaders(visit, callerOf, row.queryHeaders, rates);
  if (streams) extra += linesOfHeaders(visit, callerOf, STREAM_HEADERS, rates);
  return extra;
}

/** What the reader of a body in pieces needs to know of it. */
const STREAM_HEADERS = ['content-type'];

function valueOf(visit: Visit, callerOf: CallerAddress, name: string, rates: BucketKeys): string {
  if (name === CALLER_IP) return callerOf(visit);
  if (name === CALLER_BUCKET) return rates.keyOf(callerOf(visit));
  if (name === PEER_CERTIFICATE) return visit.peer();
  return name === VERB ? visit.method : visit.header(name);
}

function linesOfHeaders(visit: Visit, callerOf: CallerAddress, names: readonly string[], rates: BucketKeys): string {
  let extra = '';
  for (const name of names) {
    const value = valueOf(visit, callerOf, name, rates);
    if (value !== '') extra += `${name}:${value}\n`;
  }
  return extra;
}
