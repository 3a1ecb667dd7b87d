/** Neither time nor answer of an anonymous route may tell whether an address has an account: two classes, interleaved, each call timed by itself. */
import { randomInt } from 'node:crypto';
import { ULID_ALPHABET } from '#config/values/id.ts';
import type { BenchCase } from './harness.ts';
import { AccountHost, type AnonymousRoute } from './kit/account-host.ts';
import type { Figure } from './kit/figure.ts';
import { percentile } from './kit/stats.ts';
import { croppedT, T_MAX } from './kit/welch.ts';

const SAMPLES = 20_000;
const WARM = 400;
/** Different accounts, so that no row is warmer than others because it is asked again and again. */
const ACCOUNTS = 64;
/** A login computes a hash: 20,000 pairs of them take a quarter of an hour. `--seconds` shortens every route for a try. */
const SAMPLES_PER_SECOND = 500;
const HASHES_PER_SECOND = 15;
const FOREIGN_PER_SECOND = 5;
/** Of cost 10, as most systems have it. */
const BCRYPT = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const PASSWORD = 'correct horse battery';
const WRONG_CODE = '00000000';
const SECRET = 'A'.repeat(43);

interface Apart {
  readonly name: string;
  readonly route: AnonymousRoute;
  readonly hashes?: true;
  /** Bodies of a request for an account that exists, and for one that does not: equally long. */
  readonly known: (no: number) => object;
  readonly unknown: (no: number) => object;
}

/** The two kinds lie between each other in every order. */
const known = (no: number): string => address(2 * (no % ACCOUNTS) + 1);
const unknown = (no: number): string => address(2 * (no % ACCOUNTS));
const address = (no: number): string => `person${String(no).padStart(6, '0')}@example.org`;

export const accountsApart: BenchCase = {
  name: 'accounts-apart',
  measures:
    'an account that exists and one that does not, on each anonymous route, also after an import: Welch’s t of 20,000 interleaved calls each',
  target: '|t| ≤ 4.5',
  http: false,
  seconds: ({ seconds }) => (seconds ?? 200) * 10,
  async run({ options }) {
    const figures: Figure[] = [];
    const host = await AccountHost.open();
    try {
      for (const apart of (await routesOf(host)).filter(({ name }) => options.only?.includes(name) ?? true)) {
        const perSecond = apart.hashes === true ? HASHES_PER_SECOND : SAMPLES_PER_SECOND;
        const samples = options.seconds === undefined ? SAMPLES : Math.min(SAMPLES, options.seconds * perSecond);
        figures.push(...(await figuresOf(host, apart, samples)));
      }
    } finally {
      await host.close();
    }
    const imported = options.only?.includes('imported') ?? true;
    return imported ? [...figures, ...(await importedFigures(options.seconds))] : figures;
  },
};

/** A tenant after an import: a user with a hash of bcrypt, one with a hash of ours, and none. */
async function importedFigures(seconds: number | undefined): Promise<Figure[]> {
  const host = await AccountHost.open();
  try {
    const numbers = Array.from({ length: ACCOUNTS }, (_, no) => no);
    const own = (no: number): string => known(no).replace('person', 'native');
    host.addHashed(numbers.map(known), BCRYPT);
    await host.addUsers(numbers.map(own), PASSWORD);
    const samples = seconds === undefined ? SAMPLES : Math.max(2, Math.min(SAMPLES, seconds * FOREIGN_PER_SECOND));
    const password = 'a wrong password';
    const login = {
      route: 'login',
      hashes: true,
      unknown: (no: number) => ({ login: unknown(no), password }),
    } as const;
    const imported = { ...login, name: 'login, imported', known: (no: number) => ({ login: known(no), password }) };
    const beside = { ...login, name: 'login, beside imported', known: (no: number) => ({ login: own(no), password }) };
    return [...(await figuresOf(host, imported, samples)), ...(await figuresOf(host, beside, samples))];
  } finally {
    await host.close();
  }
}

/** Wrong tokens are of a link that is open, and of none. */
async function routesOf(host: AccountHost): Promise<Apart[]> {
  const numbers = Array.from({ length: ACCOUNTS }, (_, no) => no);
  const ids = await host.addUsers(numbers.map(known), PASSWORD);
  const strangers = ids.map(besides);
  for (const id of ids) for (const kind of ['reset', 'sign_up', 'magic_link'] as const) host.openLink(kind, id);
  const of = (list: readonly string[]) => (no: number) => ({
    token: `${list[no % ACCOUNTS]!}.${SECRET}`,
    password: PASSWORD,
  });
  const login = { known: (no: number) => ({ login: known(no) }), unknown: (no: number) => ({ login: unknown(no) }) };
  const email = { known: (no: number) => ({ email: known(no) }), unknown: (no: number) => ({ email: unknown(no) }) };
  const wrong = { known: of(ids), unknown: of(strangers) };
  const tokenOf = (list: readonly string[]) => (no: number) => ({ token: `${list[no % ACCOUNTS]!}.${SECRET}` });
  const password = 'a wrong password';
  return [
    {
      name: 'login',
      route: 'login',
      hashes: true,
      known: (no) => ({ login: known(no), password }),
      unknown: (no) => ({ login: unknown(no), password }),
    },
    { name: 'reset', route: 'requestReset', ...login },
    { name: 'magic link', route: 'requestMagicLink', ...login },
    { name: 'sign-up', route: 'signUp', ...email },
    { name: 'confirm sign-up', route: 'confirmAccount', ...wrong },
    { name: 'confirm reset', route: 'confirmReset', ...wrong },
    { name: 'consume magic link', route: 'consumeMagicLink', known: tokenOf(ids), unknown: tokenOf(strangers) },
    { name: 'code', route: 'requestCode', ...login },
    {
      name: 'consume code',
      route: 'consumeCode',
      known: (no) => ({ login: known(no), code: WRONG_CODE }),
      unknown: (no) => ({ login: unknown(no), code: WRONG_CODE }),
    },
  ];
}

/** An id that nothing has, next to one that something has. */
function besides(id: string): string {
  const at = (ULID_ALPHABET.indexOf(id.at(-1)!) + 1) % ULID_ALPHABET.length;
  return id.slice(0, -1) + ULID_ALPHABET[at]!;
}

/** The order of each pair is drawn, so that neither class always follows the other. */
async function figuresOf(
  host: AccountHost,
  { name, route, known: one, unknown: other }: Apart,
  samples: number,
): Promise<Figure[]> {
  const times: [number[], number[]] = [[], []];
  const answers = new Set<string>();
  const warm = Math.min(WARM, samples);
  await host.settle();
  for (let no = -warm; no < samples; no++) {
    const first = randomInt(2);
    for (const which of [first, 1 - first] as const) {
      const text = JSON.stringify((which === 0 ? one : other)(Math.abs(no)));
      const from = performance.now();
      const outcome = await host.ask(route, text);
      const took = performance.now() - from;
      answers.add(JSON.stringify(outcome));
      if (no >= 0) times[which as 0 | 1].push(took);
      await host.settle();
    }
  }
  const shown = ['known', 'unknown'].map((kind, at): Figure => {
    const p50Ms = percentile(times[at]!, 50);
    return {
      name: `accounts-apart ${name}, ${kind}`,
      unit: 'ms',
      value: p50Ms,
      p50Ms,
      p99Ms: percentile(times[at]!, 99),
      errors: 0,
    };
  });
  const target = { of: 'value', bound: 'max', than: T_MAX } as const;
  const errors = answers.size - 1; // a class whose answer differs
  return [...shown, { name: `accounts-apart ${name}`, unit: 't', value: Math.abs(croppedT(...times)), errors, target }];
}
