/**
 * The HTML part of a mail whose template has text only. It is a template itself, so that values are escaped in one place. Mail programs know
 * tables and inline styles; what only newer ones know (a dark colour scheme) comes on top. Nothing is loaded from elsewhere.
 */
import type { MailTemplate } from '#config/definitions/product.ts';

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
const DARK = [
  '.page{background:#16181c!important}',
  '.card{background:#22252b!important;color:#e8eaed!important}',
  '.quiet,.quiet a{color:#9aa0a6!important}',
  '.button{background:#8ab4f8!important;color:#16181c!important}',
].join(' ');
const BUTTON =
  'display:inline-block;padding:12px 22px;border-radius:6px;background:#1a56db;color:#ffffff;text-decoration:none;font-weight:600';
const CODE = 'font-size:32px;letter-spacing:6px;font-weight:700;margin:0 0 16px';

/** A paragraph that is a link becomes a button with the address below it, one that is a code large digits. */
export function htmlOf({ subject, text, button }: Pick<MailTemplate, 'subject' | 'text' | 'button'>): string {
  const label = escapeText(button ?? subject);
  const paragraphs = text.trim().split(/\n{2,}/);
  const body = paragraphs.map((paragraph) => paragraphHtml(escapeText(paragraph.trim()), label)).join('\n');
  return page(escapeText(subject), body);
}

function paragraphHtml(text: string, label: string): string {
  if (/^\{\{\s*link\s*\}\}$/.test(text))
    return `<p style="margin:0 0 12px"><a class="button" href="{{link}}" style="${BUTTON}">${label}</a></p>
<p class="quiet" style="margin:0 0 16px;font-size:12px;color:#6b7280;word-break:break-all"><a href="{{link}}" style="color:#6b7280">{{link}}</a></p>`;
  if (/^\{\{\s*code\s*\}\}$/.test(text)) return `<p style="${CODE}">{{code}}</p>`;
  const linked = text.replaceAll(/\{\{\s*link\s*\}\}/g, '<a href="{{link}}">{{link}}</a>');
  return `<p style="margin:0 0 16px">${linked.replaceAll('\n', '<br>\n')}</p>`;
}

function page(subject: string, body: string): string {
  return `<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>:root{color-scheme:light dark} @media (prefers-color-scheme:dark){${DARK} }</style>
</head>
<body class="page" style="margin:0;background:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px"><tr><td class="card" dir="auto" style="padding:32px;border-radius:10px;background:#ffffff;color:#1f2328;${FONT};font-size:16px;line-height:1.5">
<h1 style="margin:0 0 20px;font-size:22px;line-height:1.3">${subject}</h1>
${body}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** Escapes a template's own characters; its placeholders contain none of these. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
