/** The texts of a file: its title, what it shows for people who do not see it, its tags. */
import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isSkepError, type Asset } from '@skep/client';
import { useState, type FormEvent } from 'react';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { assetOf, keepAsset, type Folder } from './queries.ts';
import { tagsIn } from './search.ts';

interface AssetFormProps {
  readonly store: string;
  readonly of: Asset;
  readonly folders: readonly Folder[];
}

export function AssetForm({ store, of: asset, folders }: AssetFormProps) {
  const { media: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const shown = assetOf(place, store, asset.id);
  const [title, setTitle] = useState(asset.title ?? '');
  const [alt, setAlt] = useState(asset.alt ?? '');
  const [tags, setTags] = useState((asset.tags ?? []).join(', '));
  const [folder, setFolder] = useState(asset.folder_id ?? '');
  const keep = useMutation({
    mutationFn: () =>
      keepAsset(place, store, asset, {
        title: title || null,
        alt: alt || null,
        tags: tagsIn(tags),
        folder_id: folder || null,
      }),
    onSuccess: (kept) => {
      queries.setQueryData(shown.queryKey, kept);
      void queries.invalidateQueries({ queryKey: ['media', 'assets', store] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    keep.mutate();
  };
  return (
    <form onSubmit={submit} aria-label={words.texts}>
      <Stack gap="sm" mt="md">
        {keep.error !== null &&
          (isSkepError(keep.error, 'content.precondition_failed') ? (
            <Overtaken readAnew={() => void queries.invalidateQueries({ queryKey: shown.queryKey })} />
          ) : (
            <Fault error={keep.error} again={() => keep.mutate()} />
          ))}
        <TextInput
          label={words.title}
          value={title}
          autoComplete="off"
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
        <Textarea
          label={words.alt}
          description={words.altHow}
          value={alt}
          onChange={({ currentTarget }) => setAlt(currentTarget.value)}
        />
        <TextInput
          label={words.tags}
          description={words.tagsHow}
          value={tags}
          autoComplete="off"
          onChange={({ currentTarget }) => setTags(currentTarget.value)}
        />
        {folders.length > 0 && (
          <NativeSelect
            label={words.folderOf}
            value={folder}
            onChange={({ currentTarget }) => setFolder(currentTarget.value)}
            data={[{ value: '', label: words.inNone }, ...folders.map(({ id, path }) => ({ value: id, label: path }))]}
          />
        )}
        <Group>
          <Button type="submit" size="xs" loading={keep.isPending}>
            {words.save}
          </Button>
          {asset.version > 1 && !keep.isPending && keep.error === null && (
            <Text size="sm" c="dimmed" role="status">
              {words.version(asset.version)}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** What was typed stays until its reader has the newer texts shown. */
function Overtaken({ readAnew }: { readonly readAnew: () => void }) {
  const { media: words } = useWords();
  return (
    <Alert color="orange" variant="outline" role="alert">
      <Text c="var(--mantine-color-text)" size="sm">
        {words.overtaken}
      </Text>
      <Button variant="default" size="xs" mt="xs" onClick={readAnew}>
        {words.readAnew}
      </Button>
    </Alert>
  );
}
