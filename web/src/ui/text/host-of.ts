/** Host and port of a URL; an invalid URL stays as it is. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
