/** `POST /auth/admin/users/import`: users of another system, each row answered by itself. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { bodyText } from '#actors/kit/json.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { administratorOf } from '../people/administrator.ts';
import { refusedRole } from '../people/roles.ts';
import { refuse } from '../refusals.ts';
import { importRows } from './import-rows.ts';
import { formatOfType, readRows } from './read-rows.ts';
import type { importRoutes } from './routes.ts';

const { bodyBytesMax } = limits.userImport;

const bad = (message: string) => refuse('bad_request', { message });

/** The caller is judged before the body is read, and the rows one by one: a wrong one stops no other. */
export async function importUsers(identity: Identity, call: Call): Promise<Outcome<typeof importRoutes.importUsers>> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const body = await bodyOf(call);
  if (body === null) return bad(`the body has more than ${bodyBytesMax} bytes: send the rows in several requests`);
  const text = bodyText(body);
  if (text === null) return bad('the body is not valid UTF-8');
  const read = await readRows(formatOfType(call.header('content-type')), text);
  if (!read.ok) return bad(read.fault);
  const refusedRoles = (roles: readonly string[]) => {
    const refused = refusedRole(call, caller, roles);
    return refused === null ? null : { code: refused.code, error: refused.message };
  };
  const answer = await importRows(identity, call, { by: call.who, refusedRoles }, read.rows);
  const { imported, existing, refused } = answer;
  call.involve({ data: { imported, existing, refused } });
  return reply(200, answer);
}

/** The whole body; null when it is too large: what follows is dropped. */
async function bodyOf(call: Call): Promise<Call['body'] | null> {
  if (call.stream === null) return call.body;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of call.stream) {
    bytes += piece.byteLength;
    if (bytes > bodyBytesMax) {
      call.stream.drop();
      return null;
    }
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
}
