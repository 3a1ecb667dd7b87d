/** Numbers of text search: what a row adds to an index, and what one search may ask. */
export const searchLimits = {
  /** Fields of one text index. */
  fieldsMax: 16,
  stopWordsMax: 1000,
  /** UTF-16 units of a row's text that are indexed, and words of it: with both, a write that indexes it takes some milliseconds. */
  rowCharsMax: 16_384,
  rowWordsMax: 2000,
  /** Characters of a word that tell it apart: what follows is cut. */
  wordCharsMax: 64,
  /** Characters of the words that are searched, and how many they may be. */
  queryCharsMax: 1000,
  queryWordsMax: 16,
  /** Words of the index that the beginning of a word may stand for. */
  prefixWordsMax: 128,
  /** Numbers that an index can give to its rows, four bytes each. */
  documentsMax: 0xffff_ffff,
  /** Rows that the first round of a ranked search keeps; each further round keeps eight times as many, up to the last. */
  roundRows: 1024,
  roundRowsMax: 65_536,
  /** Entries that are read between two looks at the slice, and blocks that are matched. */
  strideEntries: 32,
  strideBlocks: 4,
  /** Fuel of one indexed word, of one entry that is read, and of 16 occurrences that are compared. */
  wordUnits: 40,
  entryUnits: 10,
  occurrenceUnits: 4,
  /** Stems that a thread keeps for each language, and the characters of the longest word among them. */
  stemsMax: 50_000,
  keptStemCharsMax: 12,
  /** UTF-16 units of the piece of a field that a highlight shows, and of these before the first word that was found. */
  highlightChars: 240,
  highlightBefore: 60,
} as const;
