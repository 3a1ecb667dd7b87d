/** `skep audit verify|query|witness` and `skep audit -config <file>`. Spec: docs/contract/audit.md. */
import { Option, type Command } from 'commander';
import { guarded, operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { outputOption, renderRecord } from './output.ts';
import type { VerifyOptions } from './audit-verify.ts';
import type { QueryOptions } from './audit-query.ts';
import type { WitnessOptions } from './audit-witness.ts';
import type { Terminal } from './terminal.ts';

/** Fills the `audit` group. */
export function fillAudit(audit: Command, terminal: Terminal): void {
  audit
    .addOption(new Option('--config <file>', 'serve the audit service of this file, and nothing else (also -config)'))
    .action(async (options: { config?: string }) => {
      const { auditServe } = await import('./audit-serve.ts');
      await auditServe(options.config, terminal);
    });
  addAuditVerbs(audit, terminal);
  addRotateKey(audit, terminal);
}

function addRotateKey(audit: Command, terminal: Terminal): void {
  operatorVerb(
    audit,
    'rotate-key',
    'give a log a new signing key; the node must be stopped and the key a file. The old key signs the succession and is then overwritten',
    'skep audit rotate-key tenant/acme/atlas/dev/main -f platform.yaml',
  )
    .argument('<log>', 'the id of the log')
    .option('--alone', 'the file given with -f is one of skep audit -config')
    .action(async (logId: string, { file, output, alone }: OperatorOptions & { alone?: true }) => {
      const platform = await platformOf(file, terminal, alone === true ? 'audit' : null);
      const { auditRotateKey } = await import('./audit-rotate-key.ts');
      const rotated = await guarded(() => auditRotateKey(platform, logId));
      terminal.out(renderRecord({ ...rotated }, output));
    });
}

/** `verify` and `query`, for the audit group and for the vault's. */
export function addAuditVerbs(audit: Command, terminal: Terminal): void {
  audit
    .command('verify')
    .description('verify a log directory, a URL, a proof or a segment, offline, with nothing but the public key')
    .argument('<target>', 'directory, URL of a log, proof file, or segment file')
    .requiredOption('--key <key>', 'the public key: a PEM file, or a verifier key (name+id+key)')
    .option('--origin <origin>', 'the origin that the log must have')
    .option('--witness <key>', 'the verifier key of a witness that must have cosigned the log')
    .option('--earlier <file>', 'for a proof of consistency: the file with the earlier checkpoint')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', VERIFY_HELP)
    .action(async (target: string, options: VerifyOptions) => {
      const { auditVerify } = await import('./audit-verify.ts');
      await auditVerify(target, options, terminal);
    });
  addWitness(audit, terminal);
  audit
    .command('query')
    .description('print records of a log, in order, without verifying them')
    .argument('<log>', 'the directory of a log, or its URL (SKEP_TOKEN holds the bearer token)')
    .option('--from <index>', 'index of the first record')
    .option('--limit <count>', 'how many records to print')
    .option('--actor <glob>', 'only of this actor; * is any run of characters, also in the next four options')
    .option('--action <glob>', 'only of this action')
    .option('--target <glob>', 'only on this target')
    .option('--outcome <glob>', 'only with this outcome')
    .option('--source <glob>', 'only from this source')
    .option('--since <time>', 'not before this time')
    .option('--until <time>', 'before this time')
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nExample:\n  skep audit query .skep/audit/logs/tenant/acme/atlas/dev/main --action data.city.create\n  skep audit query https://audit.example.org:8443/logs/vault%2F_global --source "vault/*"\n',
    )
    .action(async (directory: string, options: QueryOptions) => {
      const { auditQuery } = await import('./audit-query.ts');
      await auditQuery(directory, options, terminal);
    });
}

/** Fills the `witness` verb. */
function addWitness(audit: Command, terminal: Terminal): void {
  audit
    .command('witness')
    .description('cosign checkpoints of the logs in a file, each after a proof that it continues the last cosigned one')
    .requiredOption('--logs <file>', 'the file; one log per line: [origin] <verifier key>')
    .requiredOption(
      '--dir <directory>',
      'the directory of its key and its last cosigned checkpoints; made when missing',
    )
    .requiredOption('--name <name>', 'the name of its key, such as witness.example.org/1')
    .option('--listen <host:port>', 'the address to listen on', '127.0.0.1:7780')
    .addHelpText('after', WITNESS_HELP)
    .action(async (options: WitnessOptions) => {
      const { auditWitness } = await import('./audit-witness.ts');
      await auditWitness(options, terminal);
    });
}

const WITNESS_HELP = `
It prints the verifier key that the platform file wants as audit.sync[].anchor.key, and serves until it is ended.
The verifier key of a log is the verifier_key of GET /audit/logs/{id}.

Example:
  skep audit witness --logs logs.txt --dir /var/lib/witness --name witness.example.org/1
`;

/** The contract's `-config <file>`: the command parser cannot declare such an option. */
export function rewriteConfig(args: readonly string[]): readonly string[] {
  if (args[0] !== 'audit') return args;
  return args.map((arg) => (arg === '-config' || arg.startsWith('-config=') ? `-${arg}` : arg));
}

const VERIFY_HELP = `
Exit codes: 0 good, 1 tampered, 2 incomplete, 3 wrong usage.
SKEP_TOKEN holds the bearer token for a URL.

Examples:
  skep audit verify .skep/audit/logs/tenant/acme/atlas/dev/main --key main.pub.pem
  skep audit verify proof.json --key main.pub.pem --json
  skep audit verify consistency.json --key main.pub.pem --earlier checkpoint-of-last-week
`;
