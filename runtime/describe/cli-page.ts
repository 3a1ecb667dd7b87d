/** docs/reference/cli.md: every verb with its arguments, options and examples, out of the program that parses them. */
import type { Command } from 'commander';
import { buildProgram } from '#runtime/cli/program.ts';
import type { Terminal } from '#runtime/cli/terminal.ts';
import { table } from './table.ts';

/** Groups that are filled only when they are named. */
const FILLED_WHEN_NAMED = ['intake', 'audit', 'vault', 'agent', 'service'];

/** What a verb would print; the page is the same on every machine. */
class Paper implements Terminal {
  readonly redraws = false;
  readonly columns = 100;
  readonly env = {};
  text = '';

  out(text: string | Uint8Array): void {
    this.text += String(text);
  }

  err(text: string): void {
    this.text += text;
  }

  now(): number {
    return 0;
  }
}

/** The page. */
export async function cliPage(): Promise<string> {
  const paper = new Paper();
  const program = await buildProgram([], paper);
  const verbs: Command[] = [];
  for (const command of shown(program)) {
    const isEmpty = FILLED_WHEN_NAMED.includes(command.name());
    const filled = isEmpty ? await buildProgram([command.name()], paper) : program;
    verbs.push(...everyVerb(filled.commands.find((one) => one.name() === command.name())!));
  }
  return `${HEAD}${partOf(program, paper)}${verbs.map((verb) => partOf(verb, paper)).join('')}`;
}

/** The contract, from the page. */
const CONTRACT = '../contract';

const HEAD = `<!-- Generated from the program by \`npm run generate\`. -->
# Command line

Each verb prints this itself with \`--help\`. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration; \`audit verify\` uses 2 for an incomplete log
and 3 for wrong usage; a node that cannot go on ends with 70. What all verbs share: [the program](${CONTRACT}/platform.md).
`;

/** The verbs of `skep identity` are those of the root again. */
const SAME_AGAIN = 'skep identity';

function everyVerb(command: Command): Command[] {
  return [command, ...(pathOf(command) === SAME_AGAIN ? [] : shown(command).flatMap(everyVerb))];
}

/** Its verbs, without `help` and hidden ones. */
function shown(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
}

function partOf(command: Command, paper: Paper): string {
  const help = command.createHelp();
  const path = pathOf(command);
  const verbs = shown(command).map((one) => [
    path === SAME_AGAIN ? code(pathOf(one)) : `[\`${pathOf(one)}\`](#${anchorOf(pathOf(one))})`,
    plain(help.subcommandDescription(one)),
  ]);
  const terms = help.visibleArguments(command).map((one) => [code(one.name()), plain(help.argumentDescription(one))]);
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [code(help.optionTerm(option)), plain(help.optionDescription(option))]);
  return [
    `\n## ${path}\n\n${plain(sentence(command.description()))}\n`,
    `\n\`\`\`text\n${help.commandUsage(command)}\n\`\`\`\n`,
    terms.length === 0 ? '' : `\n${table(['Argument', ''], terms)}`,
    options.length === 0 ? '' : `\n${table(['Option', ''], options)}`,
    verbs.length === 0 ? '' : `\n${table(['Verb', ''], verbs)}`,
    below(command, paper),
  ].join('');
}

/** What `--help` says below the lists: examples. */
function below(command: Command, paper: Paper): string {
  paper.text = '';
  command.outputHelp();
  const text = paper.text.replace(command.helpInformation(), '').trim();
  return text === '' ? '' : `\n\`\`\`text\n${text}\n\`\`\`\n`;
}

/** `skep tenant provision`, from the root down. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

const anchorOf = (path: string): string => path.replaceAll(' ', '-');
const code = (text: string): string => `\`${text}\``;
const plain = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('\n', ' ');
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
