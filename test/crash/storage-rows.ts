/** What the victim writes for an id, so that a reader of its files can tell whole from half. */
export function keysOf(id: number): string[] {
  const digits = String(id).padStart(9, '0');
  return [`r${digits}`, `i${String((id * 7919) % 1000)}:${digits}`, `u${digits}`];
}

export function bodyOf(id: number): Buffer {
  return Buffer.from(`${id}:${'x'.repeat((id * 37) % 600)}`);
}
