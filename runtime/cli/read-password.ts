/** A password from standard input: the first line of what is piped in. */
import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.ts';

type Input = NodeJS.ReadStream & { readonly fd: number };

/** How long an open pipe may stay silent: a script that never closes it must not block the verb. */
const SILENCE_MS = 10_000;

/** The line, or null when nothing is piped: a terminal, no input, an empty one, or a silent pipe (which is reported). */
export async function readPassword(terminal: Terminal, input: Input = process.stdin): Promise<string | null> {
  if (!isPiped(input)) return null;
  const lines = createInterface({ input });
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => (timer = setTimeout(() => resolve('silence'), SILENCE_MS)));
  const first = await Promise.race([firstLine(lines), silence]);
  clearTimeout(timer);
  lines.close();
  input.destroy();
  if (first !== 'silence') return first.line === '' ? null : first.line;
  terminal.err('skep: standard input is open but sends nothing: a password is generated instead\n');
  return null;
}

async function firstLine(lines: AsyncIterable<string>): Promise<{ line: string }> {
  for await (const line of lines) return { line };
  return { line: '' };
}

/** A pipe, a socket or a file; neither a terminal nor /dev/null. */
function isPiped(input: Input): boolean {
  if (input.isTTY) return false;
  try {
    const kind = fstatSync(input.fd);
    return kind.isFIFO() || kind.isSocket() || kind.isFile();
  } catch {
    return false; // there is no standard input at all
  }
}
