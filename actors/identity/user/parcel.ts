/** A queued mail as the courier gets it. */
import type { Work } from '#actors/host/work.ts';
import type { Mail } from '#actors/protocol/mail.ts';
import { instantMs } from '#config/values/instant.ts';
import type { RenderedMail } from '#actors/kit/mail/render.ts';
import type { MailEntry } from './store.ts';

export function parcelOf(
  { activation: { position, tenantNo } }: Work,
  { id, to, expires_at, trace }: MailEntry,
  mail: RenderedMail,
): Mail {
  return {
    tenantNo,
    tenant: position.key,
    id,
    to,
    expiresAtMs: instantMs(expires_at),
    ...mail,
    ...(trace === undefined ? {} : { trace }),
  };
}
