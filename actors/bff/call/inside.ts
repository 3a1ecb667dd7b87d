/** A call of a service of this node: by message, without HTTP, under the caller's own credential (docs/decisions/inside-calls.md IC-3). */
import type { BffCall, InsideService } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { askInside } from '#actors/host/inside.ts';
import type { InsideAnswer } from '#actors/host/inside-answer.ts';
import { unanswered, within, type CallEnd } from './end.ts';
import type { Rendered } from './render.ts';

/** Answers within the deadline; a write may still happen after it. */
export async function askService(
  from: Call,
  service: InsideService,
  { method, timeoutMs }: BffCall,
  { path, query, headers, body }: Rendered,
): Promise<CallEnd> {
  const type =
    body === null || 'content-type' in headers ? headers : { 'content-type': 'application/json', ...headers };
  const request = { service, method, path, query, headers: type, as: 'caller' as const };
  const asked = askInside(from, body === null ? request : { ...request, body });
  return within(timeoutMs, asked.then(endOf), () => unanswered('timeout'));
}

async function endOf(answer: InsideAnswer): Promise<CallEnd> {
  const { stream, status } = answer;
  if (stream !== null) {
    await stream.pieces[Symbol.asyncIterator]().return?.(); // a download cannot be part of an answer
    return unanswered('schema');
  }
  if (!answer.ok) return unanswered('status', status);
  const { text } = answer;
  if (text === '') return { ok: true, value: null, chars: 0 };
  const value = answer.json();
  return value === undefined ? unanswered('schema') : { ok: true, value, chars: text.length };
}
