/** The platform file: its keys, and the `Platform` that the loader makes of it. Source: docs/contract/platform.md §2, §3. */
import * as z from 'zod';
import { LISTENER_ADDRESSES, defaults, type ListenerName } from './defaults.ts';
import { evidenceTexts } from './about/evidence.ts';
import { explain } from './about/explain.ts';
import { nodeTexts } from './about/node.ts';
import { serviceTexts } from './about/services.ts';
import { auditSection } from './audit-section.ts';
import { backupsSection, bucket } from './backups-section.ts';
import { contentSection, storageBackends } from './content-section.ts';
import { corsSection } from './cors-section.ts';
import { identitySection } from './identity-section.ts';
import { formatDuration } from './values/duration.ts';
import { intakeSection } from './intake-section.ts';
import { limits } from './limits.ts';
import { sitesSection } from './sites-section.ts';
import { tlsSection } from './tls-section.ts';
import { telemetrySection } from './telemetry-section.ts';
import { vaultSection } from './vault-section.ts';
import { linkSection } from './link-section.ts';
import * as kit from './schema-kit.ts';

/** The rule of actors/protocol/position.ts, which cannot be imported from below; a test holds the two equal. */
const TENANT_KEY = /^[a-z0-9][a-z0-9_-]{0,62}(?::[a-z0-9][a-z0-9_-]{0,62}){3}$/;
const NAME = /^[a-z][a-z0-9_]{0,62}$/;

const name = z.string().regex(NAME, 'use lower-case letters, digits and _, a letter first, at most 63 characters');

const datastore = kit.entry({
  driver: kit.oneOf(['lmdb']),
  dedicated: kit.yesNo().optional(),
  /** Whether materialized fields are computed without a command. */
  runner: kit.yesNo().optional(),
});

const meta = z
  .strictObject({
    localdir: kit.path('the directory of a product checkout', './products/atlas').optional(),
    url: kit.httpUrl('the http or https URL of a product').optional(),
  })
  .refine((value) => (value.localdir === undefined) !== (value.url === undefined), {
    message: 'meta must name one source',
    params: { mend: 'write either `localdir: <directory>` or `url: <URL>`' },
  });

const tenantNode = kit.entry({
  key: kit.pattern(TENANT_KEY, 'a tenant key customer:product:env:tenant', 'acme:atlas:dev:main'),
  meta,
  datastores: z.record(name, datastore).default({ default: { driver: 'lmdb' } }),
  schema: kit.text('the name of a schema', 'main').optional(),
  contentstores: storageBackends.default([]),
});

const rate = kit.entry({ burst: kit.whole(1, 1_000_000), per_second: kit.positive() });
const rateOrOff = z
  .union([rate, z.literal('off')])
  .meta({ description: '{burst, per_second} or off', example: '{ burst: 15, per_second: 0.25 }' });

const listenerChoice = z
  .union([z.boolean(), z.strictObject({ bind: kit.bind().optional() })])
  .meta({ description: 'true, false or {bind: host:port}', example: 'true' })
  .optional();

/** The console's, which says whose logins it takes. */
const consoleChoice = z
  .union([z.boolean(), z.strictObject({ bind: kit.bind().optional(), tenants: kit.yesNo().optional() })])
  .meta({ description: 'true, false or {bind: host:port, tenants: true or false}', example: 'true' })
  .optional();

const listeners = kit.section({
  ...(Object.fromEntries(Object.keys(LISTENER_ADDRESSES).map((key) => [key, listenerChoice])) as Record<
    ListenerName,
    typeof listenerChoice
  >),
  console: consoleChoice,
});

/** A service of a later version: its keys are kept and not checked. */
const open = z.preprocess((value) => value ?? {}, z.record(z.string(), z.unknown())).meta(kit.EMPTY);

const NODE_NAME = new RegExp(`^[A-Za-z0-9._-]{1,${limits.cluster.nameCharsMax}}$`);

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const unexplained = z
  .strictObject({
    hives: kit.section({ tenant: kit.list(tenantNode, 'tenant nodes').default([]) }),
    jwks: kit.section({
      issuers: kit.section({
        iam: z
          .string()
          .refine((value) => value === 'self' || kit.isHttpUrl(value))
          .meta({ description: 'the URL of the issuer, or self for this node', example: 'self' })
          .optional(),
      }),
      check_audience: kit.yesNo().default(false),
    }),
    bootstrap: kit.section({ token: kit.secret('the token that creates the first superadmin').optional() }),
    gateway: kit.section({
      bind: kit.bind().default(defaults.gateway.bind),
      tls: tlsSection,
      trusted_proxies: kit.list(kit.network(), 'IP addresses and CIDR ranges').default([]),
      /** The header in which these proxies name the caller. */
      client_address: kit
        .oneOf(['auto', 'x-forwarded-for', 'forwarded', 'client-ip-header'])
        .default(defaults.gateway.client_address),
      /** How long `/ready` and `/readyz` answer 503 before the listeners close. */
      drain_notice: kit
        .durationBetween('0s', formatDuration(limits.door.drainNoticeMsMax))
        .default(defaults.gateway.drain_notice),
      /** A log line for each answer, or for some of them. */
      access_log: kit.section({
        enabled: kit.yesNo().default(defaults.gateway.access_log.enabled),
        /** One request of so many has a line; 0: only slow answers and those of 500 and above. */
        one_in: kit.whole(0, 1_000_000, 100).default(defaults.gateway.access_log.one_in),
        /** Answers that took longer have a line in any case. */
        slow: kit
          .durationBetween('1ms', formatDuration(limits.door.accessLogSlowMsMax))
          .default(defaults.gateway.access_log.slow),
      }),
      /** The minimum speed of callers that send a body or read an answer, for every listener except intake's own. */
      slow_callers: kit.section({
        window: kit
          .durationBetween(formatDuration(limits.door.slowWindowMsMin), formatDuration(limits.door.slowWindowMsMax))
          .default(defaults.gateway.slow_callers.window),
        body_bytes_per_second: kit
          .whole(1, limits.door.slowBytesPerSecondMax)
          .default(defaults.gateway.slow_callers.body_bytes_per_second),
        answer_bytes_per_second: kit
          .whole(1, limits.door.slowBytesPerSecondMax)
          .default(defaults.gateway.slow_callers.answer_bytes_per_second),
      }),
      /** Whether answers that gain by it are compressed for callers that send `Accept-Encoding`. */
      compression: kit.section({ enabled: kit.yesNo().default(defaults.gateway.compression.enabled) }),
      /** Pages of other origins that may call a product. */
      cors: corsSection,
      /** Names of hosts, each of which is one tenant's. */
      sites: sitesSection,
    }),
    listeners,
    hosts: kit.whole(1, 256).optional(),
    watchdog: kit.section({
      replace_after: kit
        .durationBetween(formatDuration(limits.watchdog.replaceMsMin), formatDuration(limits.watchdog.replaceMsMax))
        .default(defaults.watchdog.replace_after),
      refuse_for: kit
        .durationBetween(formatDuration(limits.watchdog.refuseMsMin), formatDuration(limits.watchdog.refuseMsMax))
        .default(defaults.watchdog.refuse_for),
    }),
    jobs: kit.section({ threads: kit.whole(1, 1024).optional() }),
    storage: kit.section({
      dir: kit.path('the data directory', '/var/lib/skep').optional(),
      segment_bytes: kit.whole(1024 * 1024, 2 ** 31 - 1).default(defaults.storage.segment_bytes),
      free_bytes_min: kit.whole(0).default(defaults.storage.free_bytes_min),
      ballast_bytes: kit.whole(0, 2 ** 40).default(defaults.storage.ballast_bytes),
      /** The largest share of a thread's time for the scrubber, and how often it looks at everything. 0: never. */
      scrub_percent: kit.whole(0, limits.scrub.percentMax).default(defaults.storage.scrub_percent),
      scrub_every: kit
        .durationBetween(formatDuration(limits.scrub.roundMsMin), formatDuration(limits.scrub.roundMsMax))
        .default(defaults.storage.scrub_every),
      /** What acknowledges: files in `dir`, or a log in a PostgreSQL. */
      journal: kit.section({
        driver: kit.oneOf(['file', 'postgres']).default(defaults.storage.journal.driver),
        url: kit.secret('the URL of a database').optional(),
        replication: kit.oneOf(['strict', 'managed']).default(defaults.storage.journal.replication),
        /** Whether bodies of records in the database, and copies of shards, are sealed by keys of the vault. */
        seal: kit.oneOf(['none', 'vault']).default(defaults.storage.journal.seal),
        /** Copies of shards, behind which the log is cut. Without `to` or `s3` none are made, and it only grows. */
        snapshots: kit.section({
          to: kit.path('a directory outside of the data directory', '/mnt/copies').optional(),
          /** A bucket in its place. */
          s3: bucket.optional(),
          every: kit
            .durationBetween(
              formatDuration(limits.storage.copyEveryMsMin),
              formatDuration(limits.storage.copyEveryMsMax),
            )
            .default(defaults.storage.journal.snapshots.every),
        }),
      }),
      /** For how long a log in a database is kept behind its copies, so that a tenant can be brought back as it was. Absent: it is not. */
      history: kit
        .durationBetween(formatDuration(limits.storage.historyMsMin), formatDuration(limits.storage.historyMsMax))
        .optional(),
      /** A file outside of the data directory that stores how far the data had come. */
      mark: kit.path('a file outside of the data directory', '/mnt/second/skep.mark').optional(),
    }),
    /** This node among those on the same log in a database. */
    cluster: kit.section({
      node: kit.pattern(NODE_NAME, 'a name of letters, digits, dots, - and _', 'n1').optional(),
      lease: kit
        .durationBetween(formatDuration(limits.cluster.leaseMsMin), formatDuration(limits.cluster.leaseMsMax))
        .default(defaults.cluster.lease),
      reads: kit.oneOf(['lease', 'confirmed', 'local']).default(defaults.cluster.reads),
      /** Whether the files in the data directories are each node's own, or those of one file system that all nodes have. */
      files: kit.oneOf(['own', 'shared']).default(defaults.cluster.files),
      /** Whether nodes that stand by run tenant hosts of the one that serves, and in how many places; `hosts` unless set. */
      carry: kit.yesNo().default(defaults.cluster.carry),
      places: kit.whole(limits.cluster.placesMin, limits.cluster.placesMax).optional(),
      /** How the nodes reach each other; without it this one serves only while the log is its own. */
      link: linkSection,
    }),
    rates: z
      .preprocess(
        (value) => value ?? {},
        z
          .object({ ipv6_prefix: kit.whole(1, 128, defaults.rates.ipv6_prefix).default(defaults.rates.ipv6_prefix) })
          .catchall(rateOrOff),
      )
      .meta(kit.EMPTY),
    outbound: kit.section({
      allow_private: kit.list(kit.hosts(), 'hosts').default([]),
    }),
    identity: identitySection,
    data: kit.section({ graphql_cost_max: kit.whole(1, 1_000_000).default(defaults.data.graphql_cost_max) }),
    intake: intakeSection,
    vault: vaultSection,
    bff: open,
    content: contentSection,
    audit: auditSection,
    telemetry: telemetrySection,
    backups: backupsSection,
    log: kit.section({
      level: kit.oneOf(LEVELS).default(defaults.log.level),
      output: kit.oneOf(['stdout', 'stderr']).default(defaults.log.output),
    }),
  })
  .meta({ description: 'a map of the platform keys' });

/** The file as written, checked key by key; `resolve.ts` checks rules that involve several keys. What each key is for: `about/`. */
export const platformFile = explain(unexplained, { ...nodeTexts, ...serviceTexts, ...evidenceTexts });

export type PlatformFile = z.output<typeof platformFile>;
export type LogLevel = (typeof LEVELS)[number];
export type BackupsConfig = PlatformFile['backups'];
export type JournalConfig = PlatformFile['storage']['journal'];
export type IntakeConfig = Resolved<PlatformFile['intake']>;

/** Services that can be served from a file of their own. */
export type ServiceAlone = 'intake' | 'audit' | 'vault';

/** The audit part with its directories resolved. */
export type AuditConfig = PlatformFile['audit'] & { readonly base_dir: string; readonly key_dir: string };

/** The vault part with its paths resolved. */
export type VaultConfig = Omit<PlatformFile['vault'], 'backend' | 'policies'> & {
  readonly backend: PlatformFile['vault']['backend'] & { readonly dir: string };
  readonly policies: { readonly dir: string };
  readonly state_dir: string;
};

export interface Rate {
  readonly burst: number;
  readonly per_second: number;
}

/** The intake part with its paths resolved: each is absolute. */
type Resolved<T extends PlatformFile['intake']> = Omit<T, 'embedded' | 'jsonl' | 'logging'> & {
  embedded: { path: string };
  jsonl: T['jsonl'] & { dir: string };
  logging: Omit<T['logging'], 'file'> & { file: T['logging']['file'] & { path: string } };
};

/**
 * The configuration of a node: every default filled in, every path absolute, every port decided. Frozen, and plain data that can be sent to a
 * thread.
 */
export interface Platform extends Omit<
  PlatformFile,
  'listeners' | 'hosts' | 'jobs' | 'storage' | 'rates' | 'intake' | 'audit' | 'vault'
> {
  /** The file it came from, null when there was none. */
  readonly file: string | null;
  /** The service that runs alone, whose part is the file's root; null for a whole node. */
  readonly service: ServiceAlone | null;
  /** `host:port` of each open listener, else null. */
  readonly listeners: Readonly<Record<ListenerName, string | null>>;
  readonly console: {
    /** Whether people of tenants log in at the console, and its listener has routes of rows. */
    readonly tenants: boolean;
  };
  readonly hosts: number;
  /** Threads for expressions and scripts, of all hosts together. */
  readonly jobs: { readonly threads: number };
  readonly storage: Required<Omit<PlatformFile['storage'], 'history' | 'mark'>> & {
    /** Absent where none is kept. */
    readonly history?: string | undefined;
    readonly dir: string;
    readonly mark?: string | undefined;
  };
  readonly rates: {
    readonly ipv6_prefix: number;
    /** Profiles that the file changes, and profiles that it adds. */
    readonly profiles: Readonly<Record<string, Rate | 'off'>>;
  };
  readonly intake: IntakeConfig;
  readonly audit: AuditConfig;
  readonly vault: VaultConfig;
}
