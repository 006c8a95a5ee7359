/**
 * Paragraphs as text areas. Every change is sent at once; the editor's server puts the changes of all views in one
 * order and sends them to all. Of a line that we changed, what others did before our change arrived is passed over:
 * ours comes after it.
 *
 * @param {HTMLElement} root
 * @param {(message: string) => void} send
 */
export function createLines(root, send) {
  let viewId = 0;
  let next = 0;
  let readonly = true;
  /** Changes on their way, by line. */
  const underway = new Map();

  const find = (id) => root.querySelector(`textarea[data-line="${CSS.escape(id)}"]`);
  const grow = (area) => {
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  };
  const number = () => {
    for (const [index, area] of [...root.querySelectorAll('textarea')].entries()) {
      area.setAttribute('aria-label', `Đoạn ${index + 1} / Paragraph ${index + 1}`);
    }
  };

  function create({ id, text, fixed }) {
    const area = document.createElement('textarea');
    area.dataset.line = id;
    area.rows = 1;
    area.value = text;
    if (fixed) area.dataset.fixed = '';
    area.readOnly = readonly || Boolean(fixed);
    area.addEventListener('input', () => {
      grow(area);
      change(area);
    });
    area.addEventListener('keydown', (event) => keydown(area, event));
    return area;
  }

  function change(area) {
    const id = area.dataset.line;
    underway.set(id, (underway.get(id) ?? 0) + 1);
    send(`set ${JSON.stringify({ id, text: area.value })}`);
  }

  function keydown(area, event) {
    if (area.readOnly || event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      split(area);
    } else if (event.key === 'Backspace' && area.selectionStart === 0 && area.selectionEnd === 0) {
      const before = area.previousElementSibling;
      if (!before || before.readOnly) return;
      event.preventDefault();
      join(before, area);
    } else if (event.key === 'ArrowUp' && area.selectionEnd === 0) area.previousElementSibling?.focus();
    else if (event.key === 'ArrowDown' && area.selectionStart === area.value.length) area.nextElementSibling?.focus();
  }

  function split(area) {
    const rest = area.value.slice(area.selectionEnd);
    const added = create({ id: `${viewId}.${next++}`, text: rest });
    area.value = area.value.slice(0, area.selectionStart);
    area.after(added);
    send(`add ${JSON.stringify({ id: added.dataset.line, after: area.dataset.line, text: rest })}`);
    change(area);
    for (const one of [area, added]) grow(one);
    added.focus();
    added.setSelectionRange(0, 0);
    number();
  }

  function join(before, area) {
    const at = before.value.length;
    before.value += area.value;
    area.remove();
    send(`remove ${JSON.stringify({ id: area.dataset.line })}`);
    change(before);
    grow(before);
    before.focus();
    before.setSelectionRange(at, at);
    number();
  }

  const changes = {
    set({ id, text, by }) {
      const area = find(id);
      if (by === viewId) underway.set(id, (underway.get(id) ?? 1) - 1);
      else if (area && !underway.get(id)) {
        const { selectionStart, selectionEnd } = area;
        area.value = text;
        if (document.activeElement === area) area.setSelectionRange(selectionStart, selectionEnd);
        grow(area);
      }
    },
    add({ id, after, text }) {
      const known = find(id);
      const area = known ?? create({ id, text });
      const focused = document.activeElement === area;
      const place = after === null ? null : find(after);
      // Ours is moved to where the server's order has it.
      if (place && place.nextElementSibling !== area) place.after(area);
      else if (after === null) root.prepend(area);
      else if (!known) root.append(area);
      if (focused) area.focus();
      grow(area);
      number();
    },
    remove({ id }) {
      find(id)?.remove();
      number();
    },
  };

  return {
    reset(value) {
      viewId = value.viewId;
      underway.clear();
      const at = document.activeElement?.dataset?.line;
      root.replaceChildren(...value.lines.map(create));
      if (!value.editable) {
        const note = document.createElement('p');
        note.className = 'note';
        note.textContent =
          'Trình soạn thảo thay thế chỉ sửa được docx, txt và csv. / The stand-in editor edits docx, txt and csv only.';
        root.replaceChildren(note);
      }
      for (const area of root.querySelectorAll('textarea')) grow(area);
      if (at !== undefined) find(at)?.focus();
      number();
    },
    setReadOnly(value) {
      readonly = value;
      for (const area of root.querySelectorAll('textarea')) {
        area.readOnly = readonly || area.dataset.fixed !== undefined;
      }
    },
    /** @param {'set' | 'add' | 'remove'} name */
    apply: (name, value) => changes[name](value),
    focus: () => root.querySelector('textarea')?.focus(),
  };
}
