/** POST …/explain (docs/contract/data-admin.md §10.4). */
import { askInside } from '#actors/host/inside.ts';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { explain } from '../../explain/explain.ts';
import { ExplainFault } from '../../explain/row-route.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import { readBody } from '../read-body.ts';
import type { ExplainRows } from './routes.ts';
import { explainWish } from './shapes.ts';

export const explainHandlers: Handlers<ExplainRows> = { access_explain: explained };

async function explained(call: Call): Promise<Outcome<ExplainRows['access_explain']>> {
  const wish = readBody(call, explainWish);
  if (isRefusal(wish)) return wish;
  const user = await userNamed(call, wish.user);
  if (isRefusal(user)) return user;
  const { method, target, data = null, reason = '' } = wish;
  const asker = call.principal!;
  try {
    const asked = { user, method, target, data, reason, asked_by: asker.subject, asker };
    const { rules, ...told } = explain(call, asked);
    const shownRules = rules.map(({ where, ...rule }) => ({ ...rule, where: inProduct(where) }));
    return reply(200, { ...placeOf(call), user, ...told, rules: shownRules });
  } catch (error) {
    if (error instanceof ExplainFault) return refuse('v2.not_explained', { message: shown(error.message) });
    throw error;
  }
}

/** Folder and file, without the place of the checkout on the node's machine, which is no matter of a tenant. */
const inProduct = (where: string | null): string | null => where && where.split('/').slice(-2).join('/');

interface User {
  readonly id: string;
  readonly roles: readonly string[];
  readonly disabled: boolean;
}

type NoUser = Refusal<'v2.unknown_user' | 'v2.engine_unavailable'>;

/** As identity has the user now. It is asked by the node: an administrator of rows need not be one of people, and is told of the user what rules see. */
async function userNamed(call: Call, named: string): Promise<User | NoUser> {
  const path = `/auth/admin/users/${encodeURIComponent(named)}`;
  const answer = await askInside(call, { service: 'identity', method: 'GET', path, as: 'internal' });
  if (answer.status === 404) return refuse('v2.unknown_user', { message: `no user ${shown(named)}` });
  if (!answer.ok) return refuse('v2.engine_unavailable');
  const { id, roles, disabled } = answer.json() as User;
  return { id, roles, disabled };
}
