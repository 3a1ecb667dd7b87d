/** Certificates for links between nodes: an authority, and a pair for each name, made by openssl. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LinkPapers {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

const openssl = (...words: readonly string[]): void => {
  execFileSync('openssl', words, { stdio: 'ignore' });
};
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'] as const;

export class LinkAuthority {
  readonly #dir: string;
  readonly #name: string;

  /** The authority whose files lie in `dir`; made there the first time. */
  static in(dir: string, name = 'authority'): LinkAuthority {
    return new LinkAuthority(dir, name);
  }

  private constructor(dir: string, name: string) {
    this.#dir = dir;
    this.#name = name;
    if (existsSync(this.#at('pem'))) return;
    const subject = ['-subj', `/CN=${name}`, '-days', '2'];
    openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', this.#at('key'), '-out', this.#at('pem'));
  }

  /** A pair for a node, with its name as the subject alternative name, or as the common name alone. */
  pair(node: string, by: 'alternative' | 'common' = 'alternative'): LinkPapers {
    const file = (end: string): string => join(this.#dir, `${this.#name}-${node}.${end}`);
    const common = by === 'common' ? node : 'a node';
    openssl('req', ...NEW_KEY, '-subj', `/CN=${common}`, '-keyout', file('key'), '-out', file('csr'));
    writeFileSync(file('ext'), by === 'alternative' ? `subjectAltName=DNS:${node}\n` : 'basicConstraints=CA:FALSE\n');
    const signer = ['-CA', this.#at('pem'), '-CAkey', this.#at('key'), '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', file('csr'), ...signer, '-extfile', file('ext'), '-out', file('pem'));
    return { certificate: file('pem'), key: file('key'), ca: this.#at('pem') };
  }

  #at(end: string): string {
    return join(this.#dir, `${this.#name}.${end}`);
  }
}
