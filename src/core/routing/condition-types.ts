/*
 * The conditions of routes, and what the value of each is. Whatever else depends on the type is a
 * table keyed by it (the rules in conditions.ts, the texts of each language), so that the compiler
 * names every place that a new condition needs. Without imports, as the web UI reads it, too.
 */
export const conditionValues = {
  chat_id: 'chat',
  user_id: 'user',
  keyword: 'words',
  all: 'none',
  regex: 'pattern',
  command: 'command',
  media: 'media',
  llm: 'examples',
} as const;

export type ConditionType = keyof typeof conditionValues;
export type ConditionValue = (typeof conditionValues)[ConditionType];

export const conditionTypes = Object.keys(conditionValues) as ConditionType[];

/** A newer version may have stored others. */
export function isConditionType(type: string): type is ConditionType {
  return Object.hasOwn(conditionValues, type);
}

export function valueOf(type: string): ConditionValue | undefined {
  return isConditionType(type) ? conditionValues[type] : undefined;
}

/** The types whose value is the id of a chat. */
export const chatConditions = conditionTypes.filter((type) => conditionValues[type] === 'chat');
