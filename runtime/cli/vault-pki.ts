/** `skep vault pki …`: what happens to the vault's own keys in time, at an operator's word. Additive to docs/contract/vault.md §8.2. */
import type { Command } from 'commander';
import { renderRecord } from './output.ts';
import type { Terminal } from './terminal.ts';
import { askVault, expectStatus } from './vault-client.ts';
import type { VaultOptions } from './vault-options.ts';

type VerbOf = (parent: Command, name: string, description: string) => Command;

/** Adds the verbs; `verb` gives each the options of a caller. */
export function addPkiVerbs(pki: Command, verb: VerbOf, terminal: Terminal): void {
  verb(
    pki,
    'renew-ca',
    'renew the authority’s certificate now: same key, same name; it happens by itself at two thirds',
  ).action(async (options: VaultOptions) => {
    const { body } = expectStatus(await askVault(options, terminal, 'POST', '/pki/ca/renew'), 200);
    terminal.out(options.output === 'json' ? renderRecord(body, 'json') : String(body['certificate']));
  });
  verb(
    pki,
    'rotate-jwt',
    'publish a new key for JWTs, which signs in ten minutes; it happens by itself every thirty days',
  )
    .option('--drop-previous', 'now: nothing that was signed before counts any more')
    .action(async (options: VaultOptions & { dropPrevious?: boolean }) => {
      const wish = { drop_previous: options.dropPrevious === true };
      const { body } = expectStatus(await askVault(options, terminal, 'POST', '/jwt/rotate', wish), 200);
      terminal.out(options.output === 'json' ? renderRecord(body, 'json') : `${String(body['kid'])}\n`);
    });
}
