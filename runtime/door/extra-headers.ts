/** The further headers that travel to a thread with a request: those that its row names, and the caller's address, which only the door knows. */
import { CALLER_BUCKET, CALLER_IP, ON_SOCKET, PEER_CERTIFICATE, SOCKET, VERB } from '#actors/protocol/frame.ts';
import type { Arrival } from './arrival.ts';

/** Shortens a caller's address to the prefix that shares a bucket. */
interface BucketKeys {
  keyOf(ip: string): string;
}

/** `name:value\n` for each header that the route's row names, the caller's address included where the row asks for it. */
export function extraHeaders(arrival: Arrival, rates: BucketKeys): string {
  const { row } = arrival.route;
  let extra = row.headers === undefined ? '' : linesOfHeaders(arrival, row.headers, rates);
  if (row.queryHeaders !== undefined && arrival.visit.query !== '')
    extra += linesOfHeaders(arrival, row.queryHeaders, rates);
  if (arrival.streams) extra += linesOfHeaders(arrival, STREAM_HEADERS, rates);
  return extra;
}

/** Headers that the reader of a body in pieces needs. */
const STREAM_HEADERS = ['content-type'];

function valueOf(arrival: Arrival, name: string, rates: BucketKeys): string {
  if (name === CALLER_IP) return arrival.callerIp();
  if (name === CALLER_BUCKET) return rates.keyOf(arrival.callerIp());
  if (name === PEER_CERTIFICATE) return arrival.visit.peer();
  if (name === SOCKET) return arrival.visit.upgrades === true ? '1' : '';
  if (name === ON_SOCKET) return arrival.visit.onSocket === true ? '1' : '';
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
