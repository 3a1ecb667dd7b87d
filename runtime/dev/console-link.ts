/** The link of `skep dev` into the console of its node, for an operator of its own. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback, parseBind } from '#config/bind.ts';
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import type { LinkedPeople, LinkedPerson } from '#runtime/console/login-links.ts';
import type { Node } from '#runtime/node.ts';

const LOGIN = 'developer@skep.example';
const PASSWORD_BYTES = 18;
const FILE = 'console-operator.json';

/** Whether links may be printed: what stands on a terminal is read by others, too, so not where other machines reach the console. */
function linksTo({ listeners }: Pick<Platform, 'listeners'>): boolean {
  return listeners.console !== null && isLoopback(parseBind(listeners.console)!.host);
}

/**
 * A link that logs in once: the operator at the control plane, and administrators of tenants that this process has just made, whose rows it opens. Null where no link may be printed.
 * The operator's password is drawn once and kept beside the data, for its owner alone: a directory whose reader has all there is in it anyway. It is there before its user is, so that a crash between the two loses nothing.
 */
export async function consoleLink(platform: Platform, node: Node, made: LinkedPeople): Promise<string | null> {
  if (!linksTo(platform)) return null;
  const operator = readOperator(platform.storage.dir) ?? drawOperator(platform.storage.dir);
  await node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...operator, roles: ['superadmin'] });
  return node.consoleLink({ [CONTROL_PLANE]: operator, ...(platform.console.tenants ? made : {}) });
}

/** Null where there is none yet. */
function readOperator(dir: string): LinkedPerson | null {
  const path = join(dir, FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as LinkedPerson) : null;
}

function drawOperator(dir: string): LinkedPerson {
  const operator = { login: LOGIN, password: randomBytes(PASSWORD_BYTES).toString('base64url') };
  const path = join(dir, FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(operator, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return operator;
}
