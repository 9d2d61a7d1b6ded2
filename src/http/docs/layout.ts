import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sourceFile } from '../../package-root.ts';
import { type GuideGroup, guideAddress } from './guides.ts';
import { escapeHtml } from './html.ts';
import type { Heading } from './markdown.ts';

const assetOf = (name: string) =>
  readFileSync(sourceFile(`http/docs/browser/${name}`), 'utf8').trim();
const styleOf = (...names: string[]) => names.map(assetOf).join('\n');
// The script is a block, so that its names are not global.
const scriptOf = (...names: string[]) => `{\n${names.map(assetOf).join('\n')}\n}`;
// This script runs before the first paint.
const firstScript = assetOf('first.js');
const siteStyle = styleOf('site.css', 'text.css', 'small-screens.css');
const guide = { style: siteStyle, script: scriptOf('site.js') };
const reference = {
  style: `${siteStyle}\n${assetOf('reference.css')}`,
  script: scriptOf('site.js', 'reference.js'),
};

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Allows only the scripts and styles of the page itself, and connections to this service only. */
export const docsHeaders: Record<string, string> = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${[firstScript, guide.script, reference.script].map(hashOf).join(' ')}`,
    `style-src ${[guide.style, reference.style].map(hashOf).join(' ')}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

export interface Page {
  title: string;
  /** Its address, marked in the navigation. */
  address: string;
  html: string;
  /** The sections below the navigation's current page; none for a page without them. */
  headings?: readonly Heading[];
  /** Entries of the navigation above the guides. */
  navigation?: string;
  /** The API reference is wider than a column of text and has samples. */
  isReference?: true;
}

const logo =
  '<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="9" fill="#0b7d74"/><g fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"><path d="M10 16h7"/><path d="M17 16c3 0 2-6 6-6"/><path d="M17 16c3 0 2 6 6 6"/></g><g fill="#fff"><circle cx="9" cy="16" r="2.8"/><circle cx="23.4" cy="10" r="2.4"/><circle cx="23.4" cy="22" r="2.4"/></g></svg>';

export function layout(page: Page, groups: readonly GuideGroup[], version: string): string {
  const { style, script } = page.isReference ? reference : guide;
  const toc = (page.headings ?? []).filter(({ depth }) => depth === 2 || depth === 3);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${escapeHtml(page.title)} · Bot Relay</title>
<style>${style}</style>
<script>${firstScript}</script>
</head>
<body${page.isReference ? ' class="wide"' : ''}>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button class="menu" popovertarget="navigation" aria-label="Menu"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 5h14M3 10h14M3 15h14" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/></svg></button>
<a class="home" href="/docs">${logo}<span>Bot Relay <small>Docs</small></span></a>
<button class="search" id="open-search" hidden><svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"><circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 3.8 3.8"/></g></svg><span>Search</span><kbd>/</kbd></button>
<a class="app" href="/">Open web UI</a>
</header>
<div class="columns">
<nav id="navigation" popover aria-label="Documentation">
${page.navigation ?? ''}
${groups.map((group) => groupOf(group, page.address)).join('\n')}
<p class="version">Version ${escapeHtml(version)}</p>
</nav>
<main id="content" tabindex="-1">
${page.html}
</main>
${toc.length > 1 ? tocOf(toc) : ''}
</div>
<dialog id="search" aria-label="Search">
<input type="search" placeholder="Search guides and endpoints" aria-label="Search guides and endpoints" role="combobox" aria-expanded="false" aria-controls="hits" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<ul id="hits" role="listbox" aria-label="Results"></ul>
<p role="status"></p>
</dialog>
<script>${script}</script>
</body>
</html>
`;
}

function groupOf({ title, guides }: GuideGroup, address: string): string {
  const links = guides.map(({ name, title: text }) => {
    const to = guideAddress(name);
    const mark = to === address ? ' aria-current="page"' : '';
    return `<li><a href="${to}"${mark}>${escapeHtml(text)}</a></li>`;
  });
  return `${title === '' ? '' : `<h2>${escapeHtml(title)}</h2>`}<ul>${links.join('')}</ul>`;
}

function tocOf(headings: readonly Heading[]): string {
  const links = headings.map(
    ({ depth, id, text }) =>
      `<li${depth === 3 ? ' class="deeper"' : ''}><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside class="toc" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></aside>`;
}
