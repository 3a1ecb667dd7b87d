/** Passwords: argon2id (RFC 9106) with its parameters in the hash, computed on libuv's pool and never on the thread of a turn. */
import { limits } from '#config/limits.ts';
import { createPasswordCells, PasswordGate } from './password-gate.ts';

/** libuv's threads are shared by the process, so every hash of this thread goes through one gate. */
let gate = new PasswordGate(createPasswordCells(1), 0);

/** Joins this thread to the gate that the threads of the process share. */
export function sharePasswordGate(cells: Int32Array<SharedArrayBuffer>, no: number): void {
  gate = new PasswordGate(cells, no);
}

/**
 * Hashes a password into a PHC string. The library is loaded on first use: most nodes start without hashing any password.
 * Throws PasswordsBusy when too many wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2');
  const { memoryKib, iterations, lanes } = limits.identity.argon2;
  // Argon2id is the library's default; its types offer the name only as an ambient enum.
  return gate.run(() => hash(password, { memoryCost: memoryKib, timeCost: iterations, parallelism: lanes }));
}

/** Whether the password fits the hash. Throws PasswordsBusy when too many wait. */
export async function verifyPassword(phc: string, password: string): Promise<boolean> {
  const { verify } = await import('@node-rs/argon2');
  return gate.run(() => verify(phc, password));
}

const PARAMETERS = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/;

/** Whether a hash costs an attacker less than one of today: it has a smaller parameter, or another form. */
export function isWeaker(phc: string, { memoryKib, iterations, lanes }: Argon2 = limits.identity.argon2): boolean {
  const [, memory = 0, times = 0, parallel = 0] = PARAMETERS.exec(phc)?.map(Number) ?? [];
  return memory < memoryKib || times < iterations || parallel < lanes;
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
