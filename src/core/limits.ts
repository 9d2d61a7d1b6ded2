/** Sizes and ranges of accepted values, in one place for schemas, services and the reference. */

/** Ids are at most 52 bits, so that every JSON reader keeps them exact. */
export const maxId = 2 ** 52 - 1;

export const limits = {
  tokenLength: 1_024,
  nameLength: 256,
  descriptionLength: 4_096,
  backendUrlLength: 2_048,
  secretTokenLength: 256,
  handoffLength: 128,
  handoffEntries: 50,
  /** Commands that overtake, of a bot or an app; each with its slash. */
  urgentEntries: 10,
  urgentLength: 33,
  /** UTF-16 units, as the platform counts. */
  messageLength: 4_096,
  /** The longest Markdown that the relay formats. */
  markdownLength: 100_000,
  /** Longer Markdown is sent as a file. */
  messageParts: 5,
  captionLength: 1_024,
  tagLength: 64,
  replyNameLength: 64,
  usernameLength: 64,
  colorLength: 32,
  conditionLength: 4_096,
  messagesByDefault: 50,
  messagesPerPage: 200,
  idempotencyKeyLength: 255,
  connectionLength: 256,
  /** As many as people may schedule in a chat at Telegram. */
  scheduledPerChat: 100,
  /** Telegram's own limit for uploads of bots. */
  keptFileBytes: 50_000_000,
  importedTextLength: 8_192,
  importedMessageLength: 100_000,
  mediaTypeLength: 64,
  fileIdLength: 1_024,
} as const;

/** A time of the day, such as 09:00. */
export const timePattern = '^([01][0-9]|2[0-3]):[0-5][0-9]$';

/** The format that Telegram's libraries accept as a token; Telegram itself checks the rest. */
export const tokenPattern = '^\\d+:[A-Za-z0-9_-]+$';
