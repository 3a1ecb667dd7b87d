/** The files of a tenant's stores, with their pictures. Which store is shown and which file is open stand in the address. */
import { Anchor, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Asset } from '@skep/client';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { AssetSheet } from './asset-sheet.tsx';
import { FolderBar } from './folder-bar.tsx';
import { mediaPath } from './paths.ts';
import { Picture } from './picture.tsx';
import { assetsOf, foldersOf, storesOf, type Store } from './queries.ts';
import { NO_FOLDER, type MediaSearch } from './search.ts';
import { UploadPanel } from './upload-panel.tsx';
import { useUploads } from './use-uploads.ts';
import './media.css';

const linkId = (id: string): string => `asset-${id}`;

export function MediaPage() {
  const { media: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: '/at/$customer/$product/$env/$tenant/media' });
  const navigate = useNavigate();
  const stores = useQuery(storesOf(place));
  const store = stores.data?.find(({ name }) => name === search.store) ?? stores.data?.[0];
  const folders = useQuery(foldersOf(place, store?.name ?? ''));
  const list = useInfiniteQuery(assetsOf(place, store?.name ?? '', search.folder));
  const error = stores.error ?? folders.error ?? list.error;
  const rows = list.data?.pages.flatMap(({ assets }) => assets);
  const go = (next: MediaSearch): void => void navigate({ to: mediaPath(place.key), search: next as never });
  const close = (): void => {
    const { asset, ...there } = search;
    go(there);
    if (asset !== undefined) document.getElementById(linkId(asset))?.focus();
  };
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {error !== null && (
        <Fault error={error} again={() => void Promise.all([stores.refetch(), folders.refetch(), list.refetch()])} />
      )}
      {stores.data?.length === 0 && <Text maw="72ch">{words.noStores}</Text>}
      {store !== undefined && (
        <Stack gap="sm">
          {stores.data!.length > 1 && (
            <NativeSelect
              label={words.store}
              maw={240}
              value={store.name}
              onChange={({ currentTarget }) => go({ store: currentTarget.value })}
              data={stores.data!.map(({ name }) => name)}
            />
          )}
          {folders.data !== undefined && (
            <FolderBar
              store={store.name}
              folders={folders.data}
              shown={search.folder}
              choose={(folder) =>
                go({
                  ...(search.store !== undefined && { store: search.store }),
                  ...(folder !== undefined && { folder }),
                })
              }
            />
          )}
          <Sendings key={store.name} store={store.name} folder={search.folder} />
          {rows !== undefined && (
            <Panel title={store.name}>
              {rows.length === 0 ? (
                <Text c="dimmed" maw="72ch">
                  {words.none}
                </Text>
              ) : (
                <Files store={store} rows={rows} search={search} />
              )}
              <More of={list} label={words.more} />
            </Panel>
          )}
          {search.asset !== undefined && (
            <AssetSheet key={search.asset} store={store} folders={folders.data ?? []} id={search.asset} close={close} />
          )}
        </Stack>
      )}
    </>
  );
}

/** Each store has its own; a folder that is chosen meanwhile is that of the files that are added then. */
function Sendings({ store, folder = NO_FOLDER }: { readonly store: string; readonly folder?: string | undefined }) {
  const queries = useQueryClient();
  const uploads = useUploads(usePlace(), store, () => {
    void queries.invalidateQueries({ queryKey: ['media', 'assets', store] });
  });
  return <UploadPanel uploads={uploads} folder={folder === NO_FOLDER ? null : folder} />;
}

interface FilesProps {
  readonly store: Store;
  readonly rows: readonly Asset[];
  readonly search: MediaSearch;
}

function Files({ store, rows, search }: FilesProps) {
  const { media: words } = useWords();
  const { key } = usePlace();
  const { count } = useFigures();
  return (
    <ul className="files" aria-label={words.list}>
      {rows.map((asset) => (
        <li key={asset.id}>
          <Picture store={store} of={asset} />
          <Anchor
            id={linkId(asset.id)}
            component={Link}
            to={mediaPath(key)}
            search={{ ...search, asset: asset.id } as never}
            size="sm"
            c="var(--mantine-color-text)"
            underline="always"
          >
            {asset.title ?? asset.name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {asset.width === null ? asset.content_type : `${count(asset.width)} × ${count(asset.height ?? 0)}`}
          </Text>
        </li>
      ))}
    </ul>
  );
}
