/** The console in Debian's Chromium, as a person uses it: what it shows, what is clicked and typed, what axe says of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { ChromiumPage } from './chromium-page.ts';

const SOON = { timeout: 60_000, interval: 50 };
/** Where a person finds what the pages look like; unset, nothing is written. */
const PICTURES = process.env['SKEP_PICTURES'];
/** The same for the pictures of docs/tutorials/console.md, which `npm run console:pictures` takes; unset, none is taken. */
const DOC_PICTURES = process.env['SKEP_DOC_PICTURES'];
const DOC_FORM = { format: 'webp', quality: 72 } as const;
const HEIGHT = 900;

export type Colours = 'dark' | 'light';

const LOOKS: readonly (readonly [Colours, number])[] = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
];

/** What axe finds. It fails on a page that changes under it, as while an editor marks its text: that says nothing of the page, and it is asked again. */
const AXE = String.raw`
  const look = async (tries) => {
    try {
      return await axe.run(document);
    } catch (error) {
      if (tries === 0) throw error;
      await new Promise((done) => setTimeout(done, 500));
      return look(tries - 1);
    }
  };
  const said = ({ html, any }) => html.slice(0, 200) + ' ' + (any[0]?.message ?? '');
  return (await look(5)).violations.map(({ id, nodes }) => id + ': ' + nodes.map(said).join(' | '));
`;

/** In the window. */
interface At {
  readonly x: number;
  readonly y: number;
}

export class ConsolePage {
  readonly page: ChromiumPage;
  readonly #wished: { scheme: Colours; width: number } = { scheme: 'light', width: 1280 };

  private constructor(page: ChromiumPage) {
    this.page = page;
  }

  /** English, light, wide. `before`: a script that runs in each page before its own. */
  static async open(before = ''): Promise<ConsolePage> {
    const it = new ConsolePage(await ChromiumPage.open());
    await it.page.command('Emulation.setLocaleOverride', { locale: 'en' });
    await it.page.command('Page.addScriptToEvaluateOnNewDocument', { source: before });
    await it.looks('light', 1280);
    return it;
  }

  async looks(scheme: Colours, width: number): Promise<void> {
    Object.assign(this.#wished, { scheme, width });
    const metrics = { width, height: HEIGHT, deviceScaleFactor: 1, mobile: false };
    await this.page.command('Emulation.setDeviceMetricsOverride', metrics);
    const features = [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ];
    await this.page.command('Emulation.setEmulatedMedia', { features });
    await this.page.run(`
      const wished = matchMedia('(width: ${width}px) and (prefers-color-scheme: ${scheme})');
      if (!wished.matches) await new Promise((done) => wished.addEventListener('change', done, { once: true }));`);
    await this.#drawn();
  }

  /** Two frames later, what observes the sizes of elements has heard of those that they have now. */
  #drawn = (): Promise<unknown> =>
    this.page.run('await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

  text = (): Promise<unknown> => this.page.run('return document.body.innerText');

  /** Waits until the page says this. */
  shows = (words: string): Promise<void> => expect.poll(this.text, SOON).toContain(words);

  /** Waits until an expression in the page has this value. */
  has = (expression: string, value: unknown): Promise<void> =>
    expect.poll(() => this.page.run(`return ${expression}`), SOON).toEqual(value);

  /** Clicks the link, button, tab or choice of this name, as soon as it is there and takes clicks. */
  async click(name: string): Promise<void> {
    const found = `[...document.querySelectorAll('a, button, summary, [role=option], [role=menuitem]')].find((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === ${JSON.stringify(name)} && !one.disabled)`;
    await expect
      .poll(() => this.page.run(`const it = ${found}; it?.click(); return it !== undefined`), SOON)
      .toBe(true);
  }

  /** Types into the field of this label, in place of what it has. */
  async type(label: string, text: string): Promise<void> {
    const script = `
      const it = [...document.querySelectorAll('label')].find((one) => one.textContent.replace('*', '').trim() === ${JSON.stringify(label)});
      const field = it && document.getElementById(it.htmlFor);
      if (!field) return false;
      const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement;
      Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, ${JSON.stringify(text)});
      field.dispatchEvent(new Event(kind === HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
      return true;`;
    await expect.poll(() => this.page.run(script), SOON).toBe(true);
  }

  /** Presses a key, as the keyboard does; `text` is what it writes. */
  async press(key: string, text = key === 'Enter' ? '\r' : ''): Promise<void> {
    const codes: Readonly<Record<string, number>> = { ArrowDown: 40, ArrowUp: 38, Enter: 13, Escape: 27, Tab: 9 };
    const event = { key, code: key, windowsVirtualKeyCode: codes[key] ?? 0 };
    await this.page.command('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...(text !== '' && { text }) });
    await this.page.command('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** Presses a key while Control is held. `code`: of the key, as Windows has it. */
  async withControl(key: string, code: number): Promise<void> {
    const event = { key, windowsVirtualKeyCode: code, modifiers: 2 };
    await this.page.command('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.page.command('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** Presses a key that writes nothing. `code`: as Windows has it; `modifiers`: 2 is Control, 8 is Shift. */
  async pressWith(key: string, code: number, modifiers: number, commands: readonly string[] = []): Promise<void> {
    const event = { key, code: key, windowsVirtualKeyCode: code, modifiers };
    await this.page.command('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event, commands });
    await this.page.command('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** Copies or pastes as the browser does at its keys. */
  clip = (command: 'copy' | 'paste'): Promise<void> =>
    command === 'copy' ? this.pressWith('c', 67, 2, [command]) : this.pressWith('v', 86, 2, [command]);

  /** The next copy puts this text into the clipboard, whatever is marked. */
  willCopy = (text: string): Promise<unknown> =>
    this.page.run(`
      const put = (event) => { event.preventDefault(); event.stopImmediatePropagation(); event.clipboardData.setData('text/plain', ${JSON.stringify(text)}); };
      globalThis.addEventListener('copy', put, { capture: true, once: true });`);

  /** A click of the mouse in the middle of an element, which an expression names. */
  async clickOn(element: string, modifiers = 0): Promise<void> {
    const at = await this.#middle(element);
    for (const type of ['mousePressed', 'mouseReleased']) await this.#mouse(type, at, { modifiers });
  }

  /** Drags an element to another one by the mouse. The browser hands out what has begun to be dragged; the rest of the way is told by it. */
  async drag(element: string, onto: string): Promise<void> {
    const [from, to] = [await this.#middle(element), await this.#middle(onto)];
    await this.page.command('Input.setInterceptDrags', { enabled: true });
    const begun = this.page.next('Input.dragIntercepted');
    await this.#mouse('mouseMoved', from, { button: 'none' });
    await this.#mouse('mousePressed', from, { buttons: 1 });
    for (const part of [0.2, 0.4])
      await this.#mouse('mouseMoved', { x: from.x + part * (to.x - from.x), y: from.y }, { buttons: 1 });
    const { data } = await begun;
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await this.page.command('Input.dispatchDragEvent', { type, ...to, data });
    await this.#mouse('mouseReleased', to);
    await this.page.command('Input.setInterceptDrags', { enabled: false });
  }

  async #middle(element: string): Promise<At> {
    const script = `const { x, y, width, height } = ${element}.getBoundingClientRect(); return { x: x + width / 2, y: y + height / 2 };`;
    return (await this.page.run(script)) as At;
  }

  #mouse = (type: string, at: At, more: object = {}): Promise<unknown> =>
    this.page.command('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1, ...more });

  /** At the form of the log in. */
  async logIn(name: string, password: string): Promise<void> {
    await this.type('Address', name);
    await this.type('Password', password);
    await this.click('Log in');
  }

  /** Leaves the page, and every login with it: the next one is of a reader whom the browser does not know. */
  async blank(): Promise<void> {
    // A log in whose answer is still on its way must not keep its id behind this: the next page would go on with it, and its cookie is gone.
    await this.page.run(`
      if (location.protocol !== 'http:') return;
      Storage.prototype.setItem = () => undefined;
      for (const name of Object.keys(localStorage)) if (name.startsWith('skep login ')) localStorage.removeItem(name);`);
    await this.page.command('Network.clearBrowserCookies');
    await this.page.goto('about:blank');
  }

  /** Opens an address anew and logs in there. */
  async visit(address: string, name: string, password: string): Promise<void> {
    await this.blank();
    await this.page.goto(address);
    await this.logIn(name, password);
  }

  /** Waits until so many elements are there. */
  count = (selector: string, value: number): Promise<void> =>
    this.has(`document.querySelectorAll(${JSON.stringify(selector)}).length`, value);

  /** Waits until the button of this name takes clicks, or takes none. */
  takes = (act: string, value: boolean): Promise<void> =>
    this.has(
      `[...document.querySelectorAll('button')].filter((one) => one.innerText === ${JSON.stringify(act)}).map((one) => !one.disabled)[0]`,
      value,
    );

  /** Types what a dangerous act asks for, in the sheet where one is open. */
  async typeName(text: string): Promise<void> {
    const script = `
      const field = document.querySelector('[role=dialog] .named-act input') ?? document.querySelector('.named-act input');
      if (!field) return false;
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(text)});
      field.dispatchEvent(new Event('input', { bubbles: true }));
      return true;`;
    await expect.poll(() => this.page.run(script), SOON).toBe(true);
  }

  /** The form that takes a typed name is there, or gone: while it is there, Escape may leave it and not the sheet around it. */
  asksForName = (value: boolean): Promise<void> => this.has("document.querySelector('.named-act') !== null", value);

  /** The sheet is gone. */
  closed = (): Promise<void> => this.has('document.querySelector("[role=dialog]") === null', true);

  /** Leaves the sheet by the keyboard. */
  async leave(): Promise<void> {
    await this.press('Escape');
    await this.closed();
  }

  /** Chooses a language; ends when the menu is gone. */
  async speak(language: 'Deutsch' | 'English'): Promise<void> {
    await this.click(language === 'Deutsch' ? 'Language' : 'Sprache');
    await this.click(language);
    await this.count('[role=menu]', 0);
  }

  /** The lines under a label that a reader takes to a shell. */
  async lineOf(label: string): Promise<string> {
    const found = `document.querySelector('[role=region][aria-label=${JSON.stringify(label)}]')?.textContent ?? null`;
    await this.has(`(${found}) !== null`, true);
    return String(await this.page.run(`return ${found}`));
  }

  /** The browser refused nothing and the page complained of nothing. `but`: of a request that was refused on purpose, the browser says so itself. */
  isQuiet(but = ''): void {
    expect(this.page.refused.filter((line) => but === '' || !line.includes(but))).toEqual([]);
    expect(this.page.complaints).toEqual([]);
    this.page.refused.length = 0;
  }

  /** A picture for the documentation, where they are taken. */
  async isInDocs(name: string, scheme: Colours = 'light', width = 1280): Promise<void> {
    if (DOC_PICTURES === undefined) return;
    await this.looks(scheme, width);
    await this.has('document.documentElement.dataset.mantineColorScheme', scheme);
    await this.#drawn();
    writeFileSync(join(DOC_PICTURES, `${name}.webp`), await this.page.picture(DOC_FORM));
    await this.looks('light', 1280);
  }

  /** Axe finds nothing, and nothing is wider than the window: light, dark and narrow, and dark and narrow where pictures are taken, one of each. */
  async isSound(name: string): Promise<void> {
    for (const [scheme, width] of PICTURES === undefined ? LOOKS.slice(0, 3) : LOOKS) {
      await this.looks(scheme, width);
      expect(await this.#axe(), `${name} ${scheme} ${width}`).toEqual([]);
      expect(await this.page.run('return document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      if (PICTURES !== undefined)
        writeFileSync(join(PICTURES, `${name}-${scheme}-${width}.png`), await this.page.picture());
    }
    await this.looks('light', 1280);
  }

  /** Evaluated over the debugging protocol, which no policy of the page binds. Menus are judged closed: one that is still closing is neither open nor gone. */
  async #axe(): Promise<unknown> {
    const read =
      'return { scheme: document.documentElement.dataset.mantineColorScheme, width: innerWidth, menus: document.querySelectorAll("[role=menu]").length }';
    await expect.poll(() => this.page.run(read), SOON).toEqual({ ...this.#wished, menus: 0 });
    await this.#drawn();
    const source = readFileSync(`${ROOT}console/node_modules/axe-core/axe.min.js`, 'utf8');
    await this.page.command('Runtime.evaluate', { expression: `if (!window.axe) { ${source} }; 0` });
    return this.page.run(AXE);
  }

  close = (): Promise<void> => this.page.close();
}
