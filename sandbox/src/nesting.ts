/** As deep as Telegram reads JSON. Much deeper objects can be read in, but not be written again. */
const deepest = 100;

export function isTooDeep(value: unknown, levels = deepest): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
