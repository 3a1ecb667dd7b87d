/**
 * The metadata of assets as files beside their bytes, one per asset: `<store>/index/<id>.json`. A change is in its file, whole and durable,
 * before any reader sees it; its audit event and the answer that an `Idempotency-Key` keeps are committed after that, before the caller is
 * answered. The file keeps the id of the key, so that a retry after a crash between the two writes nothing again.
 */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { UPLOADER } from '#config/definitions/content/shapes.ts';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { keyOf } from '#actors/host/idempotency/replay.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { FolderUse } from '../folder/folder-use.ts';
import { end } from '../refused.ts';
import { Rows, type Row } from '../rows.ts';
import type { AssetIndex, Wanted } from './asset-index.ts';
import type { AssetNotes } from './asset-notes.ts';
import { versionFields } from './fields.ts';
import { checkMatch } from './match.ts';
import type { NoteCheck } from './note-check.ts';
import type { Note, NoteKey } from './note-file.ts';

export interface FsPlace {
  readonly store: string;
  readonly asset: string;
  readonly folder: string;
  readonly keepsVersions: boolean;
  readonly notes: AssetNotes;
  readonly folders: FolderUse;
  /** Made when the first asset is written. */
  readonly fields: () => NoteCheck;
}

const folderOf = (asset: Row): string | null => (asset['folder_id'] as string | null | undefined) ?? null;

export class FsIndex implements AssetIndex {
  readonly #place: FsPlace;
  #check: NoteCheck | null = null;

  constructor(place: FsPlace) {
    this.#place = place;
  }

  async get(_call: Call, id: string): Promise<Row | null> {
    return (await this.#note(id))?.asset ?? null;
  }

  list(_call: Call, { after = '', ...equal }: Wanted, limit: number): Promise<Row[]> {
    return this.#found(Object.entries(equal), after, limit);
  }

  /** Assets that a user has uploaded, after an id. */
  uploadedBy(user: string, after: string, limit: number): Promise<Row[]> {
    return this.#found([[UPLOADER, user]], after, limit);
  }

  async #found(wanted: readonly (readonly [string, unknown])[], after: string, limit: number): Promise<Row[]> {
    const { notes } = this.#place;
    await notes.ready();
    const found: Row[] = [];
    let last = after;
    for (let more = true; more && found.length < limit;) {
      let looks = 0;
      for (const id of notes.after(last)) {
        const { asset } = notes.get(id)!;
        if (wanted.every(([name, value]) => asset[name] === value)) found.push(asset);
        last = id;
        if (found.length === limit || ++looks === limits.content.fsLooksMax) break;
      }
      more = looks === limits.content.fsLooksMax;
      if (more) await nextTurn();
    }
    return found;
  }

  async create(call: Call, given: Row): Promise<Row> {
    const { notes, folders, keepsVersions } = this.#place;
    await notes.ready();
    const keys = this.#keysFor(call, []);
    const now = timestamp(call.activation.context.clock.now());
    const asset = { ...this.#checks().complete(given), created_at: now, updated_at: now, version: 1 } as Row;
    const versions = keepsVersions ? [versionOf(asset, 1, now)] : [];
    await folders.using(folderOf(asset), async () => {
      await this.#folderIsThere(call, folderOf(asset));
      await notes.add(asset['id'] as string, { asset, versions, keys });
    });
    this.#record(call, 'create', asset);
    return asset;
  }

  update(call: Call, id: string, fields: Row): Promise<Row> {
    return this.#change(call, id, fields, false);
  }

  replace(call: Call, before: Row, fields: Row): Promise<Row> {
    return this.#change(call, before['id'] as string, fields, true);
  }

  async remove(call: Call, id: string): Promise<Row> {
    const { notes } = this.#place;
    await notes.ready();
    return notes.inOrder(id, async () => {
      const { asset } = this.#present(id);
      checkMatch(call, asset);
      await notes.remove(id);
      this.#record(call, 'delete', asset);
      return asset;
    });
  }

  /** Ends the metadata of one asset and its versions, or replaces the values in it; no one asks for it by a request. Durable when it resolves. */
  async erase(id: string, replaced: Row | null): Promise<void> {
    const { notes } = this.#place;
    await notes.ready();
    await notes.inOrder(id, async () => {
      const before = notes.get(id);
      if (before === undefined) return;
      if (replaced === null) return notes.remove(id);
      const { version } = before.asset;
      await notes.put(id, { ...before, asset: { ...before.asset, ...replaced, version: (version as number) + 1 } });
    });
  }

  async versions(_call: Call, { id }: Row): Promise<Row[]> {
    return [...((await this.#note(id as string))?.versions ?? [])];
  }

  async version(call: Call, asset: Row, number: number): Promise<Row | null> {
    return (await this.versions(call, asset)).find((one) => one['number'] === number) ?? null;
  }

  async holdsFolder(_call: Call, folder: string): Promise<boolean> {
    const { notes } = this.#place;
    await notes.ready();
    for (const { asset } of notes.all()) if (folderOf(asset) === folder) return true;
    return false;
  }

  async uses(_activation: Activation, sha256: string): Promise<boolean> {
    await this.#place.notes.ready();
    return this.#place.notes.uses(sha256);
  }

  /** A change of nothing writes nothing, as with rows. */
  async #change(call: Call, id: string, fields: Row, isFile: boolean): Promise<Row> {
    const { notes, folders, keepsVersions } = this.#place;
    await notes.ready();
    return notes.inOrder(id, async () => {
      const before = this.#present(id);
      checkMatch(call, before.asset);
      const keys = this.#keysFor(call, before.keys);
      const given = this.#checks().partial(fields);
      if (Object.entries(given).every(([name, value]) => isDeepStrictEqual(before.asset[name], value)))
        return before.asset;
      const number = (before.asset['version'] as number) + 1;
      const now = timestamp(call.activation.context.clock.now());
      const asset: Row = { ...before.asset, ...given, updated_at: now, version: number };
      const versions = isFile && keepsVersions ? [...before.versions, versionOf(asset, number, now)] : before.versions;
      const folder = Object.hasOwn(given, 'folder_id') ? folderOf(asset) : null;
      await folders.using(folder, async () => {
        await this.#folderIsThere(call, folder);
        await notes.put(id, { asset, versions, keys });
      });
      this.#record(call, 'update', asset);
      return asset;
    });
  }

  async #note(id: string): Promise<Note | undefined> {
    await this.#place.notes.ready();
    return this.#place.notes.get(id);
  }

  /** The asset, which may have been deleted since the caller found it. */
  #present(id: string): Note {
    const { notes, store } = this.#place;
    return notes.get(id) ?? end('content.asset_not_found', { message: `the store ${store} has no asset ${id}` });
  }

  #checks(): NoteCheck {
    return (this.#check ??= this.#place.fields());
  }

  /** Checks again, while the folder cannot be deleted. */
  async #folderIsThere(call: Call, folder: string | null): Promise<void> {
    if (folder === null || (await new Rows(call, 'internal').get(this.#place.folder, folder)) !== null) return;
    end('content.folder_not_found', { message: `there is no folder ${folder}` });
  }

  /** The keys to be kept in the file. 409 for a key that a file has already: its request was carried out, and its answer is lost. */
  #keysFor(call: Call, before: readonly NoteKey[]): NoteKey[] {
    const now = call.activation.context.clock.now();
    const kept = before.filter(({ expiresAtMs }) => expiresAtMs > now).slice(-limits.content.fsKeysMax);
    const attempt = keyOf(call);
    if (attempt === null) return kept;
    const { id, expiresAtMs } = attempt;
    for (const { keys } of this.#place.notes.all())
      if (keys.some((key) => key.id === id && key.expiresAtMs > now)) return answerLost();
    return [...kept, { id, expiresAtMs }];
  }

  #record(call: Call, verb: 'create' | 'update' | 'delete', asset: Row): void {
    call.nextTurn(); // after a wait the old turn is stale
    const { asset: entity, store } = this.#place;
    call.record(() =>
      call.event({
        outcome: 'ok',
        action: `data.${entity}.${verb}`,
        target: String(asset['id']),
        data: { entity, store, version: asset['version'], sha256: hash('sha256', JSON.stringify(asset), 'hex') },
      }),
    );
  }
}

function versionOf(asset: Row, number: number, now: string): Row {
  return { ...versionFields(asset, number), created_at: now };
}

function answerLost(): never {
  return end('content.idempotency_key_in_use', {
    message: 'the first request under the Idempotency-Key was carried out, and its answer is lost',
    details: { written: true },
  });
}
