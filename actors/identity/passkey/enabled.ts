/** Whether the tenant's product has passkeys: where it has none every route of the room is 503 (docs/contract/identity-users.md §3.2). */
import type { PasskeySettings } from '#config/definitions/product.ts';
import type { Work } from '#actors/host/work.ts';

export function passkeysOf({ tenant }: Work): PasskeySettings | null {
  return tenant?.product.settings.passkeys ?? null;
}
