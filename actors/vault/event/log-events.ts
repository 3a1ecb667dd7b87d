/** Without an audit service, each event is a log line (docs/contract/vault.md §7.2: without `audit.endpoint` a no-op client logs locally). */
import type { Log } from '#actors/host/activation.ts';
import type { Events, VaultEvent } from './events.ts';

export function logEvents(log: Log): Events {
  return {
    emit: (event: VaultEvent) => {
      log.info({ ...event }, 'vault event');
      return null;
    },
    pending: 0,
    dropped: 0,
    required: false,
  };
}
