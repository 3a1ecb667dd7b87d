/** The operations listener: `/livez /readyz /metrics` and nothing else (docs/contract/platform.md §3.3), in development `/mails`, too. */
import type { DegradedRegistry } from '#runtime/observe/degraded.ts';
import { isMailboxPath, showMailbox, type MailboxPorts } from './mailbox/mailbox.ts';
import type { Visit, VisitHandler } from './port.ts';

export interface OperationsPorts {
  readonly state: { readonly draining: boolean };
  /** Whether any thread serves requests. */
  isServing(): boolean;
  readonly degraded: Pick<DegradedRegistry, 'concernsAll' | 'list' | 'unlisted'>;
  /** Prometheus text of the whole node. */
  metrics(): string;
  /** The same as OpenMetrics, with exemplars; null where nothing is traced. */
  readonly openMetrics: (() => string) | null;
  /** What a node that does not serve yet is; absent where it serves. */
  readonly standby?: () => string;
  /** The mails of a node in development; null where mails leave. */
  readonly mailbox: MailboxPorts | null;
}

const TEXT = 'Content-Type: text/plain; charset=utf-8\n';
const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\nVary: Accept\n';
const PROMETHEUS = 'Content-Type: text/plain; version=0.0.4; charset=utf-8\n';
const OPEN_METRICS = 'application/openmetrics-text';
const OPEN_METRICS_TYPE = `Content-Type: ${OPEN_METRICS}; version=1.0.0; charset=utf-8\nVary: Accept\n`;

/**
 * Answers `ready:true` or `ready:false`; for `Accept: application/json` also the list of degradations. 503 means that no request can be served. A
 * fault of one tenant, one log or one of several hosts is listed and leaves the status at 200, so that a load balancer keeps sending the others' requests.
 * Every caller that reaches the operations listener (loopback unless the platform file says otherwise) may ask: the list names tenants, never a secret.
 * It costs one pass over a bounded list.
 */
function readyz(ports: OperationsPorts, visit: Visit): void {
  const { degraded } = ports;
  const ready = !ports.state.draining && ports.isServing() && !degraded.concernsAll;
  const status = ready ? 200 : 503;
  if (!visit.header('accept').includes('application/json')) {
    visit.answer(status, TEXT, ports.standby === undefined ? `ready:${ready}` : `ready:${ready}\n${ports.standby()}`);
    return;
  }
  const { unlisted } = degraded;
  const body = {
    ready,
    ...(ports.standby === undefined ? {} : { standby: ports.standby() }),
    degraded: degraded.list(),
    ...(unlisted > 0 ? { unlisted } : {}),
  };
  visit.answer(status, JSON_TYPE, JSON.stringify(body));
}

/** OpenMetrics for a scraper that takes it, where there are exemplars to show; else Prometheus text. */
function metrics(ports: OperationsPorts, visit: Visit): void {
  const { openMetrics } = ports;
  if (openMetrics === null || !visit.header('accept').includes(OPEN_METRICS))
    visit.answer(200, PROMETHEUS, ports.metrics());
  else visit.answer(200, OPEN_METRICS_TYPE, openMetrics());
}

export function operations(ports: OperationsPorts): VisitHandler {
  const answers: Readonly<Record<string, (visit: Visit) => void>> = {
    '/livez': (visit) => visit.answer(200, TEXT, 'live:true'),
    '/readyz': (visit) => readyz(ports, visit),
    '/metrics': (visit) => metrics(ports, visit),
  };
  return (visit) => {
    const answer = answers[visit.path] ?? mailboxAnswer(ports.mailbox, visit.path);
    if (answer === undefined) visit.answer(404, '', '');
    else if (visit.method === 'GET' || visit.method === 'HEAD') answer(visit);
    else visit.answer(visit.method === 'OPTIONS' ? 204 : 405, 'Allow: GET, HEAD, OPTIONS\n', '');
  };
}

function mailboxAnswer(mailbox: MailboxPorts | null, path: string): ((visit: Visit) => void) | undefined {
  return mailbox !== null && isMailboxPath(path) ? (visit) => showMailbox(mailbox, visit) : undefined;
}
