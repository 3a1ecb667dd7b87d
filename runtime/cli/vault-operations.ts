/** `skep vault certificate …`, `node …`, `versions`, `tenant-key …`: verbs for routes to which the contract gives no command. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { renderRecord, renderRows, type Row } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { askVault, expectStatus } from './vault-client.ts';
import type { VaultOptions } from './vault-options.ts';

type VerbOf = (parent: Command, name: string, description: string) => Command;

interface IssueOptions extends VaultOptions {
  readonly csr?: string;
  readonly keyOut?: string;
  readonly commonName?: string;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly uri?: readonly string[];
  readonly ttl?: string;
}

/** Adds the verbs; `verb` gives each the options of a caller. */
export function addOperations(vault: Command, verb: VerbOf, terminal: Terminal): void {
  addCertificates(vault.command('certificate').description('certificates of services'), verb, terminal);
  addNodes(vault.command('node').description('nodes: machines that have joined'), verb, terminal);
  verb(vault, 'versions', 'list the versions of a secret and their states')
    .argument('<name>', 'its name')
    .action(async (name: string, options: VaultOptions) => {
      const answer = await askVault(options, terminal, 'GET', `/secret/${encodeURIComponent(name)}/versions`);
      const { body } = expectStatus(answer, 200);
      const columns = ['version', 'state', 'created_at', 'created_by', 'deleted_at'];
      const isJson = options.output === 'json';
      terminal.out(isJson ? renderRecord(body, 'json') : renderRows(body['versions'] as Row[], 'table', columns));
    });
  verb(
    vault.command('tenant-key').description('the key that seals a tenant’s secrets'),
    'rotate',
    'make a new key for future writes, of --tenant or of the node',
  ).action(async (options: VaultOptions) => {
    const answer = await askVault(options, terminal, 'POST', '/tenant-key/rotate');
    terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
  });
}

const CERTIFICATES = '/certificate/internal';

function addCertificates(group: Command, verb: VerbOf, terminal: Terminal): void {
  verb(
    group,
    'issue',
    'print a new certificate; for your own key (--csr), or for a key that the vault makes and does not store (--key-out)',
  )
    .option('--csr <file>', 'a certificate request, PEM')
    .option('--key-out <file>', 'the file for the new key, mode 0600; it must not exist yet')
    .option('--common-name <name>', 'the common name')
    .option('--dns <name...>', 'DNS names')
    .option('--ip <address...>', 'IP addresses')
    .option('--uri <uri...>', 'URIs, such as a SPIFFE ID')
    .option('--ttl <duration>', 'its lifetime')
    .addHelpText(
      'after',
      '\nExample:\n  skep vault certificate issue --common-name api --dns api.example.org --key-out api-key.pem > api.pem\n',
    )
    .action((options: IssueOptions) => issue(options, terminal));
  verb(group, 'list', 'list unexpired certificates, the next to expire first')
    .option('--days <n>', 'only those that expire within so many days')
    .action(async (options: VaultOptions & { days?: string }) => {
      const query: Record<string, string> = options.days === undefined ? {} : { days: options.days };
      const rows = await allOf(CERTIFICATES, 'certificates', query, options, terminal);
      terminal.out(renderRows(rows, options.output, ['serial', 'kind', 'common_name', 'uri', 'state', 'not_after']));
    });
  verb(group, 'show', 'print one certificate and its state')
    .argument('<serial>', 'its serial, hexadecimal')
    .action(async (serial: string, options: VaultOptions) => {
      const answer = await askVault(options, terminal, 'GET', `${CERTIFICATES}/${encodeURIComponent(serial)}`);
      terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
    });
  verb(group, 'revoke', 'revoke a certificate for good')
    .argument('<serial>', 'its serial, hexadecimal')
    .option('--reason <reason>', 'the reason in terms of RFC 5280, such as keyCompromise')
    .action(async (serial: string, options: VaultOptions & { reason?: string }) => {
      const answer = await askVault(options, terminal, 'DELETE', CERTIFICATES, { serial, reason: options.reason });
      terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
    });
}

async function issue(options: IssueOptions, terminal: Terminal): Promise<void> {
  const { csr, keyOut, commonName: common_name, dns, ip, uri, ttl } = options;
  if ((csr === undefined) === (keyOut === undefined))
    throw new CliError(
      'skep: name one of --csr (a request for your own key) and --key-out (where a new key goes)\n',
      EXIT.usage,
    );
  if (keyOut !== undefined) writeNew(keyOut, ''); // fail before a key is made that could not be written
  const body = { csr: csr === undefined ? undefined : readText(csr), common_name, dns, ip, uri, ttl };
  const { body: made } = expectStatus(await askVault(options, terminal, 'POST', CERTIFICATES, body), 201);
  const { private_key, ...shown } = made;
  if (keyOut !== undefined) writeFileSync(keyOut, String(private_key));
  terminal.out(options.output === 'json' ? renderRecord(shown, 'json') : String(made['certificate']));
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new CliError(`skep: --key-out: ${file}: ${(error as NodeJS.ErrnoException).code}\n`, EXIT.usage);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`skep: --csr: cannot read ${file} (${(error as NodeJS.ErrnoException).code})\n`, EXIT.usage);
  }
}

function addNodes(group: Command, verb: VerbOf, terminal: Terminal): void {
  verb(group, 'list', 'list nodes and their states').action(async (options: VaultOptions) => {
    const rows = await allOf('/nodes', 'nodes', {}, options, terminal);
    terminal.out(renderRows(rows, options.output, ['id', 'name', 'scope', 'state', 'reason', 'renewed_at']));
  });
  for (const [name, description] of [
    ['evict', 'evict a node and revoke its certificates; it may join again'],
    ['ban', 'ban a node: its certificates are revoked, and its name cannot join again'],
  ] as const)
    verb(group, name, description)
      .argument('<id>', 'its id')
      .addOption(new Option('--reason <text>', 'why'))
      .action(async (id: string, options: VaultOptions & { reason?: string }) => {
        const path = `/nodes/${encodeURIComponent(id)}/${name}`;
        const answer = await askVault(options, terminal, 'POST', path, { reason: options.reason });
        terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
      });
}

const PAGE = '1000';

/** Every row of a list, page after page. */
export async function allOf(
  path: string,
  member: string,
  query: Readonly<Record<string, string>>,
  options: VaultOptions,
  terminal: Terminal,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | null = null; ;) {
    const search = new URLSearchParams({ ...query, limit: PAGE, ...(after !== null && { after }) });
    const { body } = expectStatus(await askVault(options, terminal, 'GET', `${path}?${search.toString()}`), 200);
    rows.push(...(body[member] as Row[]));
    after = (body['next'] ?? null) as string | null;
    if (after === null) return rows;
  }
}
