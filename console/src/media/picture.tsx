/** The picture of a file, or a sign of what it is: where the store declares no size, or the file is none that the node reads. */
import { IconFile, IconMusic, IconPhoto, IconVideo } from '@tabler/icons-react';
import type { Asset } from '@skep/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { usePlace } from '../session/gate.tsx';
import { pictureOf, type Store } from './queries.ts';

/** What the node makes pictures of (docs/contract/content.md §5.4). */
const READ: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif']);

interface PictureProps {
  readonly store: Store;
  readonly of: Asset;
}

export function Picture({ store, of: asset }: PictureProps) {
  const [size] = store.images;
  if (size === undefined || !READ.has(asset.content_type)) return <Sign type={asset.content_type} />;
  return <Shown store={store.name} of={asset} size={size} />;
}

interface ShownProps {
  readonly store: string;
  readonly of: Asset;
  readonly size: string;
}

function Shown({ store, of: asset, size }: ShownProps) {
  const place = usePlace();
  const { data } = useQuery(pictureOf(place, store, asset, size));
  const url = useUrl(data);
  if (url === null) return <Sign type={asset.content_type} />;
  return <img className="picture" src={url} alt={asset.alt ?? asset.title ?? asset.name} />;
}

/** An address of bytes in this page, for as long as they are shown. */
function useUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}

function Sign({ type }: { readonly type: string }) {
  const kinds = { image: IconPhoto, video: IconVideo, audio: IconMusic } as const;
  const Icon = kinds[type.split('/')[0] as keyof typeof kinds] ?? IconFile;
  return (
    <div className="picture sign">
      <Icon size={32} aria-hidden />
    </div>
  );
}
