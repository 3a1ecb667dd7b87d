/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110 §13.1.2). */
export function namesTag(header: string | undefined, tag: string): boolean {
  const tags = header?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(tag);
}
