/** The gate of a node's listeners: what it asks of the node, put together. */
import type { Platform } from '#config/platform.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { Compression } from './compress/compression.ts';
import { CorsVisit } from './cors-visit.ts';
import type { Desk } from './desk.ts';
import { farPorts, type FarSide } from './far-gate.ts';
import { Gate } from './gate.ts';
import type { GatePorts } from './gate-ports.ts';
import { isOfPage } from './live/origin.ts';
import type { PageOrigins } from './page-origins.ts';
import { refuseAtDoor } from './refusals.ts';
import type { RefusedSubmissions } from './refused-submissions.ts';
import { RequestIds } from './request-id.ts';
import type { SessionCookies } from './session-cookies.ts';
import { SubmissionVisit } from './submission-visit.ts';

type Threads = Pick<Supervisor, 'desk' | 'hostDesk'>;

export interface GateParts extends Pick<
  GatePorts,
  'answered' | 'directory' | 'rates' | 'suspensions' | 'traces' | 'usage'
> {
  readonly platform: Platform;
  readonly supervisor: Threads;
  readonly refused: Pick<RefusedSubmissions, 'flush'>;
  readonly pages: PageOrigins | null;
  readonly cookies: SessionCookies | null;
  readonly compression: Compression | null;
  /** Whether a request shows the gateway's secret. */
  readonly passesGateway: (shown: string) => boolean;
  /** Null where no other node can serve. */
  readonly far: FarSide | null;
}

export function gateOf(routes: readonly CompiledRoute[], parts: GateParts): Gate {
  const { answered, compression, cookies, directory, far, pages, passesGateway, platform } = parts;
  const { rates, refused, supervisor, suspensions, traces, usage } = parts;
  const room = submissionRoom(platform);
  const secretHeader = platform.intake.security.gateway_secret_header.toLowerCase();
  const own: GatePorts = {
    directory,
    rates,
    ids: new RequestIds(),
    ...(suspensions !== undefined && { suspensions }),
    ...(usage !== undefined && { usage }),
    pages,
    traces: traces ?? null,
    desk: (route, tenant) => {
      if (route.row.to === 'intake' && route.name !== 'submit') refused.flush();
      return deskOf(supervisor, route, tenant);
    },
    dress: (arrival) => {
      cookies?.read(arrival);
      const { visit, params, route } = arrival;
      if (route.row.cookies !== undefined && visit.loginLines !== undefined) arrival.extra = visit.loginLines;
      if (visit.upgrades === true && !isOfPage(arrival, pages)) arrival.refusal ??= refuseAtDoor('cross_origin');
      if (route.row.body === 'form') return new SubmissionVisit(visit, params, arrival.callerIp(), route.row.cors);
      if (route.row.cors !== undefined) return new CorsVisit(visit, route.row.cors);
      const dressed = pages === null ? visit : pages.dress(arrival);
      return compression === null ? dressed : compression.dress(arrival, dressed);
    },
    guard: (route, visit) =>
      !isOfForms(route.row) || passesGateway(visit.header(secretHeader)) ? null : refuseIntake('intake.forbidden'),
    full: (route, desk) =>
      route.row.body === 'form' && desk.inFlight >= room ? refuseIntake('intake.shedding') : null,
    answered,
  };
  return new Gate(routes, farPorts(own, far));
}

/** What the gateway passes on to intake: submissions, and the challenges of their captchas. */
const isOfForms = ({ to, listener }: RouteRow): boolean => to === 'intake' && listener !== 'own';

/**
 * How many submissions may wait for the disk: the writer's queue, and a batch in each of its two stages. The door counts those that it
 * has sent and that are not answered, so a full queue is refused without a message to the writer.
 */
function submissionRoom({ intake: { storage } }: Platform): number {
  return storage.queue_depth + 2 * storage.batch_max;
}

function deskOf(supervisor: Threads, route: CompiledRoute, tenant: TenantEntry | undefined): Desk {
  if (route.row.to === 'intake') return supervisor.desk('intake-writer');
  if (route.row.to === 'vault') return supervisor.desk('vault-keeper');
  if (route.row.to === 'audit') return supervisor.desk('audit-sealer');
  return supervisor.hostDesk((tenant ?? CONTROL_ENTRY).shard);
}
