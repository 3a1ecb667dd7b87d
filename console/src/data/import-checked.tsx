/** A file that was chosen: its first rows, its columns, what the node says of each row before anything is written, and the way in, which is stopped and goes on. */
import { Button, Group, Progress, Text } from '@mantine/core';
import { bulk } from '@skep/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Table } from '../parts/table.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { mapOf, type ColumnMap } from './column-map.ts';
import { ImportColumns } from './import-columns.tsx';
import { partsOf } from './import-parts.ts';
import { MendRows, RefusedRows } from './import-refused.tsx';
import { ImportRun, type ImportSo } from './import-run.ts';
import { PREVIEW_BYTES, previewOf, type Format, type Preview } from './preview.ts';
import type { EntityDoc } from './shapes.ts';
import { useImport, type Importing } from './use-import.ts';

/** What is to be brought in. */
export interface Chosen {
  readonly file: File;
  readonly format: Format;
}

interface CheckedProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly chosen: Chosen;
  readonly onWritten: () => void;
  /** Rows are on their way: what is left now ends behind its part. */
  readonly onBusy: (isBusy: boolean) => void;
  /** Refused rows, corrected. */
  readonly onMend: (chosen: Chosen) => void;
}

export function Checked(props: CheckedProps) {
  const { entity, chosen } = props;
  const { bytes } = useFigures();
  const { file, format } = chosen;
  const preview = useQuery({
    queryKey: ['preview', entity.name, format, file.name, file.size, file.lastModified],
    queryFn: async () => previewOf(await file.slice(0, PREVIEW_BYTES).text(), format),
    gcTime: 0,
  });
  return (
    <>
      <Text size="sm" className="mono">
        {file.name} · {bytes(file.size)}
      </Text>
      {preview.data && <Shown preview={preview.data} entity={entity} format={format} />}
      {preview.data !== undefined && <Ways {...props} preview={preview.data} />}
    </>
  );
}

function Ways({
  place,
  entity,
  chosen,
  onWritten,
  onBusy,
  onMend,
  preview,
}: CheckedProps & { readonly preview: Preview | null }) {
  const { importing: words } = useWords();
  const { count } = useFigures();
  const { file, format } = chosen;
  const columns = format === 'csv' ? (preview?.columns ?? []) : [];
  const [map, setMap] = useState<ColumnMap>(() => mapOf(columns, entity));
  const [check, write] = [useImport(), useImport()];
  const isEmpty = columns.length > 0 && map.every((name) => name === null);
  /** A part that is sent again has the key of before, so that it is written once. */
  const runOf = (dryRun: boolean): ImportRun => {
    const keys = crypto.randomUUID();
    return new ImportRun(partsOf(file, format, map), ({ body }, no) =>
      bulk(place.skep).importRows(entity.name, body, {
        format,
        skipErrors: true,
        dryRun,
        ...(!dryRun && { key: `${keys}-${no}` }),
      }),
    );
  };
  useEffect(() => {
    write.forget();
    if (isEmpty) check.forget();
    else void check.begin(runOf(true));
  }, [map]);
  useEffect(() => {
    onBusy(write.isRunning);
    return () => onBusy(false);
  }, [write.isRunning, onBusy]);
  const told = (so: ImportSo | null): void => {
    if (so !== null && so.taken > 0) onWritten();
  };
  const { so: checked } = check;
  const { so: written } = write;
  return (
    <>
      {columns.length > 0 && (
        <ImportColumns entity={entity} columns={columns} map={map} isLocked={write.isRunning} onChange={setMap} />
      )}
      {isEmpty && <Text className="fault-text">{words.allLeftOut}</Text>}
      {written === null && checked !== null && (
        <>
          <Way of={check} size={file.size} says={words.fit} rest={words.notChecked} onGoOn={() => void check.goOn()} />
          {!check.isRunning && (
            <Group>
              <Button
                size="compact-md"
                disabled={checked.taken === 0}
                onClick={() => void write.begin(runOf(false)).then(told)}
              >
                {words.importThem(count(checked.taken))}
              </Button>
            </Group>
          )}
        </>
      )}
      {written !== null && (
        <>
          <Way
            of={write}
            size={file.size}
            says={words.written}
            rest={words.stopped}
            onGoOn={() => void write.goOn().then(told)}
          />
          {!write.isRunning && (
            <MendRows
              so={written}
              onMend={(text) => onMend({ file: new File([text], `corrected-${file.name}`), format })}
            />
          )}
        </>
      )}
    </>
  );
}

interface WayProps {
  readonly of: Importing;
  readonly size: number;
  /** Says how many rows were taken. */
  readonly says: (rows: string) => string;
  /** Says that there is more in the file. */
  readonly rest: string;
  readonly onGoOn: () => void;
}

/** How far it is, and what came of it. */
function Way({ of: { so, isRunning, stop }, size, says, rest, onGoOn }: WayProps) {
  const { importing: words, grid } = useWords();
  const { count } = useFigures();
  if (so === null) return null;
  const refused = so.refused.length + so.omitted;
  if (isRunning)
    return (
      <div>
        <Progress value={(100 * so.bytes) / Math.max(1, size)} aria-label={words.progress} transitionDuration={0} />
        <Group gap="xs" mt={4}>
          <Text size="sm">{words.soFar(count(so.taken), count(refused))}</Text>
          <Button variant="default" size="compact-xs" onClick={stop}>
            {grid.stop}
          </Button>
        </Group>
      </div>
    );
  return (
    <>
      {so.halt !== null && <Fault error={so.halt} again={onGoOn} />}
      <Text role="status">
        {says(count(so.taken))} {refused > 0 && words.refused(count(refused))} {!so.isOver && so.halt === null && rest}
      </Text>
      {!so.isOver && so.halt === null && (
        <Group>
          <Button variant="default" size="compact-md" onClick={onGoOn}>
            {words.goOn}
          </Button>
        </Group>
      )}
      <RefusedRows so={so} />
    </>
  );
}

interface ShownProps {
  readonly preview: Preview;
  readonly entity: EntityDoc;
  readonly format: Format;
}

function Shown({ preview: { columns, rows }, entity, format }: ShownProps) {
  const { importing: words } = useWords();
  const unknown = columns.filter((name) => !entity.fields.some((field) => field.name === name));
  return (
    <div className="import-columns">
      {format !== 'csv' && unknown.length > 0 && (
        <Text size="sm" className="fault-text" mb={4}>
          {words.unknown}: {unknown.join(', ')}
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
