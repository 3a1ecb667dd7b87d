/** Which function answers which route. */
import { limits } from '#config/limits.ts';
import type { Handlers } from '#actors/host/service.ts';
import { replaying } from './idempotency/replay.ts';
import { mirrorHandlers } from './mirror.ts';
import { Bound } from './bulk/bound.ts';
import { exportBulk } from './bulk/export.ts';
import { importBulk } from './bulk/import.ts';
import { health, ready } from './probe/health.ts';
import type { Vitals } from './probe/health.ts';
import { create } from './rest/create.ts';
import { remove } from './rest/delete.ts';
import { list } from './rest/list.ts';
import { operations } from './rest/operations.ts';
import { read } from './rest/read.ts';
import { restore } from './rest/restore.ts';
import { update, updateById } from './rest/update.ts';
import { rows } from './routes.ts';
import type { Routes } from './routes.ts';

export function handlersOf(vitals: Vitals): Handlers<Routes> {
  const imports = new Bound(limits.data.importsRunningMax);
  const exports = new Bound(limits.data.exportsRunningMax);
  const own: Handlers<typeof rows> = {
    list,
    read,
    create,
    update,
    update_by_id: updateById,
    delete: remove,
    restore,
    operations,
    import: (call) => importBulk(call, imports),
    export: (call) => exportBulk(call, exports),
    health: () => health(vitals),
    ready: () => ready(vitals),
  };
  return { ...replaying(rows, own), ...mirrorHandlers(rows, own) };
}
