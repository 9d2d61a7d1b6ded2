/** HTML tags of inline formatting, with their names in the Bot API. */
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
