/** What else of a request travels to its thread: the headers that its row names, and what only the door knows of the caller. */
import { CALLER_BUCKET, CALLER_IP, PEER_CERTIFICATE, VERB } from '#actors/protocol/frame.ts';
import type { Arrival } from './arrival.ts';

/** A caller's address as far as it counts for a bucket. */
interface BucketKeys {
  keyOf(ip: string): string;
}

/** `name:value\n` for each header that the route's row names, and the caller's address where it asks for it. */
export function extraHeaders(arrival: Arrival, rates: BucketKeys): string {
  const { row } = arrival.route;
  let extra = row.headers === undefined ? '' : linesOfHeaders(arrival, row.headers, rates);
  if (row.queryHeaders !== undefined && arrival.visit.query !== '')
    extra += linesOfHeaders(arrival, row.queryHeaders, rates);
  if (arrival.streams) extra += linesOfHeaders(arrival, STREAM_HEADERS, rates);
  return extra;
}

/** What the reader of a body in pieces needs to know of it. */
const STREAM_HEADERS = ['content-type'];

function valueOf(arrival: Arrival, name: string, rates: BucketKeys): string {
  if (name === CALLER_IP) return arrival.callerIp();
  if (name === CALLER_BUCKET) return rates.keyOf(arrival.callerIp());
  if (name === PEER_CERTIFICATE) return arrival.visit.peer();
  return name === VERB ? arrival.visit.method : arrival.visit.header(name);
}

function linesOfHeaders(arrival: Arrival, names: readonly string[], rates: BucketKeys): string {
  let extra = '';
  for (const name of names) {
    const value = valueOf(arrival, name, rates);
    if (value !== '') extra += `${name}:${value}\n`;
  }
  return extra;
}
