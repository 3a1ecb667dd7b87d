/** Passkeys of users, in a browser (docs/contract/identity-users.md §3.2, §9; Web Authentication level 3). */
import type { Auth } from './create-client.ts';
import type { Sender } from './transport.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly second_factor: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly [field: string]: unknown;
}

export interface PasskeyRegistration {
  readonly name?: string;
  /** Other logins of the user ask for it from then on. */
  readonly secondFactor?: boolean;
  /** What `prove` gave: needed where the login is older than five minutes, 403 `proof_required`. */
  readonly proof?: string;
  readonly signal?: AbortSignal;
}

export interface PasskeyLogin {
  /** `details.publicKey` of a 401 `mfa_required`: the passkey is the second step of that login. */
  readonly publicKey?: unknown;
  /** A one-time code, where the passkey alone is not enough: 401 `mfa_required`. */
  readonly otp?: string;
  readonly signal?: AbortSignal;
}

/** Of a browser, whose types programs of Node do not have. */
interface Browser {
  readonly PublicKeyCredential: {
    parseCreationOptionsFromJSON(options: unknown): object;
    parseRequestOptionsFromJSON(options: unknown): object;
  };
  readonly navigator: {
    readonly credentials: { create(options: object): Promise<unknown>; get(options: object): Promise<unknown> };
  };
}
const browser = globalThis as unknown as Browser;

const PATH = '/auth/webauthn';
const POST = { method: 'POST', again: 'never' } as const;

/**
 * Registers a passkey of the user who is logged in. Throws what the browser throws (`NotAllowedError` where the person says no, `InvalidStateError`
 * where this device has one already), 403 `proof_required`, 503 `webauthn_disabled`.
 */
export async function registerPasskey(
  { transport }: Sender,
  { name, secondFactor, proof, signal }: PasskeyRegistration = {},
): Promise<Passkey> {
  const headers: Record<string, string> = proof === undefined ? {} : { 'X-Skep-Proof': proof };
  const begun = await transport.send({ ...POST, path: `${PATH}/register/begin`, headers, signal });
  const publicKey = browser.PublicKeyCredential.parseCreationOptionsFromJSON(publicKeyOf(begun.json));
  const credential = await browser.navigator.credentials.create({ publicKey, ...(signal && { signal }) });
  const body = { credential, name, second_factor: secondFactor };
  return (await transport.send({ ...POST, path: `${PATH}/register/finish`, body, signal })).json as Passkey;
}

/** Logs a user in by passkey: no name is typed, the browser offers what it has. Throws 401 `invalid_credentials`, and what the browser throws. */
export async function logInWithPasskey(
  { transport, auth }: Sender & { readonly auth: Auth },
  { publicKey, otp, signal }: PasskeyLogin = {},
): Promise<void> {
  const begin = { ...POST, path: `${PATH}/login/begin`, bare: true, signal };
  const options = publicKey ?? publicKeyOf((await transport.send(begin)).json);
  const body = { credential: await credentialFor(options, signal), otp };
  await auth.enter({ method: 'POST', path: `${PATH}/login/finish`, body, signal });
}

/**
 * Shows once more that the user is there, by the password, or by a passkey where none is given. The proof counts for five minutes. Throws 401
 * `invalid_credentials`.
 */
export async function prove(
  { transport }: Sender,
  { password, signal }: { readonly password?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const begin = { ...POST, path: '/auth/proof/begin', signal };
  const body =
    password === undefined
      ? { credential: await credentialFor(publicKeyOf((await transport.send(begin)).json), signal) }
      : { password };
  const { json } = await transport.send({ ...POST, path: '/auth/proof', body, signal });
  return (json as { readonly proof: string }).proof;
}

/** Leaves as JSON by its own `toJSON`. */
function credentialFor(options: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const publicKey = browser.PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return browser.navigator.credentials.get({ publicKey, ...(signal && { signal }) });
}

const publicKeyOf = (json: unknown): unknown => (json as { readonly publicKey: unknown }).publicKey;
