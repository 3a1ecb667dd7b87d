/** What tabs of one origin say to each other (WHATWG HTML, BroadcastChannel), whose types programs of Node do not have in this shape. */

export interface Tabs {
  postMessage(message: unknown): void;
  close(): void;
  addEventListener(type: 'message', listener: () => void): void;
  /** Of Node: it keeps no process alive. */
  unref?(): void;
}

/** The other tabs of the browser; undefined where it cannot reach them. */
export function tabsOf(name: string, heard: () => void): Tabs | undefined {
  const { BroadcastChannel } = globalThis as unknown as { readonly BroadcastChannel?: new (name: string) => Tabs };
  if (BroadcastChannel === undefined) return undefined;
  const tabs = new BroadcastChannel(name);
  tabs.addEventListener('message', heard);
  tabs.unref?.();
  return tabs;
}
