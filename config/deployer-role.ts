/** The role of keys for deploys (docs/contract/platform.md §1.10). No tenant's administrator gives it. */
export const DEPLOYER = 'skep-deployer';
