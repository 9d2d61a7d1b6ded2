/* Commands such as `/order`; settings may omit the slash. */

const commandShape = /^\/?[A-Za-z0-9_]{1,32}$/;

export const isCommand = (value: string): boolean => commandShape.test(value);

export function commandName(value: string): string {
  return value.replace(/^\//, '').toLowerCase();
}

/** Returns the command at the beginning of a text, if it is meant for this bot. */
export function commandIn(text: string, botUsername: string): string | undefined {
  const found = /^\/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]+))?(?=\s|$)/.exec(text);
  if (!found) return undefined;
  const [, name, addressee] = found;
  if (addressee && addressee.toLowerCase() !== botUsername.toLowerCase()) return undefined;
  return name?.toLowerCase();
}
