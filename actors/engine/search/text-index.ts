/** A text index of an entity, as its stored schema describes it. */
import type { StoredEntity, StoredText } from '../schema/stored.ts';
import { isDeleted, positionOf, type Slots } from '../rows/codec.ts';
import { analyserOf, type Analyser } from './words.ts';

export interface TextIndex {
  /** The table number of everything that it stores. */
  readonly no: number;
  readonly names: readonly string[];
  /** Positions of the fields in the slots of a row. */
  readonly places: readonly number[];
  readonly analyser: Analyser;
  /** Rows are still being entered: writes keep it up, and searches do not use it. */
  readonly building: boolean;
}

export function textIndexOf(text: StoredText, entity: StoredEntity): TextIndex {
  const places = text.fields.map((name) => positionOf(entity.fields.find((field) => field.name === name)!.slot));
  const analyser = analyserOf(text.language, text.stopWords);
  return { no: text.no, names: text.fields, places, analyser, building: text.building === true };
}

/** The texts of a row, one for each field of the index; '' where a field holds null. */
export function textsIn({ places }: Pick<TextIndex, 'places'>, slots: Slots): string[] {
  return places.map((at) => (typeof slots[at] === 'string' ? slots[at] : ''));
}

/** Whether a row is found: it is there, and not deleted softly. */
export function isFound(slots: Slots | null): slots is Slots {
  return slots !== null && !isDeleted(slots);
}
