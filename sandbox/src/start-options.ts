/*
 * The options of the start command. `bot-relay sandbox` takes the same, and loads only this file to
 * know them.
 */

export interface StartOptions {
  data?: string;
  seed?: number;
  strictWebhooks?: true;
  floodLimits?: true;
  empty?: true;
}

export interface StartOption {
  name: string;
  /** The name of its value; without one it is a switch. */
  value?: string;
  help: string;
  /** Throws an error that says what the value must be. */
  parse?: (text: string) => number;
}

export const defaultPort = 8081;

export const startOptions: readonly StartOption[] = [
  { name: 'data', value: 'file', help: 'file to save the sandbox in; default: memory only' },
  {
    name: 'seed',
    value: 'number',
    help: 'random seed: same tokens, IDs and dice at every start',
    parse: parseSeed,
  },
  { name: 'strict-webhooks', help: 'accept only https webhooks on the ports that Telegram allows' },
  { name: 'flood-limits', help: 'answer 429 when a bot sends faster than Telegram allows' },
  { name: 'empty', help: 'start without the practice bot and person' },
];

export function flagOf({ name, value }: StartOption): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}

export function parseSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > 0xffffffff) {
    throw new Error('it must be a whole number from 0 to 4294967295.');
  }
  return seed;
}
