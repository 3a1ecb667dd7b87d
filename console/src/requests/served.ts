/** Which routes of a tenant this listener has, so that a page says of the others that a shell asks them: a request to them would be answered 404. `runtime/console/console-routes.ts` decides; a test holds both equal. Pure. */
import type { Operation } from './shapes.ts';

export const SERVED: readonly string[] = [
  'DELETE /data/actions/{name}',
  'DELETE /data/admin/data/locks/{resource}',
  'DELETE /data/rest/{entity}/id/{id}',
  'DELETE /data/x/{path}',
  'GET /data/actions/{name}',
  'GET /data/admin/data/locks',
  'GET /data/admin/data/retention/entities',
  'GET /data/admin/data/retention/preview',
  'GET /data/admin/data/seeds',
  'GET /data/admin/data/submissions',
  'GET /data/admin/data/submissions/export',
  'GET /data/admin/data/triggers',
  'GET /data/admin/data/triggers/events',
  'GET /data/changes',
  'GET /data/contentstore/list',
  'GET /data/rest/{entity}',
  'GET /data/rest/{entity}/id/{id}',
  'GET /data/schema',
  'GET /data/schema/entities',
  'GET /data/schema/entities/{entity}',
  'GET /data/schema/openapi.json',
  'GET /data/stateflow/{name}',
  'GET /data/stateflows',
  'GET /data/x/{path}',
  'PATCH /data/actions/{name}',
  'PATCH /data/rest/{entity}/id/{id}',
  'PATCH /data/x/{path}',
  'POST /data/actions/{name}',
  'POST /data/admin/data/actions/{name}/explain',
  'POST /data/admin/data/explain',
  'POST /data/admin/data/retention/runs',
  'POST /data/admin/data/seeds/runs',
  'POST /data/admin/data/triggers/events/{id}/retry',
  'POST /data/bulk',
  'POST /data/graphql',
  'POST /data/rest/{entity}',
  'POST /data/rest/{entity}/action/{action}',
  'POST /data/rest/{entity}/id/{id}/restore',
  'POST /data/rest/{entity}/search',
  'POST /data/x/{path}',
  'PUT /data/actions/{name}',
  'PUT /data/rest/{entity}/id/{id}',
  'PUT /data/x/{path}',
];

/** Their answers go on, or have a form of their own: a page that shows JSON cannot show them. */
const STREAMS: readonly string[] = ['GET /data/changes', 'GET /data/admin/data/submissions/export', 'POST /data/bulk'];

/** The rest of a path, with slashes, stands for the last name of an endpoint's. */
const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .replaceAll('.', '\\.')
      .replace('{path}', '.+')
      .replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`,
  );

const PATTERNS = SERVED.filter((one) => !STREAMS.includes(one)).map(patternOf);

export const isServed = ({ id }: Pick<Operation, 'id'>): boolean => PATTERNS.some((pattern) => pattern.test(id));
