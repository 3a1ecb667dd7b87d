/** The threads of a node: started top to bottom, stopped in reverse, each with a restart budget. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { hasJournalCopy } from '#config/resolve-backups.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';

export interface ChildRow {
  readonly name: Exclude<ThreadName, 'main'>;
  /** The worker file under runtime/threads/. */
  readonly file: string;
  /** How many threads: one, or as many as the key `hosts` says and a warm spare (spare.ts). */
  readonly count: 'one' | 'hosts';
  /** The ask with which the thread is opened: it serves once it has answered, and where it refuses, the node does not start. */
  readonly opens: 'intake.open' | 'audit.open' | 'vault.open' | null;
  /**
   * The part of the platform that needs the thread: `post` means mail of tenants, notices of intake, webhooks of content and triggers, or traces; `copy` the copy of
   * the journals.
   */
  readonly needs: 'post' | 'audit' | 'vault' | 'copy' | null;
  /** The services that start it when they run alone; a whole node starts every thread that it needs. */
  readonly alone: readonly NonNullable<Platform['service']>[];
  /** More exits than this within the window end the node (exit 70), so that the process's supervisor starts it again. */
  readonly restarts: { readonly max: number; readonly windowMs: number };
}

export const CHILDREN: readonly ChildRow[] = [
  // The first, so that it ends last: it copies what the others leave in their journals.
  {
    name: 'journal-copier',
    file: 'journal-copier.worker.ts',
    count: 'one',
    needs: 'copy',
    opens: null,
    alone: [],
    restarts: { max: 10, windowMs: 60_000 },
  },
  {
    name: 'rate-keeper',
    file: 'rate-keeper.worker.ts',
    count: 'one',
    needs: null,
    opens: null,
    alone: ['intake'],
    restarts: { max: 10, windowMs: 60_000 },
  },
  {
    name: 'audit-sealer',
    file: 'audit-sealer.worker.ts',
    count: 'one',
    needs: 'audit',
    opens: 'audit.open',
    alone: ['audit'],
    restarts: { max: 10, windowMs: 60_000 },
  },
  {
    name: 'vault-keeper',
    file: 'vault-keeper.worker.ts',
    count: 'one',
    needs: 'vault',
    opens: 'vault.open',
    alone: ['vault'],
    restarts: { max: 10, windowMs: 60_000 },
  },
  {
    name: 'tenant-host',
    file: 'tenant-host.worker.ts',
    count: 'hosts',
    needs: null,
    opens: null,
    alone: [],
    restarts: { max: 10, windowMs: 60_000 },
  },
  {
    name: 'intake-writer',
    file: 'intake-writer.worker.ts',
    count: 'one',
    needs: null,
    opens: 'intake.open',
    alone: ['intake'],
    restarts: { max: 10, windowMs: 60_000 },
  },
  {
    name: 'courier',
    file: 'courier.worker.ts',
    count: 'one',
    needs: 'post',
    opens: null,
    alone: ['intake'],
    restarts: { max: 10, windowMs: 60_000 },
  },
];

export const childRow = (name: ChildRow['name']): ChildRow => CHILDREN.find((child) => child.name === name)!;

const SENDERS = [join('content', 'apps'), 'triggers'];

type PostPlatform = Pick<
  Platform,
  'audit' | 'backups' | 'identity' | 'intake' | 'service' | 'vault' | 'hives' | 'content' | 'telemetry'
>;

/** Whether any content app or trigger could send something. Hosts read the definitions later; here only the presence of a folder counts. */
function mayHaveWebhooks({ hives, content: { contentsource } }: PostPlatform): boolean {
  if (contentsource.type !== 'meta') return true;
  return hives.tenant.some(
    ({ meta: { localdir } }) => localdir === undefined || SENDERS.some((folder) => existsSync(join(localdir, folder))),
  );
}

/** The rows of the threads that this platform needs. */
export function childrenOf(platform: PostPlatform): readonly ChildRow[] {
  const { audit, identity, intake, service, telemetry, vault } = platform;
  const isTraced = service === null && telemetry.traces !== undefined;
  const post = isTraced || identity.mail !== undefined || intake.notify.enabled || mayHaveWebhooks(platform);
  const has = { post, audit: audit.enabled, vault: vault.enabled, copy: hasJournalCopy(platform) };
  const isWanted = (row: ChildRow): boolean => service === null || row.alone.includes(service);
  return CHILDREN.filter((row) => (row.needs === null || has[row.needs]) && isWanted(row));
}
