/** The data service as the host runs it. */
import type { Activation, Context } from '#actors/host/activation.ts';
import { limits } from '#config/limits.ts';
import { OWN_DEFINITIONS, type Definitions } from '#actors/host/definitions.ts';
import { bearerOfCalls, type Bearers } from '#actors/host/service-kit.ts';
import { urlKeyAsks } from '#actors/host/signed-url/asks.ts';
import type { Work } from '#actors/host/work.ts';
import { defineService, type AnyHandler, type Service } from '#actors/host/service.ts';
import type { BlobStore } from '#actors/engine/files/store.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { Expressions } from '#actors/kit/jq/expressions.ts';
import { NO_JOBS, type Jobs } from '#actors/kit/jobs.ts';
import { NO_RELAY, type Relay, type RelayedCall } from '#actors/protocol/relay.ts';
import { answerRelayed } from './admin/answer-relayed.ts';
import { planRevision } from './admin/deploy/plan-revision.ts';
import { deployRows } from './admin/deploy/routes.ts';
import { relayedHandlers } from './admin/handlers.ts';
import { asks } from './asks.ts';
import { authenticate } from './authenticate.ts';
import { loadGraphql } from './graphql/handlers.ts';
import { Changes, everyOf, type ChangesPorts } from './changes/changes.ts';
import { Channels } from './channel/channels.ts';
import { countBytes } from './count-bytes.ts';
import { handlersOf } from './handlers.ts';
import { hasTasks, startRunner } from './materialize/pass.ts';
import { noLive, type LiveCounts } from './live-counts.ts';
import { SERVICE, wake, wakeActions } from './part.ts';
import { hasStatements } from './action/registry.ts';
import type { Dependency } from './probe/health.ts';
import { processVitals } from './probe/vitals.ts';
import { relayedRows, routes } from './routes.ts';
import { NO_TRIGGER_PORTS, Triggers, type TriggerPorts, type WakeTenant } from './trigger/wake.ts';
import { unavailable } from './unavailable.ts';

export interface DataServiceOptions {
  /** How bearer headers are judged; one per thread and context, for its cache. */
  readonly bearers?: (context: Context) => Bearers;
  /** Where programs and scripts of callers run that are too much for the host. */
  readonly jobs?: Jobs;
  /** Where the tenant of a number keeps its files; without it file fields answer 501. */
  readonly files?: (tenantNo: number) => BlobStore;
  /** How the definitions are read anew when a plan asks for them; without it those that the tenant woke with count. */
  readonly definitions?: Definitions;
  /** The way to other tenants for superadmins; without it they are told that none is there. */
  readonly relay?: Relay;
  /** Wakes a tenant that sleeps over tasks of materialized fields; without it they wait for its next request. */
  readonly wakeTenant?: WakeTenant;
  /** Whether a tenant, by its key, computes materialized fields by itself; each does, unless its datastore says otherwise. */
  readonly runs?: (tenant: string) => boolean;
  /** Values that an answer of GraphQL may hold. */
  readonly graphqlCostMax?: number;
  /** Where events of triggers leave the node; without it they wait. */
  readonly triggers?: TriggerPorts;
  /** Subscribers of changes that this thread may have; those of a whole node where it is the only one. */
  readonly subscribersMax?: number;
  /** Where subscribers and members of channels are counted. */
  readonly live?: LiveCounts;
  /** What calls a function every so many milliseconds; the process's timers unless a test passes another. */
  readonly every?: ChangesPorts['every'];
  /** Runs a function after so many milliseconds; without it subscribers are told each change at once. */
  readonly after?: ChangesPorts['after'];
  /** What the probes report beside the process itself. */
  readonly dependencies?: () => Readonly<Record<string, Dependency>>;
}

/** What other hosts relay: rows of the superadmin plane, and the one of deploys that no address leads to. */
const askedRows = { ...relayedRows, ...deployRows };
const askedHandlers = { ...relayedHandlers, deploy_plan: planRevision as AnyHandler };

/** Entity REST of every tenant of a host. */
export function dataService(options: DataServiceOptions = {}): Service {
  const bearerOf = bearerOfCalls(options.bearers ?? ((context) => new BearerCheck(context, SERVICE)));
  const jobs = options.jobs ?? NO_JOBS;
  const definitions = options.definitions ?? OWN_DEFINITIONS;
  const filesOf = ({ tenantNo }: Activation): BlobStore | null => options.files?.(tenantNo) ?? null;
  const { graphqlCostMax = limits.graphql.costMax } = options;
  const languages = { expressions: new Expressions(jobs), jobs, graphqlCostMax };
  const triggers = new Triggers(options.triggers ?? NO_TRIGGER_PORTS, options.wakeTenant);
  const live = options.live ?? noLive();
  const changes: Changes = new Changes({
    authorize: (call) => authenticate(call, bearerOf, changes.tickets),
    subscribersMax: options.subscribersMax ?? limits.changes.perNodeMax,
    counts: live.subscribers,
    every: options.every,
    after: options.after,
  });
  const channels = new Channels({
    authorize: (call) => authenticate(call, bearerOf, changes.tickets),
    places: changes.places,
    counts: live,
    every: options.every ?? everyOf,
  });
  return defineService({
    name: SERVICE,
    routes,
    handlers: handlersOf(
      processVitals(options.dependencies ?? (() => ({}))),
      options.relay ?? NO_RELAY,
      changes,
      channels,
    ),
    authenticate: (call) => authenticate(call, bearerOf, changes.tickets),
    unavailable,
    loads: loadGraphql,
    asks: {
      ...asks,
      ...urlKeyAsks(SERVICE),
      'admin.call': (work: Work, call: RelayedCall) => answerRelayed(work, call, askedRows, askedHandlers),
    },
    outboxes: { hook: triggers.outboxes.webhook, mail: triggers.outboxes.mail },
    retire() {
      changes.retire();
      channels.retire();
    },
    resume(store, tenantNo) {
      triggers.resume(store, tenantNo);
      if (options.wakeTenant !== undefined && hasTasks(store)) options.wakeTenant(tenantNo);
    },
    async activate(activation) {
      await wake(activation, languages, filesOf(activation), definitions);
      triggers.wake(activation);
      changes.wake(activation);
      void countBytes(activation);
      startRunner(activation, options.runs?.(activation.position.key) ?? true);
      if (hasStatements(activation.product)) await wakeActions(activation);
    },
  });
}
