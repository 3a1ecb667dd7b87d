/** The rows of an entity: filters, order and the open row are in the address. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { Search } from '../frame/search.ts';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Beside, CLOSED } from './beside.tsx';
import type { CellContext } from './cell.tsx';
import { ChangePicked } from './change-picked.tsx';
import { changeRow, Overtaken } from './change-row.ts';
import { useColumns } from './columns.ts';
import type { Block } from './block.ts';
import { DeletePicked, RestorePicked } from './delete-picked.tsx';
import { Grid } from './grid.tsx';
import { PasteSheet } from './paste-sheet.tsx';
import { pasteOf } from './paste.ts';
import { entityPath } from './paths.ts';
import type { PickedSheetProps } from './picked-rows.tsx';
import { schemaOf } from './queries.ts';
import { RowsHead } from './rows-head.tsx';
import { keyOf, type EntityDoc, type Field, type Row, type Schema } from './shapes.ts';
import { isDeletedAlone } from './deleted-alone.ts';
import { useAct, type Act } from './use-act.ts';
import { useLive } from './use-live.ts';
import { usePicked } from './use-picked.ts';
import { useRows } from './use-rows.ts';
import { valueOf } from './value.ts';
import { searchOf, turned, viewOf, type View } from './view.ts';
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
  const shown = JSON.stringify([view.conditions, view.deleted]);
  const picked = usePicked(shown);
  const acts = useAct(shown);
  const show = (change: Partial<View>): void => {
    if (change.row !== undefined) acts.yield();
    void navigate({ to: entityPath(place.key, entity.name), search: searchOf({ ...view, ...change }) as never });
  };

  /** The grid shows the new value at once. Where the node refuses it, the grid shows the value from before again, or the newer one that another caller has written meanwhile. */
  const change = async (row: Row, field: Field, text: string): Promise<void> => {
    const id = keyOf(entity, row);
    const isIt = (one: Row): boolean => keyOf(entity, one) === id;
    const value = valueOf(text, field);
    const relation = entity.relations.find(({ field: name }) => name === field.name)?.name ?? '';
    pages.replace(isIt, (one) => ({ ...without(one, relation), [field.name]: value }));
    try {
      const kept = await changeRow(place, entity, id, row, { [field.name]: value });
      pages.replace(isIt, (one) => ({ ...one, ...kept }));
    } catch (error) {
      const isOvertaken = error instanceof Overtaken;
      pages.replace(isIt, () => (isOvertaken ? { ...without(row, relation), [field.name]: error.newer } : row));
      throw error;
    }
  };

  /** Rows of the block that were not looked at yet are asked for before. */
  const paste = async (cells: readonly (readonly string[])[], at: Block): Promise<void> => {
    await pages.load(at.top, Math.max(at.bottom, at.top + cells.length - 1));
    const found = pasteOf(cells, { entity, shown: columns.shown, at, rowAt: (index) => pages.row(index) });
    acts.begin({ kind: 'paste', paste: found });
  };

  const { now: act } = acts;
  const isOpen = act !== null || view.row !== null || view.isNew || view.isImport;
  return (
    <div className="rows">
      <div className="rows-main" data-behind={isOpen || undefined}>
        <RowsHead
          place={place}
          entity={entity}
          view={view}
          rows={rows}
          live={live}
          columns={columns}
          picked={picked}
          show={show}
          act={(kind) => acts.begin({ kind, ids: [...picked.ids] })}
        />
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
            picked={picked}
            isWritable={entity.operations.includes('update')}
            opened={view.row}
            onOrder={(field) => show({ order: turned(view.order, field) })}
            onOpen={(row) => show({ ...CLOSED, row })}
            onChange={change}
            onEdit={live.hold}
            onPaste={(cells, at) => void paste(cells, at)}
          />
        )}
      </div>
      {act === null
        ? isOpen && <Beside context={context} place={place} view={view} rows={rows} show={show} />
        : sheetOf(act, { context, place, view, rows, picked, acts })}
    </div>
  );
}

const SHEETS = { change: ChangePicked, delete: DeletePicked, restore: RestorePicked } as const;

function sheetOf(act: Act, props: Omit<PickedSheetProps, 'act'>) {
  if (act.kind === 'paste') {
    const { context, place, rows, acts } = props;
    return <PasteSheet key={acts.no} context={context} place={place} rows={rows} paste={act.paste} acts={acts} />;
  }
  const Sheet = SHEETS[act.kind];
  return <Sheet key={props.acts.no} act={act} {...props} />;
}

const without = (row: Row, name: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));
