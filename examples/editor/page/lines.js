/**
 * Paragraphs as text areas. Every change is sent at once; the editor's server puts the changes of all views in one
 * order and sends them to all. On a line that we changed, changes of others from before ours arrived are skipped: ours
 * comes after them.
 */
export class Lines {
  #viewId = 0;
  #next = 0;
  #readonly = true;
  /** Numbers of changes on their way, by line. */
  #pending = new Map();
  #root;
  #send;

  /**
   * @param {HTMLElement} root
   * @param {(message: string) => void} send
   */
  constructor(root, send) {
    this.#root = root;
    this.#send = send;
  }

  reset({ viewId, lines, editable }) {
    this.#viewId = viewId;
    this.#pending.clear();
    const focused = document.activeElement?.dataset?.line;
    this.#root.replaceChildren(...lines.map((line) => this.#create(line)));
    if (!editable) {
      const note = document.createElement('p');
      note.className = 'note';
      note.textContent =
        'Trình soạn thảo thay thế chỉ sửa được docx, txt và csv. / The stand-in editor edits docx, txt and csv only.';
      this.#root.replaceChildren(note);
    }
    for (const area of this.#areas()) grow(area);
    if (focused !== undefined) this.#find(focused)?.focus();
    this.#number();
  }

  setReadOnly(readonly) {
    this.#readonly = readonly;
    for (const area of this.#areas()) area.readOnly = readonly || area.dataset.fixed !== undefined;
  }

  /** @param {'set' | 'add' | 'remove'} name */
  apply(name, value) {
    if (name === 'set') this.#set(value);
    else if (name === 'add') this.#add(value);
    else this.#find(value.id)?.remove();
    if (name !== 'set') this.#number();
  }

  focus() {
    this.#root.querySelector('textarea')?.focus();
  }

  #areas() {
    return [...this.#root.querySelectorAll('textarea')];
  }

  #find(id) {
    return this.#root.querySelector(`textarea[data-line="${CSS.escape(id)}"]`);
  }

  #number() {
    for (const [index, area] of this.#areas().entries()) {
      area.setAttribute('aria-label', `Đoạn ${index + 1} / Paragraph ${index + 1}`);
    }
  }

  #create({ id, text, fixed }) {
    const area = document.createElement('textarea');
    area.dataset.line = id;
    area.rows = 1;
    area.value = text;
    if (fixed) area.dataset.fixed = '';
    area.readOnly = this.#readonly || Boolean(fixed);
    area.addEventListener('input', () => {
      grow(area);
      this.#change(area);
    });
    area.addEventListener('keydown', (event) => this.#onKey(area, event));
    return area;
  }

  #change(area) {
    const id = area.dataset.line;
    this.#countPending(id, 1);
    this.#send(`set ${JSON.stringify({ id, text: area.value })}`);
  }

  #onKey(area, event) {
    if (area.readOnly || event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.#split(area);
    } else if (event.key === 'Backspace' && area.selectionStart === 0 && area.selectionEnd === 0) {
      const before = area.previousElementSibling;
      if (!before || before.readOnly) return;
      event.preventDefault();
      this.#join(before, area);
    } else if (event.key === 'ArrowUp' && area.selectionEnd === 0) area.previousElementSibling?.focus();
    else if (event.key === 'ArrowDown' && area.selectionStart === area.value.length) area.nextElementSibling?.focus();
  }

  #split(area) {
    const rest = area.value.slice(area.selectionEnd);
    const added = this.#create({ id: `${this.#viewId}.${this.#next++}`, text: rest });
    area.value = area.value.slice(0, area.selectionStart);
    area.after(added);
    this.#send(`add ${JSON.stringify({ id: added.dataset.line, after: area.dataset.line, text: rest })}`);
    this.#change(area);
    for (const one of [area, added]) grow(one);
    added.focus();
    added.setSelectionRange(0, 0);
    this.#number();
  }

  #join(before, area) {
    const at = before.value.length;
    before.value += area.value;
    area.remove();
    this.#send(`remove ${JSON.stringify({ id: area.dataset.line })}`);
    this.#change(before);
    grow(before);
    before.focus();
    before.setSelectionRange(at, at);
    this.#number();
  }

  /** Counts changes on their way; the text area says by its class that there are some. */
  #countPending(id, change) {
    // Those from before a reset are counted no more.
    const count = Math.max(0, (this.#pending.get(id) ?? 0) + change);
    this.#pending.set(id, count);
    this.#find(id)?.classList.toggle('pending', count > 0);
  }

  #set({ id, text, by }) {
    const area = this.#find(id);
    if (by === this.#viewId) this.#countPending(id, -1);
    else if (area && !this.#pending.get(id)) {
      const { selectionStart, selectionEnd } = area;
      area.value = text;
      if (document.activeElement === area) area.setSelectionRange(selectionStart, selectionEnd);
      grow(area);
    }
  }

  #add({ id, after, text }) {
    const known = this.#find(id);
    const area = known ?? this.#create({ id, text });
    const isFocused = document.activeElement === area;
    const place = after === null ? null : this.#find(after);
    // Our own is moved to its place in the server's order.
    if (place && place.nextElementSibling !== area) place.after(area);
    else if (after === null) this.#root.prepend(area);
    else if (!known) this.#root.append(area);
    if (isFocused) area.focus();
    grow(area);
  }
}

function grow(area) {
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight}px`;
}
