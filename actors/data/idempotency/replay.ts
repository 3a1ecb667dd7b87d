/**
 * `Idempotency-Key` (DESIGN §9): a retry gets the answer that the first attempt got, which is kept in the same journal record as
 * what that attempt wrote. Refusals are not kept: they left nothing, so a retry may try again.
 */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { BodyStream } from '#actors/host/body-stream.ts';
import type { Call } from '#actors/host/call.ts';
import type { Exclusive } from '#actors/host/exclusive.ts';
import type { AnyHandler, Handlers } from '#actors/host/service.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { replyText } from '#actors/protocol/route.ts';
import type { Reply, RouteTable } from '#actors/protocol/route.ts';
import { partOf } from '../part.ts';
import { refuse } from '../refusals.ts';
import { BodyDigest } from './body-digest.ts';
import { getAnswer, putAnswer, sweepAnswers } from './store.ts';
import type { KeptAnswer } from './store.ts';

const HEADER = 'idempotency-key';
const KEY = new RegExp(`^[\\x21-\\x7e]{1,${limits.data.idempotencyKeyCharsMax}}$`);

/** The handlers, with replay on every route whose row names the header. Who sends none costs nothing more. */
export function replaying<T extends RouteTable>(rows: T, handlers: Handlers<T>): Handlers<T> {
  const wrap = ([name, handler]: [string, AnyHandler]): [string, AnyHandler] => [
    name,
    rows[name]?.headers?.includes(HEADER) === true ? replayed(handler) : handler,
  ];
  const entries = Object.entries(handlers as Readonly<Record<string, AnyHandler>>);
  return Object.fromEntries(entries.map(wrap)) as Handlers<T>;
}

function replayed(handler: AnyHandler): AnyHandler {
  return (call) => {
    const key = call.header(HEADER);
    // An answer is kept for somebody: who shows no credential might get another's.
    if (key === undefined || call.principal === null) return handler(call);
    if (!KEY.test(key)) return refuse('v2.idempotency_key_invalid');
    return call.stream === null ? onlyOnce(call, key, handler) : onlyOnceInPieces(call, call.stream, key, handler);
  };
}

/** A request under a key that is being carried out. */
interface Attempt {
  readonly id: string;
  /** Of a body in pieces it is known at its end only. */
  request: string;
  readonly expiresAtMs: number;
  claimed: boolean;
}

const attempts = new WeakMap<Call, Attempt>();
/** Routes that commit before their answer is there, and claim the key when they do. */
const CLAIMING: ReadonlySet<string> = new Set(['graphql', 'endpoint', 'import']);
/** The status of an answer that is not there yet, of a request that has been carried out. */
const UNANSWERED = 0;

/** For a handler that commits before it answers: in that commit the key is taken, so that a retry writes nothing again. */
export function claimKey(call: Call): void {
  const attempt = attempts.get(call);
  if (attempt === undefined) return;
  attempt.claimed = true;
  const { id, request, expiresAtMs } = attempt;
  putAnswer(call.turn(), id, { request, status: UNANSWERED, type: null, headers: {}, text: '', expiresAtMs });
}

function onlyOnce(call: Call, key: string, handler: AnyHandler): ReturnType<AnyHandler> {
  const id = idOf(call, key);
  const request = fingerprintOf(call);
  const kept = getAnswer(call.turn(), id, call.activation.context.clock.now());
  if (kept !== undefined) {
    if (kept.request !== request) return refuse('v2.idempotency_key_reused');
    if (kept.status === UNANSWERED && !partOf(call.activation).running.has(id)) return answerLost();
    if (kept.status === UNANSWERED) return inProgress();
    return replayOf(kept);
  }
  const { running } = partOf(call.activation);
  if (running.has(id)) return inProgress();
  const expiresAtMs = call.activation.context.clock.now() + limits.data.idempotencyMs;
  const attempt: Attempt = { id, request, expiresAtMs, claimed: false };
  attempts.set(call, attempt);
  const outcome = handler(call);
  if (!(outcome instanceof Promise)) return keep(call, attempt, outcome);
  running.add(id);
  return outcome.then(
    (settled) => {
      // The answer counts from the end of the turn, and until then the attempt is running.
      call.onEnd(() => running.delete(id));
      return keep(call, attempt, settled);
    },
    (error: unknown) => {
      running.delete(id);
      throw error;
    },
  );
}

/**
 * As `onlyOnce` for a body that is gone when it has been read. Whoever retries sends it again, and it is read to its end to tell whether it
 * is the same; a retry that meets the first attempt on its way is refused at once.
 */
async function onlyOnceInPieces(
  call: Call,
  stream: BodyStream,
  key: string,
  handler: AnyHandler,
): Promise<Reply | Refusal> {
  const id = idOf(call, key);
  const { running } = partOf(call.activation);
  if (running.has(id)) return inProgress();
  const now = call.activation.context.clock.now();
  const kept = getAnswer(call.turn(), id, now);
  if (kept?.status === UNANSWERED) return answerLost();
  const digest = new BodyDigest(headOf(call), call.header('content-type'));
  stream.onPiece = (bytes) => digest.update(bytes);
  if (kept !== undefined) {
    await stream.drain();
    return kept.request === digest.text() ? replayOf(kept) : refuse('v2.idempotency_key_reused');
  }
  const attempt: Attempt = { id, request: '', expiresAtMs: now + limits.data.idempotencyMs, claimed: false };
  attempts.set(call, attempt);
  running.add(id);
  try {
    const outcome = await handler(call);
    // What a handler has staged must not wait: one that stages has read all.
    if (!isRefusal(outcome) && !stream.ended) await stream.drain();
    if (attempt.claimed) await free(call.activation.exclusive);
    attempt.request = digest.text();
    call.onEnd(() => running.delete(id));
    return keep(call, attempt, outcome);
  } catch (error) {
    running.delete(id);
    throw error;
  }
}

/** A chunk's commit has let go of the tenant; another may have it to himself by now. */
async function free(exclusive: Exclusive): Promise<void> {
  while (exclusive.held) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
}

function replayOf({ status, text, type, headers }: KeptAnswer): Reply {
  return replyText(status, text, type ?? undefined, { ...headers, 'Idempotency-Replayed': 'true' });
}

function inProgress(): Refusal {
  const headers = { 'Retry-After': String(limits.host.retryAfterSeconds) };
  return refuse('v2.idempotency_key_in_use', { headers });
}

/** Carried out, and the node went before it answered. */
function answerLost(): Refusal {
  return refuse('v2.idempotency_key_in_use', {
    message: 'the first request under the Idempotency-Key was carried out, and its answer is lost',
    details: { written: true },
  });
}

/** Stages the answer beside what it answers for, and sweeps a few that have expired: no timer, and a bounded cost. */
function keep(call: Call, attempt: Attempt, outcome: Reply | Refusal): Reply | Refusal {
  if (isRefusal(outcome) || outcome.bytes !== undefined) return outcome;
  const { id, request, expiresAtMs, claimed } = attempt;
  if (CLAIMING.has(call.route.name) && !claimed) return outcome; // nothing was written
  const { status, type = null, headers = {} } = outcome;
  const text = outcome.text ?? (outcome.body === undefined ? '' : JSON.stringify(outcome.body));
  const turn = call.turn();
  sweepAnswers(turn, call.activation.context.clock.now(), limits.data.idempotencySweepMax);
  putAnswer(turn, id, { request, status, type, headers, text, expiresAtMs });
  return outcome;
}

/** Per tenant (the store), principal, method and path. */
function idOf(call: Call, key: string): string {
  const { method, principal, route } = call;
  const who = principal === null ? [] : [principal.type, principal.subject, principal.actor];
  const path = route.paramNames.map((name) => call.param(name));
  return hash('sha256', JSON.stringify([who, method, route.row.path, path, key]), 'base64url');
}

function headOf(call: Call): string {
  return JSON.stringify([call.rawQuery, call.header('if-match') ?? null]);
}

/** What else makes the request: its query, its condition, its body. */
function fingerprintOf(call: Call): string {
  const body = typeof call.body === 'string' ? Buffer.from(call.body, 'latin1') : call.body;
  return hash('sha256', Buffer.concat([Buffer.from(headOf(call)), body]), 'base64url');
}
