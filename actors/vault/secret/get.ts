/** GET and HEAD /secret/{name}. */
import type { Call } from '#actors/host/call.ts';
import { VERB } from '#actors/protocol/frame.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, replyHead, type Outcome } from '#actors/protocol/route.ts';
import type { Keeper } from '../keeper.ts';
import { placeOf, secretPath, versionOf } from './place.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { readableRow } from './secret-record.ts';
import type { Secret } from '../shapes.ts';
import type { SecretPlace } from './secrets.ts';
import { BackendDown } from '../store.ts';

type Answer = Outcome<Routes['get']>;

/** Neither a proxy nor a browser may store the answer. */
const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export async function get(keeper: Keeper, call: Call): Promise<Answer> {
  const place = placeOf(call);
  if (isRefusal(place)) return place;
  const version = versionOf(call);
  if (isRefusal(version)) return version;
  const asksOnly = call.header(VERB) === 'HEAD';
  const refused = await keeper.allow(call, asksOnly ? 'exists' : 'read', secretPath(place), place.scope);
  if (refused !== null) return refused;
  try {
    return await (asksOnly ? exists(keeper, call, place, version) : read(keeper, call, place, version));
  } catch (error) {
    if (!(error instanceof BackendDown)) throw error;
    return refuse('vault-failed-to-retrieve-secret');
  }
}

/** HEAD reads metadata only, not the value. */
async function exists(keeper: Keeper, call: Call, place: SecretPlace, version: number | null): Promise<Answer> {
  keeper.assertBelievable();
  const record = await keeper.parts.secrets.record(place);
  const row = record === null ? null : readableRow(record, version);
  const event = { action: 'secret.exists', target: secretPath(place), tenant: place.scope } as const;
  await keeper.report(call, { ...event, outcome: row === null ? 'failed' : 'ok' });
  if (row === null) return missing(record !== null && version !== null);
  return replyHead(200, { ...NO_STORE, 'X-Secret-Version': String(row.version) });
}

async function read(keeper: Keeper, call: Call, place: SecretPlace, version: number | null): Promise<Answer> {
  keeper.assertBelievable();
  const event = { action: 'secret.read', target: secretPath(place), tenant: place.scope } as const;
  const found = await keeper.parts.secrets.read(place, version);
  if (found === null || !('value' in found)) {
    await keeper.report(call, { ...event, outcome: 'failed' });
    return missing(found !== null && version !== null);
  }
  const { row, value, record } = found;
  try {
    await keeper.report(call, { ...event, outcome: 'ok', data: { version: row.version } });
    const text = textOf(value);
    const body: Secret = {
      name: place.name,
      version: row.version,
      state: row.state,
      created_at: row.created_at,
      updated_at: record.updated_at,
      value: text ?? value.toString('base64'),
      encoding: text === null ? 'base64' : 'utf8',
    };
    return reply(200, body, { ...NO_STORE, 'X-Secret-Version': String(row.version) });
  } finally {
    value.fill(0);
  }
}

const missing = (isVersion: boolean) => refuse(isVersion ? 'vault.version_not_found' : 'vault.secret_not_found');

/** Null for bytes that are not text. */
function textOf(value: Buffer): string | null {
  const text = value.toString('utf8');
  return Buffer.byteLength(text) === value.length && !text.includes('\ufffd') ? text : null;
}
