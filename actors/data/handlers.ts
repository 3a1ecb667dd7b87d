/** Which function answers which route. */
import type { Handlers } from '#actors/host/service.ts';
import { health, ready } from './probe/health.ts';
import type { Vitals } from './probe/health.ts';
import { create } from './rest/create.ts';
import { remove } from './rest/delete.ts';
import { list } from './rest/list.ts';
import { read } from './rest/read.ts';
import { search } from './rest/search.ts';
import { update, updateById } from './rest/update.ts';
import type { Routes } from './routes.ts';

export function handlersOf(vitals: Vitals): Handlers<Routes> {
  return {
    list,
    read,
    search,
    create,
    update,
    update_by_id: updateById,
    delete: remove,
    health: () => health(vitals),
    ready: () => ready(vitals),
  };
}
