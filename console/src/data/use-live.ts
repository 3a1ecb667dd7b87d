/** Rows that change while they are looked at: a row that is shown changes in its place, and rows that came or went are counted until the reader wants to see them, so that nothing moves under a hand. */
import { useEffect, useReducer, useRef } from 'react';
import type { Place } from '../session/session.ts';
import { followedOf, merged, unseen, type Op } from './follow.ts';
import { shownFields } from './queries.ts';
import { keyOf, type EntityDoc, type Row } from './shapes.ts';
import type { Rows } from './use-rows.ts';
import type { View } from './view.ts';

export interface Live {
  /** Whether changes are told as they happen. */
  readonly isLive: boolean;
  /** Rows that came or went and are not shown so. */
  readonly count: number;
  readonly look: () => void;
  /** The row whose cell is being edited stays as its editor has seen it; null where none is. */
  readonly hold: (id: string | null) => void;
}

/** More are not counted one by one. */
const TOLD_MAX = 1_000;

interface Told {
  readonly changes: Map<string, Op>;
  isLive: boolean;
  /** The row that is being edited, and what was told of it meanwhile. */
  held: string | null;
  waiting: Row | null;
}

export function useLive(place: Place, entity: EntityDoc, view: View, { pages, reset }: Rows): Live {
  const [, show] = useReducer((count: number) => count + 1, 0);
  const told = useRef<Told>({ changes: new Map(), isLive: false, held: null, waiting: null });
  const where = followedOf(entity, view);
  const asked = JSON.stringify([place.key, entity.name, where]);
  const isRow =
    (id: string) =>
    (row: Row): boolean =>
      keyOf(entity, row) === id;
  const isShown = (id: string): boolean => pages.has(isRow(id));
  const change = ({ id, op, row }: ToldRow): void => {
    const { changes, held } = told.current;
    if (row !== null && id === held) told.current.waiting = row;
    else if (row !== null && isShown(id)) pages.replace(isRow(id), (one) => merged(entity, one, row));
    // A row that is changed and not here lies further down, or has come to meet the conditions.
    else if ((op !== 'update' || pages.isWhole) && changes.size < TOLD_MAX)
      changes.set(id, op === 'gone' ? 'went' : 'came');
    show();
  };
  const hold = (id: string | null): void => {
    const { held, waiting } = told.current;
    Object.assign(told.current, { held: id, waiting: null });
    if (held !== null && waiting !== null) pages.replace(isRow(held), (one) => merged(entity, one, waiting));
  };
  const forget = (): void => {
    told.current.changes.clear();
    reset();
  };
  const now = useRef({ change, forget });
  now.current = { change, forget };
  useEffect(() => {
    told.current.changes.clear();
    if (where === null) return;
    return whileInFront((signal, isAgain) => {
      // What happened while the page was behind others was told to no reader.
      if (isAgain) now.current.forget();
      const onLive = (isLive: boolean): void => {
        told.current.isLive = isLive;
        show();
      };
      return followRows(place, entity, { where, fields: shownFields(entity), signal, onLive }, now);
    });
  }, [asked]);
  const { changes, isLive } = told.current;
  return { isLive: isLive && where !== null, count: unseen(changes, isShown), look: forget, hold };
}

interface ToldRow {
  readonly id: string;
  readonly op: 'create' | 'update' | 'restore' | 'gone';
  /** As the reader may see it; null where it is gone. */
  readonly row: Row | null;
}

interface Wish {
  readonly where: Readonly<Record<string, unknown>>;
  readonly fields: readonly string[];
  readonly signal: AbortSignal;
  readonly onLive: (isLive: boolean) => void;
}

interface Listener {
  readonly current: {
    change(told: ToldRow): void;
    forget(): void;
  };
}

async function followRows({ skep }: Place, { name }: EntityDoc, wish: Wish, listener: Listener): Promise<void> {
  for await (const told of skep.from(name).changes(wish)) {
    if (told.type === 'change') listener.current.change(told);
    else if (told.type === 'reset') listener.current.forget();
  }
}

/** A browser holds few connections to one node: only the tab that is looked at has one. What ends it for good ends it silently: the rows are there all the same. */
function whileInFront(run: (signal: AbortSignal, isAgain: boolean) => Promise<void>): () => void {
  let controller = new AbortController();
  const begin = (isAgain: boolean): void => {
    controller = new AbortController();
    run(controller.signal, isAgain).catch(() => undefined);
  };
  const turn = (): void => {
    if (document.hidden) controller.abort();
    else begin(true);
  };
  document.addEventListener('visibilitychange', turn);
  if (!document.hidden) begin(false);
  return () => {
    document.removeEventListener('visibilitychange', turn);
    controller.abort();
  };
}
