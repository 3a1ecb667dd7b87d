/** Rules of intake's `notify`, `email` and `chat` that involve several keys. They apply while notices are on. */
import { isNearHost } from './bind.ts';
import type { Platform } from './platform.ts';
import { isNeverReached, PrivateHosts } from './private-hosts.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import type { Tree } from './tree.ts';

const SUBMISSIONS_PORT = 465;
const ADDRESS = /^(?:[^<>\r\n"]*<[^\s@<>"]{1,64}@[^\s@<>"]{1,255}>|[^\s@<>"]{1,64}@[^\s@<>"]{1,255})$/;

/** A named provider has the keys that it needs, and a password requires TLS unless the server is on this machine or network. */
export function noticeProblems(platform: Platform, { tree }: { readonly tree: Tree }): Problem[] {
  const { notify, email } = platform.intake;
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    const whole = ['intake', 'email', ...path];
    problems.push(problemAt(tree.placeOf(whole, 'value'), whole, message, mend));
  };
  if (!notify.enabled) return problems;
  const used = email.provider === 'smtp' ? email.smtp.host !== '' : email.webapi.api_key !== '';
  if (used && !ADDRESS.test(email.from))
    say(['from'], 'email.from must be the address of the sender', 'for example forms@example.org');
  if (used && email.provider === 'webapi' && email.webapi.url === undefined)
    say(['webapi', 'url'], 'the mail API needs its URL', 'add url: https://…');
  if (used && email.provider === 'smtp') smtpProblems(email.smtp, say);
  return [...problems, ...addressProblems(platform, tree, used)];
}

/** Addresses that no notice can ever reach: each notice would be tried to its last attempt and count as failed. */
function addressProblems({ intake, outbound }: Platform, tree: Tree, isMailed: boolean): Problem[] {
  const { email, chat } = intake;
  const list = new PrivateHosts([...outbound.allow_private, ...(intake.outbound.allow_private ?? [])]);
  const isToken = email.provider === 'smtp' && email.smtp.auth === 'xoauth2';
  const used: readonly (readonly [path: Path, url: string | undefined])[] = [
    [['email', 'webapi', 'url'], isMailed && email.provider === 'webapi' ? email.webapi.url : undefined],
    [['email', 'smtp', 'oauth', 'token_url'], isMailed && isToken ? email.smtp.oauth.token_url : undefined],
    [['chat', 'default_webhook'], chat.default_webhook],
  ];
  return used.flatMap(([path, url]) => {
    // A reference to the vault becomes an address only when the node has read it.
    if (url === undefined || url === '' || url.startsWith('vault:') || !isNeverReached(new URL(url), list)) return [];
    const whole = ['intake', ...path];
    const message = `${path.join('.')} can never be reached: plain HTTP and private addresses go to named hosts only`;
    const mend = 'write an https URL of a public host, or name the host in outbound.allow_private';
    return [problemAt(tree.placeOf(whole, 'value'), whole, message, mend)];
  });
}

function smtpProblems(
  smtp: Platform['intake']['email']['smtp'],
  say: (path: Path, message: string, mend: string) => void,
): void {
  const { host, port, starttls, auth, username, password, oauth } = smtp;
  if (auth === 'none') return;
  const needed: readonly (readonly [path: Path, value: string | undefined])[] =
    auth === 'plain'
      ? [
          [['smtp', 'username'], username],
          [['smtp', 'password'], password],
        ]
      : [
          [['smtp', 'username'], username],
          [['smtp', 'oauth', 'token_url'], oauth.token_url],
          [['smtp', 'oauth', 'client_id'], oauth.client_id],
          [['smtp', 'oauth', 'client_secret'], oauth.client_secret],
        ];
  for (const [path, value] of needed)
    if (value === undefined || value === '')
      say(path, `auth: ${auth} needs ${path.join('.')}`, 'add it, or write auth: none');
  if (!starttls && port !== SUBMISSIONS_PORT && !isNearHost(host))
    say(['smtp', 'starttls'], `the login would go to ${host} in clear text`, 'write starttls: true');
}
