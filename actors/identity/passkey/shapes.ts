/** Bodies of passkeys, as browsers write and read them (WebAuthn §5.1.8–10: `toJSON`, `parse…OptionsFromJSON`). Spec: docs/contract/identity-users.md §3.2. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';

const { passkeys } = limits;

const base64url = (charsMax: number) =>
  z
    .string()
    .min(1)
    .max(charsMax)
    .regex(/^[A-Za-z0-9_-]+$/, 'is not base64url without padding');

const id = base64url(passkeys.credentialIdCharsMax);
const clientDataJSON = base64url(passkeys.clientDataCharsMax);
const name = z.string().trim().min(1).max(passkeys.nameCharsMax);
const transports = z.array(z.string().max(passkeys.transportCharsMax)).max(passkeys.transportsMax);

const registration = z.object({
  id,
  rawId: id,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON,
    attestationObject: base64url(passkeys.attestationCharsMax),
    transports: transports.nullish(),
  }),
});

export const assertion = z.object({
  id,
  rawId: id,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(passkeys.authenticatorDataCharsMax),
    signature: base64url(passkeys.signatureCharsMax),
    userHandle: base64url(passkeys.userHandleCharsMax).nullish(),
  }),
});

export type Registration = z.output<typeof registration>;
export type Assertion = z.output<typeof assertion>;

/** Unknown members are refused: a misspelt `second_factor` would make a passkey that asks for nothing. What is within `credential` is the browser's. */
export const registerRequest = z.strictObject({
  credential: registration,
  name: name.nullish(),
  second_factor: z.boolean().nullish(),
});
export const loginRequest = z.strictObject({
  credential: assertion,
  otp: z.string().max(limits.identity.otpCharsMax).nullish(),
});
export const changeRequest = z.strictObject({ name: name.optional(), second_factor: z.boolean().optional() });

const descriptor = z.object({ type: z.literal('public-key'), id: z.string(), transports: z.array(z.string()) });
export type Descriptor = z.output<typeof descriptor>;
const verification = z.enum(['preferred', 'required']);

const creationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: verification,
  }),
  attestation: z.literal('none'),
});

const requestOptions = z.object({
  challenge: z.string(),
  timeout: z.int(),
  rpId: z.string(),
  allowCredentials: z.array(descriptor),
  userVerification: verification,
});
export type RequestOptions = z.output<typeof requestOptions>;

export const creationReply = z.object({ publicKey: creationOptions });
export const requestReply = z.object({ publicKey: requestOptions });

const passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  /** `multiDevice`: the passkey may be copied to other devices of the user. */
  device_type: z.enum(['singleDevice', 'multiDevice']),
  backed_up: z.boolean(),
  transports: z.array(z.string()),
  aaguid: z.string(),
  second_factor: z.boolean(),
  /** When a copy of it was noticed. */
  cloned_at: z.string().nullable(),
});
export type PasskeyView = z.output<typeof passkey>;

export const passkeyReply = passkey;
export const listReply = z.object({ credentials: z.array(passkey), count: z.int() });
export const removeReply = z.object({ ok: z.literal(true) });
