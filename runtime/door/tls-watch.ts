/**
 * Reads certificates again when their files change. It looks at what the files hold and not at events of the file system: a secret of Kubernetes is
 * a link to a directory that is swapped, certbot renames, `cp` writes in place, and a network file system tells nothing. A look that finds half of a pair
 * waits for the other half: the door keeps its pair until a whole one is there.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { DoorTls } from './port.ts';

export class TlsWatch {
  readonly #files: readonly string[];
  /** Reads the pairs again; false where they cannot be used. `isLast`: it may say so in the log. */
  readonly #renew: (isLast: boolean) => Promise<boolean>;
  /** What the door shows, or has refused and said so. */
  #known: string;
  /** A change that could not be used, or was not looked at for the second time. */
  #pending = '';

  private constructor(files: readonly string[], known: string, renew: (isLast: boolean) => Promise<boolean>) {
    this.#files = files;
    this.#known = known;
    this.#renew = renew;
  }

  /** Before the door opens, so that what changes meanwhile is noticed at the first look. */
  static async of(tls: DoorTls, renew: (isLast: boolean) => Promise<boolean>): Promise<TlsWatch> {
    const files = [tls, ...(tls.others ?? [])].flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
    return new TlsWatch(files, await digestOf(files), renew);
  }

  /** One look. A change that cannot be used is tried again at the next look; where it stays as it is, the log says so once. */
  async look(): Promise<void> {
    const found = await digestOf(this.#files);
    if (found === this.#known) return;
    const isLast = found === this.#pending;
    this.#pending = found;
    if ((await this.#renew(isLast)) || isLast) this.#known = found;
  }

  /** The door has read its files by order of the operator: the next look finds nothing new. */
  async read(): Promise<void> {
    this.#known = await digestOf(this.#files);
  }
}

async function digestOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = await readFile(file).catch((error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unread');
    hash.update(`${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
