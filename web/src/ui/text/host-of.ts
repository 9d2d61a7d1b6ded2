/** Host and port of an address; what cannot be read is shown as it is. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
