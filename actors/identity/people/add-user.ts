/** `POST /auth/admin/users`: a new user, with a password or with a mailed link that sets one. */
import type { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { createUser } from '../create-user.ts';
import { tell, type Identity } from '../identity.ts';
import { readBody } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import { findLogin, findUser } from '../store.ts';
import { administratorOf } from './administrator.ts';
import { refusedRole } from './roles.ts';
import type { peopleRoutes } from './routes.ts';
import { stageReset } from './send-reset.ts';
import { addRequest } from './shapes.ts';
import { viewOf } from './view.ts';

type Result = Outcome<typeof peopleRoutes.addUser>;
type Wish = z.output<typeof addRequest>;

/** The login is looked up before the password is hashed, and again in the turn that writes the user. */
export async function addUser(identity: Identity, call: Call): Promise<Result> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const body = readBody(call, addRequest);
  if (!body.ok) return body.refusal;
  const { email, password, roles } = body.value;
  call.involve({ email });
  const refused = refusedRole(call, caller, roles ?? []);
  if (refused !== null) return refused;
  if (findLogin(call.turn(), email) !== undefined) return refuse('login_taken');
  const passwordHash = password === undefined || password === null ? '' : await hashPassword(password);
  call.nextTurn();
  return add(identity, call, body.value, passwordHash);
}

function add(identity: Identity, call: Call, wish: Wish, passwordHash: string): Result {
  const { email, firstname, lastname } = wish;
  const roles = wish.roles ?? [];
  const { context } = call.activation;
  const id = createUser(call.turn(), context, { email, passwordHash, roles, firstname, lastname });
  if (id === null) return refuse('login_taken');
  call.involve({ target: id });
  const user = findUser(call.turn(), id)!;
  const unsent = wish.send_reset === true ? stageReset(identity, call, user) : null;
  if (unsent !== null) return unsent;
  tell(identity, call, { ...call.who, action: 'auth.user.created', target: id, data: { roles } });
  call.commit(); // another turn must see that the login is taken
  return reply(201, viewOf(user));
}
