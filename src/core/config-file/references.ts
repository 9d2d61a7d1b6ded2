/* Secrets of a configuration file are names of environment variables or files, as ${NAME} or file:PATH. */
import { sealedBotSettings } from '../bots/bot-settings.ts';

/** Fields whose value may be a reference. */
export const referableFields: ReadonlySet<string> = new Set([
  ...sealedBotSettings.map(({ name }) => name),
  'token',
  'api_url',
  'api_key',
  'password',
  'key',
  'url',
  'secret',
]);

/** Needed only for new entries; never exported. */
export const hiddenFields: ReadonlySet<string> = new Set(['password', 'key', 'secret']);

export type Reference = { variable: string } | { file: string };

export function referenceIn(value: string): Reference | undefined {
  const variable = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1];
  if (variable !== undefined) return { variable };
  return value.startsWith('file:') ? { file: value.slice('file:'.length) } : undefined;
}

/** Returns a copy in which each value that may be a reference is replaced. */
export function mapReferable(
  value: unknown,
  replace: (text: string, field: string) => string,
): unknown {
  if (Array.isArray(value)) return value.map((part: unknown) => mapReferable(part, replace));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) => [
      field,
      typeof part === 'string' && referableFields.has(field)
        ? replace(part, field)
        : mapReferable(part, replace),
    ]),
  );
}

/** Makes unique variable names from words. */
export function createVariableNames(): { names: string[]; of(...words: unknown[]): string } {
  const names: string[] = [];
  return {
    names,
    of(...words) {
      const wanted = words
        .join('_')
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, '_');
      let name = wanted;
      for (let count = 2; names.includes(name); count++) name = `${wanted}_${count}`;
      names.push(name);
      return `\${${name}}`;
    },
  };
}
