/**
 * The spans of a traced call on its host: the call, and below it how long it waited for its turn, its handler, and the journal. The door says
 * which calls are traced, in a pseudo header that stands first (frame.ts); what the handler does is below the handler's span.
 */
import { TRACE } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { Trace } from '#actors/kit/trace/trace.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { Attributes } from '#actors/kit/trace/span.ts';

const LINE = `${TRACE}:`;
const FROM_TRACE = LINE.length;
const FROM_SPAN = FROM_TRACE + 32;
const FROM_STATE = FROM_SPAN + 16;
const FAILED = 500;

/** The pseudo header's line for a span of the door; '' for a request that is not traced. */
export function traceLine(traceId: string, spanId: string, tracestate: string): string {
  return `${LINE}${traceId}${spanId}${tracestate}\n`;
}

/** A route, as far as a span names it. */
interface Named {
  readonly service: string;
  readonly name: string;
}

export class TurnTrace {
  readonly #call: Trace;
  #handler: Trace | null = null;
  #handledMs = 0;

  private constructor(call: Trace) {
    this.#call = call;
  }

  /** Of a record's extra headers; null for a call that is not traced. */
  static of(spans: Spans, extra: string): TurnTrace | null {
    if (!extra.startsWith(LINE)) return null;
    const traceId = extra.slice(FROM_TRACE, FROM_SPAN);
    const tracestate = extra.slice(FROM_STATE, extra.indexOf('\n'));
    return new TurnTrace(Trace.under(spans, traceId, extra.slice(FROM_SPAN, FROM_STATE), tracestate));
  }

  get traceId(): string {
    return this.#call.traceId;
  }

  /** Its turn begins; gives the place of what the handler does. */
  begin(): Trace {
    return (this.#handler ??= this.#call.begin());
  }

  /** The handler has its outcome, and what it wrote is in the journal's queue. */
  handled(): void {
    if (this.#handledMs === 0) this.#handledMs = this.#call.now();
  }

  /** The answer leaves. `waited`: for the journal. */
  end({ service, name }: Named, outcome: Reply | Refusal, waited: boolean): void {
    const [call, handler, endMs] = [this.#call, this.#handler, this.#call.now()];
    const { status } = outcome;
    const code = outcome.kind === 'refusal' ? outcome.code : null;
    const error = status >= FAILED ? (code ?? String(status)) : null;
    if (handler !== null) {
      call.add({ name: 'mailbox', startMs: call.startMs, endMs: handler.startMs });
      handler.close({ name: 'handler', startMs: handler.startMs, endMs: this.#handledMs, error });
      if (waited) call.add({ name: 'journal', startMs: this.#handledMs, endMs });
    }
    const facts = attributesOf(service, name, code, call.leftOut);
    call.close({ name: `${service} ${name}`, startMs: call.startMs, endMs, error, attributes: facts });
  }
}

function attributesOf(service: string, route: string, refusal: string | null, leftOut: number): Attributes {
  return [
    ['skep.service', service],
    ['skep.route', route],
    ...(refusal === null ? [] : [['skep.refusal', refusal] as const]),
    ...(leftOut === 0 ? [] : [['skep.spans_left_out', leftOut] as const]),
  ];
}
