/**
 * A preload (`NODE_OPTIONS=--import=…`) of a process under test: whatever thread parses JSON that holds the word below never comes back, as a
 * runaway of the product would not. So tests make a host spin, and the product has no switch for it.
 */
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  if (typeof text === 'string' && text.includes('spin-for-ever')) for (;;);
  return parse(text, reviver);
};
