/*
 * Methods that set a state instead of creating something: calling one twice has the same effect as
 * calling it once.
 */
const repeatable =
  /^(get|edit|delete|answer|set|unset|pin|unpin|ban|unban|restrict|promote|approve|decline|close|reopen|hide|unhide|leave|stop|read|revoke)|^sendchataction$/i;

export function isRepeatable(method: string): boolean {
  return repeatable.test(method);
}
