import type { AnyReason, Say, Sentences } from './shape.ts';

export interface FileProblem {
  setting: string;
  file: string;
  cause: string;
}

/** Reasons that only the command line and the log show: problems of settings. */
export const settingReasons = {
  setting_wrong: (
    {
      setting,
      problem,
      value,
      example,
    }: { setting: string; problem: AnyReason; value: string | null; example: string },
    say: Say,
  ) =>
    `${setting}: ${say(problem)}${value === null ? '' : ` (got ${quote(value)})`}. Example: ${example}`,
  settings_file_unreadable: ({ setting, file, cause }: FileProblem) =>
    `${setting}: cannot read ${file} (${cause}).`,
  settings_file_wrong: ({ file }: { file: string }) =>
    `${file}: must contain "name: value" lines. Example: "port: 8080"`,
  settings_file_not_yaml: ({ setting, file, cause }: FileProblem) =>
    `${setting}: ${file} is not valid YAML: ${cause}. Example: "port: 8080"`,
  setting_unknown: ({ file, name, meant }: { file: string; name: string; meant?: string }) =>
    `${file}: unknown setting "${name}".${meant === undefined ? '' : ` Did you mean ${meant}?`} List settings with "bot-relay start --help".`,
  setting_renamed: ({ setting, name }: { setting: string; name: string }) =>
    `${setting}: this setting was renamed. Use ${name} instead.`,
  variable_unknown: ({ name, meant }: { name: string; meant?: string }) =>
    `${name} is not a setting.${meant === undefined ? ' List settings with "bot-relay start --help".' : ` Did you mean ${meant}?`}`,
  setting_not_one_value: ({
    file,
    name,
    example,
  }: {
    file: string;
    name: string;
    example: string;
  }) => `${file}: ${name} must be one value or a list. Example: "${example}"`,

  backup_dir_embedded_only: ({ setting }: { setting: string }) =>
    `${setting}: works with the embedded database only, and DATABASE_URL is set. Remove this setting, and back up PostgreSQL with pg_dump or snapshots.`,

  setting_not_in_range: ({ least, most }: { least: number; most: number }) =>
    `must be a whole number from ${least} to ${most}`,
  setting_not_on_off: 'must be on or off',
  setting_not_one_of: ({ choices }: { choices: readonly string[] }) =>
    `must be one of ${choices.join(', ')}`,
  setting_no_duration: 'must be a number above zero with a unit: s, m, h or d',
  setting_no_size: 'must be a size above zero, in bytes or with KB, MB, GB or TB',
  setting_no_host: 'must be an address or host name of this machine, without a port',
  setting_no_http_address: 'must be an address that starts with http:// or https://',
  setting_no_proxy_address: 'must be an address that starts with http:// or socks5://',
  setting_with_credentials: 'must not contain a username or password',
  setting_with_query: 'must not contain "?" or "#"',
  setting_no_postgres_address: 'must be an address that starts with postgres://',
  setting_no_bot_token: 'must be a bot token: digits, a colon, then letters, digits, "_" or "-"',
  setting_no_admin_key: 'must be brs_ followed by at least 32 characters without spaces',
  setting_too_short: ({ least }: { least: number }) => `must have at least ${least} characters`,
  setting_no_network: ({ given }: { given: string }) =>
    `must list networks such as 10.0.0.0/8, not "${given}"`,
  setting_no_backend_policy:
    'must be private-ok or public, optionally followed by networks to allow',
  setting_secret_key_needed:
    'must be set together with DATABASE_URL, because all nodes share the key',
  setting_https_needed: 'must start with https://, because Telegram requires it',
  setting_port_of_service: ({ setting, port }: { setting: string; port: number }) =>
    `must differ from ${setting} (${port})`,
} satisfies Sentences;

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
