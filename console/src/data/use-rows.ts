/** The rows of a view, kept while it is shown. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useReducer } from 'react';
import type { Place } from '../session/session.ts';
import { countOf, pageOf } from './queries.ts';
import { RowPages } from './row-pages.ts';
import type { EntityDoc, Schema } from './shapes.ts';
import type { View } from './view.ts';

export interface Rows {
  readonly pages: RowPages;
  /** Rows came or went. */
  readonly reset: () => void;
}

function later(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

export function useRows(place: Place, schema: Schema, entity: EntityDoc, view: View): Rows {
  const [, show] = useReducer((count: number) => count + 1, 0);
  const queries = useQueryClient();
  const { conditions, order, deleted } = view;
  const asked = JSON.stringify([place.key, entity.name, conditions, order, deleted]);
  const pages = useMemo(
    () =>
      new RowPages({
        ask: (where, limit, signal) => pageOf(place, schema, entity, view, where, limit, signal),
        changed: show,
        later,
      }),
    // The same rows as long as the same is asked.
    [asked, schema],
  );
  useEffect(() => () => pages.stop(), [pages]);
  // The list itself tells the total of all rows; that of a filter is a request of its own.
  const isFiltered = conditions.length > 0 || deleted;
  const { data: count } = useQuery({ ...countOf(place, entity.name, view), enabled: isFiltered });
  useEffect(() => {
    if (isFiltered && typeof count === 'number') pages.setTotal(count);
  }, [pages, count, isFiltered]);
  const reset = (): void => {
    pages.reset();
    void queries.invalidateQueries({ queryKey: ['count', entity.name] });
  };
  return { pages, reset };
}
