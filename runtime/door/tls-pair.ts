/** Certificates and keys of a door, checked before a connection uses them. */
import { X509Certificate } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { CertificateNews, DoorTls, TlsFiles } from './port.ts';

export interface TlsPair {
  readonly files: TlsFiles;
  readonly key: Buffer;
  readonly cert: Buffer;
  /** The DNS names of the certificate, in lower case; `*.` stands for one label. */
  readonly names: readonly string[];
  readonly news: CertificateNews;
  /** Milliseconds since 1970. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface TlsPairs {
  readonly first: TlsPair;
  readonly others: readonly TlsPair[];
}

/**
 * Reads all pairs of a door. Rejects, naming the file, where one cannot be read, is no PEM, or a key does not belong to its certificate; and where a
 * further certificate has no DNS name, since no caller could be shown it. A pair that is awaited is left out until it is there.
 */
export async function readTlsPairs({ others = [], ...first }: DoorTls): Promise<TlsPairs> {
  const there = await Promise.all(others.map(isThere));
  const [own, ...more] = await Promise.all([first, ...others.filter((_, at) => there[at])].map(readPair));
  const nameless = more.find(({ names }) => names.length === 0);
  if (nameless !== undefined)
    throw new Error(`${nameless.files.certFile} has no DNS name, so no caller can ask for it`);
  return { first: own!, others: more };
}

async function isThere({ certFile, isAwaited }: TlsFiles): Promise<boolean> {
  if (isAwaited !== true) return true;
  return access(certFile).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}

/** What is told of a door's pairs as one: the first one, and the subjects of the others. */
export function newsOf({ first, others }: TlsPairs): CertificateNews {
  if (others.length === 0) return first.news;
  return { ...first.news, others: others.map(({ names, news }) => `${names.join(', ')} until ${news.until}`) };
}

async function readPair({ keyFile, certFile }: TlsFiles): Promise<TlsPair> {
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
  try {
    createSecureContext({ key, cert });
    const { subjectAltName = '', validFrom, validTo, fingerprint256, ...shown } = read(cert);
    const news = { subject: shown.subject.replaceAll('\n', ', '), until: validTo, sha256: fingerprint256 };
    const life = { notBeforeMs: Date.parse(validFrom), notAfterMs: Date.parse(validTo) };
    return { files: { keyFile, certFile }, key, cert, names: dnsNames(subjectAltName), news, ...life };
  } catch (error) {
    throw new Error(`${certFile}, ${keyFile}: ${(error as Error).message}`, { cause: error });
  }
}

/** A certificate may name no subject, as those of public authorities do; node then gives undefined, which its types do not say. */
function read(cert: Buffer) {
  const { subject, subjectAltName, validFrom, validTo, fingerprint256 } = new X509Certificate(cert);
  const named: string | undefined = subject;
  return { subject: named ?? '', subjectAltName, validFrom, validTo, fingerprint256 };
}

/** Of a text such as `DNS:a.example, IP Address:10.0.0.1`; a name that OpenSSL had to quote is no host's. */
function dnsNames(alternatives: string): string[] {
  const names = alternatives
    .split(', ')
    .flatMap((text) => (text.startsWith('DNS:') ? [text.slice(4).toLowerCase()] : []));
  return names.filter((name) => /^(?:\*\.)?[a-z0-9._-]+$/.test(name));
}
