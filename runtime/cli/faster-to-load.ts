/** What a bundle says in another way because Node loads it faster: the programs stay the same. */
import type { Plugin } from 'rolldown';

export const fasterToLoad: Plugin = {
  name: 'faster-to-load',
  generateBundle: (_, bundle) => {
    for (const part of Object.values(bundle))
      if (part.type === 'chunk') part.code = httpWithoutUndici(inAscii(part.code));
  },
};

/** Text outside of ASCII makes V8 keep a whole bundle in two bytes a character, and Node decode it slowly. */
export function inAscii(code: string): string {
  // Escapes are taken as pairs: a backslash before such a character says nothing, and before its escape it would.
  return code.replace(/\\[^]|[^\0-\x7F]/g, (found) => {
    const unit = found.charCodeAt(found.length - 1);
    return unit < 0x80 ? found : `\\u${unit.toString(16).padStart(4, '0')}`;
  });
}

/** An import of `node:http` reads every export, `WebSocket` too, for which Node then loads its own undici. */
export function httpWithoutUndici(code: string): string {
  return code.replace(
    // With white space, or packed without it.
    /(^|;)import ?\{ ?([^}]+?) ?\} ?from ?["']node:http["'];/gm,
    (_, before: string, names: string) =>
      `${before}const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule("node:http");`,
  );
}
