/** What the page of files asks of the tenant at its place. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { files, isSkepError, type Asset } from '@skep/client';
import type { Place } from '../session/session.ts';
import { NO_FOLDER } from './search.ts';

/** Of one page of files. */
const PAGE = 48;
const MINUTE_MS = 60_000;

/** As `/data/contentstore/list` has it. */
export interface Store {
  readonly name: string;
  readonly active: boolean;
  /** The sizes in which it shows pictures. */
  readonly images: readonly string[];
}

export const storesOf = (place: Place) =>
  queryOptions({
    queryKey: ['media', 'stores'],
    queryFn: async ({ signal }): Promise<readonly Store[]> => {
      const ask = { method: 'GET', path: '/data/contentstore/list', signal };
      const stores = (await place.skep.transport.send(ask)).json as Readonly<Record<string, Store>>;
      return Object.values(stores).filter(({ active }) => active);
    },
    staleTime: 10 * MINUTE_MS,
  });

export interface Folder {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly path: string;
}

/** More of them are not offered. */
const FOLDERS_MAX = 500;

const folderPath = (store: string): string => `/store/${encodeURIComponent(store)}/folder`;

/** In the order of their paths; none where the rules of the store keep them from the login. */
export const foldersOf = (place: Place, store: string) =>
  queryOptions({
    queryKey: ['media', 'folders', store],
    queryFn: async ({ signal }): Promise<readonly Folder[]> => {
      const query = new URLSearchParams({ limit: String(FOLDERS_MAX) });
      try {
        const { json } = await place.skep.transport.send({ method: 'GET', path: folderPath(store), query, signal });
        return (json as { readonly data: readonly Folder[] }).data.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      } catch (error) {
        if (isSkepError(error, 'content.forbidden')) return [];
        throw error;
      }
    },
    enabled: store !== '',
    staleTime: MINUTE_MS,
  });

export async function makeFolder({ skep }: Place, store: string, name: string, parent: string | null): Promise<Folder> {
  const ask = { method: 'POST', path: folderPath(store), body: { name, parent_id: parent } };
  return (await skep.transport.send(ask)).json as Folder;
}

/** Refused where something is in it. */
export async function endFolder({ skep }: Place, store: string, id: string): Promise<void> {
  await skep.transport.send({ method: 'DELETE', path: `${folderPath(store)}/${encodeURIComponent(id)}` });
}

/** Drops what has come of an upload. */
export async function endUpload({ skep }: Place, store: string, id: string): Promise<void> {
  const path = `/store/${encodeURIComponent(store)}/upload/${encodeURIComponent(id)}`;
  await skep.transport.send({ method: 'DELETE', path, headers: { 'Tus-Resumable': '1.0.0' } });
}

/** A page at a time. `folder`: as the address has it. */
export const assetsOf = (place: Place, store: string, folder: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['media', 'assets', store, folder ?? ''],
    queryFn: ({ pageParam, signal }) =>
      files(place.skep, store).list({
        limit: PAGE,
        signal,
        ...(folder !== undefined && { folder: folder === NO_FOLDER ? null : folder }),
        ...(pageParam !== null && { after: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: store !== '',
  });

export const assetOf = (place: Place, store: string, id: string) =>
  queryOptions({
    queryKey: ['media', 'asset', store, id],
    queryFn: ({ signal }) => files(place.skep, store).get(id, { signal }),
    enabled: store !== '',
  });

/** The picture of a file in a size of its store. It is made by the node, whatever the file says of itself. */
export const pictureOf = (place: Place, store: string, { id, sha256 }: Asset, image: string) =>
  queryOptions({
    queryKey: ['media', 'picture', store, id, sha256, image],
    queryFn: ({ signal }) => files(place.skep, store).download(id, { image, signal }),
    staleTime: Infinity,
    gcTime: MINUTE_MS,
  });

export interface AssetText {
  readonly folder_id: string | null;
  readonly title: string | null;
  readonly alt: string | null;
  readonly tags: readonly string[];
}

/** Refused where another caller has changed the file's texts meanwhile. */
export const keepAsset = ({ skep }: Place, store: string, { id, version }: Asset, fields: AssetText): Promise<Asset> =>
  files(skep, store).update(id, fields, { version });
