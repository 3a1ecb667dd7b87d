/** `skep vault …`: the vault's server, and an operator's verbs. Spec: docs/contract/vault.md §8. */
import { Option, type Command } from 'commander';
import { addAuditVerbs } from './audit.ts';
import { outputOption } from './output.ts';
import { tenantOption } from './operator-verb.ts';
import type { Terminal } from './terminal.ts';
import { addIdentityVerbs } from './vault-identities.ts';
import { addOperations } from './vault-operations.ts';
import type { VaultOptions } from './vault-options.ts';
import { addPkiVerbs } from './vault-pki.ts';

interface ServerOptions {
  readonly file: string;
  readonly port?: string;
  readonly datacenter?: string;
  readonly cluster?: string;
  readonly sid?: string;
  readonly mode?: string;
  readonly level?: string;
}

/** Commands whose server side is declared only: each answers 501 (docs/contract/vault.md §8). */
const SCAFFOLDS: readonly (readonly [family: string, verbs: readonly string[], argument?: string])[] = [
  ['root', ['rotate-plan', 'rotate-execute']],
  ['backend', ['migrate']],
  ['signer', ['test']],
  ['policy', ['lint']],
];

const FIRST_STEPS = `
First steps, for development:
  skep vault config generate bootstrap-dev > vault.yaml
  skep vault server -f vault.yaml
  export SKEP_VAULT_URL=http://127.0.0.1:7999        (in another shell)
  printf hunter2 | skep vault put db/password
  skep vault get db/password
`;

/** Operators' certificates come from another authority than the vault's: otherwise a holder of the vault's keys could make operators. */
const OPERATORS = `
Operators show a certificate of an authority that you keep (operators.ca of the vault's file), named spiffe://<trust_domain>/operator/<name>:
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=operators -addext keyUsage=critical,keyCertSign,cRLSign -keyout operators-ca-key.pem -out operators-ca.pem
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=ada -addext subjectAltName=URI:spiffe://skep.internal/operator/ada -addext extendedKeyUsage=clientAuth -keyout ada-key.pem -out ada.csr
  openssl x509 -req -in ada.csr -copy_extensions copy -days 90 -CA operators-ca.pem -CAkey operators-ca-key.pem -CAcreateserial -out ada.pem
  export SKEP_OPERATOR_CERT=ada.pem SKEP_OPERATOR_KEY=ada-key.pem
Without policies operators may do everything; with policies, only what their rows allow: {subject: operator/ada, path: "secret/**", capabilities: [read]}. To revoke a certificate, put a revocation list at operators.crl and send SIGHUP.
`;

/** Fills the `vault` group. */
export function fillVault(vault: Command, terminal: Terminal): void {
  vault.addHelpText('after', FIRST_STEPS + OPERATORS);
  addServer(vault, terminal);
  addConfigGenerate(vault, terminal);
  addSecretVerbs(vault, terminal);
  addSealVerbs(vault, terminal);
  addIdentityVerbs(vault, verb, terminal);
  addOperations(vault, verb, terminal);
  addPkiVerbs(vault.command('pki').description('the vault’s own certificate and keys'), verb, terminal);
  addAuditVerbs(vault.command('audit').description('verify and query the vault’s audit logs'), terminal);
  for (const [family, verbs] of SCAFFOLDS) {
    const group = vault.command(family).description('not implemented: the server answers 501');
    for (const name of verbs) verb(group, name, 'not implemented').action(scaffold(family, name, terminal));
  }
  verb(vault, 'migrate-service', 'not implemented')
    .argument('<name>', 'the service')
    .action((_name: string, options: VaultOptions) => scaffold('migrate-service', 'run', terminal)(options));
}

function addServer(vault: Command, terminal: Terminal): void {
  vault
    .command('server')
    .description('serve only the vault of a file')
    .requiredOption('-f, --file <file>', 'the file whose root is the vault part')
    .option('--port <port>', 'the port to listen on')
    .option('--datacenter <name>', 'the datacenter')
    .option('--cluster <name>', 'the cluster')
    .option('--sid <name>', 'the name of this instance')
    .addOption(new Option('--mode <mode>', 'the mode of this vault').choices(['root']))
    .option('-l, --level <level>', 'log level')
    .addHelpText(
      'after',
      '\nExample:\n  skep vault server -f vault.yaml --datacenter dc1 --cluster main --sid vault-1\n',
    )
    .action(async ({ file, level, ...flags }: ServerOptions) => {
      const { vaultServer } = await import('./vault-server.ts');
      await vaultServer(file, flags, level, terminal);
    });
}

function addConfigGenerate(vault: Command, terminal: Terminal): void {
  const generate = vault
    .command('config')
    .description('print a starter file')
    .command('generate')
    .description('print a starter file');
  for (const profile of ['bootstrap', 'bootstrap-dev'] as const)
    generate
      .command(profile)
      .description(profile === 'bootstrap' ? 'a commented file for production' : 'a commented file for development')
      .action(async () => {
        const { generateVault } = await import('#config/generate-vault.ts');
        terminal.out(generateVault(profile));
      });
}

function addSecretVerbs(vault: Command, terminal: Terminal): void {
  const load = () => import('./vault-verbs.ts');
  verb(vault, 'get', 'print the value of a secret')
    .argument('<name>', 'its name')
    .option('--version <n>', 'an older version')
    .action(async (name: string, options: VaultOptions & { version?: string }) =>
      (await load()).vaultGet(name, options, terminal),
    );
  verb(vault, 'put', 'write a new version of a secret; without an argument the value is read from standard input')
    .argument('<name>', 'its name')
    .argument('[value]', 'the value; other users can see it in the list of processes')
    .option('--cas <n>', 'the version that must be the newest, 0 for none')
    .action(async (name: string, value: string | undefined, options: VaultOptions & { cas?: string }) =>
      (await load()).vaultPut(name, value, options, terminal),
    );
  verb(vault, 'exists', 'exit 0 when the secret is there, 1 when not')
    .argument('<name>', 'its name')
    .action(async (name: string, options: VaultOptions) => (await load()).vaultExists(name, options, terminal));
  verb(vault, 'delete', 'delete a secret')
    .argument('<name>', 'its name')
    .option('--version <n>', 'this version only')
    .option('--destroy', 'drop the bytes too')
    .action(async (name: string, options: VaultOptions & { version?: string; destroy?: boolean }) =>
      (await load()).vaultDelete(name, options, terminal),
    );
  verb(vault, 'list', 'print the names of secrets')
    .argument('[prefix]', 'only names that begin with this')
    .action(async (prefix: string | undefined, options: VaultOptions) =>
      (await load()).vaultList(prefix ?? '', options, terminal),
    );
  verb(vault, 'status', 'print the state of the vault').action(async (options: VaultOptions) =>
    (await load()).vaultStatus(options, terminal),
  );
}

function addSealVerbs(vault: Command, terminal: Terminal): void {
  const load = () => import('./vault-verbs.ts');
  verb(vault, 'init', 'make the root key of a vault sealed with shares, and print the shares; they are shown only once')
    .option('--shares <n>', 'how many', '5')
    .option('--threshold <n>', 'how many shares unseal', '3')
    .action(async (options: VaultOptions & { shares: string; threshold: string }) =>
      (await load()).vaultInit(options, terminal),
    );
  verb(vault, 'unseal', 'give one share; it is read from standard input').action(async (options: VaultOptions) =>
    (await load()).vaultUnseal(options, terminal),
  );
  verb(vault, 'seal', 'zero the keys').action(async (options: VaultOptions) =>
    (await load()).vaultSeal(options, terminal),
  );
}

const scaffold = (family: string, name: string, terminal: Terminal) => async (options: VaultOptions) => {
  const { vaultScaffold } = await import('./vault-verbs.ts');
  await vaultScaffold(family, name, options, terminal);
};

/** A verb that calls a vault. */
export function verb(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--url <url>', 'the vault (SKEP_VAULT_URL; https://127.0.0.1:7999)')
    .option('--ca <file>', 'PEM file of the issuer of its certificate (SKEP_VAULT_CA)')
    .option('--agent <socket>', 'go through the agent that listens here, as this process (SKEP_AGENT_SOCKET)')
    .option('--operator-cert <file>', 'your certificate, PEM (SKEP_OPERATOR_CERT)')
    .option('--operator-key <file>', 'its key, PEM (SKEP_OPERATOR_KEY)')
    .addOption(tenantOption())
    .addOption(outputOption());
}
