/** Where the vault's events go, and where their newest store revision can be read again: an audit service elsewhere, this node's, or none. */
import type { Platform } from '#config/platform.ts';
import type { EventSink } from '#actors/vault/event/emitter.ts';
import type { AuditEvent, LastWord } from '#actors/protocol/audit.ts';
import type { Channel } from '#actors/protocol/channel.ts';

export interface VaultAudit {
  readonly sink: EventSink;
  /** The newest record that contains a revision of this vault's store; null where there is none. */
  recall(): Promise<AuditEvent | null>;
  /** Reads its client certificate again. */
  reload(): void;
  close(): void;
}

interface Log {
  /** The newest number of a source in a log. */
  last(log: string, source: string): Promise<number>;
  /** Resolves when the events are durable. */
  hand(log: string, events: readonly AuditEvent[]): Promise<void>;
}

/** Null without an audit service: events go to log lines then. */
export async function vaultAudit(channel: Channel, { audit, vault }: Platform): Promise<VaultAudit | null> {
  const source = `vault/${vault.sid}`;
  if (vault.audit.endpoint !== undefined) {
    const { RemoteAudit } = await import('./remote-audit.ts');
    const remote = new RemoteAudit(vault.audit.endpoint, vault.audit.tls!);
    return {
      sink: handOver(remote, source),
      // Vaults of other clusters may record there too, and have stores of their own.
      recall: () => remote.newest(lastWord(`${ALL}${vault.datacenter}/${vault.cluster}/`)),
      reload: () => remote.reload(),
      close: () => remote.close(),
    };
  }
  if (!audit.enabled) return null;
  const node: Log = {
    last: async (log) => (await channel.ask('audit.resume', { log, source })) ?? 0,
    hand: async (log, events) => {
      if (!(await channel.ask('audit.hand', { log, events }))) throw new Error('nothing is recorded');
    },
  };
  const nothing = (): undefined => undefined;
  const recall = () => channel.ask('audit.recall', lastWord(ALL));
  return { sink: handOver(node, source), recall, reload: nothing, close: nothing };
}

/** The log ids of all vaults, and their sources, begin with this. */
const ALL = 'vault/';
const lastWord = (prefix: string): LastWord => ({ prefix, source: ALL, member: 'revision' });

/** Asks each log once for the newest number of this source, so that after a loss of the spool new events do not reuse numbers and vanish as duplicates. */
function handOver(service: Log, source: string): EventSink {
  const asked = new Set<string>();
  return {
    append: async (log, events) => {
      const newest = events.at(-1)!.source_seq;
      if (!asked.has(log)) {
        const last = await service.last(log, source);
        asked.add(log);
        if (last > newest) return last;
      }
      await service.hand(log, events);
      return newest;
    },
  };
}
