/** Rules of `identity.mail` that involve several keys. */
import { isLoopback, isNearHost, parseBind } from './bind.ts';
import type { Platform } from './platform.ts';
import { problemAt, type Problem } from './problem.ts';
import type { Tree } from './tree.ts';

const SUBMISSIONS_PORT = 465;

/** `auth: plain` requires name and password, `none` forbids both, and a password requires TLS unless the server is on this machine or network. */
export function mailProblems(platform: Platform, { tree }: { readonly tree: Tree }): Problem[] {
  const { identity } = platform;
  if (identity.mail === undefined) return [];
  return [...placeProblems(platform, tree), ...smtpProblems(identity.mail.smtp, tree)];
}

/** Mails go to a server or into the mailbox, which shows everybody who reaches it links that log in: it is for development on this machine alone. */
function placeProblems({ identity, vault, listeners }: Platform, tree: Tree): Problem[] {
  const { mailbox, smtp } = identity.mail!;
  const say = (key: string, message: string, mend: string): Problem => {
    const path = ['identity', 'mail', key];
    return problemAt(tree.placeOf(path, key === 'mailbox' ? 'value' : 'key'), path, message, mend);
  };
  if (!mailbox)
    return smtp === undefined
      ? [say('smtp', 'mails need a server', 'add smtp: { host: … }, or mailbox: true in development')]
      : [];
  if (smtp !== undefined)
    return [say('smtp', 'the mailbox keeps every mail: no server gets one', 'remove smtp, or mailbox')];
  if (vault.profile !== 'development')
    return [
      say('mailbox', 'the mailbox is for development', 'add vault: { profile: development }, or name a mail server'),
    ];
  if (listeners.operations === null)
    return [
      say('mailbox', 'the operations listener shows the mailbox, and is off', 'write listeners: { operations: true }'),
    ];
  const { host } = parseBind(listeners.operations)!;
  if (!isLoopback(host)) {
    const mend = 'bind listeners.operations to 127.0.0.1, or name a mail server';
    return [say('mailbox', `the operations listener on ${host} would show mails to other machines`, mend)];
  }
  return [];
}

type Smtp = NonNullable<NonNullable<Platform['identity']['mail']>['smtp']>;

function smtpProblems(smtp: Smtp | undefined, tree: Tree): Problem[] {
  if (smtp === undefined) return [];
  const { host, port, starttls, auth, username, password } = smtp;
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
