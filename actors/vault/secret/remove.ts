/** DELETE /secret/{name}. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Keeper } from '../keeper.ts';
import { placeOf, secretPath, versionOf } from './place.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';

export async function remove(keeper: Keeper, call: Call): Promise<Outcome<Routes['remove']>> {
  const place = placeOf(call);
  if (isRefusal(place)) return place;
  const version = versionOf(call);
  if (isRefusal(version)) return version;
  const word = call.query.get('destroy') ?? 'false';
  if (word !== 'true' && word !== 'false') return refuse('vault.bad_request', { message: 'destroy is true or false' });
  const refused = await keeper.allow(call, 'delete', secretPath(place), place.scope);
  if (refused !== null) return refused;
  const wish = { destroy: word === 'true', version };
  const event = { action: 'secret.delete', target: secretPath(place), tenant: place.scope } as const;
  const removed = await keeper.write(() => keeper.parts.secrets.remove(place, call.principal!.subject, wish));
  if (!removed.ok) {
    await keeper.report(call, { ...event, outcome: 'failed' });
    const isVersion = version !== null && removed.latest > 0;
    return refuse(isVersion ? 'vault.version_not_found' : 'vault.secret_not_found');
  }
  const { latest, updated_at, versions } = removed.record;
  await keeper.report(call, { ...event, outcome: 'ok', data: { ...wish, revision: removed.revision } });
  const gone = versions.filter(({ deleted_at }) => deleted_at === updated_at).map((row) => row.version);
  return reply(200, { name: place.name, latest, updated_at, versions: gone });
}
