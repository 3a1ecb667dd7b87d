/** The verbs that reach a handler. Others are answered 501 by the door and the connection closed (RFC 9110 §9.1). */
import { METHODS as PARSED } from 'node:http';
import { METHODS, type Method } from '#actors/protocol/method.ts';

/** The verbs that the parser of node:http knows, without CONNECT: the door is no proxy. */
const known: ReadonlySet<string> = new Set(PARSED.filter((method) => method !== 'CONNECT'));

/** Case-sensitive, as verbs are. */
export function isKnownMethod(method: string): boolean {
  return known.has(method);
}

/** The verbs of a path: those that are declared, and HEAD where GET is. */
export function verbsOf(isDeclared: (method: Method) => boolean): string[] {
  return METHODS.filter(isDeclared).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
