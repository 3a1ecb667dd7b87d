/** `--set key=value`: any key of the platform file from the command line, over the file. */
import { Option } from 'commander';
import { CliError, EXIT } from './terminal.ts';

export type FlagValues = Record<string, string | readonly string[]>;

/** The repeatable option; its value maps dotted keys to texts, and `[a, b]` to lists of texts. */
export function setOption(): Option {
  return new Option('--set <key=value>', 'override a key of the file (repeatable)').argParser(collect);
}

function collect(text: string, before: FlagValues | undefined): FlagValues {
  const at = text.indexOf('=');
  if (at < 1)
    throw new CliError(`--set wants key=value, not "${text}"\n    for example --set log.level=debug\n`, EXIT.usage);
  return { ...before, [text.slice(0, at)]: flagValue(text.slice(at + 1)) };
}

function flagValue(text: string): string | readonly string[] {
  const inside = /^\[(.*)\]$/s.exec(text);
  return inside === null ? text : splitList(inside[1]!);
}

/** `a, b` as a list of texts. */
export function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}
