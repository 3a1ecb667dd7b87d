/** Which function answers which route. */
import type { Handlers } from '#actors/host/service.ts';
import { callEndpoint } from './endpoint/call-endpoint.ts';
import { expressed } from './expression/expression.ts';
import { health, ready } from './probe/health.ts';
import type { Vitals } from './probe/health.ts';
import { create } from './rest/create.ts';
import { remove } from './rest/delete.ts';
import { list } from './rest/list.ts';
import { read } from './rest/read.ts';
import { update, updateById } from './rest/update.ts';
import { refuse } from './refusals.ts';
import type { Routes } from './routes.ts';

export function handlersOf(vitals: Vitals): Handlers<Routes> {
  return {
    list: expressed(list),
    read: expressed(read),
    create: expressed(create),
    update: expressed(update),
    update_by_id: expressed(updateById),
    delete: expressed(remove),
    endpoint: callEndpoint,
    endpoint_root: () => refuse('v2.endpoint_path_missing'),
    endpoint_slash: () => refuse('v2.endpoint_path_missing'),
    health: () => health(vitals),
    ready: () => ready(vitals),
  };
}
