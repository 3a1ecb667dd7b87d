/** What a log publishes: its checkpoint, its tiles, its proofs. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, replyBytes, replyText, type Outcome } from '#actors/protocol/route.ts';
import type { Audit } from './audit.ts';
import { mayRead } from './admit.ts';
import { COSIGNED } from './cosign-round.ts';
import { wholeOf } from './query.ts';
import { firstKept } from './prune.ts';
import { refuse } from './refusals.ts';
import type { Routes } from './routes.ts';
import { standingOf } from './standing.ts';
import { TILE_WIDTH, parseTilePath, verifierKey } from './store.ts';

const PLAIN = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';
/** A tile never changes (C2SP tlog-tiles, "Merkle Tree"). */
const FOREVER = { 'Cache-Control': 'private, max-age=31536000, immutable' };

export async function listLogs(audit: Audit, call: Call): Promise<Outcome<Routes['logs']>> {
  const mine = audit.book.ids().filter((id) => mayRead(call.principal!, id));
  const refused = mine.length === 0 ? null : await audit.allows(call.principal!, mine[0]!);
  if (refused !== null) return refused;
  return reply(200, { logs: mine.map((log_id) => ({ log_id })), count: mine.length });
}

export async function showLog(audit: Audit, call: Call): Promise<Outcome<Routes['log']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const { id, origin, durability, head, lost, key } = log;
  const size = head?.size ?? 0;
  return reply(200, {
    log_id: id,
    origin,
    durability,
    size,
    root: head?.root ?? '',
    lost,
    public_key: key.publicPem,
    verifier_key: verifierKey(key.verifier),
    refused: audit.book.refused.get(id)?.message ?? null,
    ...(await standingOf(log, size, audit)),
  });
}

export async function showCheckpoint(audit: Audit, call: Call): Promise<Outcome<Routes['checkpoint']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const note = log.head?.note;
  return note === undefined ? refuse('audit.not_found') : replyText(200, note, PLAIN, { 'Cache-Control': 'no-cache' });
}

export async function showCosigned(audit: Audit, call: Call): Promise<Outcome<Routes['cosigned']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const note = await log.read(COSIGNED);
  if (note === null) return refuse('audit.not_found', { message: 'no witness has cosigned this log' });
  return replyText(200, note.toString(), PLAIN, { 'Cache-Control': 'no-cache' });
}

export async function showTile(audit: Audit, call: Call): Promise<Outcome<Routes['tile']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const path = `tile/${call.param('path')}`;
  const place = parseTilePath(path);
  const bytes = place === null ? null : await log.read(path);
  if (bytes === null) return refuse('audit.not_found');
  return replyBytes(200, bytes, BYTES, place!.width === TILE_WIDTH ? FOREVER : {});
}

export async function proveInclusion(audit: Audit, call: Call): Promise<Outcome<Routes['inclusion']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const size = log.head?.size ?? 0;
  const index = wholeOf(call.query, 'index', -1);
  const wanted = wholeOf(call.query, 'size', size);
  if (index === null || index < 0 || wanted === null)
    return refuse('audit.bad_request', { message: 'index (and size) must be whole numbers' });
  if (index >= size || wanted !== size)
    return refuse('audit.not_found', { message: `the newest checkpoint has ${size} records` });
  if (index < (await firstKept(log.files)))
    return refuse('audit.not_found', { message: `record ${index} was pruned; its hash is in the tiles` });
  return reply(200, await log.proof(index));
}

export async function proveConsistency(audit: Audit, call: Call): Promise<Outcome<Routes['consistency']>> {
  const log = await audit.readable(call);
  if (isRefusal(log)) return log;
  const size = log.head?.size ?? 0;
  const from = wholeOf(call.query, 'from', -1);
  const to = wholeOf(call.query, 'to', size);
  if (from === null || to === null || from < 1 || from > to)
    return refuse('audit.bad_request', { message: 'from and to must be whole numbers, 1 ≤ from ≤ to' });
  if (to > size) return refuse('audit.not_found', { message: `the newest checkpoint has ${size} records` });
  const hashes = await log.hashes(size).consistency(from, to);
  const proof = hashes.map((hash) => Buffer.from(hash).toString('base64'));
  return reply(200, { log_id: log.id, from, to, proof, checkpoint: log.head!.note });
}
