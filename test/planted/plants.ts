/** Bugs that are put into a copy of the project, one at a time, and the test files that must notice each. */

export interface Plant {
  /** What is wrong then. */
  readonly what: string;
  /** From the root. */
  readonly file: string;
  /** Text that the file has once. */
  readonly find: string;
  readonly put: string;
  /** Test files, from the root, of which at least one test fails. */
  readonly foundBy: readonly string[];
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  'early-acknowledgement': {
    what: 'A write is acknowledged when it is appended, and not when it is on the disk.',
    file: 'storage/journal/journal.ts',
    find: 'if (n <= this.#durable) then();',
    put: 'if (n <= this.#last) then();',
    foundBy: ['test/storage/journal', 'test/storage/model.test.ts'],
  },
  'later-batch-acknowledged': {
    what: 'A sync acknowledges what was appended while it ran, too.',
    file: 'storage/journal/journal.ts',
    find: 'this.#durable = this.#written;',
    put: 'this.#durable = this.#last;',
    foundBy: ['test/storage/journal', 'test/storage/model.test.ts'],
  },
  'unchecked-record': {
    what: 'The CRC of a journal record is not checked.',
    file: 'storage/journal/record.ts',
    find: 'if (crc32(bytes.subarray(at + 8, body + length), identity.seed) !== bytes.readUInt32LE(at + 4)) return null;',
    put: '',
    foundBy: ['test/storage/journal'],
  },
  'damage-as-torn-tail': {
    what: 'A damaged record with durable ones behind it is cut as a torn tail.',
    file: 'storage/journal/replay.ts',
    find: 'if (first !== null && record.number - record.place > next)',
    put: 'if (first !== null && record.number - record.place > next + 1_000_000)',
    foundBy: ['test/storage/journal'],
  },
  'oldest-wins': {
    what: 'A scan shows an older value of a key that was written again.',
    file: 'storage/overlay/merge.ts',
    find: 'for (let i = walks.length - 1; i >= 0; i--) {',
    put: 'for (let i = 0; i < walks.length; i++) {',
    foundBy: ['test/storage/overlay', 'test/storage/port.test.ts', 'test/storage/model.test.ts'],
  },
  'read-ahead-of-disk': {
    what: 'A scan does not tell that what it read is not on the disk yet, so that an answer may show a write that a crash undoes.',
    file: 'storage/overlay/merge.ts',
    find: '      observer.see(pending.number);\n',
    put: '',
    foundBy: ['test/storage/overlay', 'test/storage/port.test.ts', 'test/storage/model.test.ts'],
  },
  'deleted-key-returns': {
    what: 'A key that was deleted shows its value in LMDB again.',
    file: 'storage/overlay/merge.ts',
    find: '      ({ value } = pending);',
    put: '      value = pending.value ?? value;',
    foundBy: ['test/storage/overlay', 'test/storage/port.test.ts', 'test/storage/model.test.ts'],
  },
  'skipped-index-entry': {
    what: 'An update leaves the old entry in an index, so that a query finds the row by a value that it had.',
    file: 'actors/engine/rows/write.ts',
    find: 'if (old !== null && (!index.building || getEntry(turn, old) === id)) turn.del(old);',
    put: 'if (old !== null && now === null && (!index.building || getEntry(turn, old) === id)) turn.del(old);',
    foundBy: ['test/actors/engine/rows/engine.property.test.ts', 'test/actors/engine/rows/write.property.test.ts'],
  },
  'missing-index-entry': {
    what: 'A row that comes back with another value is in no index.',
    file: 'actors/engine/rows/write.ts',
    find: '  if (now !== null) putEntry(turn, now, id);',
    put: '  if (now !== null && old === null) putEntry(turn, now, id);',
    foundBy: ['test/actors/engine/rows/engine.property.test.ts', 'test/actors/engine/rows/write.property.test.ts'],
  },
  'unique-once-more': {
    what: 'A unique value may be taken by a second row.',
    file: 'actors/engine/rows/write.ts',
    find: 'if (holder === undefined || holder === id) return;',
    put: 'if (holder === undefined || holder !== id) return;',
    foundBy: ['test/actors/engine/rows/engine.property.test.ts', 'test/actors/engine/rows/write.property.test.ts'],
  },
  'row-rule-forgotten': {
    what: 'The row rule of an entity hides no row.',
    file: 'actors/engine/rows/access.ts',
    find: "if (model.rowRule === null || session.principal.type === 'internal') return null;",
    put: 'if (model !== null) return null;',
    foundBy: ['test/actors/engine/rows/postgres.property.test.ts', 'test/actors/engine/rows/follow.property.test.ts'],
  },
  'open-without-rule': {
    what: 'An operation without a rule is allowed to everybody.',
    file: 'actors/engine/rows/access.ts',
    find: 'if (rule === undefined) return session.principal.superadmin;',
    put: 'if (rule === undefined) return true;',
    foundBy: ['test/actors/data/access.test.ts', 'test/actors/data/rest.test.ts'],
  },
  'expired-token': {
    what: 'A token counts after its end.',
    file: 'actors/kit/token/verify.ts',
    find: '  if (!(nowMs < expiresAtMs)) return null;\n',
    put: '',
    foundBy: ['test/actors/kit/token'],
  },
  'forged-token': {
    what: 'The signature of a token is not verified.',
    file: 'actors/kit/token/verify.ts',
    find: 'if (key === undefined || !verifyPublic(key.key, parts)) return null;',
    put: 'if (key === undefined) return null;',
    foundBy: ['test/actors/kit/token'],
  },
  'one-request-more': {
    what: 'A rate bucket grants one request more than its burst.',
    file: 'actors/rates/gate.ts',
    find: '!== tag) return -1;\n      const after = ahead(profile, tat, now) + profile.costTicks;',
    put: '!== tag) return -1;\n      const after = ahead(profile, tat, now);',
    foundBy: ['test/actors/rates'],
  },
  'leaf-as-node': {
    what: 'Nodes of an audit log’s tree are hashed as leaves are, so that a leaf could stand for a node.',
    file: 'storage/segment/hash.ts',
    find: '  node[0] = 1;',
    put: '  node[0] = 0;',
    foundBy: ['test/storage/segment/merkle-vectors.test.ts'],
  },
  'changed-line': {
    what: 'A changed line of the log of submissions is taken for sound.',
    file: 'storage/log/chain.ts',
    find: "if (hash('sha256', line.subarray(0, headEnd), 'hex') === stated)",
    put: "if (hash('sha256', line.subarray(0, headEnd), 'hex') !== '')",
    foundBy: ['test/storage/log'],
  },
  'damage-as-unwritten': {
    what: 'One byte that became zero is taken for a sector that was never written, and what stands behind it is cut.',
    file: 'storage/unwritten.ts',
    find: '.every((byte) => byte === 0)) return true;',
    put: '.some((byte) => byte === 0)) return true;',
    foundBy: ['test/storage/log', 'test/storage/segment'],
  },
  'outbox-empties-early': {
    what: 'A webhook is forgotten when it is handed out, and not when its receiver has answered.',
    file: 'actors/host/outbox/outbox.ts',
    find: '    const parcels = leaving.map((open) => open());\n',
    put: '    const parcels = leaving.map((open) => open());\n    for (const { id } of [...this.entries(work.turn())]) table.del(work.turn(), ...under, id);\n',
    foundBy: ['test/actors/host/outbox', 'test/actors/data/trigger'],
  },
  'answer-of-another-request': {
    what: 'A key that was used with another request gets the answer of that one.',
    file: 'actors/host/idempotency/replay.ts',
    find: 'if (kept.request !== request) return once.reused();',
    put: '',
    foundBy: ['test/actors/data/idempotency.test.ts'],
  },
  'foreign-cursor': {
    what: 'A cursor that this tenant did not sign is taken.',
    file: 'actors/engine/rows/cursor/cursor.ts',
    find: 'if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(key, model, terms, payload))) return refused;',
    put: 'if (!timingSafeEqual(macOf(key, model, terms, payload), macOf(key, model, terms, payload))) return refused;',
    foundBy: ['test/actors/data/far-orders.test.ts', 'test/actors/data/rest.test.ts'],
  },
};
