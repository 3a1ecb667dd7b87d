/** Tables of passkeys, of users' accounts at providers of foreign password hashes and of erasures: part of the catalogue. */

export const passkeyTables = {
  oauth_link: {
    no: 23,
    key: 'provider, issuer, subject there',
    version: 1,
    owner: 'identity',
    holds: "a provider's user → user id",
  },
  foreign_hash: {
    no: 115,
    key: 'form of the hash, cost',
    version: 1,
    owner: 'identity',
    holds: 'how many users have a password hash of another system, by what one check of it costs',
  },
  erasure: {
    no: 116,
    key: 'erasure id',
    version: 1,
    owner: 'identity',
    holds: 'erasures of persons: what is still to be done, with the address until then, and what was done',
  },
  passkey: {
    no: 110,
    key: 'user id, passkey id',
    version: 1,
    owner: 'identity',
    holds: 'passkeys: public key, name, whether it is a second factor',
  },
  passkey_use: {
    no: 111,
    key: 'passkey id',
    version: 1,
    owner: 'identity',
    holds: 'the signature counter and the last use of a passkey',
    whileReadOnly: true,
  },
  passkey_id: {
    no: 112,
    key: 'SHA-256 of the credential id',
    version: 1,
    owner: 'identity',
    holds: 'credential id → user id, passkey id',
  },
  passkey_secret: {
    no: 113,
    key: "'key'",
    version: 1,
    owner: 'identity',
    holds: 'the key that makes challenges and user handles of passkeys',
    whileReadOnly: true,
  },
  passkey_spent: {
    no: 114,
    key: 'end of its life, SHA-256 of the challenge',
    version: 1,
    owner: 'identity',
    holds: 'challenges of passkeys that counted, for five minutes',
    whileReadOnly: true,
  },
} as const;
