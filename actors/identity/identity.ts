/** What the verbs of identity share: one object per thread, one part per awake tenant. */
import { limits } from '#config/limits.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import type { Call, Involved } from '#actors/host/call.ts';
import type { Work } from '#actors/host/work.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { keysOfIdentity } from '#actors/kit/token-ring.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import type { OutboundOptions } from '#actors/kit/outbound/outbound.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { EventBus } from './events.ts';
import type { AuthEvent, AuthEventName, EventLogger } from './events.ts';
import { Hooks } from './hooks.ts';
import type { Hook } from './hooks.ts';
import { LastUse } from './last-use.ts';
import type { Later } from './last-use.ts';
import { NodeLine } from './node-line.ts';
import { Sessions } from './session/sessions.ts';
import { mailOutbox } from './user/mail-outbox.ts';
import type { MailOutbox, MailPort } from './user/mail-outbox.ts';

export const SERVICE = 'identity';

export interface IdentityOptions {
  /** Clock and keys of the thread: a bearer is judged before its tenant is known. */
  readonly context: Pick<Context, 'clock' | 'ring' | 'checksAudience'>;
  /** `bootstrap.token` of the platform file; null or empty closes the bootstrap door. */
  readonly bootstrapToken: string | null;
  readonly logEvent?: EventLogger;
  readonly hooks?: readonly Hook[];
  /** Where mail goes; null or absent when the node sends none. */
  readonly mail?: MailPort | null;
  /** Where what is written or read beside the requests waits for the turn to end; `setImmediate` when absent. */
  readonly later?: Later;
  /** Asks the whole node (topic `node.ask`). */
  readonly askNode?: AskNode;
  /** How OpenID providers may be reached. */
  readonly outbound?: OutboundOptions;
  /** `identity.refresh_grace` of the platform file, in milliseconds; its default when absent. */
  readonly refreshGraceMs?: number;
}

/** Whose event it is: a request, or an ask of the node. */
type Caller = Work & { readonly involved?: Involved | null };

export class Identity {
  readonly context: Pick<Context, 'clock' | 'ring' | 'checksAudience'>;
  readonly bootstrapToken: string | null;
  readonly bearer: BearerCheck;
  readonly events: EventBus;
  readonly hooks: Hooks;
  readonly node: NodeLine;
  readonly mail: MailPort | null;
  readonly outbox: MailOutbox;
  /** Mails that found their outbox full. */
  mailDropped = 0;
  readonly outbound: Outbound;
  /** How long a refresh token that was just used still gives the same successor. */
  readonly refreshGraceMs: number;
  readonly #later: Later;
  readonly #sessions: Sessions;
  #warnedOfNoMail = false;

  constructor(options: IdentityOptions) {
    this.context = options.context;
    this.bootstrapToken = options.bootstrapToken === '' ? null : options.bootstrapToken;
    this.bearer = new BearerCheck(
      {
        clock: options.context.clock,
        ring: keysOfIdentity(options.context),
        checksAudience: options.context.checksAudience,
      },
      SERVICE,
    );
    this.events = new EventBus(options.logEvent);
    this.hooks = new Hooks(options.hooks);
    this.node = new NodeLine(options.askNode ?? (() => Promise.reject(new Error('this identity stands alone'))));
    this.mail = options.mail ?? null;
    this.outbox = mailOutbox(this.mail);
    this.outbound = new Outbound(options.outbound);
    this.refreshGraceMs = options.refreshGraceMs ?? limits.identity.refreshGraceMs;
    this.#later = options.later ?? ((run) => void setImmediate(run));
    this.#sessions = new Sessions(this.#later);
  }

  activate(activation: Activation): void | Promise<void> {
    activation.parts.set(SERVICE, new LastUse(activation, this.#later));
    return this.#sessions.activate(activation);
  }

  noteUse(activation: Activation, keyId: string): void {
    (activation.parts.get(SERVICE) as LastUse).note(keyId);
  }

  /** Says once per thread that no mail leaves: the callers are told what they would be told otherwise. */
  warnOfNoMail({ context }: Activation): void {
    if (this.#warnedOfNoMail) return;
    this.#warnedOfNoMail = true;
    context.log.warn({ service: 'identity' }, 'no mail leaves this node: identity.mail is not configured');
  }

  /** Emits an event of a call; what the call itself tells is filled in, target and data too where none are given. Nothing is made where nobody hears or records it. */
  emit(call: Caller, action: AuthEventName, target: string, outcome: string, data = call.involved?.data ?? {}): void {
    if (!this.events.isHeard && call.tenant?.outbox === undefined) return;
    const event = {
      action,
      ts: timestamp(this.context.clock.now()),
      tenant: call.tenant?.position.key ?? '',
      ...call.who,
      target: target === '' ? (call.involved?.target ?? '') : target,
      outcome,
      data,
    };
    this.events.emit(event);
    recordEvent(call, event);
  }
}

/** What tells of an end is recorded whatever the end; that a flow begins says its end too. */
function recordEvent(work: Work, { tenant: _tenant, ...event }: AuthEvent): void {
  if (event.action.endsWith('.before')) return;
  const isEnd = event.action.endsWith('.after') || event.outcome !== 'ok';
  work.record(event, isEnd ? 'always' : 'kept');
}

/** An event of the node's own asks, which have no request unless the node does it for a caller (`by`). */
export type AskEvent = Pick<AuthEvent, 'action' | 'actor' | 'target' | 'data'> &
  Pick<Partial<AuthEvent>, 'personal' | 'request_id'>;

/** Records the event in the work's commit; the bus hears of it when that is kept: the row first, so that an event means one. */
export function tell(identity: Identity, work: Work, event: AskEvent): void {
  const told = {
    request_id: '',
    ...event,
    ts: timestamp(identity.context.clock.now()),
    tenant: work.activation.position.key,
    outcome: 'ok',
  };
  recordEvent(work, told);
  work.onEnd((newest) => {
    if (newest !== null) identity.events.emit(told);
  });
}

export function commitAndTell(identity: Identity, work: Work, event: AskEvent): void {
  tell(identity, work, event);
  work.commit();
}

/** The principal that authenticate() found; its absence on these routes is a fault of the host. */
export function principalOf(call: Call): Principal {
  if (call.principal === null) throw new Error(`${call.route.name}: not authenticated`);
  return call.principal;
}
