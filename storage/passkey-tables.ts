/** Tables of passkeys and of users' accounts at providers: part of the catalogue. */

export const passkeyTables = {
  oauth_link: {
    no: 23,
    key: 'provider, issuer, subject there',
    version: 1,
    owner: 'identity',
    holds: "a provider's user → user id",
  },
  oauth_link_index: {
    no: 115,
    key: "'user', user id, provider, issuer, subject there; 'built'",
    version: 1,
    owner: 'identity',
    holds: 'the accounts at providers that log a user in, by user; how far it was built',
    whileReadOnly: true,
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
