/** Files are chosen or dropped here, and sent one after the other; each says how far it is. */
import { Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { isSkepError } from '@skep/client';
import { Panel } from '../parts/panel.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Sending, Uploads } from './use-uploads.ts';

interface UploadPanelProps {
  readonly uploads: Uploads;
  /** Where files are put; null for no folder. */
  readonly folder: string | null;
}

export function UploadPanel({ uploads, folder }: UploadPanelProps) {
  const { media: words } = useWords();
  const hasEnded = uploads.all.some(({ state }) => state !== 'waits' && state !== 'runs');
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        uploads.add([...event.dataTransfer.files], folder);
      }}
    >
      <Panel title={words.upload}>
        <Text size="sm" c="dimmed" maw="72ch">
          {words.uploadHow}
        </Text>
        <Group gap="xs" mt="xs">
          <FileButton multiple onChange={(chosen) => uploads.add(chosen, folder)}>
            {(props) => (
              <Button {...props} size="xs" leftSection={<IconUpload size={14} aria-hidden />}>
                {words.choose}
              </Button>
            )}
          </FileButton>
          {hasEnded && (
            <Button size="xs" variant="default" onClick={uploads.clear}>
              {words.clear}
            </Button>
          )}
        </Group>
        {uploads.all.length > 0 && (
          <Stack component="ul" gap="xs" mt="sm" className="uploads" aria-label={words.uploads}>
            {uploads.all.map((one) => (
              <OneUpload key={one.no} of={one} uploads={uploads} />
            ))}
          </Stack>
        )}
      </Panel>
    </div>
  );
}

function OneUpload({ of: one, uploads }: { readonly of: Sending; readonly uploads: Uploads }) {
  const { media: words } = useWords();
  const { count } = useFigures();
  const { no, file, state, bytes, error } = one;
  const isOpen = state === 'waits' || state === 'runs';
  return (
    <li data-state={state}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" className="said">
          {file.name}
        </Text>
        {isOpen && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => uploads.stop(no)}
            aria-label={words.stopOne(file.name)}
          >
            {words.stop}
          </Button>
        )}
        {(state === 'failed' || state === 'stopped') && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => uploads.again(no)}
            aria-label={words.againOne(file.name)}
          >
            {words.again}
          </Button>
        )}
      </Group>
      {isOpen && (
        <Progress
          value={file.size === 0 ? 100 : (bytes / file.size) * 100}
          color="honey"
          aria-label={words.progressOf(file.name)}
        />
      )}
      <Text
        size="xs"
        {...(state !== 'failed' && { c: 'dimmed' })}
        role={state === 'failed' ? 'alert' : 'status'}
        className={state === 'failed' ? 'said fault-text' : 'said'}
      >
        {words.sendings[state]}
        {state === 'runs' && ` ${count(bytes)} / ${count(file.size)}`}
        {error !== null && ` ${error.message}${isSkepError(error) ? ` (${error.code})` : ''}`}
      </Text>
    </li>
  );
}
