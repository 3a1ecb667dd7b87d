/** Bounds of the administration of people and keys. */
export const peopleLimits = {
  people: {
    /** Users of one page, and when the caller names no number. */
    pageRowsMax: 200,
    pageRows: 50,
    /** Index entries that one page looks at; a page may end early and say where it goes on. */
    pageLooksMax: 1000,
    /** Characters of an address or a name that the index has; longer searches are compared with the record. */
    termCharsMax: 128,
    /** Existing users that one turn adds to the index: each has up to four entries, and the turn notes how far it came. */
    indexSliceRows: 200,
    /** JSON of a user's roles: the token that carries them must fit in a header. */
    rolesBytesMax: 4096,
    roleDescriptionCharsMax: 256,
    catalogueRolesMax: 256,
    idCharsMax: 64,
    cursorCharsMax: 1024,
  },
} as const;
