/** Names of folders and tags. */
import { end } from '../refused.ts';

const NAME_CHARS = 255;

/** The name of a folder: one segment of a path, which cannot be taken for several or for another place. */
export function folderName(name: unknown): string {
  // oxlint-disable-next-line no-control-regex
  const good = typeof name === 'string' && /^[^/\\\x00-\x1f\x7f]+$/.test(name) && !/^\.{1,2}$/.test(name);
  if (!good || name.length > NAME_CHARS || name.trim() === '' || !name.isWellFormed()) {
    const fault = `must be a text of 1 to ${NAME_CHARS} characters without slashes, and not . or ..`;
    return end('content.invalid', { message: `name ${fault}`, details: { fields: { name: [fault] } } });
  }
  return name;
}
