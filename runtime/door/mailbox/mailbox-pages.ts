/** The development mailbox as HTML: a list, and a mail with its parts. Pure; what a mail says is escaped, its HTML part stays in a frame of its own. */
import type { KeptMail } from '#actors/protocol/mailbox.ts';

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const LINK = /https?:\/\/[^\s<>"']+/g;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign]!);

const STYLE = `:root{color-scheme:light dark} body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%} td,th{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #8884;vertical-align:top}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;border:1px solid #8884;border-radius:6px}
iframe{width:100%;height:34rem;border:1px solid #8884;border-radius:6px;background:#fff}`;

const page = (title: string, body: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>\n<body>${body}</body></html>\n`;

export function listPage(mails: readonly KeptMail[]): string {
  const rows = mails.map(
    ({ no, at, tenant, to, subject }) =>
      `<tr><td>${escaped(at.slice(0, 19).replace('T', ' '))}</td><td>${escaped(tenant)}</td><td>${escaped(to)}</td><td><a href="/mails/${no}">${escaped(subject)}</a></td></tr>`,
  );
  const table =
    rows.length === 0
      ? '<p id="empty">No mail yet.</p>'
      : `<table><thead><tr><th>When (UTC)</th><th>Tenant</th><th>To</th><th>Subject</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  return page('Mails', `<h1>Mails</h1><p>They are in memory only, and none leaves this node.</p>${table}`);
}

export function mailPage(mail: KeptMail): string {
  const { no, at, tenant, from, to, subject, text } = mail;
  const head = Object.entries({ From: from, To: to, When: at, Tenant: tenant });
  const rows = head.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join('');
  return page(
    subject,
    `<p><a href="/mails">All mails</a></p><h1>${escaped(subject)}</h1><table><tbody>${rows}</tbody></table>
<h2>Text</h2><pre id="text">${linked(text)}</pre>
<h2>HTML</h2><iframe id="html" title="The HTML part" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" src="/mails/${no}/html"></iframe>`,
  );
}

/** The HTML part, with its links in new windows: a frame would not show most pages. */
export function htmlPart({ html }: KeptMail): string {
  const base = '<base target="_blank">';
  return /<head\b[^>]*>/i.test(html) ? html.replace(/<head\b[^>]*>/i, (head) => head + base) : base + html;
}

function linked(text: string): string {
  let at = 0;
  const pieces: string[] = [];
  for (const { 0: url, index } of text.matchAll(LINK)) {
    pieces.push(escaped(text.slice(at, index)));
    pieces.push(`<a href="${escaped(url)}" target="_blank" rel="noreferrer noopener">${escaped(url)}</a>`);
    at = index + url.length;
  }
  return pieces.join('') + escaped(text.slice(at));
}
