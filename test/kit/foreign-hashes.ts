/** Password hashes of other systems: of their documentation, or computed with Python's hashlib. */

export interface Vector {
  readonly name: string;
  readonly hash: string;
  readonly password: string;
}

const SIGNER = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
const FIREBASE = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';

export const VECTORS: readonly Vector[] = [
  {
    name: 'bcrypt $2a$ (jBCrypt)',
    hash: '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
    password: 'abc',
  },
  {
    name: 'bcrypt $2b$',
    hash: '$2b$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
    password: 'abc',
  },
  {
    name: 'bcrypt $2y$ (PHP)',
    hash: '$2y$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe',
    password: 'a',
  },
  {
    name: 'PBKDF2 of passlib',
    hash: '$pbkdf2-sha256$8000$XAuBMIYQQogxRg$tRRlz8hYn63B9LYiCd6PRo6FMiunY9ozmMMI3srxeRE',
    password: 'password',
  },
  {
    name: 'PBKDF2 as PHC string, SHA-512',
    hash: '$pbkdf2-sha512$i=4000$TmFDbE5hQ2w$0EsCjNV3rLyuaBwP0cma7EPvJgD1UVaxLzxAwb0nKtwukbr4nrygZqIQ9Cp6sUHJz8deoumx5dr80DFrLNaH6w',
    password: 'correct horse',
  },
  {
    name: 'PBKDF2 of Django',
    hash: 'pbkdf2_sha256$26000$abcDEF123456$EMU94uZYQfMJooIquRWxiq+vl3XQr9+itvMmSh6q7Wk=',
    password: 'correct horse',
  },
  {
    name: 'PBKDF2 of Django, SHA-512, a password with an umlaut',
    hash: 'pbkdf2_sha512$5000$abcDEF123456$Jr7UXMH1pm3+ibmITTskP0RFuGbk5cO7OCKQp5FlLyyhNmY8YVL6UuC2gqDzSE5Rs9xy8I+zwhVoavSToe1D3A==',
    password: 'pässword',
  },
  {
    name: 'scrypt of passlib',
    hash: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    password: 'password',
  },
  {
    name: 'scrypt as PHC string',
    hash: '$scrypt$ln=10,r=8,p=2$TmFDbE5hQ2w$PvfzuznSGCqgtc0C+DBxzhJAxKrJhuTWCmeu+LMRYa4',
    password: 'correct horse',
  },
  {
    name: 'scrypt of Firebase (its documentation)',
    hash: `$firebase-scrypt$ln=14,r=8$42xEC+ixf3L2lw==$Bw==$${SIGNER}$${FIREBASE}`,
    password: 'user1password',
  },
  {
    name: 'argon2i (reference implementation)',
    hash: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
    password: 'password',
  },
  {
    name: 'argon2i of version 16',
    hash: '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
    password: 'password',
  },
  {
    name: 'argon2id of Django',
    hash: 'argon2$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    password: 'password',
  },
];
