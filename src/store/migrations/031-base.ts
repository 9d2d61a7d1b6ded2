import type { DialectName } from '../engine.ts';
import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/**
 * The whole schema with which the numbers begin. PostgreSQL locks the rows that go with a bot in the order in which
 * their tables were created, so the tables keep this order.
 */
export const base: Migration = {
  id: 31,
  name: 'base',
  up(dialect) {
    const words = wordsOf(dialect);
    return [
      ...bots(words),
      ...tags(words),
      ...access(words),
      ...logAndReaders(words),
      ...deliveries(words),
      ...sendsAndNodes(words),
      ...routing(words),
      ...search(words),
      ...people(words),
      ...audit(words),
      ...statistics(words),
      ...messagePairs(words),
      ...sumsOfStatistics(words),
      ...retries(words),
      ...apps(words),
      ...alerts(words),
      ...limits(words),
    ];
  },
};

type Words = ReturnType<typeof wordsOf>;

function wordsOf(dialect: DialectName) {
  const words = dialectWords(dialect);
  const isSqlite = dialect === 'sqlite';
  const reader = `reader text not null default 'push'`;
  const ofBot = 'references bots (id) on delete cascade';
  return {
    ...words,
    dialect,
    botId: `bot_id ${words.bigint} not null ${ofBot}`,
    /** For tables with one row per bot. */
    botKey: `bot_id ${words.bigint} primary key ${ofBot}`,
    /** For the tables in which PostgreSQL checks no reference to the bot: see `removeBot`. */
    uncheckedBotId: `bot_id ${words.bigint} not null ${isSqlite ? ofBot : ''}`,
    ofBot,
    zero: `${words.bigint} not null default 0`,
    /** Names the reader to which a row belongs. */
    reader,
    /** Of two tables, the column has another position on each engine; no statement relies on it. */
    readerFirst: isSqlite ? `${reader},` : '',
    readerLast: isSqlite ? '' : `${reader},`,
    /** For queues, which may use a number twice. */
    sequence: isSqlite ? 'integer primary key' : words.id,
  };
}

function bots({ dialect, id, bigint, withoutRowid, botId, uncheckedBotId, ofBot, zero }: Words) {
  return [
    `create table settings (
      name text primary key,
      value text not null
    ) ${withoutRowid}`,

    `create table bots (
      id ${id},
      platform_id ${bigint} not null,
      token_hash text not null unique,
      token_sealed text not null,
      name text not null,
      username text not null default '',
      source text not null,
      manage_enabled integer not null default 0,
      proxy_enabled integer not null default 0,
      backend_url text not null default '',
      secret_sealed text not null default '',
      long_poll_enabled integer not null default 0,
      description text not null default '',
      webhook_mode integer not null default 0,
      disabled integer not null default 0,
      llm_routing_enabled integer not null default 0,
      created_at ${bigint} not null,
      updated_at ${bigint} not null
    )`,
    'create index bots_platform_id on bots (platform_id)',

    // return_mode says which messages the return path takes: off, reply (an exact reply), latest (any message).
    `create table routes (
      id ${id},
      source_bot_id ${bigint} not null ${ofBot},
      target_bot_id ${bigint} not null ${ofBot},
      condition_type text not null,
      condition_value text not null default '',
      action text not null,
      target_chat_id ${zero},
      enabled integer not null default 1,
      description text not null default '',
      priority integer not null default 0,
      source_chat_id ${zero},
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      return_mode text not null default 'reply'
    )`,
    'create index routes_source on routes (source_bot_id, priority, id)',
    'create index routes_target on routes (target_bot_id)',

    // A message is unique per bot, chat and platform id. Its origin is received, sent, routed or gateway. The search
    // index of SQLite numbers its rows by doc, because VACUUM changes the hidden numbers of rows. unpinned_at is when
    // the message was last unpinned: what is announced of an earlier pin is void.
    `create table messages (
      ${dialect === 'sqlite' ? 'doc integer primary key,' : ''}
      ${uncheckedBotId},
      chat_id ${bigint} not null,
      id ${bigint} not null,
      user_id ${zero},
      username text not null default '',
      first_name text not null default '',
      last_name text not null default '',
      text text not null default '',
      date ${bigint} not null,
      media_type text,
      file_id text,
      reply_to_message_id ${bigint},
      origin text not null,
      edited_at ${bigint},
      deleted_at ${bigint},
      media_group_id text,
      extra text,
      pinned_at ${bigint},
      unpinned_at ${bigint},
      ${dialect === 'sqlite' ? 'unique' : 'primary key'} (bot_id, chat_id, id)
    )`,
    'create index messages_newest on messages (bot_id, chat_id, date, id)',
    `create index messages_replies on messages (bot_id, chat_id, reply_to_message_id)
     where reply_to_message_id is not null`,
    'create index messages_pinned on messages (bot_id, chat_id) where pinned_at is not null',

    // member_count is -1 while it is unknown. photo_file_id is the one of the large photo. own_rights is JSON, '' while
    // it is unknown. migrated_to is the supergroup that a group became, or 0.
    `create table chats (
      ${botId},
      chat_id ${bigint} not null,
      type text not null,
      title text not null default '',
      username text not null default '',
      member_status text not null default '',
      last_message_at ${zero},
      updated_at ${bigint} not null,
      member_count integer not null default -1,
      description text not null default '',
      photo_file_id text not null default '',
      own_rights text not null default '',
      refreshed_at ${zero},
      message_count ${zero},
      migrated_to ${zero},
      primary key (bot_id, chat_id)
    )`,
    'create index chats_chat on chats (chat_id)',
    'create index chats_migrated on chats (migrated_to) where migrated_to <> 0',
  ];
}

function tags({ id, bigint, withoutRowid }: Words) {
  return [
    `create table tags (
      id ${id},
      chat_id ${bigint} not null,
      user_id ${bigint} not null,
      username text not null default '',
      tag text not null,
      color text not null,
      created_at ${bigint} not null,
      unique (chat_id, user_id, tag)
    )`,
    // These are the bots for which a tag was added; 0 stands for every bot in the chat. There is no reference to bots,
    // because tags outlive them.
    `create table tag_bots (
      tag_id ${bigint} not null references tags (id) on delete cascade,
      bot_id ${bigint} not null,
      primary key (tag_id, bot_id)
    ) ${withoutRowid}`,
  ];
}

function access({ id, bigint, withoutRowid }: Words) {
  return [
    `create table api_keys (
      id ${id},
      name text not null,
      key_hash text not null unique,
      hint text not null,
      scope text not null,
      bot_ids text,
      expires_at ${bigint},
      disabled integer not null default 0,
      created_by text not null default '',
      created_at ${bigint} not null,
      last_used_at ${bigint}
    )`,

    `create table users (
      id ${id},
      username text not null unique,
      password_hash text not null,
      role text not null,
      bot_ids text,
      disabled integer not null default 0,
      created_at ${bigint} not null,
      last_sign_in_at ${bigint}
    )`,

    `create table sessions (
      token_hash text primary key,
      user_id ${bigint} not null references users (id) on delete cascade,
      csrf_token text not null,
      created_at ${bigint} not null,
      expires_at ${bigint} not null,
      last_used_at ${bigint} not null
    )`,
    'create index sessions_user on sessions (user_id)',
    'create index sessions_expiry on sessions (expires_at)',

    // The key is the hash of an address or a user name, because what people type there may be a password.
    `create table sign_in_attempts (
      name_hash text primary key,
      clear_at ${bigint} not null,
      blocked_until ${bigint} not null
    ) ${withoutRowid}`,
    'create index sign_in_attempts_clear on sign_in_attempts (clear_at)',

    `create table idempotency (
      scope text not null,
      idempotency_key text not null,
      request_hash text not null,
      response text,
      created_at ${bigint} not null,
      primary key (scope, idempotency_key)
    )`,
    'create index idempotency_age on idempotency (created_at)',
  ];
}

function logAndReaders({ bigint, withoutRowid, botId, botKey, uncheckedBotId, zero }: Words) {
  return [
    // The lock of this row orders the appends of a bot. Positions start at 1 and have no gaps; those up to trimmed_to
    // are deleted.
    `create table log_heads (
      ${botKey},
      last_position ${zero},
      trimmed_to ${zero},
      bytes ${zero},
      apps_version ${zero}
    )`,

    // raw is the update exactly as received. Push keeps the updates of one queue in order.
    `create table log (
      ${uncheckedBotId},
      position ${bigint} not null,
      update_id ${bigint} not null,
      kind text not null,
      queue text not null,
      received_at ${bigint} not null,
      raw text not null,
      claimed_by ${zero},
      primary key (bot_id, position)
    )`,

    // Everything up to position is finished, and the reader began after opened. state is the reader's own, as JSON.
    // dropped counts the updates that retention deleted before the reader read them, last at dropped_at. generation
    // grows when another than the reader's owner moves the reader: what the owner knew is void then.
    `create table readers (
      ${botId},
      name text not null,
      position ${bigint} not null,
      state text not null default '',
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      dropped ${zero},
      generation ${zero},
      opened ${zero},
      dropped_at ${zero},
      primary key (bot_id, name)
    ) ${withoutRowid}`,
  ];
}

function deliveries({ id, bigint, botId, uncheckedBotId, zero, reader }: Words) {
  return [
    // replayed_at is when a replay was requested; the dead letter is deleted once it is delivered. 0: no replay.
    `create table dead_letters (
      id ${id},
      ${botId},
      position ${bigint} not null,
      update_id ${bigint} not null,
      kind text not null,
      queue text not null,
      raw text not null,
      reason text not null,
      attempts integer not null,
      received_at ${bigint} not null,
      died_at ${bigint} not null,
      replayed_at ${zero},
      ${reader}
    )`,
    'create index dead_letters_bot on dead_letters (bot_id, id)',
    'create index dead_letters_position on dead_letters (bot_id, reader, position)',

    // replay is 1 for the delivery of a requested replay.
    `create table delivery_attempts (
      id ${id},
      ${uncheckedBotId},
      position ${bigint} not null,
      update_id ${bigint} not null,
      queue text not null,
      started_at ${bigint} not null,
      duration_ms integer not null,
      status integer not null,
      error text not null,
      answer text not null,
      replay integer not null default 0,
      ${reader}
    )`,
    'create index delivery_attempts_age on delivery_attempts (started_at)',
    'create index delivery_attempts_bot on delivery_attempts (bot_id, reader, id)',
  ];
}

function sendsAndNodes(words: Words) {
  const { id, bigint, withoutRowid, botId, botKey, zero, readerFirst, readerLast } = words;
  return [
    // The outbox holds everything that the relay sends itself. Its states are queued, sending, sent, failed, unknown.
    // intent_key makes an intent unique: the same route or answer never acts twice on one update. context says for
    // which message a send stands, as JSON.
    `create table outbox (
      id ${id},
      ${botId},
      chat_id ${bigint} not null,
      method text not null,
      params text not null,
      origin text not null,
      intent_key text unique,
      priority integer not null,
      state text not null,
      node text not null default '',
      not_before ${zero},
      attempts integer not null default 0,
      error text not null default '',
      message_id ${bigint},
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      context text not null default '',
      app_id ${zero}
    )`,
    'create index outbox_open on outbox (state, bot_id, id)',
    'create index outbox_bot on outbox (bot_id, id)',
    'create index outbox_age on outbox (updated_at)',
    'create index outbox_finished on outbox (state, updated_at)',

    // This is what a bot does, as its owner last said; it counts only while the owner's lease holds.
    `create table bot_runtime (
      ${botKey},
      state text not null default 'stopped',
      last_error text not null default '',
      last_error_at ${zero},
      last_activity ${zero},
      hook_secret_sealed text not null default '',
      previous_webhook text not null default '',
      updated_at ${zero}
    )`,

    `create table leases (
      ${botKey},
      owner text not null,
      epoch ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    'create index leases_owner on leases (owner)',

    // A node is alive while others see its heartbeat change, and its leases hold as long as it lives. So a heartbeat
    // writes one row per node, not one per bot, and clocks need not agree.
    `create table nodes (
      id text primary key,
      incarnation text not null,
      beat ${bigint} not null,
      seen_at ${bigint} not null
    )`,

    // This is what Telegram last said of a member: status, end of a ban or mute, title, and rights as JSON.
    `create table members (
      ${botId},
      chat_id ${bigint} not null,
      user_id ${bigint} not null,
      status text not null,
      updated_at ${bigint} not null,
      until_at ${zero},
      title text not null default '',
      rights text not null default '',
      primary key (bot_id, chat_id, user_id)
    ) ${withoutRowid}`,
    'create index members_user on members (bot_id, user_id)',

    // This is what setWebhook asked for beyond the fields of a bot. allowed_updates is a JSON list of kinds, '' for the
    // default, and holds for updates after the position since; earlier is a JSON list of former ones, which hold for
    // what was queued under them. certificate is PEM, '' for none. self_set is 1 when the bot's client or the app
    // called setWebhook itself, 0 when a person set the webhook.
    `create table webhooks (
      ${botId},
      ${readerFirst}
      max_connections integer not null,
      allowed_updates text not null default '',
      set_at ${bigint} not null,
      since ${zero},
      earlier text not null default '',
      certificate text not null default '',
      ${readerLast}
      self_set integer not null default 1,
      primary key (bot_id, reader)
    ) ${withoutRowid}`,
  ];
}

function routing({ id, bigint, botId, zero }: Words) {
  return [
    // There is one decision per update. matched and model are JSON. connection is the business connection, '' for the
    // bot's own chat with the same person, whose messages are numbered separately.
    `create table route_decisions (
      id ${id},
      ${botId},
      position ${bigint} not null,
      update_id ${bigint} not null,
      chat_id ${bigint} not null,
      user_id ${bigint} not null,
      message_id ${bigint} not null,
      outcome text not null,
      reason text not null,
      asked text not null,
      matched text not null,
      model text not null default '',
      created_at ${bigint} not null,
      connection text not null default '',
      unique (bot_id, position)
    )`,
    'create index route_decisions_message on route_decisions (bot_id, chat_id, message_id)',
    'create index route_decisions_age on route_decisions (created_at)',

    // These updates wait for the choice of the language model.
    `create table model_questions (
      ${botId},
      position ${bigint} not null,
      attempts integer not null default 0,
      next_attempt_at ${bigint} not null,
      asked_at ${bigint} not null,
      primary key (bot_id, position)
    )`,
    'create index model_questions_due on model_questions (next_attempt_at)',

    // Counts the messages that each route took, by the hour in which they came.
    `create table route_traffic (
      route_id ${bigint} not null references routes (id) on delete cascade,
      hour ${bigint} not null,
      messages ${bigint} not null,
      primary key (route_id, hour)
    )`,

    `create table model_usage (
      month text primary key,
      calls ${zero},
      input_tokens ${zero},
      output_tokens ${zero}
    )`,
  ];
}

/** This number is below every id. */
const belowAll = '-9007199254740991';

function recountChats(where: string): string {
  return `update chats set message_count = (
      select count(*) from messages m
      where m.bot_id = chats.bot_id and m.chat_id = chats.chat_id
    ) where ${where}`;
}

/** Only managed bots are counted and searched. */
function search({ dialect, id, bigint, withoutRowid, botId, botKey, sequence }: Words) {
  return [
    // Keeps what a message said before each of its edits.
    `create table message_edits (
      id ${id},
      ${botId},
      chat_id ${bigint} not null,
      message_id ${bigint} not null,
      text text not null,
      written_at ${bigint} not null,
      replaced_at ${bigint} not null
    )`,
    'create index message_edits_message on message_edits (bot_id, chat_id, message_id)',

    // The search index has not seen these messages in their present form.
    `create table search_queue (
      id ${sequence},
      bot_id ${bigint} not null,
      chat_id ${bigint} not null,
      message_id ${bigint} not null
    )`,
    // The stored messages of these bots are being indexed; the row says how far that is.
    `create table search_backfills (
      ${botKey},
      chat_id ${bigint} not null,
      message_id ${bigint} not null
    ) ${withoutRowid}`,
    ...(dialect === 'sqlite' ? searchOnSqlite : searchOnPostgres),
  ];
}

/*
 * The index holds grams as words (see core/search/search-grams.ts) and no texts. Its rows have the numbers of the messages, in
 * the order in which they were stored, so a search for the newest reads backwards and ends with the page.
 */
const searchOnSqlite = [
  `create virtual table message_search using fts5(
    grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  )`,
  `create trigger messages_removed after delete on messages begin
    delete from message_search where rowid = old.doc;
  end`,
  `create trigger bots_managed after update of manage_enabled on bots
    when new.manage_enabled = 1 and old.manage_enabled = 0 begin
    insert or replace into search_backfills values (new.id, ${belowAll}, ${belowAll});
    ${recountChats('bot_id = new.id')};
  end`,
];

/*
 * The index holds arrays of numbered grams, so neither an extension nor a locale decides what a letter is. The order by
 * date lets a search find common words by walking back from the newest message.
 */
const searchOnPostgres = [
  `create table message_search (
    bot_id bigint not null,
    chat_id bigint not null,
    message_id bigint not null,
    date bigint not null,
    grams integer[] not null,
    primary key (bot_id, chat_id, message_id),
    foreign key (bot_id, chat_id, message_id) references messages (bot_id, chat_id, id)
      on delete cascade
  )`,
  'create index message_search_newest on message_search (bot_id, date, chat_id, message_id)',
  'create index message_search_chat on message_search (bot_id, chat_id, date, message_id)',
  // Every search reads the list of pending entries, so it has to stay short.
  `create index message_search_grams on message_search using gin (grams)
    with (gin_pending_list_limit = 256)`,
  triggerFunction(
    'bots_managed',
    `insert into search_backfills values (new.id, ${belowAll}, ${belowAll})
       on conflict (bot_id) do update
       set chat_id = excluded.chat_id, message_id = excluded.message_id;
     ${recountChats('bot_id = new.id')};`,
  ),
  `create trigger bots_managed after update of manage_enabled on bots for each row
    when (new.manage_enabled = 1 and old.manage_enabled = 0) execute function bots_managed()`,
];

function triggerFunction(name: string, body: string, result = 'null'): string {
  return `create function ${name}() returns trigger language plpgsql as $body$
    begin ${body} return ${result}; end $body$`;
}

function people({ dialect, id, bigint, botId }: Words) {
  return [
    `create table people (
      user_id ${bigint} primary key,
      username text not null default '',
      first_name text not null default '',
      last_name text not null default '',
      is_bot integer not null default 0,
      language_code text not null default '',
      seen_at ${bigint} not null
    )`,

    `create table people_names (
      id ${id},
      user_id ${bigint} not null,
      username text not null,
      first_name text not null,
      last_name text not null,
      seen_at ${bigint} not null
    )`,
    'create index people_names_user on people_names (user_id, id)',
    ...notedNames[dialect],

    `create table warnings (
      id ${id},
      ${botId},
      chat_id ${bigint} not null,
      user_id ${bigint} not null,
      reason text not null,
      warned_by text not null,
      created_at ${bigint} not null,
      expires_at ${bigint},
      cleared_at ${bigint}
    )`,
    'create index warnings_user on warnings (bot_id, user_id, chat_id, id)',
    `create table warn_settings (
      ${botId},
      chat_id ${bigint} not null,
      threshold integer not null,
      action text not null,
      action_seconds ${bigint} not null,
      expire_seconds ${bigint} not null,
      primary key (bot_id, chat_id)
    )`,
    ...movedWarnings[dialect],

    `create table notes (
      id ${id},
      ${botId},
      user_id ${bigint} not null,
      text text not null,
      author text not null,
      created_at ${bigint} not null
    )`,
    'create index notes_user on notes (bot_id, user_id, id)',
  ];
}

const nameColumns = 'user_id, username, first_name, last_name, seen_at';
const noteName = `insert into people_names (${nameColumns})
  values (new.user_id, new.username, new.first_name, new.last_name, new.seen_at);`;
const isRenamed = `old.username <> new.username or old.first_name <> new.first_name
  or old.last_name <> new.last_name`;
/** Every way in which a name is stored passes these triggers. */
const notedNames = {
  sqlite: [
    `create trigger people_named after insert on people begin ${noteName} end`,
    `create trigger people_renamed after update on people when ${isRenamed} begin ${noteName} end`,
  ],
  postgres: [
    triggerFunction('note_name', noteName),
    `create trigger people_named after insert on people
     for each row execute function note_name()`,
    `create trigger people_renamed after update on people for each row
     when (${isRenamed}) execute function note_name()`,
  ],
};

const followMove = `
  update warnings set chat_id = new.migrated_to
    where bot_id = new.bot_id and chat_id = new.chat_id;
  insert into warn_settings
    select bot_id, new.migrated_to, threshold, action, action_seconds, expire_seconds
    from warn_settings where bot_id = new.bot_id and chat_id = new.chat_id
    on conflict (bot_id, chat_id) do nothing;`;
/** Warnings follow a group that became a supergroup. */
const movedWarnings = {
  sqlite: [
    `create trigger chats_moved after update of migrated_to on chats
     when new.migrated_to <> 0 and old.migrated_to <> new.migrated_to begin ${followMove} end`,
  ],
  postgres: [
    triggerFunction('follow_move', followMove),
    `create trigger chats_moved after update of migrated_to on chats for each row
     when (new.migrated_to <> 0 and old.migrated_to <> new.migrated_to)
     execute function follow_move()`,
  ],
};

function audit({ dialect, id, bigint }: Words) {
  return [
    // There is no reference to bots: what was done to a bot stays known when the bot is deleted.
    `create table audit (
      id ${id},
      at ${bigint} not null,
      actor_kind text not null,
      actor_id ${bigint} not null,
      actor_name text not null,
      action text not null,
      bot_id ${bigint} not null,
      chat_id ${bigint} not null,
      user_id ${bigint} not null,
      input text not null,
      before text not null,
      after text not null,
      address text not null,
      request_id text not null
    )`,
    'create index audit_bot on audit (bot_id, id)',
    'create index audit_age on audit (at)',
    ...keptAudit[dialect],
  ];
}

/** Nobody can remove entries of the audit log that are younger than this. */
const auditYearSeconds = 365 * 86_400;
const keptAudit = {
  sqlite: [
    `create trigger audit_kept_as_written before update on audit begin
       select raise(abort, 'the audit log is append-only');
     end`,
    `create trigger audit_kept before delete on audit
     when old.at > (unixepoch() - ${auditYearSeconds}) * 1000 begin
       select raise(abort, 'the audit log is append-only');
     end`,
  ],
  postgres: [
    `create function keep_audit() returns trigger language plpgsql as $body$ begin
       if tg_op = 'DELETE'
         and old.at <= (extract(epoch from now()) - ${auditYearSeconds}) * 1000 then
         return old;
       end if;
       raise exception 'the audit log is append-only';
     end $body$`,
    `create trigger audit_kept before update or delete on audit
     for each row execute function keep_audit()`,
    `create trigger audit_not_emptied before truncate on audit
     for each statement execute function keep_audit()`,
  ],
};

/** The chat 0 is the whole bot in the tables of counters. */
function statistics({ dialect, bigint, withoutRowid, botId, botKey, sequence }: Words) {
  return [
    // These messages are not counted yet; a row is deleted once the tables below contain it.
    `create table stats_pending (
      seq ${sequence},
      bot_id ${bigint} not null,
      chat_id ${bigint} not null,
      user_id ${bigint} not null,
      date ${bigint} not null,
      is_media integer not null,
      is_own integer not null
    )`,
    `create table stats_hours (
      ${botId},
      chat_id ${bigint} not null,
      hour ${bigint} not null,
      received ${bigint} not null,
      sent ${bigint} not null,
      media ${bigint} not null,
      primary key (bot_id, chat_id, hour)
    ) ${withoutRowid}`,
    // A long range is the sum of several grains. The bucket of grain 0 is a day, of 1 a month, of 2 everything, of 3 a
    // year, of 4 ten days of a month (the third ten have the rest), of 5 a quarter.
    `create table stats_people (
      ${botId},
      chat_id ${bigint} not null,
      grain integer not null,
      bucket ${bigint} not null,
      user_id ${bigint} not null,
      messages ${bigint} not null,
      primary key (bot_id, chat_id, grain, bucket, user_id)
    ) ${withoutRowid}`,
    'create index stats_people_user on stats_people (bot_id, user_id) where grain = 2',
    // A histogram for each day says how long people waited for the bot.
    `create table stats_responses (
      ${botId},
      chat_id ${bigint} not null,
      day ${bigint} not null,
      bucket integer not null,
      answers ${bigint} not null,
      primary key (bot_id, chat_id, day, bucket)
    ) ${withoutRowid}`,
    // since is when a chat began to wait for the bot's next message.
    `create table stats_waiting (
      ${botId},
      chat_id ${bigint} not null,
      since ${bigint} not null,
      primary key (bot_id, chat_id)
    ) ${withoutRowid}`,
    `create table stats_deliveries (
      ${botId},
      hour ${bigint} not null,
      delivered ${bigint} not null,
      failed ${bigint} not null,
      duration_ms ${bigint} not null,
      primary key (bot_id, hour)
    ) ${withoutRowid}`,
    // The stored messages of these bots are not all counted; the row has the last message that is.
    `create table stats_backfills (
      ${botKey},
      chat_id ${bigint} not null,
      message_id ${bigint} not null
    ) ${withoutRowid}`,
    ...recountedBots[dialect],
  ];
}

const countedTables = ['pending', 'hours', 'people', 'responses', 'waiting'];
const recount = `
  ${countedTables.map((name) => `delete from stats_${name} where bot_id = new.id;`).join(' ')}
  insert into stats_backfills values (new.id, ${belowAll}, ${belowAll})
    on conflict (bot_id) do update
    set chat_id = excluded.chat_id, message_id = excluded.message_id;`;
/** When management is switched on, everything stored is counted from the beginning. */
const recountedBots = {
  sqlite: [
    `create trigger bots_counted after update of manage_enabled on bots
     when new.manage_enabled = 1 and old.manage_enabled = 0 begin ${recount} end`,
  ],
  postgres: [
    triggerFunction('recount_messages', recount),
    `create trigger bots_counted after update of manage_enabled on bots for each row
     when (new.manage_enabled = 1 and old.manage_enabled = 0)
     execute function recount_messages()`,
  ],
};

function messagePairs({ bigint, ofBot }: Words) {
  return [
    // A pair says which message stands for which, and is stored from both ends. The key contains everything, so that
    // two routes into one chat have a pair each. The names of the constraints are those of existing databases.
    `create table message_pairs (
      bot_id ${bigint} not null constraint message_pairs_9_bot_id_fkey ${ofBot},
      connection text not null default '',
      chat_id ${bigint} not null,
      message_id ${bigint} not null,
      peer_bot_id ${bigint} not null constraint message_pairs_9_peer_bot_id_fkey ${ofBot},
      peer_connection text not null default '',
      peer_chat_id ${bigint} not null,
      peer_message_id ${bigint} not null,
      route_id ${bigint} not null,
      style text not null,
      hops integer not null,
      created_at ${bigint} not null,
      constraint message_pairs_9_pkey primary key (bot_id, chat_id, message_id, connection,
        peer_bot_id, peer_chat_id, peer_message_id, peer_connection)
    )`,
    'create index message_pairs_latest on message_pairs (bot_id, chat_id, created_at)',
    'create index message_pairs_age on message_pairs (created_at)',
    'create index message_pairs_peer on message_pairs (peer_bot_id)',
  ];
}

function sumsOfStatistics({ dialect, bigint, withoutRowid, botId }: Words) {
  return [
    // These groups became supergroups, and their counters are to be added to those of the new chat.
    `create table stats_moves (
      ${botId},
      chat_id ${bigint} not null,
      to_chat_id ${bigint} not null,
      primary key (bot_id, chat_id)
    ) ${withoutRowid}`,
    // The bucket of grain 0 is a day, of 1 an hour of the day in a month (month * 24 + hour).
    `create table stats_sums (
      ${botId},
      chat_id ${bigint} not null,
      grain integer not null,
      bucket ${bigint} not null,
      received ${bigint} not null,
      sent ${bigint} not null,
      media ${bigint} not null,
      primary key (bot_id, chat_id, grain, bucket)
    ) ${withoutRowid}`,
    ...recountedSums[dialect],
  ];
}

/*
 * PostgreSQL waits for appends in progress, so that a message is either counted by itself or found by the backfill; and
 * for counting in progress (the number is the lock of `stats-count.ts`), so that its results are deleted, too.
 */
const recountedSums = {
  sqlite: [
    `create trigger bots_summed after update of manage_enabled on bots
     when new.manage_enabled = 1 and old.manage_enabled = 0 begin
       delete from stats_sums where bot_id = new.id;
     end`,
  ],
  postgres: [
    triggerFunction(
      'begin_recount',
      `insert into log_heads (bot_id) values (new.id) on conflict do nothing;
       perform 1 from log_heads where bot_id = new.id for update;
       perform pg_advisory_xact_lock(724178234);
       delete from stats_sums where bot_id = new.id;`,
      'new',
    ),
    `create trigger bots_summed before update of manage_enabled on bots for each row
     when (new.manage_enabled = 1 and old.manage_enabled = 0) execute function begin_recount()`,
  ],
};

function retries(words: Words) {
  const { bigint, withoutRowid, botId, zero, reader, readerFirst, readerLast } = words;
  return [
    // These are the ids of received updates, both ends included; the ranges of one bot never overlap. There is no index
    // by age, because a range changes with every update.
    `create table seen_ranges (
      ${botId},
      first_id ${bigint} not null,
      last_id ${bigint} not null,
      begun_at ${bigint} not null,
      seen_at ${bigint} not null,
      primary key (bot_id, first_id)
    ) ${withoutRowid}`,

    // This is what is known about a backend at its present address; there is no row before it was first reached or
    // checked. error is '' when it was reached. refused is '' when it accepts updates, as of tried_at.
    `create table backend_health (
      ${botId},
      ${readerFirst}
      checked_at ${bigint} not null,
      error text not null,
      ${readerLast}
      tried_at ${zero},
      refused text not null default '',
      primary key (bot_id, reader)
    ) ${withoutRowid}`,

    // The first update of each of these queues failed. requested_at is when a request (replay, retry now) last changed
    // the queue. Its owner looks for newer ones, and deletes a queue only when it has seen the newest.
    `create table retry_queues (
      ${botId},
      ${reader},
      queue text not null,
      attempts integer not null,
      first_failed_at ${bigint} not null,
      next_attempt_at ${bigint} not null,
      last_error text not null,
      requested_at ${zero},
      primary key (bot_id, reader, queue)
    ) ${withoutRowid}`,
    'create index retry_queues_due on retry_queues (bot_id, reader, next_attempt_at)',
    'create index retry_queues_requested on retry_queues (requested_at)',

    // These positions wait in a retry queue. replay is 1 for a requested replay.
    `create table retry_positions (
      ${botId},
      ${reader},
      position ${bigint} not null,
      queue text not null,
      replay integer not null default 0,
      primary key (bot_id, reader, position)
    ) ${withoutRowid}`,
    'create index retry_positions_queue on retry_positions (bot_id, reader, queue, position)',
  ];
}

/** Each bot has the app `default`, which its own settings describe; each named consumer is an app without a token. */
function apps({ id, bigint, withoutRowid, botId, zero }: Words) {
  return [
    `create table apps (
      id ${id},
      ${botId},
      name text not null,
      token_hash text,
      mode text not null default 'poll',
      backend_url text not null default '',
      secret_sealed text not null default '',
      filter text not null default '{}',
      exclusive integer not null default 0,
      priority integer not null default 0,
      own_replies integer not null default 0,
      methods text not null default '[]',
      disabled integer not null default 0,
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      unique (bot_id, name)
    )`,
    'create unique index apps_token on apps (token_hash)',
    // rate_limited counts the answers 429 of Telegram, rate_limited_lately those of the spell to which the last belongs.
    `create table app_activity (
      app_id ${bigint} primary key references apps (id) on delete cascade,
      last_seen_at ${zero},
      sent ${zero},
      rate_limited ${zero},
      rate_limited_lately ${zero},
      rate_limited_at ${zero},
      rate_limited_chat ${zero},
      retry_after ${zero}
    )`,
    // There is no reference to the app: nothing finds the row of a deleted app, and its age ends it.
    `create table app_messages (
      ${botId},
      chat_id ${bigint} not null,
      message_id ${bigint} not null,
      app_id ${bigint} not null,
      sent_at ${bigint} not null,
      primary key (bot_id, chat_id, message_id)
    ) ${withoutRowid}`,
    'create index app_messages_age on app_messages (sent_at)',
  ];
}

function alerts({ id, bigint, withoutRowid, zero, ofBot }: Words) {
  return [
    // There is no reference to the bot: an alert that was sent about a deleted bot is still resolved.
    `create table alerts (
      id ${id},
      kind text not null,
      bot_id ${bigint} not null,
      subject text not null,
      severity text not null,
      params text not null,
      opened_at ${bigint} not null,
      changed_at ${bigint} not null,
      resolved_at ${zero},
      occurrences integer not null default 1,
      muted_until ${zero},
      version integer not null default 1
    )`,
    'create unique index alerts_open on alerts (kind, bot_id, subject) where resolved_at = 0',
    'create index alerts_resolved on alerts (resolved_at)',
    `create table alert_channels (
      id ${id},
      type text not null,
      bot_id ${bigint} ${ofBot},
      settings text not null,
      url_sealed text not null default '',
      secret_sealed text not null default '',
      disabled integer not null default 0,
      error text not null default '',
      failed_at ${zero},
      created_at ${bigint} not null,
      updated_at ${bigint} not null
    )`,
    // thread is the alert whose message contains this one: the first of a digest, otherwise the alert itself. version is
    // the one of the alert that was last sent. instead is the channel that was used in place of this one.
    `create table alert_messages (
      alert_id ${bigint} not null references alerts (id) on delete cascade,
      channel_id ${bigint} not null references alert_channels (id) on delete cascade,
      thread ${bigint} not null,
      state text not null,
      version integer not null default 0,
      intent text not null default '',
      message_id ${zero},
      body text not null default '',
      attempts integer not null default 0,
      next_at ${zero},
      error text not null default '',
      instead ${zero},
      updated_at ${bigint} not null,
      primary key (alert_id, channel_id)
    ) ${withoutRowid}`,
    'create index alert_messages_channel on alert_messages (channel_id, thread)',
  ];
}

function limits({ bigint, botId }: Words) {
  return [
    // This is how far a bot (chat 0) and its chats have used Telegram's sending limits, for messages, edits and drafts
    // separately. Times are milliseconds of the database's clock.
    `create table send_limits (
      ${botId},
      chat_id ${bigint} not null,
      class text not null default 'message',
      empty_at double precision not null default 0,
      blocked_until double precision not null default 0,
      slowdown double precision not null default 1,
      slowed_at double precision not null default 0,
      updated_at double precision not null default 0,
      primary key (bot_id, chat_id, class)
    )`,

    // These are sends of apps that get the replies to their own messages, while the ids of those are unknown.
    `create table app_sends (
      id text primary key,
      ${botId},
      app_id ${bigint} not null,
      chat_id ${bigint} not null,
      begun_at ${bigint} not null
    )`,
    'create index app_sends_bot on app_sends (bot_id)',

    // at is when matching the pattern of an app or of a route last ran out of time; the other id is 0.
    `create table undecided_patterns (
      ${botId},
      app_id ${bigint} not null,
      route_id ${bigint} not null,
      at ${bigint} not null,
      primary key (bot_id, app_id, route_id)
    )`,
  ];
}
