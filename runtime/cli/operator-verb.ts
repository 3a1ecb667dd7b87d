/** What the operator's verbs share: the file, the tenant, and the way to the node or to its stores. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { parseDuration } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE, parsePosition } from '#actors/protocol/position.ts';
import { outputOption } from './output.ts';
import type { OutputFormat } from './output.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';

export interface OperatorOptions {
  readonly file: string;
  readonly output: OutputFormat;
}

/** Adds `-f` and `--output` to a verb. */
export function operatorVerb(parent: Command, name: string, description: string, example: string): Command {
  return parent
    .command(name)
    .description(description)
    .requiredOption('-f, --file <file>', 'the platform file')
    .addOption(outputOption())
    .addHelpText('after', `\nExample:\n  ${example}\n`);
}

/** `--tenant <cpet>`; `superadmin` stands for the control plane. */
export function tenantOption(): Option {
  return new Option('--tenant <cpet>', 'customer:product:env:tenant, or superadmin for the control plane').argParser(
    tenantKey,
  );
}

/** A tenant as it stands on a command line. */
export function tenantKey(text: string): string {
  if (text === 'superadmin') return CONTROL_PLANE;
  if (parsePosition(text) !== null) return text;
  const mend = 'four segments of lower-case letters, digits, _ and -, for example acme:atlas:dev:main';
  throw new CliError(`skep: "${text}" is no customer:product:env:tenant\n    ${mend}\n`, EXIT.usage);
}

/** A duration option's milliseconds: `24h`, `90m`, `0`. */
export function durationOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms >= 0) return ms;
  throw new CliError(`skep: "${text}" is no duration\n    write for example 24h, 90m or 0\n`, EXIT.usage);
}

/** On a verb's standard output stands its answer alone; warnings and errors are all that its node logs. */
const QUIET = { 'log.level': 'warn', 'log.output': 'stderr', 'intake.logging.output': 'stderr' };

/** The platform of a verb's file; `alone`: the file's root is the part of that service. */
export async function platformOf(file: string, terminal: Terminal, alone: 'audit' | null = null): Promise<Platform> {
  const { loadOrExplain } = await import('./config-show.ts');
  const contentRoot = terminal.contentRoot === true;
  const service = alone === null ? {} : { service: alone };
  return loadOrExplain(file, { env: terminal.env, flags: QUIET, contentRoot, ...service });
}

/** Runs a control verb on the node of a platform: on the one that runs, else on one without doors, started for it. */
export async function askNode(
  platform: Platform,
  verb: string,
  body: unknown,
  told: (step: string) => void = () => undefined,
): Promise<unknown> {
  const { callControl } = await import('#runtime/control.ts');
  return guarded(async () => {
    const answered = await callControl(platform.storage.dir, verb, body, told);
    return answered === undefined ? onStores(platform, verb, body, told) : answered.result;
  });
}

async function onStores(
  platform: Platform,
  verb: string,
  body: unknown,
  told: (step: string) => void,
): Promise<unknown> {
  const [{ startNode }, { runVerb }] = await Promise.all([
    import('#runtime/node.ts'),
    import('#runtime/control-verbs.ts'),
  ]);
  const node = await startNode(platform, { doors: false });
  try {
    return await runVerb(node, verb, body, told);
  } finally {
    await node.stop();
  }
}

/** What cannot be done says why in one line; a fault keeps its stack. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError || process.env['SKEP_DEBUG'] !== undefined) throw error;
    throw new CliError(`skep: ${(error as Error).message.trimEnd()}\n`, EXIT.failure);
  }
}
