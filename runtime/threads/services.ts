/** The services that live on a tenant host: handlers included. The door imports only their routes (runtime/route-list.ts). */
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import type { Context } from '#actors/host/activation.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import type { Definitions } from '#actors/kit/definitions.ts';
import type { Relay } from '#actors/protocol/relay.ts';
import type { Service } from '#actors/host/service.ts';
import { bffService } from '#actors/bff/service.ts';
import { contentService } from '#actors/content/service.ts';
import { dataService } from '#actors/data/service.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import type { MailPort } from '#actors/identity/identity.ts';
import { identityService } from '#actors/identity/service.ts';
import { skepVersion } from '#runtime/version.ts';
import { contentBlobs } from './content-blobs.ts';

/** What a host may say to main by itself. */
export interface UpLines {
  readonly askNode: AskNode;
  readonly mailPending: MailPort['pending'];
  readonly webhooksPending: (tenantNo: number) => void;
  readonly jobs: Jobs;
  readonly relay: Relay;
  readonly definitions: Definitions;
}

export function tenantServices(
  platform: Platform,
  context: Pick<Context, 'clock' | 'ring'>,
  lines: UpLines,
): ReadonlyMap<string, Service> {
  const bootstrapToken = platform.bootstrap.token ?? null;
  const outbound = { allowPrivate: platform.outbound.allow_private };
  const links = platform.identity.mail?.links;
  const mail = links === undefined ? null : { links, pending: lines.mailPending };
  const services = [
    identityService({ context, bootstrapToken, outbound, mail, askNode: lines.askNode }),
    dataService({
      jobs: lines.jobs,
      relay: lines.relay,
      runs: (tenant) => nodeOf(platform, tenant)?.datastores['default']?.runner !== false,
      definitions: lines.definitions,
      files: (tenantNo) => new DirectoryBlobs(join(platform.storage.dir, 'blobs', String(tenantNo))),
    }),
    contentService({
      version: skepVersion(),
      webhooksPending: lines.webhooksPending,
      defaultstoreaction: platform.content.defaultstoreaction,
      defaultappaction: platform.content.defaultappaction,
      blobs: contentBlobs(platform),
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
