/*
 * Methods that bring something into a state, instead of making something new: called twice, they
 * have done the same as called once.
 */
const repeatable =
  /^(get|edit|delete|answer|set|unset|pin|unpin|ban|unban|restrict|promote|approve|decline|close|reopen|hide|unhide|leave|stop|read|revoke)|^sendchataction$/i;

export function isRepeatable(method: string): boolean {
  return repeatable.test(method);
}
