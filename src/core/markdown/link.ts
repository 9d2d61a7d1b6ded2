import type { Mark } from './styled-text.ts';

const longest = 2_048;

/** Telegram refuses the whole message for a link that it cannot open. */
export function linkMark(href: string): Mark | undefined {
  const url = URL.parse(href);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  const isPublic = url !== null && /[.[]/.test(url.hostname) && url.port !== '0';
  if (!isWeb || !isPublic || url.username !== '' || url.href.length > longest) return undefined;
  return { type: 'text_link', url: url.href };
}

/** The address as people read it. */
export function shownAddress(href: string): string {
  try {
    return decodeURI(href).replace(/^mailto:/, '');
  } catch {
    return href;
  }
}
