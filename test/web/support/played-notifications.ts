/** The browser of the tests shows no notifications, and its pages always have the focus. */
export const playedNotifications = `
  window.told = [];
  window.Notification = class extends EventTarget {
    static permission = 'default';
    static async requestPermission() {
      this.permission = 'granted';
      window.told.push({ asked: true });
      return 'granted';
    }
    constructor(title, { body }) {
      super();
      window.told.push({ title, body });
      window.last = this;
    }
    close() {}
  };
  document.hasFocus = () => false;
`;
