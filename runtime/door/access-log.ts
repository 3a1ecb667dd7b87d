/**
 * The access log: a line for one request in so many, and for each that was slow or failed. It names the route as it is declared, never the
 * path, the query or a header that a caller sent: those may hold keys, tokens of mails and names of people. Nor does it name the caller's
 * address: the request's id leads to the audit log, which does.
 */
import type { Answered } from './gate-ports.ts';
import type { AccessLines } from '#runtime/observe/thread-logger.ts';

const SECOND_MS = 1000;
/** Answers from this status on are failures of the node or of what it asks. */
const FAILED = 500;

export interface AccessLogRules {
  /** One request of so many has a line; 0: none but slow and failed ones. */
  readonly oneIn: number;
  /** Answers that took longer have a line, in seconds. */
  readonly slowSeconds: number;
}

export class AccessLog {
  readonly #rules: AccessLogRules;
  readonly #lines: AccessLines;
  #passed = 0;

  constructor(rules: AccessLogRules, lines: AccessLines) {
    this.#rules = rules;
    this.#lines = lines;
  }

  /** Tells of one answer. */
  add(request: Answered, status: number, seconds: number, byDoor: boolean): void {
    const { oneIn, slowSeconds } = this.#rules;
    if (seconds <= slowSeconds && status < FAILED && !this.#isNext(oneIn)) return;
    this.#lines.add(this.#fieldsOf(request, status, seconds, byDoor));
  }

  /** Writes what waits: the doors are closed. */
  flush(): void {
    this.#lines.flush();
  }

  #isNext(oneIn: number): boolean {
    if (oneIn === 0 || ++this.#passed < oneIn) return false;
    this.#passed = 0;
    return true;
  }

  #fieldsOf({ visit, requestId, route, tenant, trace }: Answered, status: number, seconds: number, byDoor: boolean) {
    return {
      method: visit.method,
      route: route?.row.path ?? '',
      tenant: tenant?.position.key ?? '',
      status,
      ms: Math.round(seconds * SECOND_MS * SECOND_MS) / SECOND_MS,
      by: byDoor ? 'door' : (route?.service ?? 'door'),
      request_id: requestId,
      ...(trace !== null && { trace_id: trace.traceId }),
    };
  }
}
