/**
 * `Idempotency-Key` (docs/contract/common.md §4.3): a retry gets the answer of the first attempt, which is kept in the same journal record
 * as that attempt's writes. Refusals are not kept: they wrote nothing, so a retry may try again.
 */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { isRefusal, type Refusal, type RefusalOptions } from '#actors/protocol/refusal.ts';
import { replyAgain, type Reply, type RouteTable } from '#actors/protocol/route.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import type { Turn } from '#storage/port.ts';
import type { Activation } from '../activation.ts';
import type { BodyStream } from '../body-stream.ts';
import type { Call } from '../call.ts';
import type { Exclusive } from '../exclusive.ts';
import type { AnyHandler, Handlers } from '../service.ts';
import { BodyDigest } from './body-digest.ts';
import { getAnswer, putAnswer, sweepAnswers, type KeptAnswer } from './store.ts';

const HEADER = 'idempotency-key';
const KEY = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotency.keyCharsMax}}$`);

type Told = Pick<RefusalOptions, 'headers' | 'message' | 'details'>;

/** A service's refusals, and which of its routes commit before their answer exists. */
export interface Once {
  /** The key is malformed. */
  invalid(): Refusal;
  /** The key was used with another request. */
  reused(): Refusal;
  /** The first request is running, or its answer is lost. */
  inUse(told: Told): Refusal;
  /** Names of routes that commit before they answer, and claim the key when they do: when none was claimed, nothing was written. */
  readonly claiming: ReadonlySet<string>;
}

/** The handlers, with replay on every route whose row names the header. Requests without the header pay nothing. */
export function replaying<T extends RouteTable>(rows: T, handlers: Handlers<T>, once: Once): Handlers<T> {
  const wrap = ([name, handler]: [string, AnyHandler]): [string, AnyHandler] => [
    name,
    rows[name]?.headers?.includes(HEADER) === true ? replayed(handler, once) : handler,
  ];
  const entries = Object.entries(handlers as Readonly<Record<string, AnyHandler>>);
  return Object.fromEntries(entries.map(wrap)) as Handlers<T>;
}

function replayed(handler: AnyHandler, once: Once): AnyHandler {
  return (call) => {
    const key = call.header(HEADER);
    // An answer is kept for a principal: callers without a credential could get one another's.
    if (key === undefined || call.principal === null) return handler(call);
    if (!KEY.test(key)) return once.invalid();
    return call.stream === null
      ? onlyOnce(call, key, handler, once)
      : onlyOnceInPieces(call, call.stream, key, handler, once);
  };
}

/** A request with a key, while it is carried out. */
interface Attempt {
  readonly id: string;
  /** Digest of the request; for a body in pieces it is known at the body's end. */
  request: string;
  readonly expiresAtMs: number;
  claimed: boolean;
  /** Claimed in the commit of another service, which the call has waited for. */
  inside: boolean;
  readonly once: Once;
}

const attempts = new WeakMap<Call, Attempt>();
/** Keys of a tenant whose first attempt has not ended. */
const underWay = new WeakMap<Activation, Set<string>>();

function runningOf(activation: Activation): Set<string> {
  let running = underWay.get(activation);
  if (running === undefined) underWay.set(activation, (running = new Set()));
  return running;
}

/** The status of a request that has been carried out and not answered yet. */
const UNANSWERED = 0;

/** For a handler that commits before it answers: it claims the key in that commit, so that a retry writes nothing again. */
export function claimKey(call: Call): void {
  const attempt = attempts.get(call);
  if (attempt !== undefined) claim(attempt, call.turn());
}

function claim(attempt: Attempt, turn: Turn): void {
  attempt.claimed = true;
  const { id, request, expiresAtMs } = attempt;
  putAnswer(turn, id, { request, status: UNANSWERED, type: null, headers: {}, text: '', expiresAtMs });
}

/** For a handler that writes outside of the tenant's store: it keeps the key's id there, beside what it writes, until `expiresAtMs`. */
export function keyOf(call: Call): { readonly id: string; readonly expiresAtMs: number } | null {
  return attempts.get(call) ?? null;
}

/** When another service writes on behalf of the call, its commit claims the key. */
function begin(call: Call, attempt: Attempt): void {
  attempts.set(call, attempt);
  call.carried = (turn) => {
    attempt.inside = true;
    claim(attempt, turn);
  };
}

function onlyOnce(call: Call, key: string, handler: AnyHandler, once: Once): ReturnType<AnyHandler> {
  const id = idOf(call, key);
  const request = fingerprintOf(call);
  const kept = getAnswer(call.turn(), id, call.activation.context.clock.now());
  if (kept !== undefined) {
    if (kept.request !== request) return once.reused();
    if (kept.status !== UNANSWERED) return replayOf(kept);
    return runningOf(call.activation).has(id) ? inProgress(once) : answerLost(once);
  }
  const running = runningOf(call.activation);
  if (running.has(id)) return inProgress(once);
  const expiresAtMs = call.activation.context.clock.now() + limits.idempotency.keptMs;
  const attempt: Attempt = { id, request, expiresAtMs, claimed: false, inside: false, once };
  begin(call, attempt);
  const outcome = handler(call);
  if (!(outcome instanceof Promise)) return keep(call, attempt, outcome);
  running.add(id);
  return outcome.then(
    async (settled) => {
      if (attempt.inside) await free(call.activation.exclusive);
      // The answer is kept at the end of the turn; until then the attempt is running.
      const kept = keep(call, attempt, settled);
      call.onEnd(() => running.delete(id));
      return kept;
    },
    (error: unknown) => {
      running.delete(id);
      throw error;
    },
  );
}

/**
 * As `onlyOnce` for a body that is gone once it is read. A retry sends it again, and it is read to its end to tell whether it is the same;
 * a retry during the first attempt is refused at once.
 */
async function onlyOnceInPieces(
  call: Call,
  stream: BodyStream,
  key: string,
  handler: AnyHandler,
  once: Once,
): Promise<Reply | Refusal> {
  const id = idOf(call, key);
  const running = runningOf(call.activation);
  if (running.has(id)) return inProgress(once);
  const now = call.activation.context.clock.now();
  const kept = getAnswer(call.turn(), id, now);
  if (kept?.status === UNANSWERED) return answerLost(once);
  const digest = new BodyDigest(headOf(call), call.header('content-type'));
  stream.onPiece = (bytes) => digest.update(bytes);
  if (kept !== undefined) {
    await stream.drain();
    return kept.request === digest.text() ? replayOf(kept) : once.reused();
  }
  const attempt: Attempt = {
    id,
    request: '',
    expiresAtMs: now + limits.idempotency.keptMs,
    claimed: false,
    inside: false,
    once,
  };
  begin(call, attempt);
  running.add(id);
  try {
    const outcome = await handler(call);
    // Staged writes must not wait: a handler that has staged some has read the whole body.
    if (!isRefusal(outcome) && !stream.ended) await stream.drain();
    if (attempt.claimed) await free(call.activation.exclusive);
    attempt.request = digest.text();
    const answer = keep(call, attempt, outcome);
    call.onEnd(() => running.delete(id));
    return answer;
  } catch (error) {
    running.delete(id);
    throw error;
  }
}

/** The commit of a part has released the tenant; another work may hold it by now. */
async function free(exclusive: Exclusive): Promise<void> {
  while (exclusive.held) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
}

function replayOf({ status, text, type, headers }: KeptAnswer): Reply {
  return replyAgain(status, text, type ?? undefined, { ...headers, 'Idempotency-Replayed': 'true' });
}

function inProgress(once: Once): Refusal {
  return once.inUse({ headers: RETRY_SOON });
}

/** The request was carried out, but the node ended before it answered. */
function answerLost(once: Once): Refusal {
  return once.inUse({
    message: 'the first request under the Idempotency-Key was carried out, and its answer is lost',
    details: { written: true },
  });
}

/** Stages the answer beside what it answers for, and sweeps a few that have expired: no timer, and a bounded cost. */
function keep(call: Call, attempt: Attempt, outcome: Reply | Refusal): Reply | Refusal {
  if (isRefusal(outcome) || outcome.bytes !== undefined) return outcome;
  const { id, request, expiresAtMs, claimed, inside, once } = attempt;
  if (once.claiming.has(call.route.name) && !claimed) return outcome; // nothing was written
  const { status, type = null, headers = {} } = outcome;
  const text = outcome.text ?? (outcome.body === undefined ? '' : JSON.stringify(outcome.body));
  const turn = inside ? call.nextTurn() : call.turn(); // after a wait the old turn is stale
  sweepAnswers(turn, call.activation.context.clock.now(), limits.idempotency.sweepMax);
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
  const count = call.header('if-count');
  return JSON.stringify([call.rawQuery, call.header('if-match') ?? null, ...(count === undefined ? [] : [count])]);
}

/** The rest of the request's identity: its query, its conditions, its body. */
function fingerprintOf(call: Call): string {
  const body = typeof call.body === 'string' ? Buffer.from(call.body, 'latin1') : call.body;
  return hash('sha256', Buffer.concat([Buffer.from(headOf(call)), body]), 'base64url');
}
