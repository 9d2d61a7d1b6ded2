import { createHmac } from 'node:crypto';

/** The launch data of a Mini App; its server checks the hash with the bot's token. */
export function initData(token: string, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  const key = createHmac('sha256', 'WebAppData').update(token).digest();
  const hash = createHmac('sha256', key).update(lines.join('\n')).digest('hex');
  return Object.entries({ ...fields, hash })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

/** The address a phone opens. */
export function launchUrl(url: string, data: string): string {
  const launch = `tgWebAppData=${encodeURIComponent(data)}&tgWebAppVersion=10.1&tgWebAppPlatform=web`;
  return `${url}${url.includes('#') ? '&' : '#'}${launch}`;
}
