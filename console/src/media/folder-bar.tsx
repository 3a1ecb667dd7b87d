/** Which folder is shown; a new one in it, and the end of an empty one. */
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { AskedAct } from '../parts/asked-act.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { endFolder, makeFolder, type Folder } from './queries.ts';
import { NO_FOLDER } from './search.ts';

interface FolderBarProps {
  readonly store: string;
  readonly folders: readonly Folder[];
  /** The id of one, NO_FOLDER, or undefined for all files. */
  readonly shown: string | undefined;
  readonly choose: (folder: string | undefined) => void;
}

export function FolderBar({ store, folders, shown, choose }: FolderBarProps) {
  const { media: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const renewed = () => queries.invalidateQueries({ queryKey: ['media', 'folders', store] });
  const folder = folders.find(({ id }) => id === shown);
  const make = useMutation({
    mutationFn: () => makeFolder(place, store, name.trim(), folder?.id ?? null),
    onSuccess: async ({ id }) => {
      setName('');
      await renewed();
      choose(id);
    },
  });
  const end = useMutation({
    mutationFn: (id: string) => endFolder(place, store, id),
    onSuccess: async () => {
      choose(folder?.parent_id ?? undefined);
      await renewed();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  const error = make.error ?? end.error;
  return (
    <Panel title={words.folders}>
      <Stack gap="xs">
        {error !== null && (
          <Fault
            error={error}
            again={() => {
              make.reset();
              end.reset();
            }}
          />
        )}
        <Group gap="sm" align="flex-end">
          <NativeSelect
            label={words.folder}
            size="xs"
            value={folder?.id ?? (shown === NO_FOLDER ? NO_FOLDER : '')}
            onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}
            data={[
              { value: '', label: words.everyFile },
              { value: NO_FOLDER, label: words.inNone },
              ...folders.map(({ id, path }) => ({ value: id, label: path })),
            ]}
          />
          <form onSubmit={submit} aria-label={words.newFolder}>
            <Group gap="xs" align="flex-end">
              <TextInput
                size="xs"
                label={folder === undefined ? words.newFolder : words.newFolderIn(folder.path)}
                value={name}
                autoComplete="off"
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <Button type="submit" size="xs" variant="default" disabled={name.trim() === ''} loading={make.isPending}>
                {words.makeFolder}
              </Button>
            </Group>
          </form>
        </Group>
        {folder !== undefined && (
          <AskedAct
            key={folder.id}
            act={words.endFolder}
            how={words.endFolderSure}
            name={folder.name}
            label={words.typedName}
            isTyped={(typed) => typed === folder.name}
            isPending={end.isPending}
            run={() => end.mutateAsync(folder.id)}
            reset={() => end.reset()}
          />
        )}
      </Stack>
    </Panel>
  );
}
