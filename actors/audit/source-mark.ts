/** For a source that numbers its own events: its newest number in a log, and its newest record. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { mayRead } from './admit.ts';
import type { Audit } from './audit.ts';
import { newestRecord } from './newest-record.ts';
import { refuse } from './refusals.ts';
import type { Routes } from './routes.ts';

/** 0 for a source that the log does not know, and for a log that does not exist yet. */
export async function showSource(audit: Audit, call: Call): Promise<Outcome<Routes['source']>> {
  const id = audit.logIdOf(call);
  if (isRefusal(id)) return id;
  const refused = await audit.allows(call.principal!, id);
  if (refused !== null) return refused;
  const source = call.param('source');
  const log = audit.book.exists(id) ? await audit.openToRead(id) : null;
  if (isRefusal(log)) return log;
  return reply(200, { log_id: id, source, last: log?.lastOf(source) ?? 0 });
}

export async function showNewest(audit: Audit, call: Call): Promise<Outcome<Routes['newest']>> {
  const [prefix = '', source = '', member = ''] = ['prefix', 'source', 'member'].map((name) => call.query.get(name)!);
  if (!prefix || !source || !member)
    return refuse('audit.bad_request', { message: 'name prefix, source and member: what to look for' });
  const principal = call.principal!;
  const refused = await audit.allows(principal, prefix);
  if (refused !== null) return refused;
  const asked = { prefix, source, member };
  const record = await newestRecord(audit.book, asked, (id) => mayRead(principal, id));
  return reply(200, { record: record === null ? null : { ...record } });
}
