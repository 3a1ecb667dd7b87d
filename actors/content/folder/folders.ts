/** Folders of a store: a tree of names, each with its path, so that a path finds it (docs/contract/content.md §5.2). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { demand } from '../judge.ts';
import { isId, knownParameters } from '../page.ts';
import { partOf, storeOf, type OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { rowAs, Rows, type Operation, type Query, type Row } from '../rows.ts';
import { wholeList } from '../whole-list.ts';
import { folderName } from './name.ts';
import type { Routes } from '../routes.ts';
import type { Folder } from '../shapes.ts';

export async function listFolders(call: Call): Promise<Outcome<Routes['folder_list']>> {
  const store = storeOf(call);
  demand(call, store.judge, { operation: 'readfolder', of: store.name });
  const { parent_id: parent, ...paging } = knownParameters(call, ['parent_id', 'limit', 'after']);
  return reply(200, await wholeList<Folder>(call, store.folder, inParent(parent), paging));
}

function inParent(parent: string | undefined): Query {
  if (parent === undefined) return {};
  if (parent === 'null') return { 'parent_id[null]': 'true' };
  if (!isId(parent)) end('content.bad_query', { message: 'parent_id must be an id, or null' });
  return { parent_id: parent };
}

export async function readFolder(call: Call): Promise<Outcome<Routes['folder_read']>> {
  const store = storeOf(call);
  return reply(200, rowAs<Folder>(await findFolder(call, store, 'readfolder')));
}

export async function createFolder(call: Call): Promise<Outcome<Routes['folder_create']>> {
  const store = storeOf(call);
  const body = objectOf(call);
  demand(call, store.judge, { operation: 'createfolder', of: store.name, data: body });
  const name = folderName(body['name']);
  const parent = await parentOf(call, store, body['parent_id']);
  const row = { ...body, name, ...placeIn(parent, name) };
  const [folder] = await new Rows(call, 'internal').run([{ action: 'create', data: { [store.folder]: checked(row) } }]);
  return reply(201, rowAs<Folder>(folder!), { Location: `/store/${store.name}/folder/${folder!['id'] as string}` });
}

/** Folders below move along, in the same commit. */
export async function updateFolder(call: Call): Promise<Outcome<Routes['folder_update']>> {
  const store = storeOf(call);
  const body = objectOf(call);
  const before = await findFolder(call, store, 'updatefolder', body);
  const name = folderName(body['name'] ?? before['name']);
  const parent = await parentOf(
    call,
    store,
    Object.hasOwn(body, 'parent_id') ? body['parent_id'] : before['parent_id'],
  );
  const oldPath = before['path'] as string;
  const { path, parent_id } = placeIn(parent, name);
  if (`${path}/`.startsWith(`${oldPath}/`) && path !== oldPath)
    end('content.invalid', { message: 'a folder cannot be moved into itself' });
  const moved = path === oldPath ? [] : await below(call, store, oldPath, path);
  const row = checked({ ...body, id: before['id'], name, parent_id, path });
  const [folder] = await new Rows(call, 'internal').run([
    { action: 'update', data: { [store.folder]: row } },
    ...moved,
  ]);
  return reply(200, rowAs<Folder>(folder!));
}

/** 409 for a folder that is not empty. */
export async function deleteFolder(call: Call): Promise<Outcome<Routes['folder_delete']>> {
  const store = storeOf(call);
  const { id, path } = await findFolder(call, store, 'deletefolder');
  const folder = id as string;
  const remove = async (): Promise<Row> => {
    if (await holdsAny(call, store, folder)) return notEmpty(path);
    return new Rows(call, 'internal').remove(store.folder, folder);
  };
  const gone = await partOf(call.activation).folders.ending(folder, remove, () => notEmpty(path));
  return reply(200, rowAs<Folder>(gone));
}

function notEmpty(path: unknown): never {
  return end('content.conflict', { message: `the folder ${shown(path)} is not empty` });
}

/** Asks every store that uses these folders; this store by the rows of its entity. */
async function holdsAny(call: Call, store: OpenStore, folder: string): Promise<boolean> {
  if ((await new Rows(call, 'internal').find(store.folder, { parent_id: folder })) !== null) return true;
  if (await store.database.holdsFolder(call, folder)) return true;
  for (const other of partOf(call.activation).stores.values())
    if (other.folder === store.folder && (await other.index.holdsFolder(call, folder))) return true;
  return false;
}

async function findFolder(call: Call, store: OpenStore, operation: string, data?: object): Promise<Row> {
  const id = call.param('id');
  const row = isId(id) ? await new Rows(call, 'internal').get(store.folder, id) : null;
  demand(call, store.judge, { operation, of: store.name, id, row, ...(data !== undefined && { data }) });
  return row ?? end('content.folder_not_found', { message: `there is no folder ${shown(id)}` });
}

async function parentOf(call: Call, store: OpenStore, id: unknown): Promise<Row | null> {
  if (id === undefined || id === null) return null;
  const row = typeof id === 'string' && isId(id) ? await new Rows(call, 'internal').get(store.folder, id) : null;
  return row ?? end('content.folder_not_found', { message: `there is no folder ${shown(id)}` });
}

function placeIn(parent: Row | null, name: string) {
  return { parent_id: parent?.['id'] ?? null, path: `${(parent?.['path'] as string | undefined) ?? ''}/${name}` };
}

/** Refuses `path`: it follows from the tree. */
function checked(row: Record<string, unknown>): Row {
  const { version: _version, created_at: _created, updated_at: _updated, ...rest } = row;
  return rest;
}

async function below(call: Call, store: OpenStore, oldPath: string, path: string): Promise<Operation[]> {
  const moved: Operation[] = [];
  const query = { 'path[gt]': `${oldPath}/`, 'path[lt]': `${oldPath}0` }; // 0 follows the slash
  for await (const row of new Rows(call, 'internal').all(store.folder, query)) {
    const to = path + (row['path'] as string).slice(oldPath.length);
    moved.push({ action: 'update', data: { [store.folder]: { id: row['id'], path: to } } });
    if (moved.length >= limits.data.envelopeOperationsMax)
      end('content.invalid', { message: 'there are too many folders below it to move at once' });
  }
  return moved;
}
