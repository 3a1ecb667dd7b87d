/** The services that live on a tenant host: handlers included. The door imports only their routes (runtime/route-directory.ts). */
import { limits } from '#config/limits.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import type { Context } from '#actors/host/activation.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import type { Definitions } from '#actors/host/definitions.ts';
import type { Relay } from '#actors/protocol/relay.ts';
import type { Service } from '#actors/host/service.ts';
import { bffService } from '#actors/bff/service.ts';
import { contentService } from '#actors/content/service.ts';
import type { LiveCounts } from '#actors/data/live-counts.ts';
import type { WakeTenant } from '#actors/data/trigger/wake.ts';
import { dataService } from '#actors/data/service.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import type { TakeProduct } from '#actors/identity/deploy/ports.ts';
import { identityService } from '#actors/identity/service.ts';
import type { MailPort } from '#actors/identity/user/mail-outbox.ts';
import { skepVersion } from '#runtime/version.ts';
import type { Owner } from './content-blobs.ts';

/** What services may ask of main and of their host. */
export interface UpLines {
  readonly askNode: AskNode;
  readonly mailPending: MailPort['pending'];
  /** Wakes a tenant of this host so that it resumes unfinished work; gives whether it is served here. */
  readonly wakeTenant: WakeTenant;
  readonly webhooksPending: (tenantNo: number) => void;
  /** A secret of a tenant in the node's vault; null where there is none. */
  readonly tenantSecret: (tenant: string, name: string) => Promise<string | null>;
  readonly jobs: Jobs;
  readonly relay: Relay;
  readonly definitions: Definitions;
  /** Checks a product that a deploy sent, and keeps it as a revision. */
  readonly takeProduct: TakeProduct;
  /** The store for files of a tenant's rows. */
  readonly files: (tenantNo: number) => BlobStore;
  /** Where what callers hold open is counted. */
  readonly live: LiveCounts;
  readonly contentFiles: (owner: Owner, store: string) => BlobStore;
}

export function tenantServices(
  platform: Platform,
  context: Pick<Context, 'clock' | 'ring' | 'checksAudience'>,
  lines: UpLines,
): ReadonlyMap<string, Service> {
  const bootstrapToken = platform.bootstrap.token ?? null;
  const outbound = { allowPrivate: platform.outbound.allow_private };
  const links = platform.identity.mail?.links;
  const mail = links === undefined ? null : { links, pending: lines.mailPending };
  const services = [
    identityService({
      context,
      bootstrapToken,
      outbound,
      mail,
      askNode: lines.askNode,
      deploys: { take: lines.takeProduct, relay: lines.relay },
      wakeTenant: lines.wakeTenant,
      refreshGraceMs: durationMs(platform.identity.refresh_grace),
    }),
    dataService({
      jobs: lines.jobs,
      relay: lines.relay,
      runs: (tenant) => nodeOf(platform, tenant)?.datastores['default']?.runner !== false,
      definitions: lines.definitions,
      files: lines.files,
      live: lines.live,
      wakeTenant: lines.wakeTenant,
      graphqlCostMax: platform.data.graphql_cost_max,
      subscribersMax: Math.ceil(limits.changes.perNodeMax / platform.hosts),
      after: (ms, run) => void setTimeout(run, ms).unref(),
      triggers: {
        clock: context.clock,
        hooksPending: lines.webhooksPending,
        mailPending: mail === null ? null : lines.mailPending,
        secret: ({ position }, name) => lines.tenantSecret(position.key, name),
        after: (ms, run) => void setTimeout(run, ms).unref(),
      },
    }),
    contentService({
      version: skepVersion(),
      webhooksPending: lines.webhooksPending,
      defaultstoreaction: platform.content.defaultstoreaction,
      defaultappaction: platform.content.defaultappaction,
      blobs: lines.contentFiles,
      assetBytesMax: platform.content.assets.bytes_max,
      storeBytesMax: platform.content.assets.store_bytes_max ?? null,
      jobs: lines.jobs,
      secret: ({ position }, name) => lines.tenantSecret(position.key, name),
      after: (ms, run) => void setTimeout(run, ms).unref(),
    }),
    bffService({
      version: skepVersion(),
      jobs: lines.jobs,
      allowPrivate: platform.outbound.allow_private,
    }),
  ];
  return new Map(services.map((service) => [service.name, service]));
}

function nodeOf({ hives }: Platform, tenant: string) {
  return hives.tenant.find(({ key }) => key === tenant);
}
