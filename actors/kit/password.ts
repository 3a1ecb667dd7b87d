/** Passwords: argon2id (RFC 9106) with its parameters in the hash, computed on libuv's pool and never on the thread of a turn. */
import { limits } from '#config/limits.ts';

/** Hashes a password into a PHC string. The library is loaded on first use: most nodes start without a password in sight. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2');
  const { memoryKib, iterations, lanes } = limits.identity.argon2;
  // Argon2id is the library's default; its types offer the name only as an ambient enum.
  return hash(password, { memoryCost: memoryKib, timeCost: iterations, parallelism: lanes });
}
