/** The fields of a row as a form: a control for each type, and what the node refuses beside its field. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useState, type FormEvent } from 'react';
import { Fault } from '../parts/fault.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import type { CellContext } from './cell.tsx';
import { faultsOf, type Faults } from './faults.ts';
import { FieldControl } from './field-control.tsx';
import { ChooseFile, StoredFile, type FileChange } from './file-control.tsx';
import { changeWithFiles, makeWithFiles, update, type Opened } from './queries.ts';
import type { Field, Row } from './shapes.ts';
import { formTextOf, isEditable, valueOf } from './value.ts';

interface RowFormProps {
  readonly context: CellContext;
  readonly place: Place;
  /** Null for a new row. */
  readonly opened: Opened | null;
  readonly onKept: (row: Row) => void;
  /** Loads the row as it is now. */
  readonly onAgain?: () => void;
}

type Texts = Readonly<Record<string, string>>;
/** By their fields. */
type Files = Readonly<Record<string, FileChange>>;

const isFile = ({ type, read_only: isKept }: Field): boolean => type === 'file' && !isKept;

export function RowForm({ context, place, opened, onKept, onAgain }: RowFormProps) {
  const { data: words, cancel } = useWords();
  const { entity } = context;
  const may = entity.operations.includes(opened === null ? 'create' : 'update');
  const fields = entity.fields.filter((field) => opened !== null || isEditable(field) || isFile(field));
  /** What was typed; other fields stay as they are. */
  const [typed, setTyped] = useState<Texts>({});
  const [files, setFiles] = useState<Files>({});
  const [faults, setFaults] = useState<Faults>({});
  const [error, setError] = useState<Error | null>(null);
  const [isSaving, setSaving] = useState(false);
  const textBefore = (field: Field): string => (opened === null ? '' : formTextOf(opened.row[field.name], field));
  const changed = fields.filter(({ name }) => typed[name] !== undefined);
  const isChanged = changed.length > 0 || Object.values(files).some((change) => change !== null);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setError(null);
    const { values, faults: unread } = read(changed, typed, words.badJson);
    setFaults(unread);
    if (Object.keys(unread).length > 0) return;
    setSaving(true);
    try {
      onKept(
        opened === null ? await make(place, context, values, files) : await keep(place, context, opened, values, files),
      );
    } catch (thrown) {
      setFaults(faultsOf(thrown));
      setError(thrown as Error);
    } finally {
      setSaving(false);
    }
  };

  const isStale = isSkepError(error, 'v2.precondition_failed');
  // What is said of a name that has no control is said above.
  const isSaid =
    Object.keys(faults).length > 0 && Object.keys(faults).every((name) => fields.some((field) => field.name === name));
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="sm">
        {isStale ? (
          <Alert color="red" variant="outline" role="alert">
            <Text c="var(--mantine-color-text)">{words.changedMeanwhile}</Text>
            <Button variant="default" size="xs" mt="xs" onClick={onAgain}>
              {words.again}
            </Button>
          </Alert>
        ) : (
          error !== null &&
          (isSaid ? <FaultLine error={error} /> : <Fault error={error} again={() => setError(null)} />)
        )}
        {fields.map((field) =>
          isFile(field) ? (
            <FileField
              key={field.name}
              field={field}
              context={context}
              opened={opened}
              change={files[field.name] ?? null}
              // A file that was chosen since is one.
              faults={files[field.name] instanceof File ? [] : (faults[field.name] ?? [])}
              onChange={may ? (change) => setFiles((before) => ({ ...before, [field.name]: change })) : undefined}
            />
          ) : (
            <FieldControl
              key={field.name}
              field={field}
              context={context}
              place={place}
              row={opened?.row ?? null}
              isLocked={!may || !isEditable(field) || (opened !== null && field.name === entity.primary_key)}
              text={typed[field.name] ?? textBefore(field)}
              faults={faults[field.name] ?? []}
              onChange={(text) =>
                setTyped((before) => {
                  const others = Object.fromEntries(Object.entries(before).filter(([name]) => name !== field.name));
                  return text === textBefore(field) ? others : { ...others, [field.name]: text };
                })
              }
            />
          ),
        )}
        {may && (
          <Group gap="xs" className="form-end">
            <Button type="submit" size="compact-md" loading={isSaving} disabled={opened !== null && !isChanged}>
              {opened === null ? words.create : words.save}
            </Button>
            {isChanged && (
              <Button
                variant="default"
                size="compact-md"
                onClick={() => {
                  setTyped({});
                  setFiles({});
                }}
              >
                {cancel}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  );
}

interface FileFieldProps {
  readonly field: Field;
  readonly context: CellContext;
  readonly opened: Opened | null;
  readonly change: FileChange;
  readonly faults: readonly string[];
  readonly onChange: ((change: FileChange) => void) | undefined;
}

function FileField({ context, opened, onChange, ...more }: FileFieldProps) {
  const { entity, placeKey } = context;
  if (opened !== null)
    return <StoredFile {...more} placeKey={placeKey} entity={entity} row={opened.row} onChange={onChange} />;
  return onChange === undefined ? null : <ChooseFile {...more} onChange={onChange} />;
}

/** The whole in one line: the parts stand beside their fields. */
function FaultLine({ error }: { readonly error: Error }) {
  return (
    <Text role="alert" size="sm" className="fault-text">
      {error.message}
      {isSkepError(error) && ` (${error.code})`}
    </Text>
  );
}

function read(fields: readonly Field[], typed: Texts, badJson: string): { values: Row; faults: Faults } {
  const values: Record<string, unknown> = {};
  const faults: Record<string, readonly string[]> = {};
  for (const field of fields)
    try {
      values[field.name] = valueOf(typed[field.name]!, field);
    } catch (error) {
      faults[field.name] = [`${badJson} ${(error as Error).message}`];
    }
  return { values, faults };
}

async function make(place: Place, { entity }: CellContext, values: Row, files: Files): Promise<Row> {
  const body = formOf(values, files);
  if (body === null) return place.skep.from(entity.name).create(values as Record<string, unknown>);
  return makeWithFiles(place, entity, body);
}

/** Changes leave with the version that was seen, so that a change made meanwhile by another caller is not lost. */
async function keep(place: Place, { entity }: CellContext, opened: Opened, typed: Row, files: Files): Promise<Row> {
  const id = String(opened.row[entity.primary_key]);
  const away = Object.keys(files).filter((name) => files[name] === 'away');
  const values = { ...typed, ...Object.fromEntries(away.map((name) => [name, null])) };
  const body = formOf(values, files);
  if (body !== null) return changeWithFiles(place, entity, id, body, opened.version);
  return (await update(place, entity, id, values, opened.version)).row;
}

/** Values with files go as a form, whose texts are JSON (docs/contract/data.md §6.2); null without files. */
function formOf(values: Row, files: Files): FormData | null {
  const chosen = Object.entries(files).filter((one): one is [string, File] => one[1] instanceof File);
  if (chosen.length === 0) return null;
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) body.set(name, JSON.stringify(value));
  for (const [name, file] of chosen) body.set(name, file, file.name);
  return body;
}
