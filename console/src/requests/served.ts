/** Which routes of a tenant this listener has, so that a page says of the others that a shell asks them: a request to them would be answered 404. Pure. */
import { SERVED } from './served-routes.ts';
import type { Operation } from './shapes.ts';

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
