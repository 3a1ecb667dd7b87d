/** An authority for tests, requests made by others than us, and the tools of OpenSSL and GnuTLS at hand. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_NAMES, type AltNames } from '#actors/vault/pki/alt-name.ts';
import { CertificateMaker, selfSign, type Leaf, type Places } from '#actors/vault/pki/certificate.ts';
import type { Issuer } from '#actors/vault/pki/issuer.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { spkiOf } from '#actors/vault/pki/public-key.ts';
import { newSerial } from '#actors/vault/pki/serial.ts';

const DAY_MS = 86_400_000;

export const newKey = (): { privateKey: KeyObject; publicKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

export interface Authority {
  readonly issuer: Issuer;
  readonly pem: string;
  readonly der: Buffer;
  leaf(options?: LeafOptions): Leaf & { serial: Buffer; pem: string; key: KeyObject };
}

export interface LeafOptions {
  readonly names?: Partial<AltNames>;
  readonly commonName?: string;
  readonly lifetimeMs?: number;
  readonly nowMs?: number;
  readonly places?: Places;
}

export function newAuthority(nowMs = Date.now(), lifetimeMs = 3650 * DAY_MS): Authority {
  const { issuer, der } = selfSign(
    newKey().privateKey,
    { organization: 'Skep', commonName: 'Test CA' },
    nowMs,
    lifetimeMs,
  );
  return {
    issuer,
    der,
    pem: toPem('CERTIFICATE', der),
    leaf({ names = {}, commonName, lifetimeMs: life = DAY_MS, nowMs: now = nowMs, places = {} } = {}) {
      const { privateKey, publicKey } = newKey();
      const serial = newSerial(randomBytes);
      const made = new CertificateMaker(issuer, places).make({
        serial,
        subject: { commonName },
        names: { ...NO_NAMES, ...names },
        spki: spkiOf(publicKey),
        isRsa: false,
        nowMs: now,
        lifetimeMs: life,
      });
      return { ...made, serial, key: privateKey, pem: toPem('CERTIFICATE', made.der) };
    },
  };
}

/** A folder with files, in which a tool runs; what it says on both streams, and whether it ended well. */
export class Workbench {
  readonly folder = mkdtempSync(join(tmpdir(), 'skep-pki-'));

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(join(this.folder, name), content);
    return name;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  run(program: string, ...args: readonly string[]): { ok: boolean; text: string } {
    try {
      const text = execFileSync('sh', ['-c', 'exec "$0" "$@" 2>&1', program, ...args], {
        cwd: this.folder,
        encoding: 'utf8',
        timeout: 20_000,
      });
      return { ok: true, text };
    } catch (error) {
      return { ok: false, text: String((error as { stdout?: string }).stdout ?? error) };
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** What a parser must do with every damaged form of some bytes: answer, never throw. */
export function* damaged(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= mask;
      yield copy;
    }
    yield bytes.subarray(0, at);
  }
  yield Buffer.concat([bytes, Buffer.of(0)]);
}
