/** Options of `skep service`, and where units are. */

export interface ServiceInstallOptions {
  readonly file: string;
  readonly user: string;
  readonly credential: readonly string[];
  readonly unitDir: string;
  readonly print?: boolean;
}

export interface ServiceUninstallOptions {
  readonly unitDir: string;
}

export const UNIT_DIR = '/etc/systemd/system';
