/** `skep session list|end`: lists and ends sessions of a tenant's users. */
import type { Command } from 'commander';
import type { SessionList } from '#actors/identity/session/list-sessions.ts';
import { shownVerb, type TenantOptions } from './operator-verb.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

type SessionOptions = TenantOptions & { readonly user?: string };

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
  shownVerb(session, terminal, {
    name: 'list',
    what: 'list active and recently ended sessions, newest first; where a product does not manage sessions, only impersonations',
    example: 'skep session list -f platform.yaml --tenant acme:atlas:dev:main --user ann@example.org',
    ofTenant: true,
    columns: COLUMNS,
    show: async (ask, { tenant, user }: SessionOptions) => {
      const { sessions, count } = (await ask('session.list', { tenant, user: user ?? null })) as SessionList;
      if (count > sessions.length)
        terminal.err(
          `skep: the newest ${sessions.length} of ${count} sessions are shown; --user <user> shows those of one user\n`,
        );
      return sessions;
    },
  }).option('--user <user>', 'only sessions of this user: login or id');
  shownVerb<SessionOptions, [string | undefined]>(session, terminal, {
    name: 'end',
    what: 'end one session, or all sessions of a user, including impersonations of the user; their tokens are refused from the next request on',
    example: 'skep session end -f platform.yaml --tenant acme:atlas:dev:main --user ann@example.org',
    ofTenant: true,
    show: (ask, { tenant, user }, id) => {
      if ((id === undefined) !== (user === undefined))
        return ask('session.end', { tenant, id: id ?? null, user: user ?? null });
      const mend = 'give its id, or all sessions of a user: --user <user>';
      throw new CliError(`skep: name a session\n    ${mend}\n`, EXIT.usage);
    },
  })
    .argument('[id]', 'the session')
    .option('--user <user>', 'end all sessions of this user: login or id');
}
