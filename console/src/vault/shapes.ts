/** What the node says of its vault, in parts: docs/contract/node.md §11. */
import type { Vault } from '../node/answers.ts';

export type VaultState = NonNullable<NonNullable<Vault['vault']>['state']>;
/** Not told while it is sealed, or its store cannot be read. */
export type VaultPapers = NonNullable<VaultState['papers']>;
