/**
 * `/health` and `/ready` of the gateway, which no service has there. Anybody who reaches the gateway may ask; it costs nothing and tells
 * the version that `jwks` callers could guess anyway. Ready is what `/readyz` of the operations listener calls so.
 */
import type { Visit } from './port.ts';

const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\n';
const TEXT = 'Content-Type: text/plain; charset=utf-8\nVary: Accept\n';

/** Answers where the path is one of the two; `ready` is asked when it is needed. */
export function gatewayProbes(version: string, ready: () => boolean): (visit: Visit) => boolean {
  const health = JSON.stringify({ healthy: true, version });
  const answers: Readonly<Record<string, (visit: Visit) => void>> = {
    '/health': (visit) => visit.answer(200, JSON_TYPE, health),
    '/ready': (visit) => {
      const is = ready();
      const wantsJson = visit.header('accept').includes('application/json');
      const body = wantsJson ? JSON.stringify({ ready: is }) : `ready:${is}`;
      visit.answer(is ? 200 : 503, wantsJson ? `${JSON_TYPE}Vary: Accept\n` : TEXT, body);
    },
  };
  return (visit) => {
    const answer = Object.hasOwn(answers, visit.path) ? answers[visit.path] : undefined;
    if (answer === undefined) return false;
    if (visit.method === 'GET' || visit.method === 'HEAD') answer(visit);
    else visit.answer(visit.method === 'OPTIONS' ? 204 : 405, 'Allow: GET, HEAD, OPTIONS\n', '');
    return true;
  };
}
