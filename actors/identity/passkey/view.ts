/** A passkey as its user sees it. */
import type { Descriptor, PasskeyView } from './shapes.ts';
import { readUse, type PasskeyRecord, type Reader } from './store.ts';

export function viewOf(reader: Reader, record: PasskeyRecord): PasskeyView {
  const { id, name, created_at, device_type, transports, aaguid, second_factor } = record;
  const { last_used_at, backed_up, cloned_at } = readUse(reader, id);
  return {
    id,
    name,
    created_at,
    last_used_at,
    device_type,
    backed_up,
    transports: [...transports],
    aaguid,
    second_factor,
    cloned_at,
  };
}

/** How a browser is told of a passkey (WebAuthn §5.8.3). */
export function descriptorOf({ credential_id: id, transports }: PasskeyRecord): Descriptor {
  return { type: 'public-key', id, transports: [...transports] };
}
