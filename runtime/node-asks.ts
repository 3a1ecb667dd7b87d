/** Main's answers to hosts (topic `node.ask`): main relays and orchestrates; whether the caller may ask was decided before. */
import type { NodeVerbs } from '#actors/protocol/node-verbs.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { bothRows, type ErasedStep, type PersonRows } from '#actors/protocol/person.ts';
import { parsePosition, tenantLogId } from '#actors/protocol/position.ts';
import type { NodeAsk } from '#actors/protocol/topics.ts';
import { SchemaFault } from './provision.ts';
import type { Tenants } from './tenants.ts';

/** The members of Tenants that the answers use. */
export type AskedTenants = Pick<
  Tenants,
  'ask' | 'askActive' | 'awake' | 'knows' | 'ofPlane' | 'provision' | 'register' | 'view'
>;

/** The thread of the audit logs; undefined where nothing is recorded. Throws while it is started again. */
export type Sealer = () => Pick<Channel, 'ask'> | undefined;

/** Verbs that show the node itself. */
type ViewVerb =
  `node.${'backups' | 'buckets' | 'cluster' | 'figures' | 'health' | 'configuration' | 'load' | 'slow' | 'logs' | 'tenants' | 'vault'}`;

/** What main shows of the node (runtime/node-view/). */
export type NodeViews = {
  readonly [V in ViewVerb]: (body: NodeVerbs[V]['body']) => NodeVerbs[V]['reply'] | Promise<NodeVerbs[V]['reply']>;
};

type Answerers = {
  readonly [V in Exclude<keyof NodeVerbs, ViewVerb>]: (
    tenants: AskedTenants,
    body: NodeVerbs[V]['body'],
    sealer: Sealer,
  ) => Promise<NodeVerbs[V]['reply']>;
};

const ANSWERERS: Answerers = {
  'tenant.register': (tenants, { key, source, by, asker }) =>
    tenants.register(key, source === null ? null : { source, by }, asker),
  'tenant.provision': provision,
  'tenants.awake': (tenants) => tenants.awake(),
  'deploy.tenants': (tenants, { plane }) => Promise.resolve(tenants.ofPlane(plane)),
  'identity.ask': (tenants, { key, verb, body }) => tenants.askActive(key, verb, body),
  'person.rows': rowsOfPerson,
  'person.erase': erasePerson,
  'person.records': async (_tenants, { key, user, from }, sealer) =>
    (await sealer()?.ask('audit.person', { log: logOf(key), user, from })) ?? { records: [], next: null },
  'person.forget': async (_tenants, { key, email }, sealer) =>
    (await sealer()?.ask('audit.forget', { log: logOf(key), email })) ?? null,
};

/** Answers one ask of a host. Throws on an unknown verb. */
export async function answerNodeAsk(
  tenants: AskedTenants,
  sealer: Sealer,
  views: NodeViews,
  { verb, body }: NodeAsk,
): Promise<unknown> {
  if (Object.hasOwn(views, verb)) return views[verb as ViewVerb](body as never);
  const answerer = (
    ANSWERERS as Readonly<Record<string, (tenants: AskedTenants, body: never, sealer: Sealer) => Promise<unknown>>>
  )[verb];
  if (answerer === undefined) throw new Error(`the node has no verb ${verb}`);
  return answerer(tenants, body as never, sealer);
}

const logOf = (key: string): string => tenantLogId(parsePosition(key)!);

async function provision(
  tenants: AskedTenants,
  { key, admin, asker }: NodeVerbs['tenant.provision']['body'],
): Promise<NodeVerbs['tenant.provision']['reply']> {
  if (!tenants.knows(key)) return { ok: false, why: 'unknown', message: `no tenant ${key}` };
  try {
    const answer = await tenants.provision(key, { admin, asker });
    if (!answer.ok) return answer;
    return { ok: true, value: { ...(await tenants.view(key)), steps: answer.value.steps } };
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    return { ok: false, why: 'schema', message: error.message };
  }
}

/** Rows of data, then assets whose metadata content keeps in files. */
async function rowsOfPerson(
  tenants: AskedTenants,
  { key, ...wish }: NodeVerbs['person.rows']['body'],
): Promise<PersonRows> {
  const service = wish.after?.service ?? 'data';
  const page = (await tenants.ask(key, service, 'person.rows', wish)) as PersonRows;
  if (page.next !== null || service === 'content') return page;
  return { ...page, next: { service: 'content', entity: '', skip: 0 } };
}

/** Content comes when data has nothing left: bytes go when no row needs them. */
async function erasePerson(
  tenants: AskedTenants,
  { key, ...wish }: NodeVerbs['person.erase']['body'],
): Promise<ErasedStep> {
  const first = (await tenants.ask(key, 'data', 'person.erase', wish)) as ErasedStep;
  if (first.more) return first;
  const { rows, more } = (await tenants.ask(key, 'content', 'person.erase', wish)) as ErasedStep;
  return { rows: bothRows(first.rows, rows), more };
}
