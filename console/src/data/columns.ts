/** Which columns of an entity are shown and how wide: what the reader chose, kept in this browser. */
import { useCallback, useMemo, useState } from 'react';
import type { EntityDoc, Field } from './shapes.ts';

interface Chosen {
  readonly hidden: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
}

export interface Columns extends Chosen {
  readonly shown: readonly Field[];
  readonly widthOf: (name: string) => number;
  readonly hide: (name: string, isHidden: boolean) => void;
  readonly resize: (name: string, width: number) => void;
}

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
  return useMemo(() => {
    const fields = entity.fields.filter(({ type }) => type !== 'bytes');
    const types = new Map(fields.map(({ name, type }) => [name, type]));
    return {
      ...chosen,
      shown: fields.filter(({ name }) => !chosen.hidden.includes(name)),
      widthOf: (name) => chosen.widths[name] ?? WIDTHS[types.get(name) ?? ''] ?? WIDTH,
      hide: (name, isHidden) =>
        choose(({ hidden, widths }) => ({
          widths,
          hidden: [...hidden.filter((one) => one !== name), ...(isHidden ? [name] : [])],
        })),
      resize: (name, width) =>
        choose(({ hidden, widths }) => ({
          hidden,
          widths: { ...widths, [name]: Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width))) },
        })),
    };
  }, [chosen, entity, choose]);
}

/** What an earlier version, or another hand, left there may be anything. */
function read(key: string): Chosen {
  try {
    const { hidden, widths } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Chosen>;
    const sizes = Object.entries(widths ?? {}).filter(([, width]) => typeof width === 'number');
    return { hidden: Array.isArray(hidden) ? hidden.map(String) : [], widths: Object.fromEntries(sizes) };
  } catch {
    return { hidden: [], widths: {} };
  }
}
