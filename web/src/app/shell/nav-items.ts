import { useRouter } from '@tanstack/react-router';
import type { Session } from '../../api/client/types.ts';
import type { Messages } from '../../i18n/messages.ts';
import { allows, type Right } from '../../shared/allows.ts';
import { useSession } from '../../shared/use-session.ts';
import type { IconName } from '../../ui/icon.tsx';

/** The entry of a page in the navigation, the palette and the shortcuts; its route declares it. */
export interface Nav extends Right {
  icon: IconName;
  /** The key to press after `g`. */
  letter: string;
  title: (t: Messages) => string;
  group: 'groupMonitor' | 'groupConfigure' | 'groupAdmin';
  /** If set, the page is hidden from users limited to certain bots. */
  everyBot?: true;
}

export interface NavItem extends Nav {
  /** The address, which takes no parameters. */
  path: '/';
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    nav?: Nav;
  }
}

function useAllNavItems(): NavItem[] {
  return Object.values(useRouter().routesById).flatMap(({ fullPath, options }) => {
    const nav = options.staticData?.nav;
    return nav ? [{ ...nav, path: fullPath as '/' }] : [];
  });
}

/** The pages that this user can use, in the order of the routes. */
export function useNavItems(): NavItem[] {
  const session = useSession();
  return useAllNavItems().filter((item) => isFor(session, item));
}

/** Returns true if a path belongs to a page that this user cannot use. */
export function useIsBarred(path: string): boolean {
  const session = useSession();
  const led = useAllNavItems().filter((item) =>
    item.path === '/' ? path === '/' : path.startsWith(item.path),
  );
  return led.length > 0 && !led.some((item) => isFor(session, item));
}

function isFor(session: Session, item: NavItem): boolean {
  return allows(session, item) && (!item.everyBot || session.bot_ids === null);
}
