/** The page of the template help-desk in a Chromium of its own, used as a person would: what it shows, and everything that the node told it. */
import { ChromiumPage } from './chromium-page.ts';

/** Before the scripts of the page: keeps what it receives, and each state of the connection that it shows. */
const WATCH = `
  window.received = '';
  const asked = window.fetch;
  window.fetch = async (...what) => {
    const answer = await asked(...what);
    const kept = answer.clone();
    if (kept.body !== null)
      (async () => {
        const text = new TextDecoder();
        for await (const piece of kept.body) window.received += text.decode(piece, { stream: true });
      })().catch(() => undefined);
    return answer;
  };
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(url) {
      super(url);
      this.addEventListener('message', ({ data }) => (window.received += data));
    }
  };
  window.states = [];
  addEventListener('DOMContentLoaded', () => {
    const connection = document.querySelector('#connection');
    new MutationObserver(() => window.states.push(connection.textContent)).observe(connection, { childList: true });
  });`;

/** Fills a form and submits it, again where the node could not be reached. Gives how often. */
const SEND = `async (selector, fields) => {
  for (let times = 1; times < 20; times++) {
    const form = document.querySelector(selector);
    for (const [name, value] of Object.entries(fields)) {
      const field = form.elements[name];
      if (field.type === 'checkbox') field.checked = value;
      else field.value = value;
    }
    form.requestSubmit();
    while (form.isConnected && form.hasAttribute('aria-busy')) await new Promise((resolve) => setTimeout(resolve, 20));
    const fault = form.querySelector(':scope > .fault')?.textContent ?? '';
    if (!form.isConnected || !fault.includes('cannot be reached')) return times;
  }
  throw new Error('the node cannot be reached');
}`;

/** What the browser says of a connection that broke off, which is no fault of the page; and a hint for the form behind a mailed link, which alone knows the user's name. */
const BROKEN_OFF = /net::ERR_|WebSocket connection to|status of 503|Password forms should have/;

/** A line of the list: the id, the subject, the status as it is written, the priority where it is shown. */
export type Line = readonly [id: string, subject: string, status: string, priority: string];
/** A comment: the id, the text, whether it is marked as a note among agents. */
export type Said = readonly [id: string, text: string, isNote: boolean];

export class DeskWindow {
  readonly page: ChromiumPage;

  private constructor(page: ChromiumPage) {
    this.page = page;
  }

  static async open(url: string): Promise<DeskWindow> {
    const window = new DeskWindow(await ChromiumPage.open());
    await window.page.command('Page.addScriptToEvaluateOnNewDocument', { source: WATCH });
    await window.page.goto(url);
    return window;
  }

  close(): Promise<void> {
    return this.page.close();
  }

  /** Fills a form and submits it until the node has answered. */
  async send(selector: string, fields: object): Promise<void> {
    await this.page.run(`return (${SEND})(${JSON.stringify(selector)}, ${JSON.stringify(fields)})`);
  }

  logIn(name: string): Promise<void> {
    return this.send('main form', { login: `${name}@example.org`, password: `the password of ${name}` });
  }

  /** Opens what the part of the address behind `#` names. */
  async go(hash: string): Promise<void> {
    await this.page.run(`location.hash = ${JSON.stringify(hash)}`);
    await this.page.run('await new Promise((resolve) => setTimeout(resolve))');
  }

  /** The text of an element as it is seen; null where it is not there, or is hidden. */
  text(selector: string): Promise<string | null> {
    const script = `const found = document.querySelector(${JSON.stringify(selector)}); return found?.checkVisibility() ? found.innerText.trim() : null`;
    return this.page.run(script) as Promise<string | null>;
  }

  lines(): Promise<Line[]> {
    return this.page.run(`return [...document.querySelectorAll('#tickets li')].map((line) => {
      const seen = (selector) => (line.querySelector(selector).checkVisibility() ? line.querySelector(selector).textContent : '');
      return [line.querySelector('a').hash.slice(1), seen('strong'), seen('.state'), seen('.priority')];
    })`) as Promise<Line[]>;
  }

  comments(): Promise<Said[]> {
    return this.page.run(`return [...document.querySelectorAll('#comments li')].map((item) =>
      [item.dataset.id, item.querySelector('.text').textContent, item.querySelector('.note').checkVisibility()])`) as Promise<
      Said[]
    >;
  }

  /** What the buttons of the open ticket say. */
  events(): Promise<string[]> {
    const script = `return [...document.querySelectorAll('.events button')].map(({ textContent }) => textContent)`;
    return this.page.run(script) as Promise<string[]>;
  }

  async press(label: string): Promise<void> {
    const script = `[...document.querySelectorAll('button')].find(({ textContent }) => textContent === ${JSON.stringify(label)})?.click()`;
    await this.page.run(script);
  }

  states(): Promise<string[]> {
    return this.page.run('return window.states') as Promise<string[]>;
  }

  /** Everything that came over the wire since the page was loaded. */
  received(): Promise<string> {
    return this.page.run('return window.received') as Promise<string>;
  }

  /** Errors of its scripts and refusals of the browser, without those of lost connections. */
  faults(): string[] {
    return this.page.refused.filter((text) => !BROKEN_OFF.test(text));
  }
}
