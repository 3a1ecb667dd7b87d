/**
 * Reads a password hash as other systems store it: PHC strings, passlib's and Django's dialects of them, bcrypt's modular crypt format, and a
 * form of ours for Firebase, whose export has the parameters apart. Refused are forms that are unknown, and those that would cost too much.
 */
import { limits } from '#config/limits.ts';
import type { Digest, ForeignHash } from './form.ts';

/** A hash, or what is wrong with the text; the message never repeats the text. */
export type Parsed = { readonly ok: true; readonly hash: ForeignHash } | { readonly ok: false; readonly fault: string };

const bounds = limits.userImport;
const MIB = 1024 * 1024;

export const ALLOWED =
  'bcrypt ($2a$, $2b$, $2y$), scrypt ($scrypt$ln=…, $firebase-scrypt$ln=…), PBKDF2 ($pbkdf2-sha256$, $pbkdf2-sha512$, pbkdf2_sha256$…, pbkdf2_sha512$…) ' +
  'and argon2 ($argon2id$, $argon2i$, $argon2d$)';

const no = (fault: string): Parsed => ({ ok: false, fault });
const yes = (hash: ForeignHash): Parsed => ({ ok: true, hash });

/** Standard base64 with or without padding, and passlib's with `.` for `+`. */
const B64 = '[A-Za-z0-9+/.]+={0,2}';
const bytes = (text: string): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const PBKDF2 = new RegExp(`^\\$pbkdf2-(sha256|sha512)\\$(?:i=)?(\\d{1,10})(?:,l=\\d+)?\\$(${B64})\\$(${B64})$`);
const DJANGO = new RegExp(`^pbkdf2_(sha256|sha512)\\$(\\d{1,10})\\$([^$]+)\\$(${B64})$`);
const SCRYPT = new RegExp(`^\\$scrypt\\$ln=(\\d{1,2}),r=(\\d{1,4}),p=(\\d{1,4})\\$(${B64})\\$(${B64})$`);
const FIREBASE = new RegExp(
  `^\\$firebase-scrypt\\$ln=(\\d{1,2}),r=(\\d{1,4})\\$(${B64})\\$(${B64})\\$(${B64})\\$(${B64})$`,
);
const ARGON2 =
  /^\$(argon2(?:id|i|d))(?:\$v=(16|19))?\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,4})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A hash without the prefix that Django puts before argon2: the library knows only what follows. */
export const plainHash = (text: string): string =>
  text.startsWith('argon2$argon2') ? text.slice('argon2'.length) : text;

/** Reads a hash as an import has it or as a user's record keeps it. */
export function parseHash(text: string): Parsed {
  if (text.length > bounds.hashCharsMax) return no(`a hash has at most ${bounds.hashCharsMax} characters`);
  const plain = plainHash(text);
  return (
    bcrypt(plain) ??
    pbkdf2(plain) ??
    scrypt(plain) ??
    argon2(plain) ??
    no(`the form of the hash is not known; known are ${ALLOWED}`)
  );
}

function bcrypt(text: string): Parsed | null {
  const found = BCRYPT.exec(text);
  if (found === null) return null;
  const cost = Number(found[1]);
  const { bcryptCostMin, bcryptCostMax } = bounds;
  if (cost < bcryptCostMin || cost > bcryptCostMax)
    return no(`bcrypt: cost ${cost}; allowed are ${bcryptCostMin} to ${bcryptCostMax}`);
  return yes({ scheme: 'bcrypt', cost, text });
}

const DIGEST_BYTES = { sha256: 32, sha512: 64 } as const satisfies Record<Digest, number>;

function pbkdf2(text: string): Parsed | null {
  const phc = PBKDF2.exec(text);
  const found = phc ?? DJANGO.exec(text);
  if (found === null) return null;
  const [, digest, count, salt, sum] = found as unknown as [string, Digest, string, string, string];
  const iterations = Number(count);
  if (iterations < 1 || iterations > bounds.pbkdf2IterationsMax)
    return no(`PBKDF2: ${iterations} iterations; allowed are 1 to ${bounds.pbkdf2IterationsMax}`);
  const parts = { salt: phc === null ? Buffer.from(salt) : bytes(salt), sum: bytes(sum) };
  // A longer one is computed in several blocks, each with all iterations; a shorter one is too easily guessed.
  if (parts.sum.length < 16 || parts.sum.length > DIGEST_BYTES[digest])
    return no(`PBKDF2: a hash of ${parts.sum.length} bytes; allowed are 16 to ${DIGEST_BYTES[digest]} with ${digest}`);
  return yes({ scheme: 'pbkdf2', digest, iterations, ...parts });
}

function scrypt(text: string): Parsed | null {
  const plain = SCRYPT.exec(text);
  if (plain !== null) {
    const [, ln, r, p, salt, sum] = plain as unknown as string[];
    return boundedScrypt({ logN: +ln!, r: +r!, p: +p! }, bytes(salt!), bytes(sum!), null);
  }
  const firebase = FIREBASE.exec(text);
  if (firebase === null) return null;
  const [, ln, r, salt, separator, signer, sum] = firebase as unknown as string[];
  const salted = Buffer.concat([bytes(salt!), bytes(separator!)]);
  return boundedScrypt({ logN: +ln!, r: +r!, p: 1 }, salted, bytes(sum!), bytes(signer!));
}

function boundedScrypt(
  parameters: { readonly logN: number; readonly r: number; readonly p: number },
  salt: Buffer,
  sum: Buffer,
  signer: Buffer | null,
): Parsed {
  const { logN, r, p } = parameters;
  if (logN < 1 || r < 1 || p < 1) return no('scrypt: ln, r and p begin at 1');
  const memory = 128 * 2 ** logN * r;
  const costs = tooMuch('scrypt', memory, memory * p);
  if (costs !== null) return costs;
  if (signer !== null && signer.length !== sum.length)
    return no('scrypt of Firebase: the signer key and the hash have different lengths');
  if (sum.length < 16 || sum.length > 128) return no(`scrypt: a hash of ${sum.length} bytes; allowed are 16 to 128`);
  return yes({ scheme: 'scrypt', ...parameters, salt, sum, signer });
}

function argon2(text: string): Parsed | null {
  const found = ARGON2.exec(text);
  if (found === null) return null;
  const kind = found[1] as 'argon2i' | 'argon2d' | 'argon2id';
  const [memoryKib, passes, lanes] = [Number(found[3]), Number(found[4]), Number(found[5])] as const;
  if (lanes < 1 || lanes > bounds.argon2LanesMax || passes < 1 || memoryKib < 8 * lanes)
    return no(`argon2: allowed are 1 to ${bounds.argon2LanesMax} lanes, at least one pass and 8 KiB for each lane`);
  const costs = tooMuch('argon2', memoryKib * 1024, memoryKib * 1024 * passes);
  if (costs !== null) return costs;
  const sum = bytes(found[7]!).length;
  const salt = bytes(found[6]!).length;
  if (sum < 16 || sum > 64 || salt < 8 || salt > 48)
    return no('argon2: allowed are hashes of 16 to 64 bytes and salts of 8 to 48');
  return yes({ scheme: 'argon2', kind, version: Number(found[2] ?? 16), memoryKib, passes, lanes, text });
}

function tooMuch(scheme: string, memory: number, traffic: number): Parsed | null {
  const { hashMemoryBytesMax, hashTrafficBytesMax } = bounds;
  if (memory > hashMemoryBytesMax)
    return no(`${scheme}: ${Math.ceil(memory / MIB)} MiB of memory; allowed are ${hashMemoryBytesMax / MIB}`);
  if (traffic > hashTrafficBytesMax)
    return no(
      `${scheme}: it writes ${Math.ceil(traffic / MIB)} MiB (memory times passes); allowed are ${hashTrafficBytesMax / MIB}`,
    );
  return null;
}
