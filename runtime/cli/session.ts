/** `skep session list|end`: lists and ends sessions of a tenant's users. */
import { Option, type Command } from 'commander';
import type { SessionList } from '#actors/identity/session/list-sessions.ts';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, renderRows, type Row } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface SessionOptions extends OperatorOptions {
  readonly tenant: string;
  readonly user?: string;
}

const COLUMNS = [
  'id',
  'kind',
  'principal',
  'actor',
  'created_at',
  'last_seen_at',
  'expires_at',
  'ip',
  'revoked_at',
  'reason',
];

export function addSession(parent: Command, terminal: Terminal): void {
  const session = parent.command('session').description('sessions of a tenant’s users').enablePositionalOptions();
  addList(session, terminal);
  addEnd(session, terminal);
}

const userOption = (description: string) => new Option('--user <user>', description);

function addList(session: Command, terminal: Terminal): void {
  operatorVerb(
    session,
    'list',
    'list active and recently ended sessions, newest first; where a product does not manage sessions, only impersonations',
    'skep session list -f platform.yaml --tenant acme:atlas:dev:main --user ann@example.org',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(userOption('only sessions of this user: login or id'))
    .action(async ({ file, tenant, user, output }: SessionOptions) => {
      const platform = await platformOf(file, terminal);
      const wish = { tenant, user: user ?? null };
      const { sessions, count } = (await askNode(platform, 'session.list', wish)) as SessionList;
      terminal.out(renderRows(sessions, output, output === 'table' ? COLUMNS : undefined));
      if (count > sessions.length)
        terminal.err(
          `skep: the newest ${sessions.length} of ${count} sessions are shown; --user <user> shows those of one user\n`,
        );
    });
}

function addEnd(session: Command, terminal: Terminal): void {
  operatorVerb(
    session,
    'end',
    'end one session, or all sessions of a user, including impersonations of the user; their tokens are refused from the next request on',
    'skep session end -f platform.yaml --tenant acme:atlas:dev:main --user ann@example.org',
  )
    .argument('[id]', 'the session')
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(userOption('end all sessions of this user: login or id'))
    .action(async (id: string | undefined, { file, tenant, user, output }: SessionOptions) => {
      if ((id === undefined) === (user === undefined))
        throw new CliError(
          'skep: name a session\n    give its id, or all sessions of a user: --user <user>\n',
          EXIT.usage,
        );
      const platform = await platformOf(file, terminal);
      const wish = { tenant, id: id ?? null, user: user ?? null };
      terminal.out(renderRecord((await askNode(platform, 'session.end', wish)) as Row, output));
    });
}
