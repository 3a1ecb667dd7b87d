/** Rows of a file, brought in: chosen or dropped, shown, checked by the node without a write, and written when its reader says so. */
import { ActionIcon, Button, FileButton, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { IconUpload, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Sample } from '../parts/sample.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { Checked, type Chosen } from './import-checked.tsx';
import { FORMATS, formatOf } from './preview.ts';
import type { EntityDoc } from './shapes.ts';
import { isEditable } from './value.ts';

interface ImportSheetProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly onClose: () => void;
  readonly onWritten: () => void;
}

export function ImportSheet({ place, entity, onClose, onWritten }: ImportSheetProps) {
  const { data, importing: words, close } = useWords();
  const title = useRef<HTMLHeadingElement>(null);
  const [{ chosen, no }, setChosen] = useState<{ readonly chosen: Chosen | null; readonly no: number }>({
    chosen: null,
    no: 0,
  });
  const [isBusy, setBusy] = useState(false);
  const choose = (next: Chosen): void => setChosen((before) => ({ chosen: next, no: before.no + 1 }));
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  const take = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) choose({ file, format: formatOf(file.name) });
  };
  return (
    <section
      className="sheet"
      aria-label={data.importRows}
      onKeyDown={({ key }) => {
        if (key === 'Escape' && !isBusy) onClose();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (!isBusy) take(event.dataTransfer.files[0]);
      }}
    >
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={1} size="h2" ref={title} tabIndex={-1} className="sheet-title">
          {words.into} {entity.name}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label={close} disabled={isBusy} onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </Group>
      <Stack gap="sm">
        {chosen === null && <How entity={entity} />}
        <Group gap="xs" align="flex-end">
          <FileButton onChange={take} accept=".csv,.json,.jsonl,.ndjson">
            {(props) => (
              <Button
                {...props}
                size="compact-md"
                disabled={isBusy}
                variant={chosen === null ? 'filled' : 'default'}
                leftSection={<IconUpload size={14} aria-hidden />}
              >
                {chosen === null ? words.choose : words.other}
              </Button>
            )}
          </FileButton>
          {chosen !== null && (
            <NativeSelect
              aria-label={words.format}
              size="xs"
              disabled={isBusy}
              value={chosen.format}
              data={[...FORMATS]}
              onChange={({ currentTarget: { value } }) =>
                choose({ ...chosen, format: FORMATS.find((one) => one === value) ?? 'csv' })
              }
            />
          )}
        </Group>
        {chosen !== null && (
          <Checked
            // Another file begins anew.
            key={no}
            place={place}
            entity={entity}
            chosen={chosen}
            onWritten={onWritten}
            onBusy={setBusy}
            onMend={choose}
          />
        )}
      </Stack>
    </section>
  );
}

function How({ entity }: { readonly entity: EntityDoc }) {
  const { importing: words } = useWords();
  const names = entity.fields.filter((field) => isEditable(field) && field.name !== entity.primary_key);
  return (
    <div>
      <Text size="sm">{words.how}</Text>
      <Sample label={words.firstLine} text={names.map(({ name }) => name).join(',')} isLine />
    </div>
  );
}
