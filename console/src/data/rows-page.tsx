/** The rows of an entity: filters, order and the open row are in the address. */
import { Anchor, Button, Checkbox, CopyButton, Group, Menu, Text, Title } from '@mantine/core';
import { IconColumns, IconPlus, IconTerminal2, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { Search } from '../frame/search.ts';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { CellContext } from './cell.tsx';
import { changeCell, Overtaken } from './change-cell.ts';
import { useColumns } from './columns.ts';
import type { Columns } from './columns.ts';
import { Filters } from './filters.tsx';
import { Grid } from './grid.tsx';
import { ImportSheet } from './import-sheet.tsx';
import { entityPath } from './paths.ts';
import { schemaOf } from './queries.ts';
import { ROWS_MAX } from './row-pages.ts';
import { keyOf } from './shapes.ts';
import type { EntityDoc, Field, Row, Schema } from './shapes.ts';
import { Sheet } from './sheet.tsx';
import { useLive } from './use-live.ts';
import type { Live } from './use-live.ts';
import { useRows } from './use-rows.ts';
import type { Rows } from './use-rows.ts';
import { valueOf } from './value.ts';
import { curlOf, searchOf, turned, viewOf } from './view.ts';
import type { Condition, View } from './view.ts';
import './data.css';

export function RowsPage() {
  const { data: words } = useWords();
  const place = usePlace();
  const { entity: name } = useParams({ strict: false });
  const { data: schema, error, refetch } = useQuery(schemaOf(place));
  const entity = schema?.entities.find((one) => one.name === name);
  useEffect(() => void (document.title = `${name} · Skep`), [name]);
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  if (schema === undefined) return null;
  if (entity === undefined) return <Text>{words.noEntity}</Text>;
  return <Entity key={entity.name} place={place} schema={schema} entity={entity} />;
}

/** The sheet shows no form that is new. */
const CLOSED = { isNew: false, isImport: false } as const;

interface EntityProps {
  readonly place: Place;
  readonly schema: Schema;
  readonly entity: EntityDoc;
}

function Entity({ place, schema, entity }: EntityProps) {
  const { data: words } = useWords();
  const { moment } = useFigures();
  // Of the page that is shown, as the entity is: the location is already that of the next one while it loads.
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = useMemo(() => viewOf(search), [search]);
  const columns = useColumns(place.key, entity);
  const rows = useRows(place, schema, entity, view);
  const context = useMemo<CellContext>(
    () => ({ placeKey: place.key, schema, entity, words, moment }),
    [place, schema, entity, words, moment],
  );
  const live = useLive(place, entity, view, rows);
  const { pages } = rows;
  const show = (change: Partial<View>): void =>
    void navigate({ to: entityPath(place.key, entity.name), search: searchOf({ ...view, ...change }) as never });

  /** The grid shows the new value at once. Where the node refuses it, the grid shows the value from before again, or the newer one that another caller has written meanwhile. */
  const change = async (row: Row, field: Field, text: string): Promise<void> => {
    const id = keyOf(entity, row);
    const isIt = (one: Row): boolean => keyOf(entity, one) === id;
    const value = valueOf(text, field);
    const relation = entity.relations.find(({ field: name }) => name === field.name)?.name ?? '';
    pages.replace(isIt, (one) => ({ ...without(one, relation), [field.name]: value }));
    try {
      const kept = await changeCell(place, entity, id, field.name, { seen: row[field.name], value });
      pages.replace(isIt, (one) => ({ ...one, ...kept }));
    } catch (error) {
      const isOvertaken = error instanceof Overtaken;
      pages.replace(isIt, () => (isOvertaken ? { ...without(row, relation), [field.name]: error.newer } : row));
      throw error;
    }
  };

  const isOpen = view.row !== null || view.isNew || view.isImport;
  return (
    <div className="rows">
      <div className="rows-main" data-behind={isOpen || undefined}>
        <Head place={place} entity={entity} view={view} rows={rows} live={live} columns={columns} show={show} />
        {pages.fault !== null && <Fault error={pages.fault} again={rows.reset} />}
        {pages.isEmpty ? (
          <Text c="dimmed" maw="72ch">
            {view.conditions.some(isDeletedAlone)
              ? words.noDeleted
              : view.conditions.length > 0
                ? words.none
                : words.empty}
          </Text>
        ) : (
          <Grid
            pages={pages}
            columns={columns}
            context={context}
            order={view.order}
            isWritable={entity.operations.includes('update')}
            opened={view.row}
            onOrder={(field) => show({ order: turned(view.order, field) })}
            onOpen={(row) => show({ row, ...CLOSED })}
            onChange={change}
            onEdit={live.hold}
          />
        )}
      </div>
      {view.isImport && (
        <ImportSheet
          place={place}
          entity={entity}
          onClose={() => show({ row: null, ...CLOSED })}
          onWritten={rows.reset}
        />
      )}
      {isOpen && !view.isImport && (
        <Sheet
          key={view.row ?? ''}
          context={context}
          place={place}
          id={view.row}
          onClose={() => show({ row: null, ...CLOSED })}
          onMade={(row) => {
            rows.reset();
            show({ row, ...CLOSED });
          }}
          onKept={(kept) =>
            pages.replace(
              (one) => keyOf(entity, one) === keyOf(entity, kept),
              () => kept,
            )
          }
          onGone={() => {
            rows.reset();
            show({ row: null, ...CLOSED });
          }}
          onRestored={rows.reset}
        />
      )}
    </div>
  );
}

interface HeadProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly view: View;
  readonly rows: Rows;
  readonly live: Live;
  readonly columns: Columns;
  readonly show: (change: Partial<View>) => void;
}

function Head({ place, entity, view, rows: { pages }, live, columns, show }: HeadProps) {
  const { data: words } = useWords();
  const { count } = useFigures();
  return (
    <>
      <Group gap="xs" align="baseline" mb={4}>
        <Anchor
          component={Link}
          to={entityPath(place.key, '').slice(0, -1)}
          c="var(--mantine-color-text)"
          underline="always"
        >
          {words.section}
        </Anchor>
        <span aria-hidden>/</span>
        <Title order={1}>{entity.name}</Title>
        <Text c="dimmed" role="status" size="sm">
          {pages.total === null ? words.countUnknown : `${count(pages.total)} ${words.rows}`}
        </Text>
        {live.isLive && (
          <Text c="dimmed" size="sm">
            {words.live}
          </Text>
        )}
        <span role="status">
          {live.count > 0 && (
            <Button variant="default" size="compact-xs" onClick={live.look}>
              {words.cameOrWent(count(live.count))}
            </Button>
          )}
        </span>
        {(pages.total ?? 0) > ROWS_MAX && (
          <Text c="dimmed" size="sm">
            {words.most}
          </Text>
        )}
      </Group>
      <Group gap={6} mb="xs">
        <Filters entity={entity} conditions={view.conditions} onChange={(conditions) => show({ conditions })} />
        <ColumnMenu entity={entity} columns={columns} />
        <CopyButton value={curlOf(view, { origin: location.origin, key: place.key, entity: entity.name })}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconTerminal2 size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? words.copied : words.copyCurl}
            </Button>
          )}
        </CopyButton>
        {entity.traits.includes('soft_delete') && (
          <Checkbox
            size="xs"
            label={words.showDeleted}
            checked={view.deleted}
            onChange={({ currentTarget }) =>
              show({ deleted: currentTarget.checked, conditions: withoutDeleted(view.conditions) })
            }
          />
        )}
        {entity.traits.includes('soft_delete') && view.deleted && (
          <Checkbox
            size="xs"
            label={words.deletedAlone}
            checked={view.conditions.some(isDeletedAlone)}
            onChange={({ currentTarget }) =>
              show({
                conditions: [...withoutDeleted(view.conditions), ...(currentTarget.checked ? [DELETED_ALONE] : [])],
              })
            }
          />
        )}
        {entity.operations.includes('create') && (
          <Group gap={6} ml="auto" wrap="nowrap">
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconUpload size={14} aria-hidden />}
              onClick={() => show({ row: null, isNew: false, isImport: true })}
            >
              {words.importRows}
            </Button>
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => show({ row: null, isNew: true, isImport: false })}
            >
              {words.newRow}
            </Button>
          </Group>
        )}
      </Group>
    </>
  );
}

function ColumnMenu({ entity, columns }: { readonly entity: EntityDoc; readonly columns: Columns }) {
  const { data: words } = useWords();
  return (
    <Menu closeOnItemClick={false} position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button variant="default" size="compact-sm" leftSection={<IconColumns size={14} aria-hidden />}>
          {words.columns}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} className="column-menu">
        {entity.fields
          .filter(({ type }) => type !== 'bytes')
          .map(({ name }) => {
            const isShown = !columns.hidden.includes(name);
            return (
              <Menu.Item
                key={name}
                role="menuitemcheckbox"
                aria-checked={isShown}
                onClick={() => columns.hide(name, isShown)}
                leftSection={<span aria-hidden>{isShown ? '☑' : '☐'}</span>}
              >
                {name}
              </Menu.Item>
            );
          })}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Of the rows that are marked as deleted and of the others, the first alone. */
const DELETED_ALONE: Condition = { field: 'deleted_at', op: 'null', value: 'false' };
const isDeletedAlone = ({ field, op, value }: Condition): boolean =>
  field === DELETED_ALONE.field && op === DELETED_ALONE.op && value === DELETED_ALONE.value;
const withoutDeleted = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter((one) => !isDeletedAlone(one));

const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));
