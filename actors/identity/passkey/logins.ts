/** Bounds how often one user logs in by passkey: each login leaves a spent challenge for five minutes. Only the holder of a passkey counts here. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Allowances } from '../allowances.ts';

const { loginsBurst: burst, loginEveryMs: everyMs, loginEntriesMax: entriesMax } = limits.passkeys;

const LOGINS = new Part('count of logins by passkey', () => new Allowances({ burst, everyMs, entriesMax }));

/** The table of the tenant, made on first use. */
export function loginsOf(activation: Activation): Allowances {
  return LOGINS.of(activation);
}
