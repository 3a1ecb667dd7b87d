/** The command line of `npm run bench:all`. */
import { parseArgs } from 'node:util';

/** Long enough for medians, short enough for one sitting; each can be said otherwise. */
const DEFAULTS = { seconds: '2', pairs: '3', rows: '50000', grown: '200000' } as const;
/** Of `npm run bench`, handed on to every step. */
const HANDED_ON = ['seconds', 'pairs', 'rows', 'grown', 'tenants', 'connections', 'threads', 'hosts'] as const;

export const HELP = `npm run bench:all -- [flags]     every case and every peer into one JSON; started again it goes on where it was

--json <file>    where it lies (default bench/results/all.json)
--fresh          begin anew, whatever is there
--only <name>    only this step, as it is named while it runs; may be given more than once
--data <dir>     data goes below this directory, which should be on a disk (default: the system's temporary one)
--pin            peers: the load on the last core alone, everything else on the others
--seconds N      length of each measured run (default ${DEFAULTS.seconds})
--pairs N        alternating pairs, of which the medians count (default ${DEFAULTS.pairs})
--rows N         rows present before creates are measured (default ${DEFAULTS.rows})
--grown N        rows of the cases that grow an entity (default ${DEFAULTS.grown})
--tenants, --connections, --threads, --hosts     as npm run bench has them
`;

export interface AllOptions {
  readonly json: string;
  readonly fresh: boolean;
  readonly only: readonly string[];
  readonly data: string | undefined;
  /** As every step has them, in one order: they are the record's settings, too. */
  readonly flags: readonly string[];
}

/** Null: the help is wanted. Throws a message for people on an unknown flag. */
export function parseAll(args: readonly string[]): AllOptions | null {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const handed = Object.fromEntries(HANDED_ON.map((name) => [name, text]));
  const own = {
    json: text,
    data: text,
    only: { ...text, multiple: true },
    fresh: flag,
    pin: flag,
    help: flag,
  } as const;
  const { values } = parseArgs({ args: [...args], options: { ...handed, ...own } });
  const { json = 'bench/results/all.json', data, only = [], fresh = false, pin = false, help = false } = values;
  if (help) return null;
  const given = { ...DEFAULTS, ...(values as Readonly<Record<string, unknown>>) } as Readonly<Record<string, string>>;
  const flags = HANDED_ON.flatMap((name) => (given[name] === undefined ? [] : [`--${name}`, given[name]]));
  return { json, fresh, only, data, flags: pin ? [...flags, '--pin'] : flags };
}
