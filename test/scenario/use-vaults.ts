/** Vaults as processes of their own that end with the test. */
import { afterEach } from 'vitest';
import { VaultProcess, type ServedVault } from '#test/kit/vault-process.ts';

export interface Vaults {
  /** A directory with the files of a vault, removed after the test. */
  readonly fresh: (...args: Parameters<VaultProcess['open']>) => VaultProcess;
  /** Serves, and is killed after the test where it still runs. */
  readonly serve: (vault: VaultProcess) => Promise<ServedVault>;
}

export function useVaults(): Vaults {
  const vaults: VaultProcess[] = [];
  const running: ServedVault[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.end('SIGKILL');
    for (const vault of vaults.splice(0)) vault.close();
  });
  return {
    fresh: (...args) => {
      const vault = new VaultProcess();
      vaults.push(vault);
      vault.open(...args);
      return vault;
    },
    serve: async (vault) => {
      const served = await vault.serve();
      running.push(served);
      return served;
    },
  };
}
