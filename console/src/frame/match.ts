/** Which names a text finds: those in which each of its words begins a word, or else those that have each of them anywhere. Pure. */
export interface Named {
  readonly name: string;
}

/** The items that the text finds, better ones first, each group in its own order; all of them for an empty text. */
export function matching<T extends Named>(items: readonly T[], text: string): readonly T[] {
  const words = partsOf(text);
  if (words.length === 0) return items;
  const found: T[] = [];
  const further: T[] = [];
  for (const item of items) {
    const parts = partsOf(item.name);
    const whole = parts.join(' ');
    if (words.every((word) => parts.some((part) => part.startsWith(word)))) found.push(item);
    else if (words.every((word) => whole.includes(word))) further.push(item);
  }
  return [...found, ...further];
}

/** Words without their case and their marks: `Größe` is found by `grosse` and by `groß`. */
function partsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return plain.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
}
