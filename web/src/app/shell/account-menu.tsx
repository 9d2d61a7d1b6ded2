import { Menu, useMantineColorScheme } from '@mantine/core';
import { useT, useLanguage } from '../../i18n/use-t.tsx';
import { locales } from '../../i18n/locales.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import css from './shell.module.css';
import { useSession, useSignOut } from '../../shared/use-session.ts';

export function AccountMenu(props: { onNotifications: () => void }) {
  const t = useT();
  const session = useSession();
  const leave = useSignOut();
  const { locale, choose } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = { light: t.look.light, dark: t.look.dark, auto: t.look.auto } as const;
  return (
    <Menu position="top-start" width={216} withinPortal>
      <Menu.Target>
        <button type="button" className={css.account}>
          <span className="visually-hidden">{t.nav.account}</span>
          <Avatar id={session.id} name={session.name} size={28} />
          <span className={css.accountName}>{session.name}</span>
          <Icon name="dots" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.look.theme}</Menu.Label>
        {(Object.keys(schemes) as (keyof typeof schemes)[]).map((scheme) => (
          <Menu.Item
            key={scheme}
            rightSection={scheme === colorScheme ? <Icon name="check" size={16} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t.look.language}</Menu.Label>
        {Object.entries(locales).map(([code, { label, dir }]) => (
          <Menu.Item
            key={code}
            lang={code}
            dir={dir}
            rightSection={code === locale ? <Icon name="check" size={16} /> : null}
            onClick={() => choose(code)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="bell" size={16} />} onClick={props.onNotifications}>
          {t.notifications.title}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="file" size={16} />}>
          {t.nav.documentation}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/api" leftSection={<Icon name="file" size={16} />}>
          {t.nav.apiReference}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="signOut" size={16} />}
          onClick={() => leave.mutate(undefined)}
        >
          {t.nav.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
