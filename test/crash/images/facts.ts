/** What a data directory holds after its recovery, and what must be true of it. */
import type { Act, Ledger } from './ledger.ts';
import { ENVELOPE_ROWS } from './load.ts';

export interface Facts {
  /** What the recovery or the checks of the storage itself complain of. */
  readonly faults: readonly string[];
  /** Name, id and stock of each row. */
  readonly items: readonly (readonly [name: string, id: string, stock: number])[];
  /** The token of each envelope, and how many rows it has. */
  readonly envelopes: readonly (readonly [token: string, rows: number])[];
  /** Name and id of each submission in the database. */
  readonly submissions: readonly (readonly [name: string, id: string])[];
  /** Action and index of each record. */
  readonly records: readonly (readonly [action: string, index: number])[];
  /** Title, id and digest of each asset whose bytes have that digest. */
  readonly assets: readonly (readonly [title: string, id: string, sha256: string])[];
}

/** What is not as it must be; none where all is well. */
export function violations(facts: Facts, ledger: Ledger): string[] {
  const { faults, items, envelopes, submissions, records, assets } = facts;
  const found = faults.map((fault) => `fault: ${fault}`);
  const held: Readonly<Partial<Record<Act, readonly (readonly [string, string | number])[]>>> = {
    item: items.map(([name, id]) => [name, id]),
    submission: submissions,
    record: records,
    asset: assets.map(([title, id, sha256]) => [title, `${id} ${sha256}`]),
  };
  for (const [act, rows] of Object.entries(held)) found.push(...compared(act as Act, rows, ledger));
  for (const [name, , stock] of items) {
    const entry = ledger.of('stock').get(name);
    const allowed = entry === undefined ? [0] : [entry.answered ?? 0, ...entry.asked];
    if (!allowed.includes(stock)) found.push(`stock: ${name} has ${stock}, and ${allowed.join(', ')} may be`);
  }
  const whole = new Map(envelopes);
  for (const [token, rows] of whole) {
    if (rows !== ENVELOPE_ROWS) found.push(`envelope: ${token} has ${rows} of ${ENVELOPE_ROWS} rows`);
    if (!ledger.of('envelope').has(token)) found.push(`envelope: ${token} was never asked for`);
  }
  for (const [token, { isAnswered }] of ledger.of('envelope'))
    if (isAnswered && !whole.has(token)) found.push(`envelope: ${token} was answered and is missing`);
  return found;
}

/** What was answered is there, as it was answered and once; what was never asked for is not. */
function compared(act: Act, rows: readonly (readonly [string, string | number])[], ledger: Ledger): string[] {
  const found: string[] = [];
  const entries = ledger.of(act);
  const seen = new Map<string, string | number>();
  for (const [key, value] of rows) {
    if (seen.has(key)) found.push(`${act}: ${key} is there twice`);
    seen.set(key, value);
    if (!entries.has(key)) found.push(`${act}: ${key} was never asked for`);
  }
  for (const [key, { isAnswered, answered }] of entries) {
    if (!isAnswered) continue;
    if (!seen.has(key)) found.push(`${act}: ${key} was answered and is missing`);
    else if (seen.get(key) !== answered) found.push(`${act}: ${key} is ${seen.get(key)}, and ${answered} was answered`);
  }
  return found;
}
