/**
 * Password hashes of other systems. A hash has a form: what one check of it runs. Two hashes of one form cost the same, so a login can run a decoy
 * of a form in place of a hash. Hashes of PBKDF2 that differ only in their iterations share one: a check runs up to the form's most (run.ts).
 */

interface Parts {
  readonly salt: Buffer;
  readonly sum: Buffer;
}

export type ForeignHash =
  | { readonly scheme: 'bcrypt'; readonly cost: number; readonly text: string }
  | ({ readonly scheme: 'pbkdf2'; readonly digest: Digest; readonly iterations: number } & Parts)
  | ({ readonly scheme: 'scrypt'; readonly signer: Buffer | null } & Scrypt & Parts)
  | ({ readonly scheme: 'argon2'; readonly text: string } & Argon2);

export type Digest = 'sha256' | 'sha512';

export interface Scrypt {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

export interface Argon2 {
  readonly kind: 'argon2i' | 'argon2d' | 'argon2id';
  readonly version: number;
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

/** What one check runs: a name that tells forms apart, and how much of it (iterations of PBKDF2, else 1). */
export interface Cost {
  readonly form: string;
  readonly units: number;
}

export function costOf(hash: ForeignHash): Cost {
  switch (hash.scheme) {
    case 'bcrypt':
      return { form: `bcrypt ${hash.cost}`, units: 1 };
    case 'pbkdf2':
      return { form: `pbkdf2 ${hash.digest}`, units: hash.iterations };
    case 'scrypt': {
      const { signer, logN, r, p } = hash;
      return { form: `scrypt ${signer === null ? 'plain' : 'firebase'} ${logN} ${r} ${p}`, units: 1 };
    }
    case 'argon2': {
      const { kind, version, memoryKib, passes, lanes } = hash;
      return { form: `argon2 ${kind} ${version} ${memoryKib} ${passes} ${lanes}`, units: 1 };
    }
  }
}

const SALT = Buffer.alloc(16, 0xff);
const SUM = Buffer.alloc(32, 0xff);
const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** A hash that no password fits, whose check costs as much as the form says. */
export function decoyOf({ form, units }: Cost): ForeignHash {
  const [scheme, kind = '', ...numbers] = form.split(' ');
  const [first = 0, second = 0, third = 0, fourth = 0] = numbers.map(Number);
  switch (scheme) {
    case 'bcrypt': {
      const cost = Number(kind);
      const text = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(21)}.${'.'.repeat(31)}`;
      return { scheme, cost, text };
    }
    case 'pbkdf2':
      return { scheme, digest: kind as Digest, iterations: units, salt: SALT, sum: SUM };
    case 'scrypt': {
      const signer = kind === 'firebase' ? Buffer.alloc(64, 0xff) : null;
      return { scheme, signer, logN: first, r: second, p: third, salt: SALT, sum: signer ?? SUM };
    }
    case 'argon2': {
      const parameters = `$${kind}$v=${first}$m=${second},t=${third},p=${fourth}`;
      return {
        scheme,
        kind: kind as Argon2['kind'],
        version: first,
        memoryKib: second,
        passes: third,
        lanes: fourth,
        text: `${parameters}$${unpadded(SALT)}$${unpadded(SUM)}`,
      };
    }
    default:
      throw new Error(`no form of hashes: ${form}`);
  }
}
