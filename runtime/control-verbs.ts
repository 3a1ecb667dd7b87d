/** The verbs that an operator may ask of a node, by name: over the control socket, or of a node that the command line has started. */
import type { KeyPage, KeyView } from '#actors/identity/operator/keys.ts';
import type { UserPageView } from '#actors/identity/operator/users.ts';
import type { UserView } from '#actors/identity/people/shapes.ts';
import type { QuotaWish } from '#actors/identity/tenant-quota.ts';
import type { StandingWish } from '#actors/identity/tenant-standing.ts';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import { CONTROL_PLANE, operatorPlaneOf, parsePosition } from '#actors/protocol/position.ts';
import type { AdminRequest } from './admin-call.ts';
import type { BackupWish, RestoreWish } from './copies/tenant-copies.ts';
import type { BootstrapWish } from './data-bootstrap.ts';
import { profileThreads, threadFigures } from './debug/thread-inspector.ts';
import type { Node } from './node.ts';
import type { Told } from './provision.ts';
import { tenantStatus } from './tenant-status.ts';
import type { UsageWish } from './usage/usage-keeper.ts';

/** The members of a node that the verbs use. */
export type OperatedNode = Pick<
  Node,
  | 'admin'
  | 'ask'
  | 'backups'
  | 'bootstrap'
  | 'copies'
  | 'degraded'
  | 'eraseSubmissions'
  | 'places'
  | 'provision'
  | 'renewCertificate'
  | 'rotateRing'
  | 'shardCopies'
  | 'setQuota'
  | 'stand'
  | 'tenants'
  | 'usage'
>;

type Verb = (node: OperatedNode, body: never, told: Told) => unknown;

/** A verb that one tenant's identity answers. */
const ofTenant =
  (verb: string): Verb =>
  (node, { tenant, ...body }: { tenant: string }) =>
    node.ask(tenant, 'identity', verb, body);

const ofContent =
  (verb: string): Verb =>
  (node, { tenant, ...body }: { tenant: string }) =>
    node.ask(tenant, 'content', verb, body);

const ofData =
  (verb: string): Verb =>
  (node, { tenant, ...body }: { tenant: string }) =>
    node.ask(tenant, 'data', verb, body);

const ofControlPlane =
  (verb: string): Verb =>
  (node, body) =>
    node.ask(CONTROL_PLANE, 'identity', verb, body);

const VERBS: Readonly<Record<string, Verb>> = {
  'tenant.provision': (node, { tenant, admin }: { tenant: string; admin?: PersonWish | null }, told) =>
    node.provision(tenant, { admin: admin ?? null, told }),
  'tenant.list': (node) => node.tenants(),
  'tenant.status': tenantStatus,
  'tenant.stand': (node, wish: StandingWish) => node.stand(wish),
  'tenant.quota': (node, wish: QuotaWish) => node.setQuota(wish),
  'tenant.usage': (node, wish: UsageWish) => node.usage(wish),
  'tenant.backup': (node, wish: BackupWish, told) => node.copies.backup(wish, told),
  'tenant.restore': (node, wish: RestoreWish, told) => node.copies.restore(wish, told),
  'tenant.export': (node, wish: { tenant: string; to: string }, told) => node.copies.export(wish, told),
  'tenant.move': (node, wish: { tenant: string; shard: number }, told) => node.copies.move(wish, told),
  'tenant.delete': (node, wish: { tenant: string; confirm: string }, told) => node.copies.delete(wish, told),
  'tenant.repair': (node, wish: { tenant: string; dropRows: boolean }, told) => node.copies.repair(wish, told),
  'backup.now': (node, _wish: null, told) => node.backups.now(told),
  'backup.list': (node) => node.backups.list(),
  'backup.status': (node) => node.backups.status(),
  'backup.verify': (node, wish: { set: string; restore?: boolean }, told) => node.backups.verify(wish, told),
  'cluster.move': (node, { shard, node: to }: { shard: number; node: string }) => node.places.moveTo(shard, to),
  'cluster.rebalance': (node, { isTried }: { isTried: boolean }) => node.places.rebalance(isTried),
  'cluster.snapshot': (node, _wish: null, told) => node.shardCopies.now(told),
  'data.bootstrap': (node, wish: BootstrapWish, told) => node.bootstrap(wish, told),
  'data.explain': explain,
  'data.admin': (node, request: AdminRequest) => node.admin(request),
  'key.issue': ofTenant('key.make'),
  'key.list': listKeys,
  'key.show': ofTenant('key.show'),
  'key.rotate': ofTenant('key.rotate'),
  'key.revoke': ofTenant('key.revoke'),
  'url_key.rotate': rotateUrlKeys,
  'session.list': ofTenant('session.list'),
  'session.end': ofTenant('session.end'),
  'ring.list': ofControlPlane('ring.list'),
  'ring.rotate': (node) => node.rotateRing(),
  'user.list': listUsers,
  'user.show': ofTenant('user.show'),
  'user.remove': ofTenant('user.remove'),
  'user.export': ofTenant('user.export'),
  'user.rows': ofTenant('user.rows'),
  'user.records': ofTenant('user.records'),
  'user.erase': ofTenant('user.erase'),
  'user.erasure': ofTenant('user.erasure'),
  'user.import': ofTenant('user.import'),
  'user.add': ofTenant('person.ensure'),
  'user.set': ofTenant('user.set'),
  'intake.person.erase': (node, { address }: { address: string }) => node.eraseSubmissions(address),
  'webhook.list': ofContent('hook.list'),
  'webhook.redeliver': ofContent('hook.redeliver'),
  'trigger.list': ofData('trigger.list'),
  'trigger.events': ofData('trigger.events'),
  'trigger.retry': ofData('trigger.retry'),
  'trigger.drop': ofData('trigger.drop'),
  'impersonation.grant': grant,
  'impersonation.list': ofControlPlane('grant.list'),
  'impersonation.revoke': revoke,
  'tls.renew': (node, { name }: { name: string }) => node.renewCertificate(name),
  'debug.threads': () => threadFigures(),
  'debug.profile': (_, { ms }: { ms: number }) => profileThreads(ms),
};

/** Runs a verb on a node of this process; `told` is called with each step of progress. Throws on an unknown verb, and whatever the verb throws. */
export async function runVerb(
  node: OperatedNode,
  verb: string,
  body: unknown,
  told: Told = () => undefined,
): Promise<unknown> {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run === undefined) throw new Error(`no control verb ${verb}`);
  return run(node, body as never, told);
}

/** Every key of a tenant, page by page, so that no turn of its actor is long. */
async function listKeys(node: OperatedNode, { tenant }: { tenant: string }): Promise<readonly KeyView[]> {
  const keys: KeyView[] = [];
  let after: string | null = null;
  do {
    const page = (await node.ask(tenant, 'identity', 'key.list', { after })) as KeyPage;
    keys.push(...page.keys);
    after = page.next;
  } while (after !== null);
  return keys;
}

/** Every user of a tenant whom the search finds, page by page. */
async function listUsers(
  node: OperatedNode,
  { tenant, search }: { tenant: string; search: string | null },
): Promise<readonly UserView[]> {
  const users: UserView[] = [];
  let after: UserPageView['next'] = null;
  do {
    const page = (await node.ask(tenant, 'identity', 'user.list', { search, after })) as UserPageView;
    users.push(...page.users);
    after = page.next;
  } while (after !== null);
  return users;
}

interface ExplainAsk {
  readonly tenant: string;
  /** Login or id. */
  readonly user: string;
}

/** The user as identity has it now, then what data's rules say. Throws an Error for an unknown user. */
async function explain(node: OperatedNode, { tenant, user, ...wish }: ExplainAsk): Promise<unknown> {
  const { id, email, roles, disabled } = (await node.ask(tenant, 'identity', 'user.show', { user })) as UserView;
  const explained = (await node.ask(tenant, 'data', 'access.explain', { ...wish, user: { id, roles } })) as object;
  return { user: { id, email, roles, disabled }, ...explained };
}

/** Both services that sign URLs of files. */
async function rotateUrlKeys(
  node: OperatedNode,
  { tenant, ends }: { tenant: string; ends: boolean },
): Promise<readonly unknown[]> {
  const rotated: unknown[] = [];
  for (const service of ['data', 'content']) rotated.push(await node.ask(tenant, service, 'url_key.rotate', { ends }));
  return rotated;
}

interface GrantWish {
  /** Id or login of a user of the tenant's operator plane, or the id of a key there. */
  readonly operator: string;
  readonly tenant: string;
  readonly granted_by: string;
  readonly for_ms: number;
}

async function grant(node: OperatedNode, { operator, tenant, granted_by, for_ms }: GrantWish): Promise<unknown> {
  const id = await operatorIn(node, tenant, operator);
  return node.ask(CONTROL_PLANE, 'identity', 'grant.put', { operator: id, tenant, granted_by, for_ms });
}

/** Takes an operator's id as it is where the plane does not have that operator any more. */
async function revoke(
  node: OperatedNode,
  { operator, tenant }: Pick<GrantWish, 'operator' | 'tenant'>,
): Promise<unknown> {
  const id = await operatorIn(node, tenant, operator).catch(() => operator);
  return node.ask(CONTROL_PLANE, 'identity', 'grant.revoke', { operator: id, tenant });
}

async function operatorIn(node: OperatedNode, tenant: string, operator: string): Promise<string> {
  const position = parsePosition(tenant);
  if (position === null) throw new Error(`${tenant} is no customer:product:env:tenant`);
  const found = await node.ask(operatorPlaneOf(position), 'identity', 'operator.find', { operator });
  if (found === null) throw new Error(`no user and no key ${operator} in the plane ${operatorPlaneOf(position)}`);
  return (found as { id: string }).id;
}
