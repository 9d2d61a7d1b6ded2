/*
 * Replaces the token of the bot with that of the app in all responses: a client with the token of
 * an app never sees the bot's.
 */

export interface TokenMask {
  /** Replaces the bot's token with the app's. */
  hide(text: string): string;
  /** Replaces the app's token with the bot's, for Telegram. */
  reveal(text: string): string;
  /**
   * Hides the token in a response piece by piece; a piece that may end with the beginning of the
   * token waits for the next.
   */
  hideInStream(): { push(chunk: Buffer): Buffer; end(): Buffer };
  /** True if responses keep their length. */
  keepsLength: boolean;
}

// A shorter secret could be any word. Telegram's have 35 characters.
const leastSecret = 8;

export function createTokenMask(botToken: string, appToken: string): TokenMask {
  // The colon is left out, because it is written in several ways: %3A in an address, ~ in the name
  // of a folder.
  const secret = botToken.slice(botToken.indexOf(':') + 1);
  const [hidden, shown] =
    secret.length < leastSecret
      ? [botToken, appToken]
      : [secret, appToken.slice(appToken.indexOf(':') + 1)];
  const needle = Buffer.from(hidden);
  const replacement = Buffer.from(shown);

  return {
    hide: (text) => text.replaceAll(hidden, shown),
    reveal: (text) => text.replaceAll(shown, hidden),
    keepsLength: needle.length === replacement.length,
    hideInStream() {
      let held = Buffer.alloc(0);
      return {
        push(chunk) {
          const data = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
          const parts: Buffer[] = [];
          let from = 0;
          for (let at = data.indexOf(needle); at >= 0; at = data.indexOf(needle, from)) {
            parts.push(data.subarray(from, at), replacement);
            from = at + needle.length;
          }
          const end = data.length - beginningAtEnd(data.subarray(from), needle);
          held = Buffer.from(data.subarray(end));
          if (from === 0) return data.subarray(0, end);
          return Buffer.concat([...parts, data.subarray(from, end)]);
        },
        end: () => held,
      };
    },
  };
}

/** Returns how many bytes at the end may be the beginning of the needle. */
function beginningAtEnd(data: Buffer, needle: Buffer): number {
  for (let length = Math.min(needle.length - 1, data.length); length > 0; length--) {
    if (data.subarray(data.length - length).equals(needle.subarray(0, length))) return length;
  }
  return 0;
}
