import { ActionIcon } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { useLostSince } from '../../shared/use-lost-since.ts';
import { keepFresh } from '../live-queries.ts';
import { LiveIndicator } from '../../shared/live-indicator.tsx';
import { Logo } from '../../shared/logo.tsx';
import { LostBanner } from './lost-banner.tsx';
import { useIsBarred, useNavItems } from './nav-items.ts';
import css from './shell.module.css';
import { SideNav } from './side-nav.tsx';
import { useThemeToggle } from '../../shared/theme-toggle.tsx';
import {
  SessionProvider,
  useForgetOthers,
  useFrameSession,
  useLeaveWhenSignedOut,
  useMay,
  useSession,
} from '../../shared/use-session.ts';
import { useNotifications } from '../notifications/use-notifications.ts';
import { useShortcuts } from './use-shortcuts.ts';

const CommandPalette = lazyPart(async () => (await import('./command-palette.tsx')).CommandPalette);
const NotificationsDialog = lazyPart(
  async () => (await import('../notifications/notifications-dialog.tsx')).NotificationsDialog,
);
const ShortcutsHelp = lazyPart(async () => (await import('./shortcuts-help.tsx')).ShortcutsHelp);

/** The frame of every page for signed-in users. */
export function Frame() {
  return (
    <SessionProvider value={useFrameSession()}>
      <Surroundings />
    </SessionProvider>
  );
}

function Surroundings() {
  const t = useT();
  const client = useQueryClient();
  const theme = useThemeToggle();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const session = useSession();
  const barred = useIsBarred(path);
  const home = useNavItems()[0]?.path ?? '/';
  const lost = useLostSince() !== undefined;
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const [notifications, setNotifications] = useState(false);
  useNotifications();
  const withMetrics = useMay('bots', 'read');
  // Another user who signs in gets their own events.
  useEffect(() => keepFresh(client, withMetrics), [client, session.id, withMetrics]);
  useLeaveWhenSignedOut();
  useForgetOthers();
  useEffect(() => setMenu(false), [path]);
  useShortcuts({
    palette: () => setPalette(true),
    help: () => setHelp(true),
    theme: theme.toggle,
  });
  return (
    <div className={css.frame} data-lost={lost || undefined}>
      <a className={css.skip} href="#content">
        {t.common.skip}
      </a>
      <header className={css.topBar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={menu ? t.nav.closeMenu : t.nav.openMenu}
          aria-expanded={menu}
          onClick={() => setMenu(!menu)}
        >
          <Icon name={menu ? 'cross' : 'menu'} size={22} />
        </ActionIcon>
        <Link to="/" className={css.brand}>
          <Logo size={24} />
          {t.common.appName}
        </Link>
        <LiveIndicator />
      </header>
      <button
        type="button"
        className={css.veil}
        data-open={menu || undefined}
        aria-label={t.nav.closeMenu}
        onClick={() => setMenu(false)}
      />
      <SideNav
        opened={menu}
        onNotifications={() => {
          setMenu(false);
          setNotifications(true);
        }}
        onPalette={() => {
          setMenu(false);
          setPalette(true);
        }}
      />
      <main id="content" tabIndex={-1} className={css.main}>
        <LostBanner />
        <div className={css.content}>
          {barred ? (
            <EmptyState icon="key" title={t.common.barred} hint={t.common.barredHint}>
              <LinkButton to={home}>{t.common.goHome}</LinkButton>
            </EmptyState>
          ) : (
            <Outlet />
          )}
        </div>
      </main>
      {palette ? (
        <CommandPalette
          onClose={() => setPalette(false)}
          onNotifications={() => setNotifications(true)}
        />
      ) : null}
      {notifications ? <NotificationsDialog onClose={() => setNotifications(false)} /> : null}
      {help ? <ShortcutsHelp onClose={() => setHelp(false)} /> : null}
    </div>
  );
}
