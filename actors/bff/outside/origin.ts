/**
 * One origin as one tenant sees it: a bulkhead, so that an upstream that hangs holds a bounded number of calls, and circuit breakers, so
 * that it gets no calls while it keeps failing. Failures count for one tenant and, except for connections, for one declared call: a caller
 * may be able to make one path fail.
 *
 *   no connection             counts against the origin: for a while none of its calls is made
 *   502, 503, 504, no answer  count against the declared call
 *   any other answer          counts against neither: the upstream works and has decided this request
 */
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  CircuitState,
  ConsecutiveBreaker,
  bulkhead,
  circuitBreaker,
  handleType,
} from 'cockatiel';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { TenantUse } from '#actors/host/tenant-use.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import { parseJson } from '#actors/kit/json.ts';
import { unanswered, within, type CallEnd, type Unanswered } from '../call/end.ts';
import type { Exchange, OutsideAnswer, OutsideRequest } from './pools.ts';

export interface OutsideCall extends OutsideRequest {
  /** The declaration of the request. */
  readonly declared: object;
  readonly timeoutMs: number;
  /** Further tries; only for idempotent methods, which the check of the declaration ensures. */
  readonly retries: number;
}

/** Counts against a declared call: no answer, or one that says that the service is unavailable. */
class CallFault extends Error {
  readonly end: Unanswered;

  constructor(end: Unanswered) {
    super(end.reason);
    this.end = end;
  }
}

/** Counts against the whole origin: no connection. */
class OriginFault extends CallFault {}

type Breaker = ReturnType<typeof breakerOf>;

function breakerOf(counted: typeof CallFault) {
  return circuitBreaker(handleType(counted), {
    halfOpenAfter: limits.bff.breakerOpenMs,
    breaker: new ConsecutiveBreaker(limits.bff.breakerFailures),
  });
}

/** RFC 9110 §15.6: statuses that may pass with another try. */
const PASSING = new Set([502, 503, 504]);

export class Origin {
  readonly #exchange: Exchange;
  readonly #log: Log;
  readonly #use: TenantUse | undefined;
  readonly #breaker = breakerOf(OriginFault);
  /** By declared call; it goes with the definitions. */
  readonly #breakers = new WeakMap<object, Breaker>();
  readonly #bulkhead = bulkhead(limits.bff.originCallsMax, limits.bff.originWaitingMax);

  /** `use`: where the tenant's calls outside are counted. */
  constructor(exchange: Exchange, log: Log, use?: TenantUse) {
    this.#exchange = exchange;
    this.#log = log;
    this.#use = use;
  }

  /** Makes the call, with all its tries, within its deadline. An upstream never makes it reject. */
  async call(request: OutsideCall): Promise<CallEnd> {
    const stop = new AbortController();
    const late = (): CallEnd => {
      stop.abort();
      return unanswered('timeout');
    };
    return within(request.timeoutMs, this.#tries(request, stop.signal), late);
  }

  async #tries(request: OutsideCall, signal: AbortSignal): Promise<CallEnd> {
    for (let tried = 0; ; tried++) {
      const end = await this.#try(request, signal);
      if (tried >= request.retries || !isPassing(end) || signal.aborted) return end;
      await pause(limits.bff.retryBackoffMs * 2 ** tried);
    }
  }

  /** While one call probes whether the origin works again, others fail at once. */
  async #try(request: OutsideCall, signal: AbortSignal): Promise<CallEnd> {
    const breaker = this.#breakerOf(request.declared);
    if (this.#breaker.state === CircuitState.HalfOpen || breaker.state === CircuitState.HalfOpen)
      return unanswered('circuit_open');
    try {
      return await this.#breaker.execute(() =>
        breaker.execute(() => this.#bulkhead.execute(() => this.#once(request, signal), signal)),
      );
    } catch (error) {
      if (error instanceof CallFault) return error.end;
      if (error instanceof BulkheadRejectedError) return unanswered('refused');
      if (error instanceof BrokenCircuitError) return unanswered('circuit_open');
      if (signal.aborted) return unanswered('timeout');
      throw error;
    }
  }

  #breakerOf(declared: object): Breaker {
    const present = this.#breakers.get(declared);
    if (present !== undefined) return present;
    const made = breakerOf(CallFault);
    this.#breakers.set(declared, made);
    return made;
  }

  async #once(request: OutsideCall, signal: AbortSignal): Promise<CallEnd> {
    // A quota says nothing about the upstream, so no breaker counts it.
    if (this.#use?.callsOutside() === false) return unanswered('quota');
    let answer: OutsideAnswer;
    try {
      answer = await this.#exchange.exchange(request, signal);
    } catch (error) {
      return this.#failed(error, signal);
    }
    const { status, text } = answer;
    if (PASSING.has(status)) throw new CallFault(unanswered('status', status));
    if (status < 200 || status >= 300) return unanswered('status', status);
    if (text === '') return { ok: true, value: null, chars: 0 };
    const parsed = parseJson(text);
    return parsed.ok ? { ok: true, value: parsed.value, chars: text.length } : unanswered('schema');
  }

  #failed(error: unknown, signal: AbortSignal): CallEnd {
    if (signal.aborted) throw new CallFault(unanswered('timeout'));
    if (!(error instanceof OutboundFault)) throw error;
    this.#log.warn({ service: 'bff', error: error.message }, 'an upstream call failed');
    if (error.why === 'too_large') return unanswered('schema');
    // A forbidden address says nothing about the upstream, so no breaker counts it.
    if (error.why === 'forbidden') return unanswered('refused');
    throw error.why === 'unreachable' ? new OriginFault(unanswered('refused')) : new CallFault(unanswered('refused'));
  }
}

function isPassing(end: CallEnd): boolean {
  if (end.ok) return false;
  return end.reason === 'refused' || (end.status !== undefined && PASSING.has(end.status));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
