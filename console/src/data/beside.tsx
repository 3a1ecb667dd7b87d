/** What stands beside the grid: a file of rows that comes in, a new row, or one that is open, also one that the reader came to from there. */
import { useMemo } from 'react';
import type { Place } from '../session/session.ts';
import type { CellContext } from './cell.tsx';
import { ImportSheet } from './import-sheet.tsx';
import { entityPath } from './paths.ts';
import { keyOf } from './shapes.ts';
import { Sheet } from './sheet.tsx';
import type { Rows } from './use-rows.ts';
import { followed, searchOf, type Step, type View } from './view.ts';

/** Nothing is open. */
export const CLOSED = { row: null, trail: [], isNew: false, isImport: false } as const;

const NONE: readonly Step[] = [];

interface BesideProps {
  readonly context: CellContext;
  readonly place: Place;
  readonly view: View;
  readonly rows: Rows;
  readonly show: (change: Partial<View>) => void;
}

export function Beside({ context, place, view, rows, show }: BesideProps) {
  const { entity } = context;
  const close = (): void => show(CLOSED);
  if (view.isImport) return <ImportSheet place={place} entity={entity} onClose={close} onWritten={rows.reset} />;
  const trail = view.row === null ? [] : trailIn(context, view.trail);
  const last = trail.at(-1);
  if (view.row !== null && last !== undefined)
    return (
      <Followed context={context} place={place} view={view} trail={trail} last={last} row={view.row} show={show} />
    );
  return <Opened context={context} place={place} view={view} rows={rows} show={show} />;
}

/** The row of the grid that is open, or a new one. */
function Opened({ context, place, view, rows, show }: BesideProps) {
  const { entity } = context;
  const followable = useFollowable(context, entityPath(place.key, entity.name), view, NONE);
  return (
    <Sheet
      key={view.row ?? ''}
      context={followable}
      place={place}
      id={view.row}
      way={[]}
      onClose={() => show(CLOSED)}
      onMade={(row) => {
        rows.reset();
        show({ ...CLOSED, row });
      }}
      onKept={(kept) =>
        rows.pages.replace(
          (one) => keyOf(entity, one) === keyOf(entity, kept),
          () => kept,
        )
      }
      onGone={() => {
        rows.reset();
        show(CLOSED);
      }}
      onRestored={rows.reset}
    />
  );
}

interface FollowedProps extends Omit<BesideProps, 'rows'> {
  readonly trail: readonly Step[];
  readonly last: Step;
  /** Of the grid, where the way begins. */
  readonly row: string;
}

function Followed({ context, place, view, trail, last, row, show }: FollowedProps) {
  const entity = context.schema.entities.find(({ name }) => name === last.entity)!;
  const inGrid = useMemo(() => ({ ...context, entity }), [context, entity]);
  const to = entityPath(place.key, context.entity.name);
  const followable = useFollowable(inGrid, to, view, trail);
  const passed = [{ entity: context.entity.name, id: row }, ...trail.slice(0, -1)];
  return (
    <Sheet
      key={`${last.entity} ${last.id}`}
      context={followable}
      place={place}
      id={last.id}
      way={passed.map((step, at) => ({ ...step, to, search: searchOf({ ...view, trail: trail.slice(0, at) }) }))}
      onClose={() => show(CLOSED)}
      onMade={() => undefined}
      onKept={() => undefined}
      onGone={() => show({ trail: trail.slice(0, -1) })}
      onRestored={() => undefined}
    />
  );
}

/** Rows are followed in the sheet: the grid stays. */
function useFollowable(context: CellContext, to: string, view: View, trail: readonly Step[]): CellContext {
  return useMemo(
    () => ({ ...context, follow: (step) => ({ to, search: searchOf({ ...view, trail: followed(trail, step) }) }) }),
    [context, to, view, trail],
  );
}

/** Steps to entities that this login may read. */
const trailIn = ({ schema }: CellContext, trail: readonly Step[]): readonly Step[] =>
  trail.filter(({ entity }) => schema.entities.some(({ name }) => name === entity));
