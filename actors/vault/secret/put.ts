/** PUT /secret/{name}. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Keeper } from '../keeper.ts';
import { placeOf, secretPath } from './place.ts';
import { refuse } from '../refusals.ts';
import type { SecretPlace } from './secrets.ts';
import type { Routes } from '../routes.ts';
import { newSecretShape, type NewSecret } from '../shapes.ts';

export async function put(keeper: Keeper, call: Call): Promise<Outcome<Routes['put']>> {
  const place = placeOf(call);
  if (isRefusal(place)) return place;
  const refused = await keeper.allow(call, 'write', secretPath(place), place.scope);
  if (refused !== null) return refused;
  const wish = readBody(call);
  if (isRefusal(wish)) return wish;
  const value = Buffer.from(wish.value, wish.encoding);
  try {
    return value.length > limits.vault.valueBytesMax
      ? tooLarge()
      : await write(keeper, call, place, value, wish.cas ?? null);
  } finally {
    value.fill(0); // zeroed whether the write succeeded or not
  }
}

async function write(
  keeper: Keeper,
  call: Call,
  place: SecretPlace,
  value: Buffer,
  cas: number | null,
): Promise<Outcome<Routes['put']>> {
  const event = { action: 'secret.write', target: secretPath(place), tenant: place.scope } as const;
  const written = await keeper.write(() => keeper.parts.secrets.write(place, value, call.principal!.subject, cas));
  if (!written.ok) {
    await keeper.report(call, { ...event, outcome: 'denied', data: { cas, latest: written.latest } });
    return refuse('vault.cas_mismatch', { details: { latest: written.latest } });
  }
  const { latest: version, created_at, updated_at } = written.record;
  await keeper.report(call, { ...event, outcome: 'ok', data: { version, revision: written.revision } });
  return reply(version === 1 ? 201 : 200, { name: place.name, version, state: 'active', created_at, updated_at });
}

function readBody(call: Call): NewSecret | Refusal<'vault.bad_request' | 'vault.too_large'> {
  const json = call.json();
  if (!json.ok) return refuse('vault.bad_request', { message: json.fault });
  const read = newSecretShape.safeParse(json.value);
  if (!read.success) {
    // The message never holds the value: zod's texts name places and types only.
    const [issue] = read.error.issues;
    return refuse('vault.bad_request', { message: `${issue!.path.join('.') || 'the body'}: ${issue!.message}` });
  }
  const { value, encoding } = read.data;
  if (value.length > 2 * limits.vault.valueBytesMax) return tooLarge();
  if (encoding === 'base64' && Buffer.from(value, 'base64').toString('base64') !== value)
    return refuse('vault.bad_request', { message: 'value: not base64' });
  return read.data;
}

const tooLarge = () =>
  refuse('vault.too_large', { message: `a value holds at most ${limits.vault.valueBytesMax} bytes` });
