/** An authenticator in software, and the browser before it (WebAuthn §6, §5.1.3–4): real CBOR, real keys, real signatures. What it signs can be bent. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

type Cbor = number | string | Uint8Array | readonly (readonly [number | string, Cbor])[];

/** CBOR of whole numbers, texts, bytes and maps (RFC 8949 §3.1), which is all that WebAuthn needs. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 0x100) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}

interface Credential {
  readonly id: Buffer;
  readonly rpId: string;
  readonly userHandle: string;
  readonly key: KeyObject;
  counter: number;
}

/** What another authenticator, browser or attacker would say instead. */
export interface Bend {
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly counter?: number;
  readonly backedUp?: boolean;
  readonly userHandle?: string | null;
  /** `fmt` and statement of the attestation. */
  readonly attestation?: readonly [fmt: string, statement: Cbor];
  readonly credentialId?: Buffer;
  /** Changes what was signed, or the signature, afterwards. */
  readonly tamper?: 'signature' | 'authenticatorData' | 'clientDataJSON';
}

export interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}

export interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

export interface AuthenticatorOptions {
  readonly algorithm?: 'ES256' | 'EdDSA';
  /** A counter that grows with each signature; without it the counter stays 0, as with synced passkeys. */
  readonly counts?: boolean;
  readonly origin?: string;
  /** The passkey may be copied to other devices. */
  readonly synced?: boolean;
}

export class SoftAuthenticator {
  readonly credentials: Credential[] = [];
  readonly #algorithm: 'ES256' | 'EdDSA';
  readonly #counts: boolean;
  readonly #origin: string;
  readonly #synced: boolean;

  constructor(options: AuthenticatorOptions = {}) {
    this.#algorithm = options.algorithm ?? 'ES256';
    this.#counts = options.counts ?? false;
    this.#origin = options.origin ?? 'https://app.example.org';
    this.#synced = options.synced ?? false;
  }

  /** `navigator.credentials.create(…)`, as `toJSON` gives it. */
  create({ rp, user, challenge }: CreationOptions, bend: Bend = {}) {
    const made = this.#algorithm === 'ES256' ? es256() : edDsa();
    const id = bend.credentialId ?? randomBytes(32);
    this.credentials.push({ id, rpId: rp.id, userHandle: user.id, key: made.key, counter: this.#counts ? 1 : 0 });
    const clientData = this.#clientData('webauthn.create', challenge, bend);
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const attested = Buffer.concat([Buffer.alloc(16, 7), length, id, made.cose]);
    const authData = Buffer.concat([this.#authData(bend.rpId ?? rp.id, this.#counts ? 1 : 0, 0x40, bend), attested]);
    const [fmt, attStmt] = bend.attestation ?? ['none', []];
    const attestationObject = cbor([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ]);
    return {
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      response: {
        clientDataJSON: base64url(clientData),
        attestationObject: base64url(attestationObject),
        transports: ['internal'],
      },
      clientExtensionResults: {},
    };
  }

  /** `navigator.credentials.get(…)`. Without `allowCredentials` it takes the first passkey of the domain. */
  get({ rpId, challenge, allowCredentials = [] }: RequestOptions, bend: Bend = {}) {
    const allowed = allowCredentials.map(({ id }) => id);
    const fits = ({ id, rpId: of }: Credential) =>
      of === rpId && (allowed.length === 0 || allowed.includes(base64url(id)));
    const credential = this.credentials.find(fits);
    if (credential === undefined) throw new Error(`no passkey of ${rpId}`);
    if (this.#counts) credential.counter++;
    const clientData = this.#clientData('webauthn.get', challenge, bend);
    const authData = this.#authData(bend.rpId ?? rpId, bend.counter ?? credential.counter, 0, bend);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    const signature = sign(this.#algorithm === 'ES256' ? 'sha256' : null, signed, credential.key);
    const parts = { clientDataJSON: clientData, authenticatorData: authData, signature };
    return {
      id: base64url(credential.id),
      rawId: base64url(credential.id),
      type: 'public-key',
      response: {
        ...tampered(parts, bend.tamper),
        userHandle: bend.userHandle === undefined ? credential.userHandle : bend.userHandle,
      },
      clientExtensionResults: {},
    };
  }

  #clientData(type: string, challenge: string, bend: Bend): Buffer {
    const { origin = this.#origin, crossOrigin = false } = bend;
    return Buffer.from(
      JSON.stringify({ type: bend.type ?? type, challenge: bend.challenge ?? challenge, origin, crossOrigin }),
    );
  }

  /** WebAuthn §6.1. */
  #authData(rpId: string, counter: number, flags: number, bend: Bend): Buffer {
    const { userPresent = true, userVerified = true, backedUp = this.#synced } = bend;
    const tail = Buffer.alloc(5);
    tail[0] =
      flags | (userPresent ? 0x01 : 0) | (userVerified ? 0x04 : 0) | (this.#synced ? 0x08 : 0) | (backedUp ? 0x10 : 0);
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), tail]);
  }
}

interface Parts {
  readonly clientDataJSON: Buffer;
  readonly authenticatorData: Buffer;
  readonly signature: Buffer;
}

function tampered(parts: Parts, what: Bend['tamper']) {
  const bent = { ...parts };
  if (what === 'signature' || what === 'authenticatorData') bent[what] = flipped(parts[what]);
  if (what === 'clientDataJSON') bent.clientDataJSON = Buffer.concat([parts.clientDataJSON, Buffer.from(' ')]);
  return {
    clientDataJSON: base64url(bent.clientDataJSON),
    authenticatorData: base64url(bent.authenticatorData),
    signature: base64url(bent.signature),
  };
}

/** The last byte is another one: of authenticator data that is the counter. */
function flipped(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  other[other.length - 1]! ^= 0x01;
  return other;
}

const part = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');

function es256(): { key: KeyObject; cose: Buffer } {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const cose = cbor([[1, 2], [3, -7], [-1, 1], [-2, part(x)], [-3, part(y)]]); // prettier-ignore
  return { key, cose };
}

function edDsa(): { key: KeyObject; cose: Buffer } {
  const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
  const cose = cbor([[1, 1], [3, -8], [-1, 6], [-2, part(publicKey.export({ format: 'jwk' }).x)]]); // prettier-ignore
  return { key, cose };
}
