/** GET /secret and GET /secret/{name}/versions. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Keeper } from '../keeper.ts';
import { placeOf, secretPath } from './place.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { isName, scopeOf } from '../caller/scope.ts';

const PREFIX = /^[A-Za-z0-9._/-]*$/;

/** Names only. Deleted ones too: their versions can be listed. */
export async function list(keeper: Keeper, call: Call): Promise<Outcome<Routes['list']>> {
  const scope = scopeOf(call);
  if (isRefusal(scope)) return scope;
  const prefix = call.query.get('prefix') ?? '';
  const after = call.query.get('after');
  const limit = Number(call.query.get('limit') ?? limits.vault.listDefault);
  if (!PREFIX.test(prefix) || prefix.length > limits.vault.nameCharsMax || (after !== null && !isName(after)))
    return refuse('vault.bad_request', { message: 'prefix, after: write a name, or the beginning of one' });
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.vault.listMax)
    return refuse('vault.bad_request', { message: `limit is a whole number from 1 to ${limits.vault.listMax}` });
  const refused = await keeper.allow(call, 'list', secretPath({ scope, name: prefix }), scope);
  if (refused !== null) return refused;
  keeper.assertBelievable();
  const names = await keeper.parts.secrets.list(scope, prefix, after, limit);
  return reply(200, { names, count: names.length, next: names.length === limit ? names.at(-1)! : null });
}

export async function versions(keeper: Keeper, call: Call): Promise<Outcome<Routes['versions']>> {
  const place = placeOf(call);
  if (isRefusal(place)) return place;
  const refused = await keeper.allow(call, 'exists', secretPath(place), place.scope);
  if (refused !== null) return refused;
  keeper.assertBelievable();
  const record = await keeper.parts.secrets.record(place);
  if (record === null) return refuse('vault.secret_not_found');
  const { latest, created_at, updated_at } = record;
  const newestFirst = record.versions.toReversed();
  return reply(200, {
    name: place.name,
    latest,
    created_at,
    updated_at,
    versions: newestFirst,
    count: newestFirst.length,
  });
}
