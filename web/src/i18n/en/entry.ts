export const entry = {
  signInTitle: 'Sign in',
  signInLead: 'Your bots are waiting.',
  username: 'Name',
  usernameHint: 'Letters, digits and . _ @ + -',
  password: 'Password',
  passwordHint: 'At least 8 characters. A short sentence is best.',
  passwordShort: (missing: number) =>
    missing === 1 ? '1 more character' : `${missing} more characters`,
  passwordTooShort: (least: number) => `Use at least ${least} characters.`,
  signIn: 'Sign in',
  firstTime: 'First time here?',
  firstTimeHint:
    'The service printed a set-up link when it first started. Open that link to create the first account.',
  setupTitle: 'Create the first account',
  setupLead: 'This account may do everything. More can be added later.',
  setupButton: 'Create the account',
  setupMissing: 'The set-up link is not complete',
  setupMissingHint:
    'Open the link exactly as the service printed it at its first start. It ends with #token=… and works once.',
  setupUsed: 'This set-up link no longer works',
  setupUsedHint:
    'It was already used, or it is not the link the service printed. Sign in with your account. If there is none, create one with “bot-relay users add”.',
  setupUsedGo: 'Continue',
  showPassword: 'Show or hide the password',
};

export const welcome = {
  title: 'The first minute',
  lead: 'Three small steps, and a message has gone all the way through.',
  skip: 'Skip this',
  stepBot: 'Get a bot',
  stepHello: 'Say hello',
  stepArrived: 'See it arrive',
  practiceTitle: 'Make a practice bot',
  practiceHint:
    'It lives in the built-in sandbox: no Telegram account, no network, nothing can break.',
  practiceButton: 'Make a practice bot',
  practiceName: 'Practice bot',
  realTitle: 'Use a bot of yours',
  realHint: 'Paste the token that @BotFather gave you. It is checked as you paste.',
  helloTitle: (bot: string) => `Say hello to ${bot}`,
  helloHint: 'You are a user of the sandbox now, with a telephone in your hand.',
  helloText: 'Hello! Is anybody there?',
  helloButton: 'Send as a user',
  helloReal: (name: string) => `Open ${name} in Telegram and write something to it.`,
  waiting: 'Waiting for the message…',
  arrivedTitle: 'It arrived',
  arrivedHint: 'Received, written to disk and shown here, all in one go.',
  took: (words: string) => `${words} after you sent it`,
  openChat: 'Open the chat',
  openBot: 'Set the bot up',
  openPhones: 'Play in the sandbox',
};
