/** The app that the bot's own settings describe. The web UI imports it, so this file imports nothing. */
export const defaultApp = 'default';
