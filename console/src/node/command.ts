/** Lines of a shell for the people who run the node. Pure. */
const PLAIN = /^[\w./:@=,+-]+$/;

/** A word as a POSIX shell reads it as it is. */
export const wordOf = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** `skep <verb> -f <file> <words>`. */
export const commandOf = (verb: string, file: string | null, words: readonly string[] = []): string =>
  ['skep', verb, '-f', ...[file ?? 'platform.yaml', ...words].map(wordOf)].join(' ');
