/** Parts for the readers that the platform file names: the age format (age-encryption.org/v1) of the library `age-encryption`. */
import { hash } from 'node:crypto';
import type { Encrypter } from 'age-encryption';
import { BackupFault } from '#storage/backup/format.ts';

/** Hex digits that tell apart parts for other readers: a set names only parts that its readers can open. */
const SUFFIX_DIGITS = 16;

export interface PartEncryption {
  readonly recipients: readonly string[];
  readonly suffix: string;
}

/** Null where there is none to encrypt for. */
export function encryptionFor(recipients: readonly string[]): PartEncryption | null {
  if (recipients.length === 0) return null;
  const sorted = recipients.toSorted();
  return { recipients: sorted, suffix: hash('sha256', sorted.join('\n')).slice(0, SUFFIX_DIGITS) };
}

/** The name of a part in its place. */
export function partName(sha256: string, encryption: { readonly suffix: string } | null): string {
  return encryption === null ? sha256 : `${sha256}.${encryption.suffix}`;
}

/** Throws an error for operators where one of them is no recipient of age. */
export async function encrypterFor({ recipients }: PartEncryption): Promise<Encrypter> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch (error) {
      const mend = 'write what age-keygen prints as the public key (age1…)';
      throw new Error(`backups.encrypt.recipients: ${(error as Error).message}\n    ${mend}`, { cause: error });
    }
  return encrypter;
}

export type Decrypt = (encrypted: AsyncIterable<Uint8Array>, name: string) => AsyncIterable<Uint8Array>;

/** Reads parts with identities (lines `AGE-SECRET-KEY-1…`; lines that begin with # are remarks). */
export function decryptWith(identities: string): Decrypt {
  const keys = identities
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return async function* decrypted(encrypted, name) {
    const { Decrypter } = await import('age-encryption');
    const decrypter = new Decrypter();
    for (const key of keys) decrypter.addIdentity(key);
    try {
      yield* (await decrypter.decrypt(ReadableStream.from(encrypted))) as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (error instanceof BackupFault) throw error;
      const mend = 'is the identity that of its recipient, and the part whole?';
      throw new BackupFault(name, `cannot be decrypted: ${(error as Error).message}\n    ${mend}`);
    }
  };
}
