/** How long a node keeps the answer to a key, in milliseconds (docs/contract/common.md §4.3). Made by `npm run generate`. */
export const KEY_KEPT_MS: number = 86400000;
