/** Key of the principal that a kept answer belongs to. */
import type { Principal } from '#actors/protocol/principal.ts';

const texts = new WeakMap<Principal, string>();

/** All that a service may decide by, as one text. A verified token's principal is one object as long as it is cached. */
export function whole(principal: Principal | null): string {
  if (principal === null) return '';
  let text = texts.get(principal);
  if (text === undefined) {
    const { type, subject, tenant, roles, scope, superadmin, sid, actor, readonly } = principal;
    text = JSON.stringify([type, subject, tenant, roles, scope, superadmin, sid, actor, readonly]);
    texts.set(principal, text);
  }
  return text;
}
