/** Rules of `identity.mail` that involve several keys. */
import { isNearHost } from './bind.ts';
import type { Platform } from './platform.ts';
import { problemAt } from './problem.ts';
import type { Problem } from './problem.ts';
import type { Tree } from './tree.ts';

const SUBMISSIONS_PORT = 465;

/** `auth: plain` requires name and password, `none` forbids both, and a password requires TLS unless the server is on this machine or network. */
export function mailProblems({ identity }: Platform, { tree }: { readonly tree: Tree }): Problem[] {
  if (identity.mail === undefined) return [];
  const { host, port, starttls, auth, username, password } = identity.mail.smtp;
  const problems: Problem[] = [];
  const say = (key: string, message: string, mend: string): void => {
    const path = ['identity', 'mail', 'smtp', key];
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  const given = { username, password };
  for (const key of ['username', 'password'] as const) {
    if (auth === 'plain' && given[key] === undefined)
      say(key, `auth: plain needs a ${key}`, `add it, or write auth: none`);
    if (auth === 'none' && given[key] !== undefined)
      say(key, `auth: none sends no ${key}`, 'remove it, or write auth: plain');
  }
  if (auth === 'plain' && !starttls && port !== SUBMISSIONS_PORT && !isNearHost(host))
    say('starttls', `the password would go to ${host} in clear text`, 'write starttls: true');
  return problems;
}
