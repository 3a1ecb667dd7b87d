/** `skep vault node-token …`, `identity …`, `jwt`: verbs about nodes, workloads and tokens. Spec: docs/contract/vault.md §8.2. */
import type { Command } from 'commander';
import { renderRecord, renderRows } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { askVault, expectStatus } from './vault-client.ts';
import { allOf } from './vault-operations.ts';
import type { VaultOptions } from './vault-options.ts';

interface TokenOptions extends VaultOptions {
  readonly scope: string;
  readonly ttl?: string;
  readonly uses?: string;
}

interface IdentityOptions extends VaultOptions {
  readonly path?: string;
  readonly sha256?: string;
  readonly uid?: string;
  readonly gid?: string;
  readonly unit?: string;
  readonly node?: string;
  readonly scope?: string;
  readonly ttl?: string;
}

type VerbOf = (parent: Command, name: string, description: string) => Command;

/** Adds the verbs; `verb` gives each the options of a caller. */
export function addIdentityVerbs(vault: Command, verb: VerbOf, terminal: Terminal): void {
  addNodeToken(vault.command('node-token').description('tokens with which nodes join'), verb, terminal);
  addIdentity(vault.command('identity').description('SPIFFE IDs of processes'), verb, terminal);
  verb(vault, 'jwt', 'print a JWT of the caller')
    .requiredOption('--audience <aud>', 'the audience of the token')
    .option('--ttl <duration>', 'its lifetime')
    .action(async (options: VaultOptions & { audience: string; ttl?: string }) => {
      const { audience, ttl } = options;
      const { body } = expectStatus(await askVault(options, terminal, 'POST', '/jwt', { audience, ttl }), 200);
      terminal.out(options.output === 'json' ? renderRecord(body, 'json') : `${String(body['token'])}\n`);
    });
}

function addNodeToken(group: Command, verb: VerbOf, terminal: Terminal): void {
  verb(group, 'issue', 'make a join token and print it; it is shown only once')
    .requiredOption('--scope <scope>', 'dc=<datacenter>,cluster=<cluster>')
    .option('--ttl <duration>', 'its lifetime')
    .option('--uses <n>', 'how many nodes may join with it', '1')
    .action(async (options: TokenOptions) => {
      const { scope, ttl } = options;
      const body = { scope, ttl, uses: wholeOf(options.uses, '--uses') };
      const answer = expectStatus(await askVault(options, terminal, 'POST', '/join-token', body), 201);
      terminal.out(options.output === 'json' ? renderRecord(answer.body, 'json') : `${String(answer.body['token'])}\n`);
    });
  verb(group, 'list', 'list join tokens and the nodes that joined with them, never their texts').action(
    async (options: VaultOptions) => {
      const rows = await allOf('/join-token', 'join_tokens', {}, options, terminal);
      terminal.out(renderRows(rows, options.output, ['id', 'scope', 'expires_at', 'uses', 'uses_max', 'created_by']));
    },
  );
  verb(group, 'remove', 'revoke a join token; nodes that joined with it stay')
    .argument('<id>', 'its id')
    .action(async (id: string, options: VaultOptions) => {
      const answer = await askVault(options, terminal, 'DELETE', `/join-token/${encodeURIComponent(id)}`);
      terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
    });
}

function addIdentity(group: Command, verb: VerbOf, terminal: Terminal): void {
  verb(group, 'register', 'bind a SPIFFE ID to facts of a process')
    .argument('<spiffe-id>', 'spiffe://<trust domain>/<path>')
    .option('--path <path>', 'the running executable')
    .option('--sha256 <hash>', 'its SHA-256, hexadecimal')
    .option('--uid <n>', 'the user')
    .option('--gid <n>', 'the group')
    .option('--unit <unit>', 'the systemd unit')
    .option('--node <name>', 'its parent: only this node issues it')
    .option(
      '--scope <scope>',
      'its parent: every node of dc=<datacenter>,cluster=<cluster>, the scope of the vault, issues it',
    )
    .option('--ttl <duration>', 'the lifetime of its certificates')
    .action(async (spiffe_id: string, options: IdentityOptions) => {
      const { path, sha256, unit, node, scope, ttl } = options;
      const [uid, gid] = [wholeOf(options.uid, '--uid'), wholeOf(options.gid, '--gid')];
      const body = { spiffe_id, selectors: { path, sha256, uid, gid, unit }, node, scope, ttl };
      const answer = await askVault(options, terminal, 'POST', '/identity', body);
      terminal.out(renderRecord(expectStatus(answer, 200, 201).body, options.output));
      if (path !== undefined && sha256 === undefined && unit === undefined && INTERPRETER.test(path))
        terminal.err(
          `skep: ${path} is an interpreter: every program that the user runs under it gets this identity\n    add --unit, or a user of its own (--uid); register developers by their login shell\n`,
        );
    });
  verb(group, 'list', 'list the identities').action(async (options: VaultOptions) => {
    const rows = await allOf('/identity', 'identities', {}, options, terminal);
    terminal.out(renderRows(rows, options.output, ['id', 'spiffe_id', 'selectors', 'scope', 'node', 'ttl_seconds']));
  });
  verb(group, 'revoke', 'revoke an identity and its unexpired certificates')
    .argument('<id>', 'its id')
    .action(async (id: string, options: VaultOptions) => {
      const answer = await askVault(options, terminal, 'DELETE', `/identity/${encodeURIComponent(id)}`);
      terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
    });
}

/** Interpreters that get a warning. Shells are not among them: developers are registered by their shell. */
const INTERPRETER = /\/(?:node|nodejs|bun|deno|java|perl|php|python|ruby)[\d.]*$/;

function wholeOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new CliError(`skep: ${name} must be a whole number, not "${text}"\n`, EXIT.usage);
}
