/** Checks a password against a foreign hash, on libuv's pool. What was run is counted, so that a test can say that two logins cost the same. */
import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { limits } from '#config/limits.ts';
import { costOf, type Cost, type Digest, type ForeignHash } from './form.ts';

const derive = promisify(pbkdf2);

/** How much of each form this thread has run since it began. */
const spent = new Map<string, number>();

export const hashesRun = (): ReadonlyMap<string, number> => new Map(spent);

export function countRun(form: string, units: number): void {
  spent.set(form, (spent.get(form) ?? 0) + units);
}

/**
 * Whether the password fits. `most` is what every check of this form costs: PBKDF2 runs the iterations that its hash has less than that, and one
 * more, after it, so that the calls are as many as the decoy's.
 */
export async function runForeign(hash: ForeignHash, password: string, most: number): Promise<boolean> {
  switch (hash.scheme) {
    case 'bcrypt': {
      const { verify } = await import('@node-rs/bcrypt');
      counted(hash);
      return verify(password, hash.text);
    }
    case 'argon2': {
      const { verify } = await import('@node-rs/argon2');
      counted(hash);
      return verify(hash.text, password);
    }
    case 'scrypt':
      counted(hash);
      return runScrypt(hash, password);
    case 'pbkdf2': {
      const { digest, iterations, salt, sum } = hash;
      const found = await block(digest, password, salt, iterations, sum.length);
      await block(digest, password, salt, Math.max(0, most - iterations) + 1, sum.length);
      return timingSafeEqual(found, sum);
    }
  }
}

function counted(hash: ForeignHash): void {
  const { form, units }: Cost = costOf(hash);
  countRun(form, units);
}

function block(digest: Digest, password: string, salt: Buffer, iterations: number, length: number): Promise<Buffer> {
  countRun(`pbkdf2 ${digest}`, iterations);
  return derive(password, salt, iterations, length, digest);
}

type ScryptHash = Extract<ForeignHash, { scheme: 'scrypt' }>;

async function runScrypt({ logN, r, p, salt, sum, signer }: ScryptHash, password: string): Promise<boolean> {
  const length = signer === null ? sum.length : 32;
  const maxmem = 2 * limits.userImport.hashMemoryBytesMax;
  const key = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, length, { N: 2 ** logN, r, p, maxmem }, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
  return timingSafeEqual(signer === null ? key : signed(key, signer), sum);
}

/** Firebase keeps the project's signer key, enciphered with what scrypt derives (AES-256-CTR, a counter of zero). */
function signed(key: Buffer, signer: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return Buffer.concat([cipher.update(signer), cipher.final()]);
}
