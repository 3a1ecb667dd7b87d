/** POST /content/{app}/preview: a token for one document (docs/contract/content.md §7: 501 without a secret). */
import { limits } from '#config/limits.ts';
import type { Secret } from '#config/reference-name.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { demand } from '../judge.ts';
import { isId } from '../page.ts';
import { appOf, partOf, typeOf } from '../part.ts';
import { end } from '../refused.ts';
import { Rows } from '../rows.ts';
import { mintPreview } from './preview-token.ts';
import type { Routes } from '../routes.ts';

const WISHES = new Set(['type', 'id', 'expires_in']);

export async function mintToken(call: Call): Promise<Outcome<Routes['preview']>> {
  const app = appOf(call);
  const { name, previewSecrets, locale } = app.definition;
  const [first] = previewSecrets;
  if (first === undefined)
    return end('content.preview_unconfigured', { message: `the app ${name} has no preview secret` });
  const secret = await secretOf(call, first);
  if (secret === null)
    return end('content.preview_unconfigured', { message: `the preview secret of ${name} is not in the vault` });
  const body = objectOf(call);
  const unknown = Object.keys(body).find((name) => !WISHES.has(name));
  if (unknown !== undefined)
    return end('content.bad_body', { message: `the body may hold type, id and expires_in, not ${shown(unknown)}` });
  const { type: wanted, id, expires_in: seconds = limits.content.previewTokenSeconds } = body;
  demand(call, app.judge, { operation: 'preview', of: name });
  if (typeof wanted !== 'string' || typeof id !== 'string')
    return end('content.bad_body', { message: 'the body must hold type and id' });
  const life = lifeOf(seconds);
  const type = typeOf(app, wanted);
  const key = locale === null ? 'id' : 'document_id';
  const found = isId(id) ? await new Rows(call, 'internal').find(type.entity, { [key]: id }) : null;
  if (found === null) return end('content.document_not_found', { message: `there is no document ${shown(id)}` });
  const { position, context } = call.activation;
  const claim = { tenant: position.key, app: name, type: type.name, document: id };
  const token = await mintPreview(secret, claim, context.clock.now() + life * 1000);
  return reply(200, { token, expires_in: life }, { 'Cache-Control': 'no-store' });
}

/** A secret of an app as it is now; 503 while the vault does not answer. */
export async function secretOf(call: Call, secret: Secret): Promise<string | null> {
  try {
    return await partOf(call.activation).secrets.of(secret);
  } catch (error) {
    const why = (error as Error).message;
    call.activation.context.log.warn(
      { service: 'content', why, ...call.named },
      'the vault did not answer with the secret of previews: the request got 503; check the vault',
    );
    return end('content.unavailable');
  }
}

function lifeOf(seconds: unknown): number {
  const most = limits.content.previewTokenSecondsMax;
  const good = typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= most;
  return good
    ? seconds
    : end('content.invalid', { message: `expires_in must be a number of seconds from 1 to ${most}` });
}
