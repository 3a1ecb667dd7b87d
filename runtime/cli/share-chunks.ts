/** Chunks that several programs have alike, such as a library that is loaded when it is needed: one file for all of them. */
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of chunks end in a hash: `<program>-<chunk>-<hash>.js`. */
const CHUNK = /-([\w.]+-[\w-]{8}\.js)$/;
const NAMED = /([`"'])\.\/([\w.-]+\.js)\1/g;

/** Keeps of each chunk with the same bytes one file, `shared-<chunk>-<hash>.js`, and names it in every file of the folder that imports it. */
export function shareChunks(dir: string): void {
  const files = readdirSync(dir).filter((name) => name.endsWith('.js'));
  const texts = new Map(files.map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
  const alike = Map.groupBy(
    files.filter((name) => CHUNK.test(name)),
    (name) => texts.get(name)!,
  );
  const renamed = new Map<string, string>();
  for (const [first, ...others] of alike.values()) {
    if (others.length === 0) continue;
    const shared = `shared-${CHUNK.exec(first!)![1]}`;
    renameSync(join(dir, first!), join(dir, shared));
    for (const name of others) rmSync(join(dir, name));
    for (const name of [first!, ...others]) renamed.set(name, shared);
  }
  for (const [name, text] of texts) {
    const to = renamed.get(name) ?? name;
    const renewed = text.replaceAll(NAMED, (found, quote: string, of: string) => {
      const shared = renamed.get(of);
      return shared === undefined ? found : `${quote}./${shared}${quote}`;
    });
    if (renewed !== text) writeFileSync(join(dir, to), renewed);
  }
}
