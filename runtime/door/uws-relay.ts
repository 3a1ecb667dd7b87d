/**
 * Brings a new certificate to uWebSockets.js. An app keeps the certificate that it was made with, so a new app is made, and the listening app
 * hands each connection that it accepts afterwards to it: the port stays open, no connection that waits to be accepted is lost, and older
 * connections stay with their app. The addon has this handover for apps of several threads; its types lack it.
 */
import type { TemplatedApp } from 'uWebSockets.js';

interface RelayApp extends TemplatedApp {
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
}

export class UwsRelay {
  readonly #listening: RelayApp;
  /** The app that gets newly accepted connections; null: they stay with the listening app. */
  #heir: RelayApp | null = null;
  /** All apps that may have connections. An app without any stays in memory, since the addon never frees one. */
  readonly #apps: TemplatedApp[];

  constructor(listening: TemplatedApp) {
    this.#listening = listening as RelayApp;
    this.#apps = [listening];
  }

  succeed(app: TemplatedApp): void {
    const heir = app as RelayApp;
    if (this.#heir !== null) this.#listening.removeChildAppDescriptor(this.#heir.getDescriptor());
    this.#listening.addChildAppDescriptor(heir.getDescriptor());
    this.#heir = heir;
    this.#apps.push(heir);
  }

  /** Closes every connection. */
  close(): void {
    for (const app of this.#apps) app.close();
  }
}
