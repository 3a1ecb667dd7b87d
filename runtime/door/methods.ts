/** The verbs that reach a handler. Others are answered 501 by the door and the connection closed (RFC 9110 §9.1). */
import { METHODS } from 'node:http';

/** The verbs that the parser of node:http knows, without CONNECT: the door is no proxy. */
const known: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== 'CONNECT'));

/** Case-sensitive, as verbs are. */
export function isKnownMethod(method: string): boolean {
  return known.has(method);
}
