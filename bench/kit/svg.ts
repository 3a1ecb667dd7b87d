/** What all pictures of the bench share: texts that are safe inside SVG. */

/** The five characters that text and attributes may not hold (XML 1.0 §2.4). */
export function escaped(text: string): string {
  return text.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[sign]!,
  );
}
