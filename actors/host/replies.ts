/** How a finished answer leaves its host: at once, or in pieces as its caller reads. */
import { limits } from '#config/limits.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import type { Body } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { ReplyStream } from '#actors/protocol/body.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Call } from './call.ts';
import type { HostPorts } from './host-ports.ts';
import { heldPieces, isLarge, lengthOf } from './large-reply.ts';
import { bodyOf, renderHead, renderWith } from './render.ts';
import { AnswerGivenUp } from './reply-pump.ts';
import type { HostStreams } from './streams.ts';

/** Another node may have overtaken what the rest of an answer would say. */
class Overtaken extends Error {
  constructor() {
    super('an answer was cut: this node does not know any more whether another one serves its log');
  }
}

async function confirmed(confirms: () => Promise<boolean>): Promise<void> {
  if (!(await confirms())) throw new Overtaken();
}

interface CallEvents {
  /** The call's tenant is in use. */
  used(call: Call): void;
  /** The call's answer has left. */
  ended(call: Call): void;
}

export class Replies {
  readonly #ports: HostPorts;
  readonly #streams: HostStreams;
  readonly #events: CallEvents;
  /** Large bodies that callers have not read yet. */
  readonly #held = new Unsent(limits.host.heldReplyBytesMax);

  constructor(ports: HostPorts, streams: HostStreams, events: CallEvents) {
    this.#ports = ports;
    this.#streams = streams;
    this.#events = events;
  }

  /** What the call wrote is durable. `waited`: whether the answer waited for something. */
  send(call: Call, outcome: Reply | Refusal, waited: boolean): void {
    if (call.turnTrace !== null) call.turnTrace.end(call.route, outcome, waited);
    if (call.stream !== null) this.#streams.close(call.no);
    if (outcome.kind === 'reply' && outcome.stream !== undefined) {
      void this.#sendStream(call, outcome, outcome.stream);
      return;
    }
    const body = bodyOf(outcome);
    if (isLarge(body) && call.stream === null && this.#ports.stream !== undefined) {
      void this.#sendLarge(call, outcome, body);
      return;
    }
    this.#events.ended(call);
    renderWith(call.no, outcome, body, this.#ports);
  }

  /** The answer is complete: it needs nothing of the tenant any more. */
  async #sendLarge(call: Call, outcome: Reply | Refusal, body: Body): Promise<void> {
    renderWith(call.no, outcome, lengthOf(body), this.#ports);
    const pieces = heldPieces(body, this.#held, () => this.#streams.cut(call.no));
    this.#ended(call, await this.#streams.reply(call.no, pieces, () => null));
  }

  /** Each piece leaves by the reply rule, since its source may have read more. A fault of the source can only cut the answer. */
  async #sendStream(call: Call, outcome: Reply, { pieces, left }: ReplyStream): Promise<void> {
    renderHead(call.no, outcome, this.#ports);
    const mayLeave = (): Promise<void> | null => {
      this.#events.used(call);
      const newest = call.commit();
      return newest > 0 ? this.#whenDurable(call, newest) : this.#ask();
    };
    const fault = await this.#streams.reply(call.no, pieces, mayLeave, left);
    call.tenant?.exclusive.leave();
    this.#ended(call, fault);
  }

  async #whenDurable(call: Call, newest: number): Promise<void> {
    await new Promise<void>((resolve) => call.activation.store.whenDurable(newest, resolve));
    await this.#ask();
  }

  #ask(): Promise<void> | null {
    const { confirms, mayAnswer } = this.#ports;
    if (mayAnswer !== undefined && !mayAnswer()) throw new Overtaken();
    return confirms === undefined ? null : confirmed(confirms);
  }

  #ended(call: Call, fault: Error | null): void {
    this.#events.ended(call);
    if (fault === null) return;
    const fields = { tenant_no: call.tenantNo, route: call.route.name, ...call.named };
    if (fault instanceof AnswerGivenUp || fault instanceof Overtaken) this.#ports.log.warn(fields, fault.message);
    else
      this.#ports.log.error(
        { ...fields, err: fault },
        'an answer was cut: its source failed after the first bytes had left',
      );
  }
}
