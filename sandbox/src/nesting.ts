/** The depth to which Telegram reads JSON. Much deeper objects can be parsed, but not serialized. */
const deepest = 100;

export function isTooDeep(value: unknown, levels = deepest): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
