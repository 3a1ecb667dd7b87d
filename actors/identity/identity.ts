/** State that the verbs of identity share: one object per thread, and one part per awake tenant. */
import { limits } from '#config/limits.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import type { Call, Involved } from '#actors/host/call.ts';
import { SIGNERS } from '#actors/host/signed-url/signers.ts';
import type { Work } from '#actors/host/work.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { keysOfIdentity } from '#actors/kit/token-ring.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import { Outbound, type OutboundOptions } from '#actors/kit/outbound/outbound.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { missingLinks } from './account/missing-links.ts';
import { NO_DEPLOYS, type DeployPorts } from './deploy/ports.ts';
import { EventBus, type AuthEvent, type AuthEventName, type EventLogger } from './events.ts';
import { Hooks, type Hook } from './hooks.ts';
import { LAST_USE, LastUse, type Later } from './last-use.ts';
import { NodeLine } from './node-line.ts';
import { Sessions } from './session/sessions.ts';
import { signers } from './signers.ts';
import { mailOutbox, type MailOutbox, type MailPort } from './user/mail-outbox.ts';

export const SERVICE = 'identity';

export interface IdentityOptions {
  /** Clock and keys of the thread: a bearer token is verified before its tenant is known. */
  readonly context: Pick<Context, 'clock' | 'ring' | 'checksAudience'>;
  /** `bootstrap.token` of the platform file; null or empty closes the bootstrap door. */
  readonly bootstrapToken: string | null;
  readonly logEvent?: EventLogger;
  readonly hooks?: readonly Hook[];
  /** Where mail goes; null or absent when the node sends none. */
  readonly mail?: MailPort | null;
  /** Runs writes and reads beside the requests after the current turn; `setImmediate` when absent. */
  readonly later?: Later;
  /** Wakes a tenant of this host so that it goes on with what a stop has left. */
  readonly wakeTenant?: (tenantNo: number) => void;
  /** Asks the whole node (topic `node.ask`). */
  readonly askNode?: AskNode;
  /** Where deploys bring revisions and plans; without it they are refused. */
  readonly deploys?: DeployPorts;
  /** Policy and transport of requests to OpenID providers. */
  readonly outbound?: OutboundOptions;
  /** `identity.refresh_grace` of the platform file, in milliseconds; its default when absent. */
  readonly refreshGraceMs?: number;
}

/** The source of an event: a request, or an ask of the node. */
type Caller = Work & { readonly involved?: Involved | null };

export class Identity {
  readonly context: Pick<Context, 'clock' | 'ring' | 'checksAudience'>;
  readonly bootstrapToken: string | null;
  readonly bearer: BearerCheck;
  readonly events: EventBus;
  readonly hooks: Hooks;
  readonly node: NodeLine;
  readonly deploys: DeployPorts;
  readonly mail: MailPort | null;
  readonly outbox: MailOutbox;
  /** Mails that were dropped because their outbox was full. */
  mailDropped = 0;
  readonly outbound: Outbound;
  /** For how many milliseconds a used refresh token still gives the same successor. */
  readonly refreshGraceMs: number;
  readonly #later: Later;
  readonly #sessions: Sessions;
  #warnedOfNoMail = false;
  readonly #warnedOfLinks = new Set<string>();

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
    this.node = new NodeLine(
      options.askNode ?? (() => Promise.reject(new Error('this identity was opened without a node to ask'))),
    );
    this.deploys = options.deploys ?? NO_DEPLOYS;
    this.mail = options.mail ?? null;
    this.outbox = mailOutbox(this.mail);
    this.outbound = new Outbound(options.outbound);
    this.refreshGraceMs = options.refreshGraceMs ?? limits.identity.refreshGraceMs;
    this.#later = options.later ?? ((run) => void setImmediate(run));
    this.#sessions = new Sessions(this.#later);
  }

  activate(activation: Activation): void | Promise<void> {
    LAST_USE.set(activation, new LastUse(activation, this.#later));
    SIGNERS.set(activation, signers);
    this.#warnOfMissingLinks(activation);
    return this.#sessions.activate(activation);
  }

  /** Logs once per thread and product which links its accounts miss; the routes that need them are refused. */
  #warnOfMissingLinks({ context, product }: Activation): void {
    const missing = missingLinks(this.mail?.links, product.settings.accounts);
    if (missing.length === 0 || this.#warnedOfLinks.has(product.name)) return;
    this.#warnedOfLinks.add(product.name);
    context.log.warn({ service: 'identity', product: product.name }, missing.join('; '));
  }

  noteUse(activation: Activation, keyId: string): void {
    LAST_USE.of(activation).note(keyId);
  }

  /** Settles behind other turns of the thread. */
  afterTurn(): Promise<void> {
    return new Promise((resolve) => this.#later(resolve));
  }

  /** Logs once per thread that no mail leaves; callers get the same answer as with mail. */
  warnOfNoMail({ context }: Activation): void {
    if (this.#warnedOfNoMail) return;
    this.#warnedOfNoMail = true;
    context.log.warn({ service: 'identity' }, 'no mail leaves this node: identity.mail is not configured');
  }

  /** Emits and records an event of a call; actor, target and data come from the call where none are given. Does nothing where no event is kept. */
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

/** The end of a flow and every refusal are recorded even when the turn is dropped; the beginning of a flow is not recorded. */
function recordEvent(work: Work, { tenant: _tenant, ...event }: AuthEvent): void {
  if (event.action.endsWith('.before')) return;
  const isEnd = event.action.endsWith('.after') || event.outcome !== 'ok';
  work.record(event, isEnd ? 'always' : 'kept');
}

/** An event of an ask of the node; it has a request only when the node asks for a caller (`by`). */
export type AskEvent = Pick<AuthEvent, 'action' | 'actor' | 'target' | 'data'> &
  Pick<Partial<AuthEvent>, 'personal' | 'request_id'>;

/** Records the event in the work's commit. The bus gets it after the commit, so that an event never names a row that does not exist. */
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

/** The principal that authenticate() found. Throws when there is none: that is a fault of the host. */
export function principalOf(call: Call): Principal {
  if (call.principal === null) throw new Error(`${call.route.name}: not authenticated`);
  return call.principal;
}
