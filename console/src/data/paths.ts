/** Addresses of rows. Pure. */
import { stringifySearch } from '../frame/search.ts';
import { baseOf } from '../session/position.ts';

export const entityPath = (key: string, entity: string): string => `${baseOf(key)}/data/${entity}`;

/** As a link of a page has it, from the origin on. */
export const rowHref = (key: string, entity: string, id: string): string =>
  `/console${entityPath(key, entity)}${stringifySearch({ row: id })}`;
