/** What Telegram allows a bot, as far as it is known; the sandbox enforces it where a test sets it. */
export const telegramLimits = {
  perSecond: 30,
  perChatPerSecond: 1,
  perGroupPerMinute: 20,
  groupSeconds: 60,
  draftsPerChatPerSecond: 3,
  counting: 'apart',
} as const;
