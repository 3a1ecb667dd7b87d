/** What a stranger sees of a TLS listener who trusts one authority alone, by openssl. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

export interface Shown {
  /** OpenSSL's word, such as `0 (ok)`. */
  readonly verdict: string;
  readonly serial: string;
}

/** `host`: `host:port`; `file`: where the certificate of the authority is written. Rejects where nothing answers. */
export async function shownTo(host: string, name: string, file: string, authority: string): Promise<Shown> {
  writeFileSync(file, authority);
  const words = ['s_client', '-connect', host, '-servername', name, '-verify_hostname', name, '-CAfile', file];
  const text = await new Promise<string>((resolve, reject) => {
    const child = execFile('openssl', [...words, '-showcerts'], (error, out) =>
      out.includes('BEGIN CERTIFICATE') ? resolve(out) : reject(error ?? new Error(out)),
    );
    child.stdin!.end();
  });
  const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)![0];
  const serial = execFileSync('openssl', ['x509', '-noout', '-serial'], { input: certificate }).toString().trim();
  return { verdict: /Verify return code: (\d+ \(.*\))/.exec(text)?.[1] ?? text, serial };
}
