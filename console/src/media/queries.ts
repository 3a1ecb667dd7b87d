/** What the page of files asks of the tenant at its place. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { files } from '@skep/client';
import type { Asset } from '@skep/client';
import type { Place } from '../session/session.ts';

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

/** A page at a time. */
export const assetsOf = (place: Place, store: string) =>
  infiniteQueryOptions({
    queryKey: ['media', 'assets', store],
    queryFn: ({ pageParam, signal }) =>
      files(place.skep, store).list({ limit: PAGE, signal, ...(pageParam !== null && { after: pageParam }) }),
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
  readonly title: string | null;
  readonly alt: string | null;
  readonly tags: readonly string[];
}

/** Refused where another caller has changed the file's texts meanwhile. */
export const keepAsset = ({ skep }: Place, store: string, { id, version }: Asset, fields: AssetText): Promise<Asset> =>
  files(skep, store).update(id, fields, { version });
