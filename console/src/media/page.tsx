/** The files of a tenant's stores, with their pictures. Which store is shown and which file is open stand in the address. */
import { Anchor, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
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
import { mediaPath } from './paths.ts';
import { Picture } from './picture.tsx';
import { assetsOf, storesOf } from './queries.ts';
import type { Store } from './queries.ts';
import type { MediaSearch } from './search.ts';
import './media.css';

const linkId = (id: string): string => `asset-${id}`;

export function MediaPage() {
  const { media: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: '/at/$customer/$product/$env/$tenant/media' });
  const navigate = useNavigate();
  const stores = useQuery(storesOf(place));
  const store = stores.data?.find(({ name }) => name === search.store) ?? stores.data?.[0];
  const list = useInfiniteQuery(assetsOf(place, store?.name ?? ''));
  const error = stores.error ?? list.error;
  const rows = list.data?.pages.flatMap(({ assets }) => assets);
  const go = (next: MediaSearch): void => void navigate({ to: mediaPath(place.key), search: next as never });
  const close = (): void => {
    go(search.store === undefined ? {} : { store: search.store });
    if (search.asset !== undefined) document.getElementById(linkId(search.asset))?.focus();
  };
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {error !== null && (
        <Fault error={error} again={() => void (stores.error === null ? list.refetch() : stores.refetch())} />
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
            <AssetSheet key={search.asset} store={store} id={search.asset} close={close} />
          )}
        </Stack>
      )}
    </>
  );
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
