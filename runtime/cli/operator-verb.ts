/** What the operator's verbs share: the file, the tenant, and the access to the node or to its stores. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '#config/values/duration.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE, parsePosition } from '#actors/protocol/position.ts';
import { outputOption, renderRecord, renderRows, type OutputFormat } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

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

/** What a verb of a tenant is given. */
export interface TenantOptions extends OperatorOptions {
  readonly tenant: string;
}

/** Runs a control verb of the node (`askNode`). */
export type Ask = (verb: string, body: unknown) => Promise<object>;

/** A verb whose answer is printed: rows as a table, anything else as a record. */
export interface ShownVerb<On, O extends OperatorOptions, W extends readonly unknown[]> {
  readonly name: string;
  readonly what: string;
  readonly example: string;
  /** Whether `--tenant` has to be given. */
  readonly ofTenant?: true;
  /** Those of the table; by default those of the first row. */
  readonly columns?: readonly string[];
  /** `words`: the arguments of the command line. */
  readonly show: (on: On, options: O, ...words: W) => Promise<object>;
}

/** Declares a verb by what it asks of the node. Arguments and further options are added to what it gives. */
export function shownVerb<O extends OperatorOptions = OperatorOptions, W extends readonly unknown[] = string[]>(
  parent: Command,
  terminal: Terminal,
  verb: ShownVerb<Ask, O, W>,
): Command {
  return printed(parent, terminal, verb, ({ file }) =>
    Promise.resolve(async (asked, body) => (await askNode(await platformOf(file, terminal), asked, body)) as object),
  );
}

/** Declares a verb by what it does with the platform of the file, beside a node or without one. */
export function platformVerb<O extends OperatorOptions = OperatorOptions, W extends readonly unknown[] = string[]>(
  parent: Command,
  terminal: Terminal,
  verb: ShownVerb<Platform, O, W>,
): Command {
  const show: typeof verb.show = (on, options, ...words) => guarded(() => verb.show(on, options, ...words));
  return printed(parent, terminal, { ...verb, show }, ({ file }) => platformOf(file, terminal));
}

function printed<On, O extends OperatorOptions, W extends readonly unknown[]>(
  parent: Command,
  terminal: Terminal,
  { name, what, example, ofTenant, columns, show }: ShownVerb<On, O, W>,
  open: (options: O) => Promise<On>,
): Command {
  const verb = operatorVerb(parent, name, what, example);
  if (ofTenant) verb.addOption(tenantOption().makeOptionMandatory());
  return verb.action(async (...given: readonly unknown[]) => {
    // commander gives the arguments, as their parsers made them, then the options and the command.
    const options = given.at(-2) as O;
    const words = given.slice(0, -2) as unknown as W;
    const answer = await show(await open(options), options, ...words);
    const isList = Array.isArray(answer);
    terminal.out(isList ? renderRows(answer, options.output, columns) : renderRecord({ ...answer }, options.output));
  });
}

/** `--tenant <cpet>`; `superadmin` stands for the control plane. */
export function tenantOption(): Option {
  return new Option('--tenant <cpet>', 'customer:product:env:tenant, or superadmin for the control plane').argParser(
    tenantKey,
  );
}

/** A tenant's key from a command line. */
export function tenantKey(text: string): string {
  if (text === 'superadmin') return CONTROL_PLANE;
  if (parsePosition(text) !== null) return text;
  const mend = 'four segments of lower-case letters, digits, _ and -, for example acme:atlas:dev:main';
  throw new CliError(`skep: "${text}" is not a tenant key customer:product:env:tenant\n    ${mend}\n`, EXIT.usage);
}

/** Milliseconds of a duration option: `24h`, `90m`, `0`. */
export function durationOf(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms >= 0) return ms;
  throw new CliError(`skep: "${text}" is not a duration\n    write for example 24h, 90m or 0\n`, EXIT.usage);
}

/** Milliseconds since 1970 of an instant on a command line. */
export function instantOf(text: string): number {
  const ms = instantMs(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('an instant is such as 2026-11-25T22:14:05Z (RFC 3339)');
  return ms;
}

/** Standard output holds only the verb's answer, so its node logs warnings and errors only. */
const QUIET = { 'log.level': 'warn', 'log.output': 'stderr', 'intake.logging.output': 'stderr' };

/** The platform of a verb's file; `alone`: the file's root is the part of that service. */
export async function platformOf(
  file: string,
  terminal: Terminal,
  alone: 'audit' | 'intake' | null = null,
): Promise<Platform> {
  const { loadOrExplain } = await import('./config-show.ts');
  const contentRoot = terminal.contentRoot === true;
  const service = alone === null ? {} : { service: alone };
  return loadOrExplain(file, { env: terminal.env, flags: QUIET, contentRoot, ...service });
}

/** Runs a control verb on the running node of a platform; without one, on a node without listeners that is started for it. */
export async function askNode(
  platform: Platform,
  verb: string,
  body: unknown,
  onStep: (step: string) => void = () => undefined,
): Promise<unknown> {
  const { callControl } = await import('#runtime/control.ts');
  return guarded(async () => {
    const answered = await callControl(platform.storage.dir, verb, body, onStep);
    return answered === undefined ? onStores(platform, verb, body, onStep) : answered.result;
  });
}

async function onStores(
  platform: Platform,
  verb: string,
  body: unknown,
  onStep: (step: string) => void,
): Promise<unknown> {
  const [{ startNode }, { runVerb }] = await Promise.all([
    import('#runtime/node.ts'),
    import('#runtime/control-verbs.ts'),
  ]);
  const node = await startNode(platform, { doors: false });
  try {
    return await runVerb(node, verb, body, onStep);
  } finally {
    await node.stop();
  }
}

/** Asks that belong together: one node without listeners serves them all where none runs. */
export async function askNodeOften<T>(
  platform: Platform,
  work: (ask: (verb: string, body: unknown) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const { callControl } = await import('#runtime/control.ts');
  const { dir } = platform.storage;
  return guarded(async () => {
    // Any verb tells whether a node runs; this one changes nothing and needs no tenant.
    if ((await callControl(dir, 'ring.list', null, () => undefined)) !== undefined)
      return work(async (verb, body) => {
        const answered = await callControl(dir, verb, body, () => undefined);
        if (answered === undefined) throw new Error('the node ended meanwhile: run the command again, it goes on');
        return answered.result;
      });
    const [{ startNode }, { runVerb }] = await Promise.all([
      import('#runtime/node.ts'),
      import('#runtime/control-verbs.ts'),
    ]);
    const node = await startNode(platform, { doors: false });
    try {
      return await work((verb, body) => runVerb(node, verb, body));
    } finally {
      await node.stop();
    }
  });
}

/** An expected failure is one line; a fault keeps its stack. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError || process.env['SKEP_DEBUG'] !== undefined) throw error;
    throw new CliError(`skep: ${(error as Error).message.trimEnd()}\n`, EXIT.failure);
  }
}
