/**
 * A new certificate on uWebSockets.js. An app keeps the one that it was made with, so a new app is made beside it, and the app that listens hands
 * over each connection that it accepts from then on: the port stays open, none that waits to be accepted is lost, and connections of before go on
 * where they are. The handing over is the addon's own, made for apps of several threads; its types lack it.
 */
import type { TemplatedApp } from 'uWebSockets.js';

interface RelayApp extends TemplatedApp {
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
}

export class UwsRelay {
  readonly #listening: RelayApp;
  /** Where connections go that are accepted now; null: they stay with the app that listens. */
  #heir: RelayApp | null = null;
  /** All that may have connections. An app without any stays in memory: the addon never gives one up. */
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
