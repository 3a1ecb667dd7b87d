/** A tenant host's answers to asks of the host itself: one handler for each verb of host-verbs.ts. */
import type { Host } from '#actors/host/host.ts';
import type { ActorAsk } from '#actors/protocol/topics.ts';
import type { HostCopies } from '#runtime/copies/host-copies.ts';
import { HOST_ITSELF, type HostBody, type HostReply, type HostVerb } from '#runtime/host-verbs.ts';
import type { TenantUses } from './tenant-uses.ts';

/** The parts of an open host that answer. */
export interface HostParts {
  readonly host: Pick<Host, 'awakeTenants' | 'forget' | 'retire'>;
  readonly copies: Pick<HostCopies, 'begin' | 'look'>;
  readonly uses: Pick<TenantUses, 'allow' | 'take'>;
  /** Digests of the revisions that are served. Throws where a shard is stopped. */
  revisions(): readonly string[];
  /** The revision of each of these tenants. */
  revisionsOf(tenantNos: readonly number[]): readonly (string | null)[];
  /** The files of a tenant's site. */
  webIndex(tenantNo: number, known: string | null): Promise<HostReply<'web.index'>>;
}

export type HostHandlers = {
  readonly [V in HostVerb]: (tenantNo: number, body: HostBody<V>) => HostReply<V> | Promise<HostReply<V>>;
};

export function hostHandlers(parts: HostParts): HostHandlers {
  const { host, copies, uses } = parts;
  return {
    forget: (tenantNo) => {
      host.forget(tenantNo);
      return null;
    },
    retire: () => {
      host.retire();
      return null;
    },
    revisions: () => parts.revisions(),
    'revisions.of': (_tenantNo, tenantNos) => parts.revisionsOf(tenantNos),
    'web.index': (tenantNo, known) => parts.webIndex(tenantNo, known),
    awake: () => host.awakeTenants,
    'usage.take': () => uses.take(),
    'usage.allow': (_tenantNo, lefts) => {
      uses.allow(lefts);
      return null;
    },
    'copies.begin': (_tenantNo, job) => copies.begin(job),
    'copies.look': (_tenantNo, id) => copies.look(id),
  };
}

/** An ask of the host itself; its body is of its verb's row. */
type HostAsk<V extends HostVerb = HostVerb> = {
  readonly [K in V]: { readonly tenantNo: number; readonly verb: K; readonly body: HostBody<K> };
}[V];

/** Whether an ask is for the host itself and its verb is declared; otherwise it is for a tenant's actor. The sender has checked the body's type. */
export function isHostAsk(handlers: HostHandlers, asked: ActorAsk): asked is ActorAsk & HostAsk {
  const { service, verb } = asked;
  return service === HOST_ITSELF && Object.hasOwn(handlers, verb);
}

export function answerHostAsk<V extends HostVerb>(
  handlers: HostHandlers,
  asked: HostAsk<V>,
): HostReply<V> | Promise<HostReply<V>> {
  return handlers[asked.verb](asked.tenantNo, asked.body);
}
