/** HTML tags that only mark words, and what the Bot API calls each. */
export const marks = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  'tg-spoiler': 'spoiler',
} as const;
