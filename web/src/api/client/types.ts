import type { Session } from '../../../../src/api-types.ts';

/** Types of the API that many pages use. */
export type {
  ApiKey,
  Bot,
  BotHealth,
  LiveMetrics,
  Message,
  MessageAuthor,
  SentMessage,
  Route,
  Session,
  Tag,
  TokenCheck,
  User,
} from '../../../../src/api-types.ts';

export type Scope = Session['scope'];
