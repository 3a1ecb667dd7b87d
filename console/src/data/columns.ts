/** Which columns of an entity are shown, in which order, how wide, and which stay at the left: what the reader chose, kept in this browser. */
import { useCallback, useMemo, useState } from 'react';
import { ordered, placed } from './arrange.ts';
import type { EntityDoc, Field } from './shapes.ts';

interface Chosen {
  readonly hidden: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
  /** Columns that stay at the left while others are scrolled, in the order in which they were pinned. */
  readonly pinned: readonly string[];
  /** Empty where the order is that of the entity. */
  readonly order: readonly string[];
}

export interface Columns extends Chosen {
  readonly shown: readonly Field[];
  readonly widthOf: (name: string) => number;
  /** How far from the left a pinned column stays; null for another. */
  readonly leftOf: (name: string) => number | null;
  readonly pin: (name: string, isPinned: boolean) => void;
  readonly hide: (name: string, isHidden: boolean) => void;
  readonly resize: (name: string, width: number) => void;
  /** Puts a column at the place of another that stays at the left as it does, or does not as it does not. */
  readonly place: (name: string, at: string) => void;
}

/** The column of boxes by which rows are picked, which stays at the left, too. */
export const PICK_PX = 32;
export const WIDTH_MIN = 60;
export const WIDTH_MAX = 800;
const WIDTHS: Readonly<Record<string, number>> = {
  ulid: 240,
  uuid: 280,
  text: 260,
  json: 200,
  integer: 130,
  number: 110,
  decimal: 110,
  boolean: 80,
  enum: 120,
  datetime: 180,
};
const WIDTH = 170;

const storeKey = (place: string, entity: string): string => `skep console columns ${place} ${entity}`;

export function useColumns(place: string, entity: EntityDoc): Columns {
  const key = storeKey(place, entity.name);
  const [all, setAll] = useState<Readonly<Record<string, Chosen>>>({});
  const kept = useMemo(() => read(key), [key]);
  const chosen = all[key] ?? kept;
  const choose = useCallback(
    (change: (before: Chosen) => Chosen) =>
      setAll((before) => {
        const next = change(before[key] ?? read(key));
        localStorage.setItem(key, JSON.stringify(next));
        return { ...before, [key]: next };
      }),
    [key],
  );
  return useMemo(() => columnsOf(entity, chosen, choose), [chosen, entity, choose]);
}

function columnsOf(entity: EntityDoc, chosen: Chosen, choose: (change: (before: Chosen) => Chosen) => void): Columns {
  const plain = entity.fields.filter(({ type }) => type !== 'bytes');
  const inOrder = (order: readonly string[]): readonly string[] =>
    ordered(
      plain.map(({ name }) => name),
      order,
    );
  const fields = inOrder(chosen.order).map((name) => plain.find((field) => field.name === name)!);
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  const widthOf = (name: string): number => chosen.widths[name] ?? WIDTHS[types.get(name) ?? ''] ?? WIDTH;
  const seen = fields.filter(({ name }) => !chosen.hidden.includes(name));
  const pinned = chosen.pinned.flatMap((name) => seen.filter((field) => field.name === name));
  const others = seen.filter((field) => !pinned.includes(field));
  const lefts = new Map<string, number>();
  let left = PICK_PX;
  for (const { name } of pinned) {
    lefts.set(name, left);
    left += widthOf(name);
  }
  const toggled = (names: readonly string[], name: string, isIn: boolean): string[] => [
    ...names.filter((one) => one !== name),
    ...(isIn ? [name] : []),
  ];
  return {
    ...chosen,
    shown: [...pinned, ...others],
    widthOf,
    leftOf: (name) => lefts.get(name) ?? null,
    pin: (name, isPinned) => choose((before) => ({ ...before, pinned: toggled(before.pinned, name, isPinned) })),
    hide: (name, isHidden) => choose((before) => ({ ...before, hidden: toggled(before.hidden, name, isHidden) })),
    resize: (name, width) =>
      choose((before) => ({
        ...before,
        widths: { ...before.widths, [name]: Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width))) },
      })),
    place: (name, at) =>
      choose((before) => {
        const isPinned = before.pinned.includes(name);
        if (isPinned !== before.pinned.includes(at)) return before;
        return isPinned
          ? { ...before, pinned: placed(before.pinned, name, at) }
          : { ...before, order: placed(inOrder(before.order), name, at) };
      }),
  };
}

/** What an earlier version, or another hand, left there may be anything. */
function read(key: string): Chosen {
  try {
    const { hidden, widths, pinned, order } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Chosen>;
    const sizes = Object.entries(widths ?? {}).filter(([, width]) => typeof width === 'number');
    return {
      hidden: namesIn(hidden),
      widths: Object.fromEntries(sizes),
      pinned: namesIn(pinned),
      order: namesIn(order),
    };
  } catch {
    return { hidden: [], widths: {}, pinned: [], order: [] };
  }
}

const namesIn = (list: unknown): string[] => (Array.isArray(list) ? [...new Set(list.map(String))] : []);
