/** `GET /auth/admin/users/{id}/export` and `GET /auth/me/export`. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { Part } from '#actors/host/part.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { replyStream, type Outcome } from '#actors/protocol/route.ts';
import { ownAccount } from '../account/own-account.ts';
import type { Identity } from '../identity.ts';
import { userToChange } from '../people/administrator.ts';
import { refuse } from '../refusals.ts';
import type { UserRecord } from '../store.ts';
import { linesOfPerson } from './lines-of-person.ts';
import type { privacyRoutes } from './routes.ts';

const UNDER_WAY = new Part<{ exports: number }>('exports of persons', () => ({ exports: 0 }));

export function exportUser(identity: Identity, call: Call): Outcome<typeof privacyRoutes.exportUser> {
  const named = userToChange(call);
  return isRefusal(named) ? named : begin(identity, call, named.user);
}

export function exportMe(identity: Identity, call: Call): Outcome<typeof privacyRoutes.exportMe> {
  const own = ownAccount(call);
  return isRefusal(own) ? own : begin(identity, call, own.user);
}

function begin(identity: Identity, call: Call, user: UserRecord) {
  const under = UNDER_WAY.of(call.activation);
  if (under.exports >= limits.privacy.exportsMax) return refuse('exports_full', { headers: RETRY_SOON });
  const pieces = piecesOf(identity, call.activation, user, (newest) => call.saw(newest));
  return replyStream<200, Outcome<typeof privacyRoutes.exportMe>>(
    200,
    { length: null, pieces },
    'application/x-ndjson; charset=utf-8',
    { 'Cache-Control': 'no-store', 'Content-Disposition': `attachment; filename="${user.id}.ndjson"` },
  );
}

/** Counts as under way from the first piece on, until the caller has the last one or has gone. */
async function* piecesOf(
  identity: Identity,
  activation: Activation,
  user: UserRecord,
  saw: (newest: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const under = UNDER_WAY.of(activation);
  const encoder = new TextEncoder();
  under.exports++;
  try {
    for await (const text of linesOfPerson(identity, activation, user, saw)) yield encoder.encode(text);
  } finally {
    under.exports--;
  }
}
