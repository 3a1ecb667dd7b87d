/** The command line of `npm run bench:compare`. */
import { parseArgs } from 'node:util';

export const HELP = `npm run bench:compare <ref> [case …] -- [flags]     (without a case: the functions' hot paths)

--pairs N        alternating pairs of base and branch (default 8)
--seconds N      length of each measured run (default: each case has its own)
--threshold N    per cent by which the branch may be slower (default 5)
--data <dir>     data goes below this directory (default: the system's temporary one)
--json <file>    write everything measured as JSON
`;

/** Cheap, in one process, and on every request's way. */
const DEFAULT_CASES = ['message-hop', 'token-verify', 'key-verify', 'rate-gate', 'field-check', 'cel-rule'];

export interface CompareOptions {
  readonly ref: string;
  readonly cases: readonly string[];
  readonly pairs: number;
  readonly seconds: string | undefined;
  readonly threshold: number;
  readonly data: string | undefined;
  readonly json: string | undefined;
}

/** Null: the help is wanted. Throws a message for people. */
export function parseCompare(args: readonly string[]): CompareOptions | null {
  const text = { type: 'string' } as const;
  const options = { pairs: text, seconds: text, threshold: text, data: text, json: text } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [ref, ...cases] = positionals;
  if (ref === undefined) return null;
  const pairs = Number(values.pairs ?? 8);
  if (!Number.isSafeInteger(pairs) || pairs < 2) throw new Error('--pairs takes a whole number from 2 on');
  const percent = Number(values.threshold ?? 5);
  if (!(percent > 0 && percent < 100)) throw new Error('--threshold takes per cent between 0 and 100');
  const { seconds, data, json } = values;
  return {
    ref,
    cases: cases.length === 0 ? DEFAULT_CASES : cases,
    pairs,
    seconds,
    threshold: percent / 100,
    data,
    json,
  };
}
