/**
 * The checks of WebAuthn §7.1 and §7.2 by `@simplewebauthn/server`, loaded on first use. It is given what needs no network: attestation statements
 * are dropped unread, since none was asked for (WebAuthn §7.1 step 21 with the conveyance `none`), so that no certificate names an address to be fetched.
 */
import type { PasskeySettings } from '#config/definitions/product.ts';
import type { ClientData } from './client-data.ts';
import type { Assertion, Registration } from './shapes.ts';
import type { PasskeyRecord } from './store.ts';

/** EdDSA, ES256, RS256 (IANA COSE). */
export const ALGORITHMS = [-8, -7, -257];

export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly aaguid: string;
  readonly deviceType: PasskeyRecord['device_type'];
  readonly backedUp: boolean;
}

export interface Verified {
  readonly counter: number;
  readonly userVerified: boolean;
  readonly deviceType: PasskeyRecord['device_type'];
  readonly backedUp: boolean;
}

const expected = ({ rp_id, origins, user_verification }: PasskeySettings, { challenge }: ClientData) => ({
  expectedChallenge: challenge,
  expectedOrigin: [...origins],
  expectedRPID: rp_id,
  requireUserVerification: user_verification === 'required',
});

/** The new passkey, or null when the answer does not verify: whatever a caller sends can make the library throw. */
export async function verifyRegistration(
  settings: PasskeySettings,
  credential: Registration,
  client: ClientData,
): Promise<NewPasskey | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { clientDataJSON } = credential.response;
  try {
    const attestationObject = await withoutStatement(credential.response.attestationObject);
    const result = await verifyRegistrationResponse({
      ...expected(settings, client),
      response: { ...credential, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!result.verified || result.registrationInfo.credential.id !== credential.id) return null;
    const { credential: made, aaguid, credentialDeviceType, credentialBackedUp } = result.registrationInfo;
    const { id: credentialId, publicKey, counter } = made;
    return { credentialId, publicKey, counter, aaguid, deviceType: credentialDeviceType, backedUp: credentialBackedUp };
  } catch {
    return null;
  }
}

/** The attestation object (WebAuthn §6.5.4) with the format `none`. */
async function withoutStatement(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData');
  const none = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, string>()],
    ['authData', authData],
  ]);
  return isoBase64URL.fromBuffer(isoCBOR.encode(none));
}

/** What the authenticator has signed, or null when the answer does not verify. The counter is the caller's to judge, once the signature is right. */
export async function verifyAssertion(
  settings: PasskeySettings,
  { response, ...credential }: Assertion,
  client: ClientData,
  { credential_id, public_key }: Pick<PasskeyRecord, 'credential_id' | 'public_key'>,
): Promise<Verified | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { clientDataJSON, authenticatorData, signature } = response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected(settings, client),
      response: {
        ...credential,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      credential: { id: credential_id, publicKey: Uint8Array.from(public_key), counter: 0 },
    });
    if (!verified) return null;
    const { newCounter: counter, userVerified, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    return { counter, userVerified, deviceType: credentialDeviceType, backedUp: credentialBackedUp };
  } catch {
    return null;
  }
}
