/** Rows of a file, brought in: chosen or dropped, shown, checked by the node without a write, and written when its reader says so. */
import { ActionIcon, Button, FileButton, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { IconUpload, IconX } from '@tabler/icons-react';
import { bulk } from '@skep/client';
import type { ImportResult } from '@skep/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { FORMATS, formatOf, PREVIEW_BYTES, previewOf } from './preview.ts';
import type { Format, Preview } from './preview.ts';
import type { EntityDoc } from './shapes.ts';
import { isEditable } from './value.ts';

/** What is to be brought in; another one is another object. */
interface Chosen {
  readonly file: File;
  readonly format: Format;
}

interface ImportSheetProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly onClose: () => void;
  readonly onWritten: () => void;
}

export function ImportSheet({ place, entity, onClose, onWritten }: ImportSheetProps) {
  const { data: words, close } = useWords();
  const title = useRef<HTMLHeadingElement>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  const take = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) setChosen({ file, format: formatOf(file.name) });
  };
  return (
    <section
      className="sheet"
      aria-label={words.importRows}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files[0]);
      }}
    >
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={1} size="h2" ref={title} tabIndex={-1} className="sheet-title">
          {words.importInto} {entity.name}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label={close} onClick={onClose}>
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
                variant={chosen === null ? 'filled' : 'default'}
                leftSection={<IconUpload size={14} aria-hidden />}
              >
                {chosen === null ? words.chooseFile : words.otherFile}
              </Button>
            )}
          </FileButton>
          {chosen !== null && (
            <NativeSelect
              aria-label={words.format}
              size="xs"
              value={chosen.format}
              data={[...FORMATS]}
              onChange={({ currentTarget: { value } }) =>
                setChosen({ ...chosen, format: FORMATS.find((one) => one === value) ?? 'csv' })
              }
            />
          )}
        </Group>
        {chosen !== null && <Checked place={place} entity={entity} chosen={chosen} onWritten={onWritten} />}
      </Stack>
    </section>
  );
}

function How({ entity }: { readonly entity: EntityDoc }) {
  const { data: words } = useWords();
  const names = entity.fields.filter((field) => isEditable(field) && field.name !== entity.primary_key);
  return (
    <div>
      <Text size="sm">{words.importHow}</Text>
      <Sample label={words.firstLine} text={names.map(({ name }) => name).join(',')} isLine />
    </div>
  );
}

interface CheckedProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly chosen: Chosen;
  readonly onWritten: () => void;
}

function Checked({ place, entity, chosen, onWritten }: CheckedProps) {
  const { data: words } = useWords();
  const { count, bytes } = useFigures();
  const { file, format } = chosen;
  const send = (dryRun: boolean) =>
    bulk(place.skep).importRows(entity.name, file, { format, skipErrors: true, dryRun });
  const key = [entity.name, format, file.name, file.size, file.lastModified];
  const preview = useQuery({
    queryKey: ['preview', ...key],
    queryFn: async () => previewOf(await file.slice(0, PREVIEW_BYTES).text(), format),
  });
  const check = useQuery({ queryKey: ['check', ...key], queryFn: () => send(true), retry: false, gcTime: 0 });
  const write = useMutation({ mutationFn: (_of: Chosen) => send(false), onSuccess: onWritten });
  // What was said of another file is not said of this one.
  const isOfThis = write.variables === chosen;
  const written = isOfThis ? write.data : undefined;
  const error = (isOfThis ? write.error : null) ?? check.error;
  return (
    <>
      <Text size="sm" className="mono">
        {file.name} · {bytes(file.size)}
      </Text>
      {preview.data && <Shown preview={preview.data} entity={entity} />}
      {error !== null && (
        <Fault error={error} again={() => void (write.error === null ? check.refetch() : write.reset())} />
      )}
      {check.isFetching && (
        <Text size="sm" c="dimmed" role="status">
          {words.checking}
        </Text>
      )}
      {written === undefined && check.data !== undefined && (
        <>
          <Text role="status">
            {count(check.data.imported)} {words.fit}{' '}
            {refusedOf(check.data) > 0 && `${words.refusedRows} ${count(refusedOf(check.data))}`}
          </Text>
          <RowFaults of={check.data} />
          <Group>
            <Button
              size="compact-md"
              disabled={check.data.imported === 0}
              loading={write.isPending}
              onClick={() => write.mutate(chosen)}
            >
              {words.importThem(count(check.data.imported))}
            </Button>
          </Group>
        </>
      )}
      {written !== undefined && (
        <>
          <Text role="status">
            {count(written.imported)} {words.imported}{' '}
            {refusedOf(written) > 0 && `${words.refusedRows} ${count(refusedOf(written))}`}
          </Text>
          <RowFaults of={written} />
        </>
      )}
    </>
  );
}

const refusedOf = ({ errors, omitted }: ImportResult): number => errors.length + omitted;

function Shown({ preview: { columns, rows }, entity }: { readonly preview: Preview; readonly entity: EntityDoc }) {
  const { data: words } = useWords();
  const unknown = columns.filter((name) => !entity.fields.some((field) => field.name === name));
  return (
    <div className="import-columns">
      {unknown.length > 0 && (
        <Text size="sm" className="fault-text" mb={4}>
          {words.unknownColumns}: {unknown.join(', ')}
        </Text>
      )}
      <Table
        label={words.firstRows}
        rows={rows.map((values, at) => ({ at, values }))}
        empty={words.noRows}
        keyOf={({ at }) => String(at)}
        columns={columns.map((label, column) => ({
          label,
          cell: ({ values }: { readonly values: readonly string[] }) => values[column] ?? '',
        }))}
      />
    </div>
  );
}

function RowFaults({ of: { errors, omitted } }: { readonly of: ImportResult }) {
  const { data: words } = useWords();
  const { count } = useFigures();
  if (errors.length === 0) return null;
  return (
    <div>
      <Table
        label={words.refusedList}
        rows={errors}
        empty=""
        keyOf={({ row }) => String(row)}
        columns={[
          { label: words.line, isFigure: true, cell: ({ line }) => count(line) },
          { label: words.why, cell: ({ error }) => <span className="import-why">{error}</span> },
        ]}
      />
      {omitted > 0 && (
        <Text size="sm" c="dimmed">
          {words.andMore} {count(omitted)}
        </Text>
      )}
    </div>
  );
}
