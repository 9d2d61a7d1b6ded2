/** The values of a draft that differ from what was sent. */
export function unsaved<Draft extends object>(draft: Draft, sent: object): Draft {
  const isNew = ([name, value]: [string, unknown]) => sent[name as keyof typeof sent] !== value;
  return Object.fromEntries(Object.entries(draft).filter(isNew)) as Draft;
}
