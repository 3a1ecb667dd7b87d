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
    /** Of a key: its name, labels, addresses, presentations a second. */
    keyNameCharsMax: 128,
    keyMetadataBytesMax: 2048,
    keyMetadataEntriesMax: 32,
    keyIpsMax: 64,
    keyPerSecondMax: 10_000,
    keyLifetimeDaysMax: 36_500,
    /** Keys that one call revokes by their ids. */
    keyIdsMax: 500,
    /** Keys that one turn looks at, when those of a subject are revoked. */
    keySliceRows: 500,
    /** Compiled lists of addresses of one thread. */
    keyListsMax: 4096,
    /** Keys whose presentations one tenant counts; past them the key that was presented longest ago begins anew. */
    keyGuardEntriesMax: 10_000,
    /** How often a key that comes from a foreign address is logged. */
    keyLogEveryMs: 10 * 60_000,
    idCharsMax: 64,
    cursorCharsMax: 1024,
  },
} as const;
