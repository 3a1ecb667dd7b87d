/** Gives the reader a file of what the page has. */
export const save = (name: string, text: string): void => saveParts(name, [text]);

/** The same, of a text in parts, which is never one string. */
export function saveParts(name: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
