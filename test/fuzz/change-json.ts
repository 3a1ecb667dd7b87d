/** Changes of the tree of a JSON text. */
import type { Random } from '#test/kit/random.ts';
import type { Change } from './change.ts';
import { textChanges } from './change-text.ts';

type Tree = unknown;
/** A place in a tree: its holder, and its name there. */
interface Place {
  readonly holder: Record<string, Tree>;
  readonly name: string;
}

const HOSTILE: readonly Tree[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\0',
  '\ud800',
  'x'.repeat(5000),
  [],
  {},
  [[]],
];
const NAMES = ['__proto__', 'constructor', 'toString', 'length', '', '\0', '$ref'];
const DEPTH_MAX = 200;

function placesIn(tree: Tree, found: Place[] = []): Place[] {
  if (typeof tree !== 'object' || tree === null) return found;
  for (const name of Object.keys(tree)) {
    const holder = tree as Record<string, Tree>;
    found.push({ holder, name });
    placesIn(holder[name], found);
  }
  return found;
}

function parsed(input: Buffer): Tree {
  try {
    return JSON.parse(input.toString());
  } catch {
    return undefined;
  }
}

/** `__proto__` is put in as a member, as it is in a text. */
function put({ holder, name }: Place, value: Tree): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

function nested(value: Tree, random: Random): Tree {
  let out = value;
  for (let left = 1 + random.below(random.chance(0.2) ? DEPTH_MAX : 4); left > 0; left--)
    out = random.chance(0.5) ? [out] : { a: out };
  return out;
}

type ChangePlace = (place: Place, random: Random, others: readonly Place[], words: readonly string[]) => void;

const ofPlaces =
  (change: ChangePlace): Change =>
  (input, { random, other, words }) => {
    const tree = parsed(input);
    const places = placesIn(tree);
    if (places.length === 0) return null;
    change(random.pick(places), random, [...places, ...placesIn(parsed(other))], words);
    return Buffer.from(JSON.stringify(tree));
  };

const hostile = ofPlaces((place, random) => put(place, random.pick(HOSTILE)));
const word = ofPlaces((place, random, _others, words) => put(place, words.length === 0 ? '' : random.pick(words)));
const graft = ofPlaces((place, random, others) => {
  const { holder, name } = random.pick(others);
  put(place, structuredClone(holder[name]));
});
const nest = ofPlaces((place, random) => put(place, nested(structuredClone(place.holder[place.name]), random)));
const drop = ofPlaces(({ holder, name }) => {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else delete holder[name];
});
const rename = ofPlaces(({ holder, name }, random, others, words) => {
  const as = random.pick([random.pick(others).name, random.pick(NAMES), ...words]);
  put(
    { holder, name: Array.isArray(holder) ? String(random.below(holder.length + 1)) : as },
    structuredClone(holder[name]),
  );
});

export const jsonChanges: readonly Change[] = [hostile, word, graft, nest, drop, rename, ...textChanges.slice(4)];
