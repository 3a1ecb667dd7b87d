/**
 * Passwords: argon2id (RFC 9106) with its parameters in the hash, computed on libuv's pool and never on the thread of a turn. Hashes of other
 * systems, which an import brings, are checked there, too, until a login replaces them.
 */
import { limits } from '#config/limits.ts';
import { costOf, decoyOf, type Cost, type ForeignHash } from './foreign-hash/form.ts';
import { parseHash } from './foreign-hash/parse.ts';
import { countRun, runForeign } from './foreign-hash/run.ts';
import { createPasswordCells, PasswordGate } from './password-gate.ts';

const { foreignRunningMax, foreignWaitingMax } = limits.userImport;
const FOREIGN = { runningMax: foreignRunningMax, waitingMax: foreignWaitingMax };

/** libuv's threads are shared by the process, so every hash of this thread goes through one gate. */
let gate = new PasswordGate(createPasswordCells(1), 0);
/** Foreign ones go through a narrower one before: they may cost fifty times as much, and logins of other tenants must find a place. */
let foreignGate = new PasswordGate(createPasswordCells(1), 0, FOREIGN);

/** Cells of both gates of the process. */
export interface PasswordCells {
  readonly all: Int32Array<SharedArrayBuffer>;
  readonly foreign: Int32Array<SharedArrayBuffer>;
}

export function passwordCells(threads: number): PasswordCells {
  return { all: createPasswordCells(threads), foreign: createPasswordCells(threads) };
}

/** Joins this thread to the gates that the threads of the process share. */
export function sharePasswordGate({ all, foreign }: PasswordCells, no: number): void {
  gate = new PasswordGate(all, no);
  foreignGate = new PasswordGate(foreign, no, FOREIGN);
}

const OWN = 'argon2id of Skep';

/**
 * Hashes a password into a PHC string. The library is loaded on first use: most nodes start without hashing any password.
 * Throws PasswordsBusy when too many wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2');
  const { memoryKib, iterations, lanes } = limits.identity.argon2;
  // Argon2id is the library's default; its types offer the name only as an ambient enum.
  return gate.run(() => {
    countRun(OWN, 1);
    return hash(password, { memoryCost: memoryKib, timeCost: iterations, parallelism: lanes });
  });
}

/** Whether the password fits the hash, be it of today or foreign. Throws PasswordsBusy when too many wait. */
export async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const foreign = foreignOf(phc);
  return foreign === null ? verifyOwn(phc, password) : verifyForeign(foreign, password, costOf(foreign).units);
}

async function verifyOwn(phc: string, password: string): Promise<boolean> {
  const { verify } = await import('@node-rs/argon2');
  return gate.run(() => {
    countRun(OWN, 1);
    return verify(phc, password);
  });
}

function verifyForeign(hash: ForeignHash, password: string, most: number): Promise<boolean> {
  return foreignGate.run(() => gate.run(() => runForeign(hash, password, most)));
}

/**
 * Whether the password fits the hash, at the same cost whatever hash it is: one of today, and one of each foreign form that the tenant holds. Those
 * that are not the hash's own are decoys. The empty hash, of an unknown user or of one without a password, fits nothing.
 */
export async function verifyAmong(phc: string, password: string, held: readonly Cost[]): Promise<boolean> {
  const foreign = phc === '' ? null : foreignOf(phc);
  let fits = await verifyOwn(phc === '' || foreign !== null ? decoyPasswordHash() : phc, password);
  const own = foreign === null ? null : costOf(foreign);
  const forms = own === null || held.some(({ form }) => form === own.form) ? held : [...held, own];
  for (const cost of forms) {
    const isOwn = foreign !== null && cost.form === own!.form;
    const one = await verifyForeign(isOwn ? foreign : decoyOf(cost), password, cost.units);
    fits ||= isOwn && one;
  }
  return fits;
}

/** What a check of the hash costs where it is no hash of today; null for one of today, and for none. */
export function foreignCost(phc: string): Cost | null {
  const foreign = phc === '' ? null : foreignOf(phc);
  return foreign === null ? null : costOf(foreign);
}

/** The hash as a foreign one; null for argon2id with today's parameters, and for what no import could have brought. */
function foreignOf(phc: string): ForeignHash | null {
  if (isOfToday(phc)) return null;
  const parsed = parseHash(phc);
  return parsed.ok ? parsed.hash : null;
}

const PARAMETERS = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/;

/** Whether the hash has exactly the form that `hashPassword` gives. */
export function isOfToday(phc: string, { memoryKib, iterations, lanes }: Argon2 = limits.identity.argon2): boolean {
  const [, memory, times, parallel] = PARAMETERS.exec(phc)?.map(Number) ?? [];
  return memory === memoryKib && times === iterations && parallel === lanes;
}

interface Argon2 {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly lanes: number;
}

/** A hash with today's parameters that no password fits: a login of an unknown user is checked against it, so that it takes as long. */
export function decoyPasswordHash(): string {
  const { memoryKib, iterations, lanes } = limits.identity.argon2;
  const text = (bytes: number): string => Buffer.alloc(bytes, 0xff).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryKib},t=${iterations},p=${lanes}$${text(16)}$${text(32)}`;
}
