/** What a host may ask of the node (topic `node.ask`): the few things that touch more than the asker's own tenant. */
import type { ErasedStep, NamedPerson, PersonRecords, PersonRows, RowPlace } from './person.ts';
import type {
  LinesAsk,
  NodeBuckets,
  NodeCluster,
  NodeConfiguration,
  NodeFigures,
  NodeHealth,
  NodeLoad,
  NodeLogs,
  NodeSlow,
  NodeTenants,
  ServedPlace,
} from './node-view.ts';
import type { NodeVault } from './vault-state.ts';
import type { TenantState } from './topics.ts';

/** A tenant as the control plane's registry shows it (docs/contract/identity-users.md §6, `POST /superadmin/registry/tenants`). */
export interface TenantView {
  readonly key: string;
  readonly customer: string;
  readonly product: string;
  readonly env: string;
  readonly tenant: string;
  readonly state: TenantState;
  /** Directory of the product checkout; null for planes. */
  readonly product_source: string | null;
  readonly created_at: string;
}

/** A request over HTTP as the audit log names it: its caller and its id. */
export interface Asker {
  readonly actor: string;
  readonly request_id: string;
}

/** The user who is seeded as a tenant's administrator. */
export interface PersonWish {
  /** The caller over HTTP who asked for it, for the audit log. */
  readonly by?: Asker;
  readonly email: string;
  readonly password: string;
  readonly firstname?: string | null | undefined;
  readonly lastname?: string | null | undefined;
}

/** `unknown`: no such tenant. `source`: no product could be found for it. `schema`: its definitions cannot be applied. */
export type NodeRefusal = {
  readonly ok: false;
  readonly why: 'unknown' | 'source' | 'schema';
  readonly message: string;
};
export type NodeAnswer<T> = { readonly ok: true; readonly value: T } | NodeRefusal;

/** A tenant that a deploy may lead to. */
export interface DeployTarget {
  readonly tenant: string;
  readonly state: TenantState;
  /** The checkout of its product on this node. */
  readonly localdir: string;
}

export interface NodeVerbs {
  'tenant.register': {
    /** `by`: the plane of the operator who asks; checkouts of other customers' products are out of its reach. */
    body: { readonly key: string; readonly source: string | null; readonly by: string; readonly asker: Asker };
    reply: NodeAnswer<TenantView>;
  };
  'tenant.provision': {
    body: { readonly key: string; readonly admin: PersonWish | null; readonly asker: Asker };
    reply: NodeAnswer<TenantView & { readonly steps: readonly string[] }>;
  };
  /** A message to the identity of another tenant, whichever host holds it. */
  'identity.ask': {
    body: { readonly key: string; readonly verb: string; readonly body: unknown };
    reply: NodeAnswer<unknown>;
  };
  /** Rows of data that name a person, a page. */
  'person.rows': {
    body: NamedPerson & { readonly key: string; readonly after: RowPlace | null };
    reply: PersonRows;
  };
  /** Erases some of them. */
  'person.erase': { body: NamedPerson & { readonly key: string }; reply: ErasedStep };
  /** Audit records that name a person, some of them; none where nothing is recorded. */
  'person.records': {
    body: { readonly key: string; readonly user: string; readonly from: number };
    reply: PersonRecords;
  };
  /** Erases the personal lines of an address beside the tenant's audit log; how many, null where nothing is recorded. */
  'person.forget': { body: { readonly key: string; readonly email: string }; reply: number | null };
  /** The tenants of the product whose operator plane this is, by name, without planes. */
  'deploy.tenants': { body: { readonly plane: string }; reply: readonly DeployTarget[] };
  /** Rate profiles and what their buckets hold. */
  'node.buckets': { body: null; reply: NodeBuckets };
  /** The node among others on its log. */
  'node.cluster': { body: null; reply: NodeCluster };
  /** The figures of the last hour. */
  'node.figures': { body: null; reply: NodeFigures };
  /** The node's vault, without anything secret. */
  'node.vault': { body: null; reply: NodeVault };
  /** What main knows of the node's health. */
  'node.health': { body: null; reply: NodeHealth };
  /** Settings of the node, a page. */
  'node.configuration': { body: { readonly after: string | null; readonly limit: number }; reply: NodeConfiguration };
  /** What the door has counted in the last minutes; `limit`: rows of each table. */
  'node.load': { body: { readonly minutes: number; readonly limit: number }; reply: NodeLoad };
  /** The newest lines of the logs of all threads. */
  'node.logs': { body: LinesAsk; reply: NodeLogs };
  'node.slow': { body: { readonly minutes: number; readonly limit: number }; reply: NodeSlow };
  /** Where tenants are and what they serve, in the order of the ask. */
  'node.tenants': { body: { readonly tenants: readonly ServedPlace[] }; reply: NodeTenants };
  /** Keys of the tenants that are awake. */
  'tenants.awake': { body: null; reply: readonly string[] };
}

export type AskNode = <V extends keyof NodeVerbs>(
  verb: V,
  body: NodeVerbs[V]['body'],
) => Promise<NodeVerbs[V]['reply']>;
