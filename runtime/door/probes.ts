/**
 * `/health` and `/ready` of the gateway, which belong to no service. Every caller of the gateway may ask; it costs nothing and tells no more
 * than the version. `/ready` agrees with `/readyz` of the operations listener.
 */
import type { Visit } from './port.ts';

const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\n';
const TEXT = 'Content-Type: text/plain; charset=utf-8\nVary: Accept\n';

/** Answers the two paths and gives true; false at any other path. */
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
