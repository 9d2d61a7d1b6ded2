import { Link } from '@tanstack/react-router';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../../ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { LiveIndicator } from '../../shared/live-indicator.tsx';
import { Logo } from '../../shared/logo.tsx';
import { useNavItems } from './nav-items.ts';
import { type Signals, useSignals, useWindowSignals } from './use-signals.ts';
import css from './shell.module.css';
import { ThemeToggle } from '../../shared/theme-toggle.tsx';

export function SideNav(props: {
  opened: boolean;
  onPalette: () => void;
  onNotifications: () => void;
}) {
  const t = useT();
  const mine = useNavItems();
  const signals = useSignals();
  useWindowSignals(signals);
  const groups = [...new Set(mine.map((item) => item.group))];
  return (
    <aside className={css.side} data-open={props.opened || undefined} aria-label={t.nav.side}>
      <Link to="/" className={css.brand}>
        <Logo />
        {t.common.appName}
      </Link>
      <button
        type="button"
        className={css.paletteButton}
        title={t.palette.open}
        onClick={props.onPalette}
      >
        <Icon name="search" size={16} />
        <span>{t.common.search}</span>
        <kbd className={css.key}>Ctrl K</kbd>
      </button>
      <nav aria-label={t.nav.label}>
        {groups.map((group) => (
          <div key={group}>
            <div className={css.group}>{t.nav[group]}</div>
            <ul className={css.list}>
              {mine
                .filter((item) => item.group === group)
                .map((item) => (
                  <li key={item.path}>
                    <Link
                      to={item.path}
                      className={css.link}
                      activeOptions={{ exact: item.path === '/' }}
                    >
                      <Icon name={item.icon} />
                      {item.title(t)}
                    </Link>
                    <Signal path={item.path} signals={signals} />
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className={css.foot}>
        <div className={css.footRow}>
          <LiveIndicator />
          <ThemeToggle />
        </div>
        <AccountMenu onNotifications={props.onNotifications} />
      </div>
    </aside>
  );
}

/** The number of what needs somebody on a page. */
function Signal({ path, signals }: { path: string; signals: Signals }) {
  const { inbox } = useT();
  const format = useFormat();
  const known = {
    '/alerts': { count: signals.alerts, words: inbox.ofAlerts },
    '/chats': { count: signals.waiting, words: inbox.ofChats },
  }[path];
  if (!known || known.count === 0) return null;
  const number = format.number(known.count);
  const isBad = path === '/alerts' && signals.isCritical;
  return (
    <span
      className={css.signal}
      data-bad={isBad || undefined}
      role="img"
      title={known.words(number)}
      aria-label={known.words(number)}
    >
      {number}
    </span>
  );
}
