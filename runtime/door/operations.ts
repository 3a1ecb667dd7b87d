/** The operations listener: `/livez /readyz /metrics` and nothing else (decisions.md "All services"). */
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { Gate } from './gate.ts';
import type { Visit, VisitHandler } from './port.ts';

export interface OperationsPorts {
  readonly state: { readonly draining: boolean };
  readonly gate: Gate;
  readonly supervisor: Supervisor;
  /** Prometheus text of the whole node. */
  metrics(): string;
}

const TEXT = 'Content-Type: text/plain; charset=utf-8\n';
const PROMETHEUS = 'Content-Type: text/plain; version=0.0.4; charset=utf-8\n';

export function operations(ports: OperationsPorts): VisitHandler {
  const answers: Readonly<Record<string, (visit: Visit) => void>> = {
    '/livez': (visit) => visit.answer(200, TEXT, 'live:true'),
    '/readyz': (visit) => {
      const ready = !ports.state.draining && ports.supervisor.ready;
      visit.answer(ready ? 200 : 503, TEXT, `ready:${ready}`);
    },
    '/metrics': (visit) => visit.answer(200, PROMETHEUS, ports.metrics()),
  };
  return (visit) => {
    const answer = answers[visit.path];
    if (answer === undefined) visit.answer(404, '', '');
    else if (visit.method === 'GET' || visit.method === 'HEAD') answer(visit);
    else visit.answer(visit.method === 'OPTIONS' ? 204 : 405, 'Allow: GET, HEAD, OPTIONS\n', '');
  };
}
