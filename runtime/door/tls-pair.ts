/** Certificate and key of a door, checked before a connection uses them. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { CertificateNews, DoorTls } from './port.ts';

export interface TlsPair {
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly news: CertificateNews;
}

/** Reads both files. Rejects where one cannot be read, is no PEM, or the key does not belong to the certificate. */
export async function readTlsPair({ keyFile, certFile }: DoorTls): Promise<TlsPair> {
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
  createSecureContext({ key, cert });
  const { subject, validTo, fingerprint256 } = new X509Certificate(cert);
  return { key, cert, news: { subject: subject.replaceAll('\n', ', '), until: validTo, sha256: fingerprint256 } };
}
