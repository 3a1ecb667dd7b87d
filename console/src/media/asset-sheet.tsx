/** One file beside the list: its picture, what is known of it, and the texts that go with it. */
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { isSkepError } from '@skep/client';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { AssetForm } from './asset-form.tsx';
import { EndAsset } from './end-asset.tsx';
import { Picture } from './picture.tsx';
import { assetOf, type Folder, type Store } from './queries.ts';

interface AssetSheetProps {
  readonly store: Store;
  readonly folders: readonly Folder[];
  readonly id: string;
  readonly close: () => void;
}

export function AssetSheet({ store, folders, id, close }: AssetSheetProps) {
  const { media: words } = useWords();
  const { count, moment } = useFigures();
  const place = usePlace();
  const queries = useQueryClient();
  const gone = (): void => {
    close();
    // The lists alone: what is gone is not asked for again.
    void queries.invalidateQueries({ queryKey: ['media', 'assets', store.name] });
  };
  const { data: asset, error, refetch } = useQuery(assetOf(place, store.name, id));
  return (
    <Sheet title={asset?.name ?? words.file} close={close}>
      {isSkepError(error, 'content.asset_not_found') && <Text maw="72ch">{words.unknown}</Text>}
      {error !== null && !isSkepError(error, 'content.asset_not_found') && (
        <Fault error={error} again={() => void refetch()} />
      )}
      {asset !== undefined && (
        <>
          <Picture store={store} of={asset} />
          <Facts
            of={[
              [words.type, asset.content_type],
              [words.bytes, count(asset.size)],
              ...(asset.width === null
                ? []
                : [[words.pixels, `${count(asset.width)} × ${count(asset.height ?? 0)}`] as const]),
              [words.stored, moment(asset.created_at)],
              [words.changed, moment(asset.updated_at)],
              ['id', asset.id],
            ]}
          />
          <AssetForm key={asset.version} store={store.name} of={asset} folders={folders} />
          <EndAsset store={store.name} of={asset} onGone={gone} />
        </>
      )}
    </Sheet>
  );
}
