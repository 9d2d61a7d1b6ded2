type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Puts a count before the form of the noun it takes: "1 update", "1,204 updates". */
export function counting(locale: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(locale);
  return (count, forms) => `${number.format(count)} ${forms[rules.select(count)] ?? forms.other}`;
}

/** Adds a full stop, unless the text ends with punctuation. */
export function ended(text: string, stop = '.'): string {
  return /\p{Sentence_Terminal}$/u.test(text) ? text : `${text}${stop}`;
}
