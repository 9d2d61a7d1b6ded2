/** A request to a backend, without the values of its secrets. */
export interface ShownRequest {
  url: string;
  headers: readonly { name: string; value: string }[];
  body: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes a request as a command for a POSIX shell. */
export function asCurl({ url, headers, body }: ShownRequest): string {
  return [
    `curl -X POST ${quoted(url)}`,
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}
