/**
 * Lists the people who have the document open, in the page and in messages to the page that embeds it.
 *
 * @param {HTMLElement} list
 * @param {(id: string, values: object) => void} post
 */
export function createViews(list, post) {
  let views = [];
  let own;
  /** The document is open: no message is sent before. */
  let open = false;

  const hostView = ({ id, userid, username, userextrainfo, readonly, color }) => ({
    ViewId: id,
    UserId: userid,
    UserName: username,
    UserExtraInfo: userextrainfo,
    Color: color,
    ReadOnly: readonly,
    IsCurrentView: id === own,
  });

  function tell(before) {
    const isIn = (some) => (view) => some.some(({ id }) => id === view.id);
    for (const view of views.filter((one) => !isIn(before)(one)))
      post('View_Added', { ...hostView(view), Deprecated: true });
    for (const view of before.filter((one) => !isIn(views)(one))) removed(view);
    post('Views_List', views.map(hostView));
  }

  function removed({ id }) {
    post('View_Removed', { ViewId: id, Deprecated: true });
  }

  return {
    own(id) {
      own = id;
    },
    show(now) {
      const before = views;
      views = now;
      list.replaceChildren(
        ...views.map(({ username, readonly, color }) => {
          const item = document.createElement('li');
          item.textContent = username + (readonly === '1' ? ' (xem / view)' : '');
          item.style.borderColor = color;
          return item;
        }),
      );
      if (open) tell(before);
    },
    opened() {
      open = true;
      tell([]);
    },
    lost() {
      views.forEach(removed);
      views = [];
      open = false;
    },
    forHost: () => views.map(hostView),
  };
}
