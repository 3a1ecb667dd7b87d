/** `skep vault pki …`: renewals of the vault's own keys, started by an operator. Additive to docs/contract/vault.md §8.2. */
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
    'renew the authority’s certificate now, for the same key and name; this happens by itself after two thirds of its life',
  ).action(async (options: VaultOptions) => {
    const { body } = expectStatus(await askVault(options, terminal, 'POST', '/pki/ca/renew'), 200);
    terminal.out(options.output === 'json' ? renderRecord(body, 'json') : String(body['certificate']));
  });
  verb(
    pki,
    'rotate-jwt',
    'publish a new key for JWTs, which signs ten minutes later; this happens by itself every thirty days',
  )
    .option('--drop-previous', 'sign with it now, and drop the keys before it: earlier tokens become invalid')
    .action(async (options: VaultOptions & { dropPrevious?: boolean }) => {
      const wish = { drop_previous: options.dropPrevious === true };
      const { body } = expectStatus(await askVault(options, terminal, 'POST', '/jwt/rotate', wish), 200);
      terminal.out(options.output === 'json' ? renderRecord(body, 'json') : `${String(body['kid'])}\n`);
    });
}
