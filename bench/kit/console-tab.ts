/** The console in Debian's Chromium, as the bench uses it: a log in, how long a page takes, a trace of what is scrolled. */
import { readFileSync } from 'node:fs';
import type { ChromiumPage } from '#test/kit/chromium-page.ts';
import { ADMIN } from './data-node.ts';
import { CATEGORIES, type TraceEvent } from './frames.ts';
import { processorSeconds } from './machine.ts';

const [WIDTH, HEIGHT] = [1280, 900];
const SHOWN_MS_MAX = 30_000;

/** Waits in the page, at its frames, until an expression is true; the milliseconds since the page began, or since `from`. */
const shown = (expression: string): string => `
  const ends = performance.now() + ${SHOWN_MS_MAX};
  while (!(${expression})) {
    if (performance.now() > ends) throw new Error(${JSON.stringify(`not in ${SHOWN_MS_MAX} ms: ${expression}`)} + '; the page says: ' + document.body.innerText.slice(0, 300));
    await new Promise((done) => requestAnimationFrame(done));
  }
  await new Promise((done) => requestAnimationFrame(done));`;

const FIELDS = `document.querySelector('input[name=password]') !== null`;

const TYPE = `
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  for (const [name, text] of Object.entries({ login: ${JSON.stringify(ADMIN.login)}, password: ${JSON.stringify(ADMIN.password)} })) {
    const field = document.querySelector('input[name=' + name + ']');
    set.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`;

export class ConsoleTab {
  readonly page: ChromiumPage;

  private constructor(page: ChromiumPage) {
    this.page = page;
  }

  static async open(): Promise<ConsoleTab> {
    // A machine without Chromium has the other cases all the same.
    const { ChromiumPage: Page } = await import('#test/kit/chromium-page.ts');
    const tab = new ConsoleTab(await Page.open());
    await tab.page.command('Emulation.setLocaleOverride', { locale: 'en' });
    const metrics = { width: WIDTH, height: HEIGHT, deviceScaleFactor: 1, mobile: false };
    await tab.page.command('Emulation.setDeviceMetricsOverride', metrics);
    return tab;
  }

  /** Opens an address with nothing kept from before; milliseconds until the form of the log in takes what is typed. */
  async form(address: string): Promise<number> {
    await this.page.goto('about:blank');
    await this.page.command('Network.clearBrowserCache');
    // A login of before would go on.
    const storageTypes = 'cookies,local_storage';
    await this.page.command('Storage.clearDataForOrigin', { origin: new URL(address).origin, storageTypes });
    await this.page.goto(address);
    // Its clock begins with the navigation.
    return Number(await this.page.run(`${shown(FIELDS)} return performance.now();`));
  }

  /** Logs in at the form; milliseconds from then until the expression is true. */
  async enter(expression: string): Promise<number> {
    const script = `${TYPE}
      const began = performance.now();
      document.querySelector('form').requestSubmit();
      ${shown(expression)}
      return performance.now() - began;`;
    return Number(await this.page.run(script));
  }

  shows = (expression: string): Promise<unknown> => this.page.run(shown(expression));

  mark = (name: string): Promise<unknown> => this.page.run(`performance.mark(${JSON.stringify(name)})`);

  /** Turns the wheel over the middle of the page for so many pixels, those above 0 downwards. */
  async wheel(pixels: number, perSecond: number): Promise<void> {
    const gesture = { yDistance: -pixels, speed: perSecond, gestureSourceType: 'mouse', preventFling: true };
    await this.page.command('Input.synthesizeScrollGesture', { x: WIDTH / 2, y: HEIGHT / 2, ...gesture });
  }

  /** What the browser notes while the work lasts; the text of the trace. */
  async traced(work: () => Promise<void>): Promise<string> {
    const traceConfig = { includedCategories: CATEGORIES, excludedCategories: ['*'] };
    await this.page.command('Tracing.start', { transferMode: 'ReturnAsStream', traceConfig });
    await work();
    const complete = this.page.next('Tracing.tracingComplete');
    await this.page.command('Tracing.end');
    const { stream } = await complete;
    const pieces: string[] = [];
    for (;;) {
      const { data, base64Encoded, eof } = await this.page.command('IO.read', { handle: stream });
      pieces.push(base64Encoded === true ? Buffer.from(String(data), 'base64').toString() : String(data));
      if (eof === true) return pieces.join('');
    }
  }

  close = (): Promise<void> => this.page.close();
}

export const eventsOf = (trace: string): readonly TraceEvent[] =>
  (JSON.parse(trace) as { traceEvents: readonly TraceEvent[] }).traceEvents;

/** Processor seconds that a process has used so far, with all its threads. */
export const secondsOf = (pid: number): number => processorSeconds(readFileSync(`/proc/${pid}/stat`, 'utf8'));
