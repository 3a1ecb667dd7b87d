/** A text quoted as one word of a POSIX shell, for commands that are printed to be typed. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
