/**
 * The command tree. A verb is a file of this folder with an `add…` function; what it does is imported when it runs,
 * so that `skep --help` and every short verb start fast.
 */
import { Command, CommanderError } from 'commander';
import { addBackup } from './backup.ts';
import { addCheck, addConfig } from './config.ts';
import { addCluster } from './cluster.ts';
import { addContent } from './content.ts';
import { addDebug } from './debug.ts';
import { addDeploy } from './deploy.ts';
import { addDev } from './dev.ts';
import { addDocs } from './docs.ts';
import { addDoctor } from './doctor.ts';
import { addExplain } from './explain.ts';
import { addHealth } from './health.ts';
import { addIdentity, addIdentityVerbs } from './identity.ts';
import { addMail } from './mail.ts';
import { addNew } from './new.ts';
import { addDemo, addServe } from './node-verbs.ts';
import { addSchema } from './schema.ts';
import { addStorage } from './storage.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { addTls } from './tls.ts';
import { addTop } from './top.ts';
import { addTypes } from './types.ts';
import { addUpgrade } from './upgrade.ts';
import { skepVersion } from '#runtime/version.ts';
import { addVersion } from './version.ts';

/** The tree for these arguments: groups that need schemas to describe themselves are filled only when they are named. */
export async function buildProgram(args: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command('skep')
    .description(
      'Skep serves many tenants from one Node process: identity, data, content, forms, audit and secrets. Writes are durable before they are answered.',
    )
    .version(skepVersion(), '-V, --version', 'print the version')
    .enablePositionalOptions()
    .helpCommand('help [command]', 'show help for a command')
    .showSuggestionAfterError()
    .addHelpText('after', EXAMPLES);
  addServe(program, terminal);
  addDemo(program, terminal);
  addNew(program, terminal);
  addDev(program, terminal);
  addDeploy(program, terminal);
  addIdentityVerbs(program, terminal);
  addStorage(program, terminal);
  addBackup(program, terminal);
  addCluster(program, terminal);
  addDoctor(program, terminal);
  addDebug(program, terminal);
  addExplain(program, terminal);
  addHealth(program, terminal);
  addTls(program, terminal);
  addTop(program, terminal);
  addUpgrade(program, terminal);
  addDocs(program, terminal);
  addVersion(program, terminal);
  addConfig(program, terminal);
  addCheck(program, terminal);
  addSchema(program, terminal);
  addTypes(program, terminal);
  addIdentity(program, terminal);
  addMail(program, terminal);
  addContent(program, terminal);
  const intake = program.command('intake').description('the form intake service').enablePositionalOptions();
  if (args.slice(0, 2).includes('intake')) (await import('./intake.ts')).fillIntake(intake, terminal);
  const audit = program
    .command('audit')
    .description('audit logs: verify, query, cosign, serve')
    .enablePositionalOptions();
  if (args[0] === 'audit') (await import('./audit.ts')).fillAudit(audit, terminal);
  const vault = program.command('vault').description('the vault: serve it, secrets, seal').enablePositionalOptions();
  if (args[0] === 'vault') (await import('./vault.ts')).fillVault(vault, terminal);
  const agent = program
    .command('agent')
    .description('the agent that gives identities to the workloads of a machine')
    .enablePositionalOptions();
  if (args[0] === 'agent') (await import('./agent.ts')).fillAgent(agent, terminal);
  const service = program.command('service').description('the node as a service of systemd').enablePositionalOptions();
  if (args[0] === 'service') (await import('./service.ts')).fillService(service, terminal);
  for (const command of everyCommand(program)) speakTo(command, terminal);
  return program;
}

/** Runs one command line; gives the exit code. Text goes to the terminal; usage and configuration errors exit with 2. */
export async function runCli(given: readonly string[], terminal: Terminal): Promise<number> {
  const args = given[0] === 'audit' ? (await import('./audit.ts')).rewriteConfig(given) : given;
  try {
    const program = await buildProgram(args, terminal);
    await program.parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : usageExit(args);
    if (!(error instanceof CliError)) throw error;
    terminal.err(error.message);
    return error.exitCode;
  }
}

/** `audit verify` uses 2 for an incomplete log. */
function usageExit(args: readonly string[]): number {
  return args[0] === 'audit' && args[1] === 'verify' ? EXIT.verifyUsage : EXIT.usage;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** `skep tenant provision`, from the root down. */
function everyName(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...everyName(command.parent), command.name()];
}

function speakTo(command: Command, terminal: Terminal): void {
  const path = everyName(command).join(' ');
  command
    .exitOverride()
    .showHelpAfterError(`    ${path} --help shows its verbs and options`)
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
    });
}

const EXAMPLES = `
Examples:
  skep demo                                            the demo on real data
  skep -f platform.yaml -l info                        serve a node
  skep tenant provision -f platform.yaml --tenant acme:atlas:dev:main
  skep storage check .skep                             verify a stopped store
  skep config generate bootstrap-dev > platform.yaml   a starter file
  skep config show -f platform.yaml                    its effective configuration
  skep check -f platform.yaml                          find problems in it and in its products
  skep version -o json

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.
`;
