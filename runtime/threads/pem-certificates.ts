/** The certificates of a PEM file that the platform names. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Throws, naming the key of the platform file, on a file without any. */
export function pemCertificates(file: string, key: string): X509Certificate[] {
  const texts = readFileSync(file, 'utf8').match(CERTIFICATES);
  if (texts === null) throw new Error(`${key}: ${file} holds no certificate in PEM`);
  return texts.map((text) => new X509Certificate(text));
}
